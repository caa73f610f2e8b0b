package verdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rung/model"
)

// AuditedRule is the result for one rule over all possible connections.
type AuditedRule struct {
	Policy    model.Key
	Direction model.Direction
	Rule      int
	Action    model.Action
	// Matches reports that the rule matches connections. Decides reports that it decides some of them, alone
	// or with rules of equal priority; a Pass decides to ask the next tier. Matters reports that without the
	// rule some verdict changes.
	Matches, Decides, Matters bool
	// Example is a connection the rule matches, preferably one it decides.
	Example Connection
	// MattersAtEnd reports that the end where the rule applies has, for some connection, another verdict without
	// it, whatever the other end decides.
	MattersAtEnd bool
	// DecidersBefore are the rules that decide earlier about connections this one matches.
	DecidersBefore []Decider
	// DecidersWithout would decide its connections without it. Undecided reports that nothing else decides
	// some of them, which allows them.
	DecidersWithout []Decider
	Undecided       bool
	// DecidedBelow reports, for a Pass, that a lower tier decides some passed connection. Through is a passed
	// connection that nothing decides, and that is allowed.
	DecidedBelow bool
	Through      *Connection
	// Clashes are the rules of other policies with its priority that disagree with it below all higher rules.
	Clashes []RuleClash
	// ChangedPairs are the pairs of pods with another verdict without the rule, if AuditQuestions.Wide.
	ChangedPairs ChangedPairs
	// DNSCuts are the connections of AuditQuestions.DNS that the rule drops.
	DNSCuts [2]DNSCut
	// Overruled is, for an Allow of an AdminNetworkPolicy, an allowed connection that a NetworkPolicy's
	// default deny would deny if the rule were a Pass. For a Deny: a connection that an Allow of a
	// NetworkPolicy or EgressFirewall would then allow. For a Deny of an EgressFirewall: a connection that an
	// AdminNetworkPolicy allows.
	Overruled *OverruledConnection
	// Outside is, for a Deny of every pod, an allowed connection from outside that begins at no known address.
	Outside *Connection
}

// RuleClash is a rule of another policy with an example connection that either rule may decide. Undefined
// reports that the verdict differs, too: the other end does not deny it anyway.
type RuleClash struct {
	Policy     model.Key
	Connection Connection
	Undefined  bool
}

// OverruledConnection is a connection about which another rule would decide otherwise.
type OverruledConnection struct {
	Connection Connection
	Deciders   []Decider // the rules that would decide it, or did before it
}

// AuditedPolicy is the result for a policy with Allow rules only.
type AuditedPolicy struct {
	Policy           model.Key
	Decides, Matters bool
	Example          Connection
}

// Audit holds the results for all enforced rules, in policy order.
type Audit struct {
	Rules []AuditedRule
	// Allowing are the AdminNetworkPolicies and the baseline, if they have Allow rules only.
	Allowing []AuditedPolicy
	// Isolated are the default denies of NetworkPolicies that drop connections of AuditQuestions.DNS.
	Isolated []IsolationCuts
}

// ErrTooLarge marks an Audit that would take too long; the text names the reason.
var ErrTooLarge = errors.New("too large")

// The bounds of an Audit: pairs of classes, and terms tried. Counts give the same answer every time.
const (
	mostPairs = 2_000_000
	mostTries = 150_000_000
)

// NewAudit audits all connections of an index. The error is the context's, or ErrTooLarge.
func NewAudit(ctx context.Context, x *Index, ask AuditQuestions) (*Audit, error) {
	c := NewClasses(x, nil)
	n := len(c.List)
	if n*n > mostPairs {
		return nil, fmt.Errorf("%w: %d kinds of pods and addresses, at most %d", ErrTooLarge, n, int(math.Sqrt(mostPairs)))
	}
	a := newAuditor(x, c, ask)
	for i := range int32(n) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for j := range int32(n) {
			a.auditClasses(i, j)
		}
		if a.tries > mostTries {
			return nil, fmt.Errorf("%w: the rules of %d kinds of pods and addresses overlap too much", ErrTooLarge, n)
		}
	}
	return a.buildAudit(), nil
}

