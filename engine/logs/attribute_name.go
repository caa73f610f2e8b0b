package logs

import (
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/revision"
)

// namesKept bounds the remembered names and facts of rules: names come from outside.
const namesKept = 10000

// decodedName is the rule that an ACL's name refers to, as far as the name tells.
type decodedName struct {
	ref   logline.RuleRef
	ok    bool
	old   bool       // the form of OVN-Kubernetes before 2023
	facts *ruleFacts // as of the last line with this name
}

// decodeName caches logline.DecodeName, because names repeat.
func (a *attributor) decodeName(name string) *decodedName {
	d := a.names[name]
	if d == nil {
		if len(a.names) >= namesKept {
			clear(a.names)
		}
		name = strings.Clone(name) // do not keep the whole line
		d = &decodedName{}
		d.ref, d.ok = logline.DecodeName(name)
		if !d.ok {
			d.ref, d.ok = logline.DecodeOldName(name)
			d.old = d.ok
		}
		a.names[name] = d
	}
	return d
}

// nameIndex maps truncated names to rules and to default denies of namespaces.
type nameIndex struct {
	cluster  *model.Cluster
	policies []*model.Policy
	byName   map[string][]ruleCandidate
}

// ruleCandidate is a rule with the verdict and direction of its lines.
type ruleCandidate struct {
	ref                logline.RuleRef
	verdict, direction string
}

// findCandidates returns the rules and default denies whose ACLs carry the line's name and could have its
// verdict.
func (a *attributor) findCandidates(rev *revision.Revision, line *logline.Line) (out []logline.RuleRef) {
	a.index.rebuild(rev.Cluster)
	for _, c := range a.index.byName[line.Name] {
		if c.verdict == line.Verdict && (line.Direction == "" || line.Direction == c.direction) {
			out = append(out, c.ref)
		}
	}
	return out
}

// rebuild makes the index again if a policy changed.
func (x *nameIndex) rebuild(c *model.Cluster) {
	if x.cluster == c && x.byName != nil {
		return
	}
	x.cluster = c
	policies := slices.Collect(c.AllPolicies())
	if x.byName != nil && slices.Equal(x.policies, policies) {
		return
	}
	x.policies, x.byName = policies, map[string][]ruleCandidate{}
	isolated := map[string]bool{}
	for _, p := range x.policies {
		for _, d := range []model.Direction{model.Ingress, model.Egress} {
			for i, r := range p.Rules(d) {
				x.add(logline.RuleRef{Policy: p.Key, Direction: d, Rule: i, Exact: true}, verdicts[r.Action])
			}
			if p.Kind == model.KindNP && !isolated[p.Namespace] {
				deny := model.PolicyKey{Kind: model.KindNP, Namespace: p.Namespace}
				x.add(logline.RuleRef{Policy: deny, Direction: d, Rule: -1, Exact: true}, verdicts[model.Deny])
			}
		}
		isolated[p.Namespace] = p.Kind == model.KindNP || isolated[p.Namespace]
	}
}

func (x *nameIndex) add(ref logline.RuleRef, verdict string) {
	if name := logline.ACLName(ref.Policy, ref.Direction, ref.Rule); len(name) == logline.MaxACLName {
		x.byName[name] = append(x.byName[name], ruleCandidate{ref, verdict, aclDirection(ref.Policy.Kind, ref.Direction)})
	}
}

// byOldName finds the rule behind a name of OVN-Kubernetes before 2023, which lacks the direction. It uses the
// line's direction, or else the policy's rules.
func (a *attributor) byOldName(rev *revision.Revision, e *Entry, ref logline.RuleRef, now time.Time) {
	if ref.Direction == "" {
		switch e.Line.Direction {
		case nb.ToLport:
			ref.Direction = model.Ingress
		case nb.FromLport:
			ref.Direction = model.Egress
		}
	}
	e.Rule, e.Attributed = ref, ref.Direction != ""
	if e.Attributed {
		return
	}
	p := rev.Cluster.Policy(ref.Policy)
	if p == nil {
		if knowsPolicies(rev) {
			e.Gone = PolicyGone
		}
		return
	}
	var found []logline.RuleRef
	for _, d := range []model.Direction{model.Ingress, model.Egress} {
		if p.IsolatesDirection(d) && (ref.Rule < 0 || p.Rule(d, ref.Rule) != nil) {
			found = append(found, logline.RuleRef{Policy: ref.Policy, Direction: d, Rule: ref.Rule, Exact: true})
		}
	}
	if len(found) > 1 && ref.Rule >= 0 {
		found = a.judgeCandidates(rev, e, found, now)
	}
	if len(found) == 1 {
		e.Rule, e.Attributed = found[0], true
	}
}

// knowsPolicies reports whether every policy was read: only then a missing policy is gone.
func knowsPolicies(rev *revision.Revision) bool {
	return rev.Loaded && !rev.Cluster.IsEmpty() && !slices.ContainsFunc(rev.Omissions(), func(o model.Omission) bool {
		return o.Code == model.OmittedFile || (o.Code == model.OmittedObject || o.Code == model.OmittedKind) &&
			(o.Key.Kind == "" || o.Key.Kind.IsPolicy())
	})
}
