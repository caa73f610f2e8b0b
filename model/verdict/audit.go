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

// AuditedRule is the result for one rule over all connections there are.
type AuditedRule struct {
	Policy    model.Key
	Direction model.Direction
	Rule      int
	Action    model.Action
	// Matches says that it matches connections, Decides that it decides one of them where it
	// is asked, alone or with others of its priority; a Pass decides that the next tier is
	// asked. Matters says that some connection has another verdict without the rule.
	Matches, Decides, Matters bool
	// Example is a connection that it matches, one that it decides where there is one.
	Example Connection
	// SwaysEnd says that somewhere the end that asks it comes to another verdict without it,
	// whatever the other end says.
	SwaysEnd bool
	// DecidersBefore are the rules that decide, before this one, connections that it matches and
	// does not decide, the one that decides most kinds of connections first.
	DecidersBefore []Decider
	// DecidersWithout are the rules that would decide its connections if it were not there;
	// Undecided says that nothing else decides some of them, which lets them through.
	DecidersWithout []Decider
	Undecided       bool
	// PickedUp says of a Pass that a lower tier decides something that it passes on; Through
	// is a connection that it passes on and that is let through, as nothing there decides it.
	PickedUp bool
	Through  *Connection
	// Clashes are the rules of other policies that share its priority and disagree about
	// connections that no rule above decides.
	Clashes []RuleClash
	// TurnedPairs are, of a rule that AuditQuestions.Wide names, the pairs of pods that have another verdict
	// without it.
	TurnedPairs TurnedPairs
	// DNSCuts are the connections that AuditQuestions.DNS names and the rule drops where it is asked.
	DNSCuts [2]DNSCut
	// Overruled is, for an Allow of an AdminNetworkPolicy, a connection let through that a
	// NetworkPolicy's default deny would stop if the rule were a Pass; for a Deny one that
	// an Allow of a NetworkPolicy or an EgressFirewall would let through then. For a Deny of
	// an EgressFirewall it is one that an AdminNetworkPolicy allows.
	Overruled *OverruledConnection
	// Outside is, for a Deny of every pod that begins no connection with an address, a
	// connection from outside that comes in all the same.
	Outside *Connection
}

// RuleClash is a rule of another policy, and a connection of which it is undefined which of the
// two decides it; Undefined says that its verdict is, too, and not the other end's Deny.
type RuleClash struct {
	Policy     model.Key
	Connection Connection
	Undefined  bool
}

// OverruledConnection is a connection about which another rule would decide otherwise.
type OverruledConnection struct {
	Connection Connection
	Deciders   []Decider // who would decide it, or did before it
}

// AuditedPolicy is the result for a policy that only allows.
type AuditedPolicy struct {
	Policy           model.Key
	Decides, Matters bool
	Example          Connection
}

// Audit holds the results for all rules that are enforced, in the order of the
// policies.
type Audit struct {
	Rules []AuditedRule
	// Allowing are the AdminNetworkPolicies and the baseline, as far as they only allow.
	Allowing []AuditedPolicy
	// Isolated are the default denies of NetworkPolicies that drop what AuditQuestions.DNS names, by the
	// policies that isolate.
	Isolated []IsolationCuts
}

// ErrTooLarge marks an Audit that would take too long; the text says what is too many.
var ErrTooLarge = errors.New("too large")

// The bounds of an Audit: pairs of classes, and terms that are tried. Both are counted, so
// that the same cluster always gives the same answer.
const (
	mostPairs = 2_000_000
	mostTries = 150_000_000
)

