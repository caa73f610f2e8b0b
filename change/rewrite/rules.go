package rewrite

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/change"
	"rung/model"
	"rung/model/logline"
	"rung/sources/manifests"
)

// SwitchRules returns a policy whose rules log one by one as OpLogLevel asks: permanently, or for a session
// recorded in the policy. by names who begins the session, and when. A running session is ended first, so that
// the values before it come back.
func SwitchRules(old *model.Policy, m *change.Mutation, by model.LogSession, judge manifests.Options) (next *model.Policy, notes []string,
	broken []model.Broken) {
	name, from, now := old.Key.Label(), old, by.Since
	if was, open := old.LogSession(); open {
		if !m.Session {
			notes = append(notes, fmt.Sprintf("%s: ends the logging session of %s; the earlier logging is not restored: %s",
				name, was.BriefText(now), logline.FormerText(was)))
		} else {
			notes = append(notes, name+": replaces the session of "+was.BriefText(now))
			from, broken = EndRules(old, was, judge)
			if from == nil {
				return nil, notes, broken
			}
		}
	}
	tree, set, former := logline.SwitchLogging(from, m.Levels, m.LogLabel)
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
		return nil, notes, brokenError(old, "too many rules for one session record: it "+err.Error())
	}
	if set == "[]" {
		notes = append(notes, name+" already logs this: no rule changes")
	}
	notes = append(notes, fmt.Sprintf("%s: the session's end restores its rules' logging: %s", name, logline.FormerText(s)))
	next, broken = withTree(from, tree, map[string]string{model.AnnotationLogSession: text}, judge)
	return next, notes, broken
}

// EndRules returns a policy with per-rule logging as it will be after session s.
func EndRules(old *model.Policy, s model.LogSession, judge manifests.Options) (*model.Policy, []model.Broken) {
	tree, _ := logline.RestoreLogging(old, s)
	return withTree(old, tree, nil, judge)
}

// withTree returns a policy with another tree. Its logging annotations become set; annotations that have
// nothing to do with sessions are kept.
func withTree(old *model.Policy, tree map[string]any, set map[string]string, judge manifests.Options) (*model.Policy, []model.Broken) {
	u := &unstructured.Unstructured{Object: tree}
	if level, has := old.RawAnnotation(model.AnnotationLogging); has && old.Tiered != nil { // a session leaves this annotation alone
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

// graftRules returns p without its own session, with the session of now and the rules as that session set
// them.
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
	next, _ := withTree(p, logline.ReapplyLogging(p, s),
		map[string]string{model.AnnotationLogSession: change.RawLogAnnotations(now)[model.AnnotationLogSession]}, judge)
	return next
}
