package logline

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
)

// Limits of the API (ovn-kubernetes.md#api-limits), and of a proposal.
const (
	mostPeers = 100
	mostPorts = 100
	mostRules = 100
	// networksOfPeer is the limit of networks in one peer.
	networksOfPeer = 25
	// MostSeen is the maximum number of different connections for a proposal.
	MostSeen = 1000
)

// Reasons why there is no proposal.
var (
	ErrTooMany = errors.New("too many different connections for one proposal: choose fewer lines")
	ErrNothing = errors.New("no rule of the policy can match any of these lines")
)

// ProposalInput holds the connections and the policy of a proposal.
type ProposalInput struct {
	Before *verdict.Index
	// Policy gets the rules. A New policy also gets a proposed subject.
	Policy *model.Policy
	New    bool
	Action model.Action // Allow or Deny
	Seen   []diff.LoggedConnection
	Ends   RuleEnds
}

// RuleEnds are the ends of a connection that get a rule.
type RuleEnds string

// The ends.
const (
	// BothEnds are all ends that the policy can apply to.
	BothEnds RuleEnds = "both ends"
	// DenyingEnds are the ends that do not allow it now; both if neither does.
	DenyingEnds RuleEnds = "the ends that deny it"
	// Sender and Receiver are one end, or the other if the policy cannot apply to it: a connection denied at
	// one end is denied.
	Sender   RuleEnds = "the sender"
	Receiver RuleEnds = "the receiver"
)

// EndsFor returns the possible ends for rules of an action, the most durable first. An allowed connection must
// be allowed at both ends, a denied one denied at one.
func EndsFor(a model.Action) []RuleEnds {
	return words.Choose(a == model.Deny, []RuleEnds{BothEnds, Sender, Receiver}, []RuleEnds{BothEnds, DenyingEnds})
}

// Proposal is the rules that would allow or deny the connections.
type Proposal struct {
	Action  model.Action
	Subject model.Subject // empty unless the policy is new
	// Rules are unnumbered: Index is the index among the current rules of its direction that avoids shadowing.
	Rules []model.Rule
	// Lines counts the log lines that the rules cover; Seen has their connections.
	Lines int
	Seen  []diff.LoggedConnection
	Left  []LeftLines
}

// LeftLines are lines that the rules do not cover.
type LeftLines struct {
	Reason  string
	Lines   int
	Example verdict.Connection
}

// connectionEnd is an end of a connection: a pod by its index, or an address with pod -1.
type connectionEnd struct {
	pod  int
	addr netip.Addr
}

type proposer struct {
	ProposalInput
	c           *model.Cluster
	pods        *selectors.PodIndex
	place       map[model.Key]int
	subjectPods selectors.PodSet
	proposal    *Proposal
	// by direction
	ports         map[model.Direction]map[connectionEnd]map[verdict.Ports]bool
	aboutPods     map[int]bool // pods that need rules
	firstMatching map[model.Direction]int
}

