package logs

import (
	"maps"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
)

// logTimes holds when a policy, or a namespace for the policies that log by its annotation, got its current
// levels.
type logTimes map[model.Key]levelTimes

type levelTimes struct {
	levels model.LogLevels
	since  map[model.Action]time.Time
}

func (s logTimes) copy() logTimes { return maps.Clone(s) }

// observe follows the levels; a changed level keeps its start.
func (s logTimes) observe(changes []model.Change, now time.Time) {
	for _, c := range changes {
		var levels model.LogLevels
		switch o := c.New.(type) {
		case *model.Policy:
			if !o.Kind.IsAdmin() {
				continue
			}
			levels, _ = o.LogLevels() // a wrong level is not applied: nothing logs
		case *model.Namespace:
			levels, _ = model.NamespaceLogLevels(o.Annotations[model.AnnotationLogging])
		case nil:
			delete(s, c.Key())
			continue
		default:
			continue
		}
		was, k := s[c.Key()], c.Key()
		if !levels.IsOn() {
			delete(s, k)
			continue
		}
		if was.levels == levels {
			continue
		}
		is := levelTimes{levels, map[model.Action]time.Time{}}
		for _, a := range []model.Action{model.Allow, model.Deny, model.Pass} {
			switch {
			case levels.ForAction(a) == "":
			case was.levels.ForAction(a) != "":
				is.since[a] = was.since[a]
			default:
				is.since[a] = now
			}
		}
		s[k] = is
	}
}

// loggingSince returns since when rules of a policy with an action log; zero if they do not.
func (s logTimes) loggingSince(k model.PolicyKey, a model.Action) time.Time {
	if !k.Kind.IsAdmin() {
		k = model.Key{Kind: model.KindNamespace, Name: k.Namespace}
	}
	return s[k].since[a]
}

// HitState tells how much is known about the hits of a rule.
type HitState int

const (
	// Hit means that the rule has lines.
	Hit HitState = iota
	// Idle means that it logs, and had no hit since then.
	Idle
	// NotLogged means that hits are unknown: the rule does not log.
	NotLogged
	// NotFollowed means that its lines would not arrive here.
	NotFollowed
)

// RuleUse holds the hits of one rule.
type RuleUse struct {
	Use HitState
	LineHits
	Recent uint64
	// Since is the time since which an idle rule has had no hit.
	Since time.Time
	// Missing counts the nodes whose logs are not followed.
	Missing int
}

// UseOfRule returns how much a rule of a policy is hit.
func (s *HitSummary) UseOfRule(p *model.Policy, r *model.Rule) RuleUse {
	ref := logline.RuleRef{Policy: p.Key, Direction: r.Direction, Rule: r.Index, Exact: true}
	h, since := s.Rules[ref], s.logged.loggingSince(p.Key, r.Action)
	if p.Kind == model.KindNP && since.IsZero() {
		since = s.logged.loggingSince(p.Key, model.Allow)
	}
	u := RuleUse{LineHits: h, Recent: h.RecentLines(s.At), Since: laterTime(since, s.Since), Missing: s.NotFollowed}
	switch {
	case h.Count > 0:
	case since.IsZero():
		u.Use = NotLogged
	case !s.Followed:
		u.Use = NotFollowed
	default:
		u.Use = Idle
	}
	return u
}

// ShortText returns the use for a column: "1,204", "logged, no hit", "not logged".
func (u RuleUse) ShortText() string {
	switch u.Use {
	case Idle:
		return words.Choose(u.Missing > 0, "no hit, "+words.Count(u.Missing, "node")+" not followed", "logged, no hit")
	case NotLogged:
		return "not logged"
	case NotFollowed:
		return "log not followed"
	}
	if u.Recent > 0 && u.Recent < u.Count {
		return words.Thousands(u.Count) + ", " + words.Thousands(u.Recent) + " in 15 min"
	}
	return words.Thousands(u.Count)
}

// PolicyUse holds the hits of all rules of a policy.
type PolicyUse struct {
	RuleUse
	// Idle lists the rules that log and had no hit.
	Idle []string
	// Rules is the number of rules.
	Rules int
}

// OfPolicy returns how much a policy is hit.
func (s *HitSummary) OfPolicy(p *model.Policy) (u PolicyUse) {
	best := NotFollowed + 1
	for _, d := range []model.Direction{model.Ingress, model.Egress} {
		rules := p.Rules(d)
		for i := range rules {
			one := s.UseOfRule(p, &rules[i])
			u.Rules++
			u.LineHits.Merge(&one.LineHits)
			if one.Use == Idle {
				u.Idle = append(u.Idle, revision.RuleLabel(d, i, ""))
				u.Since = laterTime(one.Since, u.Since)
			}
			best = min(best, one.Use)
		}
	}
	u.Recent, u.Missing = u.LineHits.RecentLines(s.At), s.NotFollowed
	u.Use = best
	if u.Rules == 0 {
		u.Use = NotLogged
	}
	return u
}

// ShortText returns the use for a column: "1,204, 2 rules idle".
func (u PolicyUse) ShortText() string {
	text := u.RuleUse.ShortText()
	return words.Choose(u.Use == Hit && len(u.Idle) > 0, text+", "+words.Count(len(u.Idle), "rule")+" no hit", text)
}
