package narrow

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/overlap"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/verdict/index"
	"rung/model/verdict/walk"
)

// Limits of the API (ovn-kubernetes.md#api-limits), and of a proposal.
const (
	mostPeers = 100
	mostPorts = 100
	mostRules = 100
	// MostSeen is how many different connections a proposal can be made from.
	MostSeen = 1000
)

// Errors that say that there is no proposal.
var (
	ErrTooMany = errors.New("too many different connections for one proposal: choose fewer lines")
	ErrNothing = errors.New("no rule of the policy can be about any of these lines")
)

// Ask says what to propose.
type Ask struct {
	Before *index.Index
	// Policy is the one that gets the rules. Where it is New its subject is proposed as well.
	Policy *model.Policy
	New    bool
	Action model.Action // Allow or Deny
	Seen   []diff.LoggedConnection
	Ends   Ends
}

// Ends says at which ends of a connection there is to be a rule.
type Ends string

// The ends.
const (
	// BothEnds are all ends that a policy can be about.
	BothEnds Ends = "both ends"
	// DenyingEnds are the ends that do not allow it now; both where neither does.
	DenyingEnds Ends = "the ends that deny it"
	// Sender and Receiver are the one end, or the other where a policy cannot be about that:
	// a connection denied at one end is denied.
	Sender   Ends = "the sender"
	Receiver Ends = "the receiver"
)

// EndsFor returns the ends that rules of an action may be at, the longest lasting first: an
// allowed connection must be allowed at both, a denied one at one.
func EndsFor(a model.Action) []Ends {
	if a == model.Deny {
		return []Ends{BothEnds, Sender, Receiver}
	}
	return []Ends{BothEnds, DenyingEnds}
}

// Selected are pods as a policy can select them.
type Selected struct{ Namespaces, Pods *metav1.LabelSelector }

// Rule is one rule of a proposal.
type Rule struct {
	Direction model.Direction
	// At is where it goes among the rules of its direction that there are now, so that no
	// other one decides before.
	At       int
	Peers    []Selected
	Networks []netip.Prefix
	Ports    []verdict.PortRange // none for every port
}

// Proposal is the rules that would allow or deny the connections.
type Proposal struct {
	Action  model.Action
	Subject *Selected // of a new policy
	Rules   []Rule
	// Lines counts the log lines that the rules are about, which Seen lists.
	Lines int
	Seen  []diff.LoggedConnection
	Left  []Left
}

// Left are lines that the rules are not about.
type Left struct {
	Why     string
	Lines   int
	Example verdict.Connection
}

// end is an end of a connection: a pod by its place in the index, or an address.
type end struct {
	pod  int
	addr netip.Addr
}

type proposer struct {
	Ask
	c     *model.Cluster
	pods  *overlap.PodIndex
	place map[model.Key]int
	subj  overlap.PodSet
	out   *Proposal
	left  map[string]int
	// of a direction
	ports  map[model.Direction]map[end]map[verdict.Ports]bool
	at     map[int]bool // the pods that rules are to be about
	before map[model.Direction]int
}

// Propose works a proposal out. The error is ErrTooMany or ErrNothing, or says what kind of
// policy cannot be proposed for; with ErrNothing the proposal has what is left.
func Propose(a Ask) (*Proposal, error) {
	switch k := a.Policy.Kind; {
	case a.New && k != model.KindANP:
		return nil, fmt.Errorf("only an AdminNetworkPolicy can be proposed anew: a new %s would do more than its rules say", k)
	case k == model.KindNP && a.Action != model.Allow:
		return nil, errors.New("a NetworkPolicy only allows")
	case !k.IsAdmin() && k != model.KindNP:
		return nil, fmt.Errorf("no rule is proposed for an %s: it is about networks and names", k)
	case len(a.Seen) > MostSeen:
		return nil, ErrTooMany
	}
	p := &proposer{Ask: a, c: a.Before.Cluster(), place: map[model.Key]int{}, out: &Proposal{Action: a.Action}, left: map[string]int{}, at: map[int]bool{},
		ports:  map[model.Direction]map[end]map[verdict.Ports]bool{model.Ingress: {}, model.Egress: {}},
		before: map[model.Direction]int{model.Ingress: len(a.Policy.Ingress), model.Egress: len(a.Policy.Egress)}}
	p.pods = overlap.NewPodIndex(p.c, nil)
	for i := range p.pods.Len() {
		p.place[p.pods.At(i).Key] = i
	}
	if !a.New {
		p.subj = p.pods.SubjectSet(a.Policy)
	}
	for i := range a.Seen {
		p.take(&a.Seen[i])
	}
	if a.New {
		p.subject()
	}
	for _, d := range model.Directions {
		p.rules(d)
	}
	if len(p.out.Rules) == 0 {
		return p.out, ErrNothing
	}
	for _, d := range model.Directions {
		n := len(a.Policy.Rules(d))
		for _, r := range p.out.Rules {
			if r.Direction == d {
				n++
			}
		}
		if n > mostRules && a.Policy.Kind.IsAdmin() {
			return p.out, fmt.Errorf("%w: they take more than %d %s rules", ErrTooMany, mostRules, d.Lower())
		}
	}
	return p.out, nil
}

func (p *proposer) leave(s *diff.LoggedConnection, why string) {
	i, known := p.left[why]
	if !known {
		i = len(p.out.Left)
		p.left[why] = i
		p.out.Left = append(p.out.Left, Left{Why: why, Example: s.Connection})
	}
	p.out.Left[i].Lines += s.Lines
}