// Propose makes a proposal. The error is ErrTooMany or ErrNothing, or that the kind of policy is not
// supported. With ErrNothing the proposal still lists Left.
func Propose(a ProposalInput) (*Proposal, error) {
	switch k := a.Policy.Kind; {
	case a.New && k != model.KindANP:
		return nil, fmt.Errorf("only a new AdminNetworkPolicy can be proposed: a new %s would also affect other connections", k)
	case k == model.KindNP && a.Action != model.Allow:
		return nil, errors.New("a NetworkPolicy cannot deny")
	case !k.IsAdmin() && k != model.KindNP:
		return nil, fmt.Errorf("rules cannot be proposed for an %s: it matches networks and names", k)
	case len(a.Seen) > MostSeen:
		return nil, ErrTooMany
	}
	p := &proposer{ProposalInput: a, c: a.Before.Cluster(), place: map[model.Key]int{}, proposal: &Proposal{Action: a.Action},
		aboutPods:     map[int]bool{},
		ports:         map[model.Direction]map[connectionEnd]map[verdict.Ports]bool{model.Ingress: {}, model.Egress: {}},
		firstMatching: map[model.Direction]int{model.Ingress: len(a.Policy.Ingress), model.Egress: len(a.Policy.Egress)}}
	p.pods = selectors.NewPodIndex(p.c, nil)
	for i := range p.pods.Len() {
		p.place[p.pods.PodAt(i).Key] = i
	}
	if !a.New {
		p.subjectPods = p.pods.SubjectSet(a.Policy)
	}
	for i := range a.Seen {
		p.assignConnection(&a.Seen[i])
	}
	if a.New {
		p.proposeSubject()
	}
	for _, d := range model.Directions {
		p.proposeRules(d)
	}
	if len(p.proposal.Rules) == 0 {
		return p.proposal, ErrNothing
	}
	for _, d := range model.Directions {
		n := len(a.Policy.Rules(d))
		for _, r := range p.proposal.Rules {
			if r.Direction == d {
				n++
			}
		}
		if n > mostRules && a.Policy.Kind.IsAdmin() {
			return p.proposal, fmt.Errorf("%w: they take more than %d %s rules", ErrTooMany, mostRules, d.Lower())
		}
	}
	return p.proposal, nil
}

func (p *proposer) leaveOut(s *diff.LoggedConnection, why string) {
	i := slices.IndexFunc(p.proposal.Left, func(l LeftLines) bool { return l.Reason == why })
	if i < 0 {
		i = len(p.proposal.Left)
		p.proposal.Left = append(p.proposal.Left, LeftLines{Reason: why, Example: s.Connection})
	}
	p.proposal.Left[i].Lines += s.Lines
}

// findEnd returns the end of a logged connection. ok is false if its pod is gone, has another address now, or
// is out of reach of policies.
func (p *proposer) findEnd(e verdict.Endpoint) (connectionEnd, bool) {
	if e.Key.Kind != model.KindPod {
		return connectionEnd{-1, e.Addr}, true
	}
	i, ok := p.place[e.Key]
	if !ok {
		return connectionEnd{}, false
	}
	pod := p.pods.PodAt(i)
	return connectionEnd{pod: i}, pod.CanBePeer() && pod.PrimaryUDN() == "" && slices.Contains(verdict.ParseAddrs(pod.IPs), e.Addr)
}

// assignConnection assigns a connection to rules, or leaves it out with the reason.
func (p *proposer) assignConnection(s *diff.LoggedConnection) {
	from, ok := p.findEnd(s.Connection.From)
	to, ok2 := p.findEnd(s.Connection.To)
	if !ok || !ok2 {
		p.leaveOut(s, "an address no longer belongs to the pod")
		return
	}
	if from == to {
		p.leaveOut(s, "the pod connects to itself, which no rule sees")
		return
	}
	denied, front := p.deniedDirections(s, to)
	if front != nil {
		p.leaveOut(s, front.String()+", which OVN replaces by a pod's before rules apply: choose lines of its pods")
		return
	}
	var at []model.Direction
	for _, d := range p.neededDirections(denied) {
		why := p.whyNoRule(d, from, to)
		switch {
		case why == "":
			at = append(at, d)
		case p.Action == model.Allow && slices.Contains(denied, d):
			p.leaveOut(s, why)
			return
		}
	}
	if len(at) == 0 { // denying at either end suffices
		for _, d := range pathDirections {
			if p.whyNoRule(d, from, to) == "" {
				at = append(at, d)
				break
			}
		}
	}
	if len(at) == 0 {
		p.leaveOut(s, p.whyNoRule(loggedDirection(s.Stage), from, to))
		return
	}
	p.proposal.Lines += s.Lines
	p.proposal.Seen = append(p.proposal.Seen, *s)
	for _, d := range at {
		mine, other := ruleEnds(d, from, to)
		p.aboutPods[mine.pod] = true
		if p.ports[d][other] == nil {
			p.ports[d][other] = map[verdict.Ports]bool{}
		}
		p.ports[d][other][verdict.Ports{Protocol: s.Connection.Protocol, Port: s.Connection.Port}] = true
	}
}

