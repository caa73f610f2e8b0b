package guard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
)

var watched = []struct{ code, what string }{{DNS, "cluster DNS"}, {API, "the API server"}}

// isCut reports whether connections become denied, or may.
func isCut(before, after verdict.Verdict) bool {
	return after == verdict.Deny || before == verdict.Allow && after != verdict.Allow
}

// findClosed finds connections that a cluster depends on and loses.
func (j *railCollector) findClosed() {
	dns := map[[2]verdict.Verdict]int{}
	for i, w := range watched {
		for k := range j.difference.Watched[i] {
			g := &j.difference.Watched[i][k]
			if !isCut(g.Before, g.After) {
				continue
			}
			if w.code == DNS {
				dns[[2]verdict.Verdict{g.Before, g.After}] = g.Pairs
			}
			j.addVital(w.code, w.what, g)
		}
	}
	var dnsPorts []verdict.PortRange
	for i := range j.difference.Watched[0] {
		dnsPorts = append(dnsPorts, j.difference.Watched[0][i].Ports...)
	}
	for i := range j.difference.Reaches {
		r := &j.difference.Reaches[i]
		p := &r.Protected
		if p.Pairs == 0 || !isCut(r.Before, r.After) || p.Pairs == dns[[2]verdict.Verdict{r.Before, r.After}] &&
			len(verdict.SubtractPorts(p.Ports, dnsPorts)) == 0 {
			continue // or reported already
		}
		said := verbFormsFor(r.After)
		policy := j.changedPolicy(p.ByAfter, p.ByBefore)
		j.addGuard(System, policy, fmt.Sprint(System, policy, r.After, sortedNamespaces(p)), "%s connections of %s on %s, for example %s, %s %s",
			said.cuts, byNamespace(p), revision.PortsText(p.Ports), p.Example, said.becomes, revision.DecidersText(p.ByAfter))
	}
}

// verbForms are the words for what happens to connections.
type verbForms struct{ cuts, loses, becomes string }

func verbFormsFor(after verdict.Verdict) verbForms {
	out := verbForms{"may cut", "may no longer reach", "unknown because of"}
	switch after {
	case verdict.Deny:
		return verbForms{"cuts", "can no longer reach", "denied by"}
	case verdict.Mixed:
		out.becomes = "denied at some endpoints by"
	case verdict.Undefined:
		out.becomes = "undefined between"
	}
	return out
}

// addVital adds the rail of connections that nearly every pod needs.
func (j *railCollector) addVital(code, what string, g *diff.FlipGroup) {
	whom := g.Example.To.String()
	if g.To.Pods > 0 {
		whom = someEnds(g.To)
	}
	from := "addresses outside"
	if g.From.Pods > 0 {
		from = words.Count(g.From.Pods, "pod")
	}
	said := verbFormsFor(g.After)
	policy := j.changedPolicy(g.ByAfter, g.ByBefore)
	j.addGuard(code, policy, fmt.Sprint(code, policy, g.After, g.From.Namespaces, g.To.Namespaces),
		"%s %s: %s %s %s on %s, for example %s, %s %s", said.cuts, what, from, said.loses, whom, revision.PortsText(g.Ports), g.Example,
		said.becomes, revision.DecidersText(g.ByAfter))
}

// someEnds names the ends of a rail's connections, all if they are few.
func someEnds(e verdict.Ends) string {
	var names []string
	for _, k := range e.FirstPods {
		names = append(names, k.Namespace+"/"+k.Name)
	}
	if more := e.Pods - len(names); more > 0 {
		return strings.Join(names, ", ") + fmt.Sprintf(" and %s more", words.Thousands(more))
	}
	return words.List(names, len(names))
}

// byNamespace counts the pairs of a share: "red (40 pairs), blue (2 pairs)".
func byNamespace(s *diff.FlipShare) string {
	var parts []string
	for _, n := range s.ByNamespace {
		parts = append(parts, fmt.Sprintf("%s (%s)", cmp.Or(n.Namespace, "addresses outside"), words.Count(n.Pairs, "pair")))
	}
	return words.ListFew(parts, 6)
}

// sortedNamespaces returns the namespaces of a share, in an order independent of counts.
func sortedNamespaces(s *diff.FlipShare) (out []string) {
	for _, n := range s.ByNamespace {
		out = append(out, n.Namespace)
	}
	slices.Sort(out)
	return out
}

// findOpened finds connections between namespaces, or with addresses outside, that are denied now and become,
// or may become, allowed.
func (j *railCollector) findOpened() {
	for i := len(j.difference.Reaches) - 1; i >= 0; i-- { // openings that are certain come first
		r := &j.difference.Reaches[i]
		a := &r.AcrossNamespaces
		if r.Before != verdict.Deny || r.After == verdict.Deny || a.Pairs == 0 {
			continue
		}
		opens := "opens"
		if r.After != verdict.Allow {
			opens = "may open"
		}
		policy := j.changedPolicy(a.ByAfter, a.ByBefore)
		j.addGuard(Opens, policy, fmt.Sprint(Opens, policy, r.After, sortedNamespaces(a)),
			"%s %s across namespaces, denied today, into %s: for example %s, denied before by %s", opens, words.Count(a.Pairs, "pair"),
			byNamespace(a), a.Example, revision.DecidersText(a.ByBefore))
	}
}

// findMuchDenied finds whether more than a tenth of the allowed pairs of pods become denied.
func (j *railCollector) findMuchDenied() {
	for i := range j.difference.Reaches {
		r := &j.difference.Reaches[i]
		if r.Before != verdict.Allow || r.After != verdict.Deny || r.Pods == 0 {
			continue
		}
		all, more := verdict.MorePods(j.rev.Verdicts(), 10*r.Pods-1, func() bool { return j.ctx.Err() != nil })
		if more {
			continue
		}
		j.addGuard(Much, j.changes[0].Key, Much, "cuts %s of the %s of pods allowed now, more than a tenth", words.Thousands(r.Pods),
			words.Count(all, "pair"))
	}
}

// findLoggedDenied finds connections that the log has seen allowed and that become, or may become, denied.
func (j *railCollector) findLoggedDenied(log *diff.LogConnections) {
	if log == nil || log.Lines == 0 || len(j.difference.Flips) == 0 {
		return
	}
	o, err := revision.DiffLog(j.rev, j.ctx, j.next, log)
	if err != nil {
		return // the context ended: nothing is known
	}
	lines := 0
	var newest *diff.LoggedGroup
	for i := range o.Groups {
		g := &o.Groups[i]
		if g.Allowed == 0 || g.Before != verdict.Allow {
			continue
		}
		lines += g.Allowed
		if newest == nil || g.Last.After(newest.Last) {
			newest = g
		}
	}
	if newest == nil {
		return
	}
	j.addGuard(Log, j.changes[0].Key, Log, "cuts connections that the log has seen allowed: %s since %s, %s", words.Count(lines, "line"),
		o.From.UTC().Format("2006-01-02 15:04"), revision.LoggedExampleText(newest))
}