type auditor struct {
	x             *Index
	c             *Classes
	rules         []AuditedRule
	auditedByRule []int32 // by the index's rules: the place in rules, or -1 for none
	allow         []AuditedPolicy
	allowByRule   []int32 // by rules: the place in allow, or -1 for none
	// decidersBefore and decidersWithout are DecidersBefore and DecidersWithout as rules of the index.
	decidersBefore    [][]ruleCount
	decidersWithout   [][]int32
	wideDenies        []int32 // terms of Denies of every pod
	exampleQuality    []int8  // by rules: how good their examples are
	notesByCandidates map[candidatesKey]*[]candidateNote
	grid              *Grid
	lists             [][]int32        // the terms of walks, by the grid's answers
	listNumbers       map[string]int32 // of lists
	raw               []byte
	tries             int
	candidates        [Walks][]int32 // the terms that may match the current connections, by walk
	port              auditedPort
	countsTurned      []bool          // by rules: AuditQuestions.Wide
	dnsPorts          [2]uint16       // AuditQuestions.Ports
	dns               [][]int32       // by classes: their ends that are DNS pods
	cutOfIsolation    map[int32]int32 // by the index's rules: the place in isolationCuts
	isolationCuts     []IsolationCuts
	notes             *[]candidateNote // of the current candidates
	// Buffers: the terms without one rule, and the walk through them.
	list      []int32
	againWalk tierWalk
	hits      []Hit
}

func newAuditor(x *Index, c *Classes, ask AuditQuestions) *auditor {
	a := &auditor{x: x, c: c, dnsPorts: ask.Ports, cutOfIsolation: map[int32]int32{},
		notesByCandidates: map[candidatesKey]*[]candidateNote{}, listNumbers: map[string]int32{}, auditedByRule: make([]int32, len(x.Rules))}
	type id struct {
		key       model.Key
		direction model.Direction
		rule      int
	}
	at := map[id]int32{}
	for i := range x.Rules {
		r := &x.Rules[i]
		a.auditedByRule[i] = -1
		if r.Policy == nil || r.Index < 0 {
			continue
		}
		k := id{r.Key, r.Direction, r.Index}
		u, known := at[k]
		if !known {
			u = int32(len(a.rules))
			at[k] = u
			a.rules = append(a.rules, AuditedRule{Policy: r.Key, Direction: r.Direction, Rule: r.Index, Action: r.Action})
			a.allowByRule = append(a.allowByRule, a.allowingPolicyIndex(r))
			a.countsTurned = append(a.countsTurned, ask.Wide != nil && ask.Wide(r.Policy, r.Policy.Rule(r.Direction, r.Index)))
		}
		a.auditedByRule[i] = u
	}
	a.grid = NewGrid(c, a.numberOfTerms)
	a.exampleQuality = make([]int8, len(a.rules))
	a.decidersBefore, a.decidersWithout = make([][]ruleCount, len(a.rules)), make([][]int32, len(a.rules))
	a.dns = make([][]int32, len(c.List))
	for _, p := range ask.DNS {
		for _, e := range c.EndsOfPods([]*model.Pod{p})[0] {
			a.dns[c.ClassByEnd[e]] = append(a.dns[c.ClassByEnd[e]], e)
		}
	}
	for i, t := range x.Terms[IngressTerms] {
		if r := &x.Rules[t.Rule]; a.auditedByRule[t.Rule] >= 0 && t.Effect == Drops && r.Key.Kind.IsAdmin() && t.Ports == nil &&
			deniesPods(r.Policy.Rule(r.Direction, r.Index)) {
			a.wideDenies = append(a.wideDenies, int32(i))
		}
	}
	return a
}

// candidatesKey is equal for connections with the same candidate terms and the same notes.
type candidatesKey struct {
	lists         [Walks]int32 // into auditor.lists, or -1 for none
	outside, asks bool
}

// numberOfTerms numbers the terms of a walk, as the grid's answer.
func (a *auditor) numberOfTerms(kind WalkKind, met Set) int32 {
	a.raw = AppendSet(append(a.raw[:0], byte(kind.Stage())), met)
	id, known := a.listNumbers[string(a.raw)]
	if !known {
		id = int32(len(a.lists))
		a.listNumbers[string(a.raw)] = id
		var list []int32
		met.Each(func(i int32) { list = append(list, i) })
		a.lists = append(a.lists, list)
	}
	return id
}

// findCandidates finds the terms that may match the connections from one class to another.
func (a *auditor) findCandidates(i, j int32, how ConnectionMode) (key candidatesKey, some bool) {
	key.lists = a.grid.WalkAnswers(i, j, how)
	for walk, id := range key.lists {
		a.candidates[walk] = nil
		if id >= 0 {
			a.candidates[walk] = a.lists[id]
		}
		if len(a.candidates[walk]) == 0 {
			key.lists[walk] = -1
		}
		some = some || len(a.candidates[walk]) > 0
	}
	return key, some
}

// deniesPods reports whether a peer of a rule selects every pod.
func deniesPods(r *model.Rule) bool {
	return slices.ContainsFunc(r.Peers, func(p model.Peer) bool {
		return p.Namespace == "" && p.Namespaces.MatchesEverything() &&
			(p.Kind == model.PeerNamespaces || p.Kind == model.PeerPods && p.Pods.MatchesEverything())
	})
}