// pathDirections has the directions in the order in which a connection passes them.
var pathDirections = []model.Direction{model.Egress, model.Ingress}

// loggedDirection returns the direction of the rules that decide in a stage.
func loggedDirection(s model.Stage) model.Direction {
	return words.Choose(s == model.StageToLport, model.Ingress, model.Egress)
}

// neededDirections returns the directions in which a connection needs rules.
func (p *proposer) neededDirections(denied []model.Direction) []model.Direction {
	switch {
	case p.Ends == Sender:
		return pathDirections[:1]
	case p.Ends == Receiver:
		return pathDirections[1:]
	case p.Ends == DenyingEnds && len(denied) > 0:
		return denied
	}
	return pathDirections
}

// ruleEnds returns the end that rules of a direction apply to, and the other end.
func ruleEnds(d model.Direction, from, to connectionEnd) (at, other connectionEnd) {
	if d == model.Ingress {
		return to, from
	}
	return from, to
}

// whyNoRule returns why no rule of the policy in a direction can match a connection; empty if one can.
func (p *proposer) whyNoRule(d model.Direction, from, to connectionEnd) string {
	at, other := ruleEnds(d, from, to)
	which := map[model.Direction]string{model.Ingress: "destination", model.Egress: "source"}[d]
	switch {
	case at.pod < 0:
		return "the " + which + " is not a pod, and policies apply to pods only"
	case !p.New && !p.subjectPods.Has(at.pod):
		return fmt.Sprintf("the subject of %s does not select the %s", p.Policy.Key.Label(), which)
	case p.Policy.Kind == model.KindNP && !p.Policy.IsolatesDirection(d):
		return fmt.Sprintf("%s does not apply to %s", p.Policy.Key.Label(), d.Lower())
	case other.pod < 0 && d == model.Ingress && p.Policy.Kind.IsAdmin():
		return "an ingress rule of an " + string(p.Policy.Kind) + " cannot name addresses outside the cluster"
	case other.pod >= 0 && p.c.Namespace(p.pods.PodAt(other.pod).Namespace) == nil, p.New &&
		p.c.Namespace(p.pods.PodAt(at.pod).Namespace) == nil:
		return "a namespace is unknown, so no selector matches it"
	}
	return ""
}

// deniedDirections returns the directions in which a connection is not allowed now. It also records the rules
// that new ones must precede. For a connection to the address of a Service it returns only the front.
func (p *proposer) deniedDirections(s *diff.LoggedConnection, to connectionEnd) (denied []model.Direction, front *verdict.ServiceFront) {
	a, err := verdict.FromPolicies(p.Before, s.Connection)
	if err != nil || a.Front != nil {
		return nil, a.Front
	}
	for st := range a.Stages() {
		d := loggedDirection(st.Stage)
		// In the last stage of egress an EgressFirewall denies.
		if st.Verdict != verdict.Allow && !slices.Contains(denied, d) && (d == model.Egress || to.pod >= 0) {
			denied = append(denied, d)
		}
		p.noteRulesBefore(st)
	}
	return denied, nil
}

// noteRulesBefore records the first rule of the policy that matches a connection now: new rules must precede
// it.
func (p *proposer) noteRulesBefore(st *verdict.StageVerdict) {
	hits := slices.Concat(st.Passed, st.Candidates)
	if st.Decided != nil {
		hits = append(hits, *st.Decided)
	}
	for _, h := range hits {
		if h.Policy == p.Policy.Key && h.Rule >= 0 {
			p.firstMatching[h.Direction] = min(p.firstMatching[h.Direction], h.Rule)
		}
	}
}
