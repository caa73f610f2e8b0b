package verdict

import (
	"slices"

	"rung/model"
)

// IsolationCuts is a default deny of NetworkPolicies that drops connections of AuditQuestions.DNS.
type IsolationCuts struct {
	Policies  []model.Key
	Direction model.Direction
	DNSCuts   [2]DNSCut
}

// AuditQuestions holds the extra questions of an Audit; the zero value asks none.
type AuditQuestions struct {
	// Wide selects the rules whose ChangedPairs are counted.
	Wide func(*model.Policy, *model.Rule) bool
	// DNS are the pods that serve DNS, at Ports: UDP's and TCP's.
	DNS   []*model.Pod
	Ports [2]uint16
}

// The indexes of AuditQuestions.Ports and of DNSCuts.
const (
	CutUDP = iota
	CutTCP
)

// ChangedPairs counts the pairs of pods that get another verdict without a rule. Examples has at most three,
// each of different kinds of pods.
type ChangedPairs struct {
	Pairs    int
	Examples []Connection
	families [2]int
}

// DNSCut counts the pods whose connections to the DNS pods a rule drops, with an example.
type DNSCut struct {
	Pods    int
	Example *Connection
	senders Set // of pods
}

// ruleCount is a rule and how many kinds of connections it decides before another.
type ruleCount struct {
	rule int32
	n    int
}

// countRules adds the rules of terms that decide or pass before a rule, each once. It keeps at most mostNamed
// rules, plus all rules of AuditQuestions.Wide.
func (p *auditedPort) countRules(u int32, terms []Term, refs []int32) {
	into := &p.decidersBefore[u]
	for _, i := range refs {
		r := terms[i].Rule
		if p.auditedByRule[r] == u {
			continue
		}
		k := slices.IndexFunc(*into, func(t ruleCount) bool { return t.rule == r })
		switch {
		case k >= 0:
			(*into)[k].n++
		case len(*into) < mostNamed || p.auditedByRule[r] >= 0 && p.countsTurned[p.auditedByRule[r]]:
			*into = append(*into, ruleCount{r, 1})
		}
	}
}

// candidateNote is a finding about every pair of classes with the same candidates, counted for each pair.
type candidateNote struct {
	rule  int32 // of rules; for a default deny, of isolationCuts
	kind  noteKind
	ports PortRange // for an example
}

type noteKind uint8

const (
	verdictTurned noteKind = iota
	cutsUDP
	cutsTCP
	isolatesUDP
	isolatesTCP
)

// noNotes is the empty list of notes, which most candidates have.
var noNotes []candidateNote

// noteOnce notes a finding about the current candidates, once.
func (p *auditedPort) noteOnce(n candidateNote) {
	n.ports = p.ports
	a := p.auditor
	if a.notes == nil {
		a.notes = &[]candidateNote{}
	}
	if !slices.ContainsFunc(*a.notes, func(o candidateNote) bool { return o.rule == n.rule && o.kind == n.kind }) {
		*a.notes = append(*a.notes, n)
	}
}

// noteCuts notes the terms of the current walk that drop connections to the DNS pods.
func (p *auditedPort) noteCuts() {
	if len(p.dns[p.to]) == 0 || p.auditor.c.List[p.from].Outside {
		return
	}
	k := slices.IndexFunc([]Protocol{UDP, TCP}, func(proto Protocol) bool { return p.ports.Protocol == proto })
	if k < 0 || p.dnsPorts[k] < p.ports.Lo || p.dnsPorts[k] > p.ports.Hi {
		return
	}
	w := &p.walks[p.walkIndex]
	for _, i := range w.decided {
		t := &w.terms[i]
		if t.Effect != Drops {
			continue
		}
		if u := p.auditedByRule[t.Rule]; u >= 0 {
			p.noteOnce(candidateNote{rule: u, kind: cutsUDP + noteKind(k)})
			continue
		}
		if r := &p.x.Rules[t.Rule]; len(r.Isolating) > 0 {
			n, known := p.cutOfIsolation[t.Rule]
			if !known {
				n = int32(len(p.isolationCuts))
				p.cutOfIsolation[t.Rule] = n
				p.isolationCuts = append(p.isolationCuts, IsolationCuts{Policies: r.Isolating, Direction: r.Direction})
			}
			p.noteOnce(candidateNote{rule: n, kind: isolatesUDP + noteKind(k)})
		}
	}
}

// countNotes counts the notes of candidates for two classes that have these candidates.
func (a *auditor) countNotes(i, j int32, nodes NodePairing, notes []candidateNote) {
	for _, n := range notes {
		switch n.kind {
		case verdictTurned:
			a.countChanged(i, j, nodes, n)
		case cutsUDP, cutsTCP:
			a.cutFrom(i, j, nodes, n.kind-cutsUDP, &a.rules[n.rule].DNSCuts)
		default:
			a.cutFrom(i, j, nodes, n.kind-isolatesUDP, &a.isolationCuts[n.rule].DNSCuts)
		}
	}
}

// mostExamples bounds ChangedPairs.Examples.
const mostExamples = 3

// countChanged counts the pairs of pods, of two classes, whose verdict a rule changes.
func (a *auditor) countChanged(i, j int32, nodes NodePairing, n candidateNote) {
	from, to := a.c.List[i], a.c.List[j]
	if from.Outside || to.Outside {
		return
	}
	pairs := a.c.CountPairsOnNodes(i, j, nodes)
	// A pair of pods with both families counts in each.
	t := &a.rules[n.rule].ChangedPairs
	t.families[from.Family.Index()] += pairs
	t.Pairs = max(t.families[0], t.families[1])
	if pairs > 0 && len(t.Examples) < mostExamples {
		t.Examples = append(t.Examples, a.connectionAt(i, j, nodes, n.ports.Protocol, n.ports.ExamplePort()))
	}
}

// cutFrom counts the pods of a class whose queries are dropped.
func (a *auditor) cutFrom(i, j int32, nodes NodePairing, k noteKind, cuts *[2]DNSCut) {
	cut, x := &cuts[k], a.x
	if cut.senders == nil {
		cut.senders = NewSet(x.Pods.Len())
	}
	for _, to := range a.dns[j] {
		for _, e := range a.c.List[i].Ends {
			if x.Ends[e].Pod == x.Ends[to].Pod || nodes != AnyNodes && (x.NodeOfEnd(e) == x.NodeOfEnd(to)) != (nodes == OneNode) {
				continue
			}
			if cut.Example == nil {
				cut.Example = &Connection{From: x.Endpoint(e), To: x.Endpoint(to), Family: a.c.List[i].Family,
					Protocol: [...]Protocol{UDP, TCP}[k], Port: a.dnsPorts[k]}
			}
			if pod := x.Ends[e].Pod; !cut.senders.Has(pod) {
				cut.senders.Add(pod)
				cut.Pods++
			}
		}
	}
}
