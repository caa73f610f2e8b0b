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
)

// Limits of the API (ovn-kubernetes.md#api-limits), and of what is worked out.
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
	Before *verdict.Index
	// Policy is the one that gets the rules. Where it is New its subject is proposed as well.
	Policy *model.Policy
	New    bool
	Action model.Action // Allow or Deny
	Seen   []verdict.Seen
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

// Proposal is what would allow or deny the connections.
type Proposal struct {
	Action  model.Action
	Subject *Selected // of a new policy
	Rules   []Rule
	// Lines are those that the rules are about.
	Lines int
	Seen  []verdict.Seen
	More  []More
	Left  []Left
}

// More are connections that the rules cover and nobody asked for: each of From to each of
// To, on each of the ports.
type More struct {
	Direction model.Direction
	From, To  []verdict.Endpoint // pods by their keys, addresses
	Ports     []verdict.PortRange
	Pairs     int
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

// pair is the pod of the subject and who is at the other end.
type pair struct {
	at    int
	other end
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
	wanted map[model.Direction]map[pair]map[verdict.Ports]bool
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
	p := &proposer{Ask: a, c: a.Before.Cluster(), place: map[model.Key]int{}, out: &Proposal{Action: a.Action}, left: map[string]int{},
		ports:  map[model.Direction]map[end]map[verdict.Ports]bool{model.Ingress: {}, model.Egress: {}},
		wanted: map[model.Direction]map[pair]map[verdict.Ports]bool{model.Ingress: {}, model.Egress: {}},
		before: map[model.Direction]int{model.Ingress: len(a.Policy.Ingress), model.Egress: len(a.Policy.Egress)}}
	p.pods = overlap.NewPodIndex(p.c, nil)
	for i := range p.pods.Len() {
		p.place[p.pods.At(i).Key] = i
	}
	if !a.New {
		p.subj = p.pods.SubjectSet(a.Policy)
	}
	only := p.oneDirection()
	for i := range a.Seen {
		p.take(&a.Seen[i], only)
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

func (p *proposer) leave(s *verdict.Seen, why string) {
	i, known := p.left[why]
	if !known {
		i = len(p.out.Left)
		p.left[why] = i
		p.out.Left = append(p.out.Left, Left{Why: why, Example: s.Connection})
	}
	p.out.Left[i].Lines += s.Lines
}

// directionOf is the direction of the rules that decide where the lines were written.
func directionOf(s *verdict.Seen) model.Direction {
	if s.Stage == model.StageToLport {
		return model.Ingress
	}
	return model.Egress
}

// oneDirection is the one that a new policy is about, since its subject is at one end:
// where most lines were written.
func (p *proposer) oneDirection() model.Direction {
	if !p.New {
		return ""
	}
	in, out := 0, 0
	for i := range p.Seen {
		if directionOf(&p.Seen[i]) == model.Ingress {
			in += p.Seen[i].Lines
		} else {
			out += p.Seen[i].Lines
		}
	}
	if in > out {
		return model.Ingress
	}
	return model.Egress
}

// find is who has an end of a logged connection.
func (p *proposer) find(e verdict.Endpoint) (end, bool) {
	if e.Key.Kind != model.KindPod {
		return end{-1, e.Addr}, true
	}
	i, ok := p.place[e.Key]
	if !ok || !p.counts(i) || !slices.ContainsFunc(p.pods.At(i).IPs, func(ip string) bool {
		a, err := netip.ParseAddr(ip)
		return err == nil && a.Unmap() == e.Addr
	}) {
		return end{}, false
	}
	return end{pod: i}, true
}

// counts says whether policies are about a pod at all.
func (p *proposer) counts(i int) bool {
	return p.pods.At(i).PeerEligible() && p.pods.At(i).PrimaryUDN() == ""
}

// take sorts a connection in, or leaves it with the reason.
func (p *proposer) take(s *verdict.Seen, only model.Direction) {
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
	d := directionOf(s)
	ends := func() (at, other end) {
		if d == model.Ingress {
			return to, from
		}
		return from, to
	}
	at, other := ends()
	if p.Action == model.Deny && !p.about(at) && p.about(other) {
		// Denied is denied, at whichever end.
		d = opposite[d]
		at, other = ends()
	}
	switch {
	case only != "" && d != only:
		p.leave(s, "they were decided at the other end, which takes another policy")
	case at.pod < 0:
		p.leave(s, "the "+map[model.Direction]string{model.Ingress: "destination", model.Egress: "source"}[d]+" is no pod, and policies are about pods")
	case !p.about(at):
		p.leave(s, fmt.Sprintf("the subject of %s does not have the %s", p.Policy.Key.Label(), map[model.Direction]string{model.Ingress: "destination", model.Egress: "source"}[d]))
	case p.Policy.Kind == model.KindNP && !p.Policy.Isolates(d):
		p.leave(s, fmt.Sprintf("%s is not about %s", p.Policy.Key.Label(), d.Lower()))
	case other.pod < 0 && d == model.Ingress && p.Policy.Kind.IsAdmin():
		p.leave(s, "an ingress rule of an "+string(p.Policy.Kind)+" cannot name addresses outside the cluster")
	case other.pod >= 0 && p.c.Namespace(p.pods.At(other.pod).Namespace) == nil, p.New && p.c.Namespace(p.pods.At(at.pod).Namespace) == nil:
		p.leave(s, "a namespace is not known, so nothing selects it")
	default:
		p.out.Lines += s.Lines
		p.out.Seen = append(p.out.Seen, *s)
		p.want(s, d, at, other)
	}
}

// want has the rules of a direction cover a connection; and where it would be dropped at the
// other end all the same, and the policy is about that, too, those of the other one.
func (p *proposer) want(s *verdict.Seen, d model.Direction, at, other end) {
	port := verdict.Ports{Protocol: s.Connection.Protocol, Port: s.Connection.Port}
	cover := func(d model.Direction, at, other end) {
		add(p.ports[d], other, port)
		add(p.wanted[d], pair{at.pod, other}, port)
	}
	cover(d, at, other)
	if p.New {
		return
	}
	a, err := p.Before.FromPolicies(s.Connection)
	if err != nil {
		return
	}
	for _, st := range a.Paths[0].Stages {
		away := model.StageOf(d) != st.Stage && st.Stage != model.StageFromLport
		if away && p.Action == model.Allow && st.Verdict != verdict.Allow && p.about(other) && p.may(opposite[d], at) {
			cover(opposite[d], other, at)
		}
		p.beforeRules(&st)
	}
}

var opposite = map[model.Direction]model.Direction{model.Ingress: model.Egress, model.Egress: model.Ingress}

// may says whether a rule of a direction can name an end as its peer.
func (p *proposer) may(d model.Direction, peer end) bool {
	if p.Policy.Kind == model.KindNP {
		return p.Policy.Isolates(d)
	}
	return peer.pod >= 0 || d == model.Egress
}

func add[K comparable](m map[K]map[verdict.Ports]bool, k K, port verdict.Ports) {
	if m[k] == nil {
		m[k] = map[verdict.Ports]bool{}
	}
	m[k][port] = true
}

// about says whether the policy is about a pod; a new one can be about any.
func (p *proposer) about(e end) bool { return e.pod >= 0 && (p.New || p.subj.Has(e.pod)) }

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
