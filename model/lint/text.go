package lint

import (
	"fmt"

	"rung/model"
)

// shown is how many names a message lists before it counts the rest.
const shown = 3

func podName(p *model.Pod) string { return p.Namespace + "/" + p.Name }

// where names a rule from another one's point of view: without the policy when
// it is the same.
func where(from, p *model.Policy, r *model.Rule) string {
	text := r.Direction.Lower() + " rule " + fmt.Sprint(r.Index)
	if from.Key != p.Key {
		text += " of " + p.Label()
	}
	return text
}

func (l *linter) needText(what need) string {
	s := l.found()
	port := func(proto string) string {
		if n := s.DNSPorts[proto]; n != 0 {
			return fmt.Sprintf("DNS over %s %d", proto, n)
		}
		return "DNS over " + proto
	}
	switch what {
	case dnsUDP:
		return port("UDP")
	case dnsTCP:
		return port("TCP")
	}
	return fmt.Sprintf("the API server (TCP %d)", s.APIPort)
}

func openText(d decision) string {
	if d.partAllowed() {
		return "rules above allow only a part of it"
	}
	return "no rule above allows it"
}

// state says in words what is decided about a need.
func (l *linter) state(p *model.Policy, what need, d decision) string {
	text := l.needText(what)
	switch {
	case d.open() && len(d.partly) > 0:
		return text + " decided only in part by " + where(p, d.partly[0].p, d.partly[0].r)
	case d.open():
		return text + " not allowed"
	}
	by := where(p, d.by.p, d.by.r)
	switch d.by.r.Action {
	case model.Allow:
		return text + " allowed by " + by + l.butDropped(p, what)
	case model.Pass:
		return text + " passed to NetworkPolicies by " + by
	}
	return text + " denied by " + by
}