// find returns the end of a logged connection; ok is false where its pod is gone, has
// another address now or is one that policies are not about.
func (p *proposer) find(e verdict.Endpoint) (end, bool) {
	if e.Key.Kind != model.KindPod {
		return end{-1, e.Addr}, true
	}
	i, ok := p.place[e.Key]
	if !ok || !p.counts(i) || !slices.Contains(index.ParseAddrs(p.pods.At(i).IPs), e.Addr) {
		return end{}, false
	}
	return end{pod: i}, true
}

// counts says whether policies are about a pod at all.
func (p *proposer) counts(i int) bool {
	return p.pods.At(i).PeerEligible() && p.pods.At(i).PrimaryUDN() == ""
}

// take sorts a connection in, or leaves it with the reason.
func (p *proposer) take(s *diff.LoggedConnection) {
	from, ok := p.find(s.Connection.From)
	to, ok2 := p.find(s.Connection.To)
	if !ok || !ok2 {
		p.leave(s, "an address has no pod any more, or another one")
		return
	}
	if from == to {
		p.leave(s, "a pod reaches itself without leaving its network")
		return
	}
	denied, front := p.judge(s, to)
	if front != nil {
		p.leave(s, front.String()+", which OVN replaces by a pod's before policies are asked: no rule matches it, so choose lines of its pods")
		return
	}
	var at []model.Direction
	for _, d := range p.directions(denied) {
		why := p.cannot(d, from, to)
		switch {
		case why == "":
			at = append(at, d)
		case p.Action == model.Allow && slices.Contains(denied, d):
			p.leave(s, why)
			return
		}
	}
	if len(at) == 0 { // denied is denied, at whichever end
		for _, d := range inOrder {
			if p.cannot(d, from, to) == "" {
				at = append(at, d)
				break
			}
		}
	}
	if len(at) == 0 {
		p.leave(s, p.cannot(directionOf(s), from, to))
		return
	}
	p.out.Lines += s.Lines
	p.out.Seen = append(p.out.Seen, *s)
	for _, d := range at {
		mine, other := sides(d, from, to)
		p.at[mine.pod] = true
		if p.ports[d][other] == nil {
			p.ports[d][other] = map[verdict.Ports]bool{}
		}
		p.ports[d][other][verdict.Ports{Protocol: s.Connection.Protocol, Port: s.Connection.Port}] = true
	}
}

// inOrder are the directions as a connection goes.
var inOrder = []model.Direction{model.Egress, model.Ingress}

// directionOf is the direction of the rules that decide where the lines were written.
func directionOf(s *diff.LoggedConnection) model.Direction {
	if s.Stage == model.StageToLport {
		return model.Ingress
	}
	return model.Egress
}

// directions returns the directions in which a connection needs rules.
func (p *proposer) directions(denied []model.Direction) []model.Direction {
	switch {
	case p.Ends == Sender:
		return inOrder[:1]
	case p.Ends == Receiver:
		return inOrder[1:]
	case p.Ends == DenyingEnds && len(denied) > 0:
		return denied
	}
	return inOrder
}

// sides are the end that rules of a direction are about, and the other one.
func sides(d model.Direction, from, to end) (at, other end) {
	if d == model.Ingress {
		return to, from
	}
	return from, to
}

// cannot says why no rule of a direction of the policy can be about a connection, empty
// where one can.
func (p *proposer) cannot(d model.Direction, from, to end) string {
	at, other := sides(d, from, to)
	which := map[model.Direction]string{model.Ingress: "destination", model.Egress: "source"}[d]
	switch {
	case at.pod < 0:
		return "the " + which + " is no pod, and policies are about pods"
	case !p.New && !p.subj.Has(at.pod):
		return fmt.Sprintf("the subject of %s does not have the %s", p.Policy.Key.Label(), which)
	case p.Policy.Kind == model.KindNP && !p.Policy.Isolates(d):
		return fmt.Sprintf("%s is not about %s", p.Policy.Key.Label(), d.Lower())
	case other.pod < 0 && d == model.Ingress && p.Policy.Kind.IsAdmin():
		return "an ingress rule of an " + string(p.Policy.Kind) + " cannot name addresses outside the cluster"
	case other.pod >= 0 && p.c.Namespace(p.pods.At(other.pod).Namespace) == nil, p.New && p.c.Namespace(p.pods.At(at.pod).Namespace) == nil:
		return "a namespace is not known, so nothing selects it"
	}
	return ""
}

// judge says by rules of which directions a connection is not allowed now, and notes before
// which rules of the policy new ones must stand to decide about it. Of one that goes to the
// address of a Service it says that only.
func (p *proposer) judge(s *diff.LoggedConnection, to end) (denied []model.Direction, front *verdict.ServiceFront) {
	a, err := walk.FromPolicies(p.Before, s.Connection)
	if err != nil || a.Front != nil {
		return nil, a.Front
	}
	for st := range a.Stages() {
		d := model.Egress
		if st.Stage == model.StageToLport {
			d = model.Ingress
		}
		// On the way out it is an EgressFirewall that denies in the last stage.
		if st.Verdict != verdict.Allow && !slices.Contains(denied, d) && (d == model.Egress || to.pod >= 0) {
			denied = append(denied, d)
		}
		p.beforeRules(st)
	}
	return denied, nil
}

// beforeRules notes before which rules of the policy the new ones must stand: the first that
// matches a connection now.
func (p *proposer) beforeRules(st *verdict.StageVerdict) {
	hits := slices.Concat(st.Passed, st.Candidates)
	if st.Decided != nil {
		hits = append(hits, *st.Decided)
	}
	for _, h := range hits {
		if h.Policy == p.Policy.Key && h.Rule >= 0 {
			p.before[h.Direction] = min(p.before[h.Direction], h.Rule)
		}
	}
}