// New asks about all connections of an index. The error is that of the context, or
// an ErrTooLarge.
func NewAudit(ctx context.Context, x *Index, ask AuditQuestions) (*Audit, error) {
	c := ClassesOf(x, nil)
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

// auditor works an Audit out.
type auditor struct {
	x         *Index
	c         *Classes
	rules     []AuditedRule
	auditedOf []int32 // auditedOf the index's rules: the place in rules, -1 for none
	allow     []AuditedPolicy
	allOf     []int32 // of rules: the place in allow, -1 for none
	// decidersBefore and decidersWithout are the rules of the index that DecidersBefore and DecidersWithout name.
	decidersBefore    [][]ruleCount
	decidersWithout   [][]int32
	wideDenies        []int32 // terms of Denies of every pod
	exampleWorth      []int8  // of rules: what their examples are worth
	notesByCandidates map[candidatesKey]*[]candidateNote
	grid              *Grid
	lists             [][]int32        // the terms of walks, by the grid's answers
	listNumbers       map[string]int32 // of lists
	raw               []byte
	tries             int
	candidates        [Walks][]int32 // the terms of the connections that are looked at, by walk
	port              auditedPort
	countsTurned      []bool          // of rules: AuditQuestions.Wide
	dnsPorts          [2]uint16       // Ask.Ports
	dns               [][]int32       // of classes: the ends that are asked for names
	cutOfIsolation    map[int32]int32 // of the index's rules: the place in isolationCuts
	isolationCuts     []IsolationCuts
	notes             *[]candidateNote // of the candidates that are looked at
	// Kept from walk to walk: what a term would be without, and that walk.
	list      []int32
	againWalk tierWalk
	hits      []Hit
}

func newAuditor(x *Index, c *Classes, ask AuditQuestions) *auditor {
	a := &auditor{x: x, c: c, dnsPorts: ask.Ports, cutOfIsolation: map[int32]int32{},
		notesByCandidates: map[candidatesKey]*[]candidateNote{}, listNumbers: map[string]int32{}, auditedOf: make([]int32, len(x.Rules))}
	type id struct {
		key       model.Key
		direction model.Direction
		rule      int
	}
	at := map[id]int32{}
	for i := range x.Rules {
		r := &x.Rules[i]
		a.auditedOf[i] = -1
		if r.Policy == nil || r.Index < 0 {
			continue
		}
		k := id{r.Key, r.Direction, r.Index}
		u, known := at[k]
		if !known {
			u = int32(len(a.rules))
			at[k] = u
			a.rules = append(a.rules, AuditedRule{Policy: r.Key, Direction: r.Direction, Rule: r.Index, Action: r.Action})
			a.allOf = append(a.allOf, a.allowingPolicyOf(r))
			a.countsTurned = append(a.countsTurned, ask.Wide != nil && ask.Wide(r.Policy, r.Policy.Rule(r.Direction, r.Index)))
		}
		a.auditedOf[i] = u
	}
	a.grid = NewGrid(c, a.numberOfTerms)
	a.exampleWorth = make([]int8, len(a.rules))
	a.decidersBefore, a.decidersWithout = make([][]ruleCount, len(a.rules)), make([][]int32, len(a.rules))
	a.dns = make([][]int32, len(c.List))
	for _, p := range ask.DNS {
		for _, e := range c.EndsOfPods([]*model.Pod{p})[0] {
			a.dns[c.ClassOf[e]] = append(a.dns[c.ClassOf[e]], e)
		}
	}
	for i, t := range x.Terms[IngressTerms] {
		if r := &x.Rules[t.Rule]; a.auditedOf[t.Rule] >= 0 && t.Effect == Drops && r.Key.Kind.IsAdmin() && t.Ports == nil &&
			deniesPods(r.Policy.Rule(r.Direction, r.Index)) {
			a.wideDenies = append(a.wideDenies, int32(i))
		}
	}
	return a
}

// candidatesKey is equal for connections that the same terms may match and of which the same is noted.
type candidatesKey struct {
	lists         [Walks]int32 // into auditor.lists, -1 for none
	outside, asks bool
}

// numberOfTerms returns the number of the terms of a walk, as the grid asks for it.
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

// findCandidates finds the terms that may match the connections from a class to another.
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

// deniesPods says whether a rule names every pod.
func deniesPods(r *model.Rule) bool {
	return slices.ContainsFunc(r.Peers, func(p model.Peer) bool {
		return p.Namespace == "" && p.Namespaces.MatchesEverything() &&
			(p.Kind == model.PeerNamespaces || p.Kind == model.PeerPods && p.Pods.MatchesEverything())
	})
}

// allowingPolicyOf is the place of the rule's policy where that only allows, -1 where it does not.
func (a *auditor) allowingPolicyOf(r *Rule) int32 {
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

// auditClasses looks at the connections from a class to another.
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
		u := &a.rules[a.auditedOf[a.x.Terms[IngressTerms][t].Rule]]
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

// auditPorts looks at every port of the connections of two classes, once for each list of
// candidates.
func (a *auditor) auditPorts(i, j int32, how ConnectionMode, nodes NodePairing) {
	key, some := a.findCandidates(i, j, how)
	if !some {
		return
	}
	to := a.c.List[j]
	key.outside, key.asks = to.Outside && !to.Host, len(a.dns[j]) > 0 // of an EgressFirewall only the first show it
	notes := a.notesByCandidates[key]
	if notes == nil {
		notes = &noNotes
		a.notes = nil
		a.lookAtPorts(i, j, nodes)
		if a.notes != nil {
			notes = a.notes
		}
		a.notesByCandidates[key] = notes
	}
	a.countNotes(i, j, nodes, *notes)
}

// lookAtPorts looks at every port of the connections of two classes.
func (a *auditor) lookAtPorts(i, j int32, nodes NodePairing) {
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

// portEdges returns the ports at which something may change for the candidates.
func (a *auditor) portEdges(proto int8) []uint16 {
	if proto == int8(ICMP.Number()) {
		return []uint16{0}
	}
	out := []uint16{1}
	for walk, list := range a.candidates {
		for _, i := range list {
			out = a.x.Terms[walkStages[walk]][i].Ports.addEdges(out, proto)
		}
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