// allowingPolicyIndex returns the place in allow of the rule's policy, -1 if it has other rules.
func (a *auditor) allowingPolicyIndex(r *Rule) int32 {
	if !r.Key.Kind.IsAdmin() {
		return -1
	}
	for rule := range r.Policy.AllRules() {
		if rule.Action != model.Allow {
			return -1
		}
	}
	if n := len(a.allow); n == 0 || a.allow[n-1].Policy != r.Key {
		a.allow = append(a.allow, AuditedPolicy{Policy: r.Key})
	}
	return int32(len(a.allow) - 1)
}

// auditClasses audits the connections from one class to another.
func (a *auditor) auditClasses(i, j int32) {
	how, ok := a.c.PairMode(i, j)
	if !ok {
		return
	}
	near, far := a.c.CountPairs(i, j)
	switch {
	case near+far == 0:
	case how != FarAway:
		a.auditPorts(i, j, how, AnyNodes)
		if how == Arriving && len(a.c.List[i].OwnAddrs) == 0 {
			a.noteOutside(i, j)
		}
	case !a.c.NodesMatter(i, j):
		a.auditPorts(i, j, how, AnyNodes)
	default:
		if far > 0 {
			a.auditPorts(i, j, FarAway, TwoNodes)
		}
		if near > 0 {
			a.auditPorts(i, j, SameNode, OneNode)
		}
	}
}

// noteOutside notes what comes in from outside past a Deny of every pod.
func (a *auditor) noteOutside(i, j int32) {
	for _, t := range a.wideDenies {
		u := &a.rules[a.auditedByRule[a.x.Terms[IngressTerms][t].Rule]]
		if u.Outside != nil || !a.c.List[j].Holds.Has(a.x.Terms[IngressTerms][t].To) {
			continue
		}
		for _, s := range a.c.Segments(i, j, Arriving) {
			if s.Verdict == Allow {
				q := a.connectionAt(i, j, AnyNodes, s.Protocol, s.Ports().ExamplePort())
				u.Outside = &q
				break
			}
		}
	}
}

func (a *auditor) connectionAt(i, j int32, nodes NodePairing, p Protocol, port uint16) Connection {
	from, to, _ := a.c.ExampleConnection(i, j, nodes)
	return Connection{From: from, To: to, Family: a.c.List[i].Family, Protocol: p, Port: port}
}

// auditPorts audits every port between two classes, once for each list of candidates.
func (a *auditor) auditPorts(i, j int32, how ConnectionMode, nodes NodePairing) {
	key, some := a.findCandidates(i, j, how)
	if !some {
		return
	}
	to := a.c.List[j]
	// only an outside address can show that an EgressFirewall's rule is overruled (noteDecision)
	key.outside, key.asks = to.Outside && !to.Host, len(a.dns[j]) > 0
	notes := a.notesByCandidates[key]
	if notes == nil {
		notes = &noNotes
		a.notes = nil
		a.auditAllPorts(i, j, nodes)
		if a.notes != nil {
			notes = a.notes
		}
		a.notesByCandidates[key] = notes
	}
	a.countNotes(i, j, nodes, *notes)
}

func (a *auditor) auditAllPorts(i, j int32, nodes NodePairing) {
	for proto := range int8(len(Protocols)) {
		edges := a.portEdges(proto)
		for n, port := range edges {
			hi := uint16(LastPort)
			if n+1 < len(edges) {
				hi = edges[n+1] - 1
			}
			p := &a.port
			p.auditor, p.from, p.to, p.nodes, p.proto, p.ports = a, i, j, nodes, proto, PortRange{Protocol: Protocols[proto], Lo: port, Hi: hi}
			p.auditPort()
		}
	}
}

// portEdges returns the ports at which a candidate may begin or stop matching.
func (a *auditor) portEdges(proto int8) (out []uint16) {
	for walk, list := range a.candidates {
		out = append(out, PortEdges(proto, a.x.Terms[walkStages[walk]], list)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (a *auditor) buildAudit() *Audit {
	for u := range a.rules {
		slices.SortStableFunc(a.decidersBefore[u], func(a, b ruleCount) int { return cmp.Compare(b.n, a.n) })
		for _, t := range a.decidersBefore[u] {
			a.rules[u].DecidersBefore = AddDecider(a.rules[u].DecidersBefore, a.x.RuleDecider(t.rule))
		}
		for _, r := range a.decidersWithout[u] {
			a.rules[u].DecidersWithout = AddDecider(a.rules[u].DecidersWithout, a.x.RuleDecider(r))
		}
	}
	return &Audit{Rules: a.rules, Allowing: a.allow, Isolated: a.isolationCuts}
}
