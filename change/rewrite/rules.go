package rewrite

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/change"
	"rung/model"
	"rung/model/logline"
	"rung/sources/manifests"
)

// SwitchRules is a policy whose rules log one by one as OpLogLevel asks: for good, or where that begins
// a session with its record; by has who begins it, and when. A session that is on is ended
// first, so that what was before it comes back.
func SwitchRules(old *model.Policy, m *change.Mutation, by model.LogSession, judge manifests.Options) (next *model.Policy, notes []string,
	broken []model.Broken) {
	name, from, now := old.Key.Label(), old, by.Since
	if was, open := old.LogSession(); open {
		switch {
		case !m.Session:
			notes = append(notes, fmt.Sprintf("%s: ends the logging session of %s; what it would have restored is forgotten: %s",
				name, was.BriefText(now), logline.FormerText(was)))
		default:
			notes = append(notes, name+": replaces the session of "+was.BriefText(now))
			from, broken = EndRules(old, was, judge)
			if from == nil {
				return nil, notes, broken
			}
		}
	}
	tree, set, former := logline.Switch(from, m.Levels, m.LogLabel)
	if !m.Session {
		next, broken = withTree(from, tree, nil, judge)
		return next, notes, broken
	}
	s, err := model.NewLogSession(by.ID, by.By, now, m.SessionTime, former, true)
	if err != nil {
		return nil, notes, brokenError(old, err.Error())
	}
	s.Set = set
	text := s.AnnotationText()
	if _, err := model.ParseLogSession(text); err != nil {
		return nil, notes, brokenError(old, "it has too many rules for the record of a session, which "+err.Error())
	}
	if set == "[]" {
		notes = append(notes, name+" already logs this: no rule changes")
	}
	notes = append(notes, fmt.Sprintf("%s: at the end its rules log as they do now: %s", name, logline.FormerText(s)))
	next, broken = withTree(from, tree, map[string]string{model.AnnotationLogSession: text}, judge)
	return next, notes, broken
}

// EndRules is a policy whose rules log one by one as it is when a session is over.
func EndRules(old *model.Policy, s model.LogSession, judge manifests.Options) (*model.Policy, []model.Broken) {
	tree, _ := logline.End(old, s)
	return withTree(old, tree, nil, judge)
}

// withTree is a policy with another tree, and these logging annotations alone beside what no session
// has to do with.
func withTree(old *model.Policy, tree map[string]any, set map[string]string, judge manifests.Options) (*model.Policy, []model.Broken) {
	u := &unstructured.Unstructured{Object: tree}
	if level, has := old.RawAnnotation(model.AnnotationLogging); has && old.Tiered != nil { // which says nothing of it
		merged := map[string]string{model.AnnotationLogging: level}
		if text, has := set[model.AnnotationLogSession]; has {
			merged[model.AnnotationLogSession] = text
		}
		set = merged
	}
	if all := withAnnotations(u.GetAnnotations(), set); all != nil {
		u.SetAnnotations(all)
	} else {
		unstructured.RemoveNestedField(u.Object, "metadata", "annotations")
	}
	return rewrittenPolicy(old, u, judge)
}

// graftRules is a policy with the session that now has, and its rules as that set them; without its own.
func graftRules(p, now *model.Policy, judge manifests.Options) *model.Policy {
	if s, on := p.LogSession(); on {
		p, _ = EndRules(p, s, judge)
		if p == nil {
			return nil
		}
	}
	s, on := now.LogSession()
	if !on {
		return p
	}
	next, _ := withTree(p, logline.Again(p, s),
		map[string]string{model.AnnotationLogSession: change.AnnotationsOf(now)[model.AnnotationLogSession]}, judge)
	return next
}
