package lint

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/words"
)

// SelectsEverything reports whether a subject selects every pod of every namespace.
func SelectsEverything(s model.Subject) bool {
	return s.Namespace == "" && s.Namespaces.MatchesEverything() && (s.AllPods || s.Pods.MatchesEverything())
}

// SystemNamespaces returns the names of the system namespaces that the policy's subject selects in this
// cluster. A subject of all pods also selects namespaces without pods; other subjects need an existing pod
// there.
func SystemNamespaces(x *selectors.PodIndex, p *model.Policy) []string {
	var out []string
	selected := x.SelectedPods(p)
	for n := range x.NamespacesMatching(p.Subject.Namespaces) {
		if !model.IsSystemNamespace(n.Name) {
			continue
		}
		if p.Subject.AllPods || p.Subject.Pods.MatchesEverything() || selected.Meets(x.PodsMatchingIn(n.Name, model.SelectEverything())) {
			out = append(out, n.Name)
		}
	}
	return out
}

// firstDeny returns the first rule that denies something, ingress before egress, and the number of such rules.
func firstDeny(p *model.Policy) (first *model.Rule, n int) {
	for r := range p.AllRules() {
		if r.Action == model.Deny && !r.MatchesNothing() {
			n++
			if first == nil {
				first = r
			}
		}
	}
	return first, n
}

func (l *linter) checkPolicy(p *model.Policy) {
	l.checkLogging(p)
	if p.Kind.HasPriority() && p.Priority > l.max {
		var fix model.Fix
		remedy := "no supported priority is free: merge or delete policies"
		if gaps := l.ladder.Tiers[model.TierAdmin].Gaps; len(gaps) > 0 {
			last := gaps[len(gaps)-1]
			remedy = fmt.Sprintf("move it to a free priority, e.g. %d", last.From)
			if last.To == l.max { // below all others, as before
				fix = model.Fix{Text: fmt.Sprintf("move to %d", last.From), Priority: last.From}
			}
		}
		f := l.addAbout(p, PriorityUnsupported, fmt.Sprintf("priority %d is above %d: OVN-Kubernetes does not enforce the policy; "+
			"if it was programmed before, its old rows remain and still decide at the old priority", p.Priority, l.max))
		f.Remedy, f.Fix = remedy, fix
	}
	l.checkSubject(p)
	if SelectsEverything(p.Subject) {
		if r, n := firstDeny(p); r != nil {
			l.addAboutRule(p, r, EmptySelectorDeny, fmt.Sprintf(
				"the subject is every pod of every namespace, future ones too, and %s %s",
				words.Count(n, "rule"), words.OneOrMany(n, "denies", "deny")))
		}
	}
	l.checkSystemNamespaces(p)
}

func (l *linter) checkSubject(p *model.Policy) {
	selected, subject := l.x.SelectedPods(p), l.x.SubjectSet(p)
	if subject.IsEmpty() && l.pods {
		message := "the subject " + p.Subject.String() + " matches no pod: the policy decides nothing now"
		if n := selected.Len(); n > 0 {
			message = fmt.Sprintf("the %s that the subject %s matches cannot be subjects "+
				"(host-networked, completed or not scheduled): the policy decides nothing now", words.Count(n, "pod"), p.Subject)
		}
		l.addAbout(p, SubjectNothing, message)
	}
	var host, udn []string
	for pod := range l.x.Pods(selected) {
		switch {
		case pod.IsCompleted():
		case pod.HostNetwork:
			host = append(host, podName(pod))
		case pod.PrimaryUDN() != "":
			udn = append(udn, podName(pod))
		}
	}
	if n := len(host); n > 0 {
		l.addAbout(p, HostNetwork, fmt.Sprintf("%s of the subject %s host-networked: the policy does not apply to %s (%s)",
			words.Count(n, "pod"), words.OneOrMany(n, "is", "are"), words.OneOrMany(n, "it", "them"), words.ListFew(host, shown)))
	}
	if n := len(udn); n > 0 {
		severity := model.SeverityInfo
		if _, denies := firstDeny(p); denies > 0 {
			severity = model.SeverityWarning
		}
		l.addAbout(p, PrimaryUDN, fmt.Sprintf("%s of the subject %s a primary user-defined network: ANP not enforced on their primary "+
			"network (%s)", words.Count(n, "pod"), words.OneOrMany(n, "has", "have"), words.ListFew(udn, shown))).Severity = severity
	}
}

func (l *linter) checkSystemNamespaces(p *model.Policy) {
	names := SystemNamespaces(l.x, p)
	if len(names) == 0 {
		return
	}
	_, denies := firstDeny(p)
	severity, message := model.SeverityInfo, "selects "+words.ListFew(names, shown)
	if denies > 0 {
		severity = model.SeverityWarning
		message += fmt.Sprintf(", and %s %s", words.Count(denies, "rule"), words.OneOrMany(denies, "denies", "deny"))
	}
	l.addAbout(p, SelectsSystem, message).Severity = severity
}

// checkDuplicates reports priorities that several enforced policies share.
func (l *linter) checkDuplicates() {
	for _, r := range slices.Concat(l.ladder.Tiers[model.TierAdmin].Rungs, l.ladder.Tiers[model.TierBaseline].Rungs) {
		if !r.Duplicate || r.Unsupported || !r.Policies[0].Policy.Kind.HasPriority() {
			continue
		}
		for i := range r.Policies {
			p := r.Policies[i].Policy
			var others []string
			for _, o := range r.Policies {
				if o.Policy != p {
					others = append(others, o.Policy.ShortLabel())
				}
			}
			message := fmt.Sprintf("shares priority %d with %s: lower rule numbers decide first; which of two rules with the same number wins "+
				"is undefined", r.Priority, words.ListFew(others, shown))
			if len(r.Policies[i].Conflicts) == 0 {
				message += "; no rules conflict now"
			}
			l.addAbout(p, PriorityDuplicate, message)
		}
	}
}

// conflictPrefix returns the start of a conflict's message, which names the other policy.
func conflictPrefix(other model.Key) string { return "conflicts with " + other.ShortLabel() + " " }

// IsConflictWith reports whether a finding is a conflict with a policy.
func IsConflictWith(f *model.Finding, other model.Key) bool {
	return f.Code == PriorityConflict.Code && strings.HasPrefix(f.Message, conflictPrefix(other))
}

// checkConflicts reports each conflict at both policies.
func (l *linter) checkConflicts() {
	for i := range l.ladder.Conflicts {
		c := &l.ladder.Conflicts[i]
		for _, k := range []model.PolicyKey{c.A, c.B} {
			p := l.c.Policy(k)
			other, own, theirs := c.OtherPolicy(k)
			if r := p.Rule(c.Direction, c.Rule); r != nil {
				l.addAboutRule(p, r, PriorityConflict, fmt.Sprintf(
					"%sat priority %d: rule %d is %s here and %s there; which one wins is undefined, e.g. for %s",
					conflictPrefix(other), c.Priority, c.Rule, own, theirs, c.Witness))
			}
		}
	}
}
