package narrow

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// TestProposalsAreExact: of 1,000 random sets of lines the proposed rules allow, or deny,
// every line that is not left out with its reason, and no other connection between any two
// pods or with an address of the lines but those the proposal says it covers more; judged by
// single verdicts, port by port, on both sides of every port that is named.
func TestProposalsAreExact(t *testing.T) {
	var lines, more, left, rules, exact int
	for seed := range uint64(1000) {
		w := &narrowWorld{rand.New(rand.NewPCG(seed, 5))}
		c := w.cluster()
		a := w.ask(c)
		p, err := Propose(a)
		if err != nil && !errors.Is(err, ErrNothing) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, l := range p.Left {
			left += l.Lines
		}
		if sum := p.Lines + sumLeft(p); sum != len(a.Seen) {
			t.Fatalf("seed %d: %d lines of %d", seed, sum, len(a.Seen))
		}
		if err != nil {
			continue
		}
		judge(t, seed, c, a, p)
		lines, more, rules = lines+p.Lines, more+len(p.More), rules+len(p.Rules)
		if len(p.More) == 0 {
			exact++
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d lines in %d rules, %d exact proposals, %d times more, %d lines left", lines, rules, exact, more, left)
	if lines < 2500 || exact < 100 || more < 100 || left < 100 {
		t.Error("too few to prove anything")
	}
}

func sumLeft(p *Proposal) (n int) {
	for _, l := range p.Left {
		n += l.Lines
	}
	return n
}

type narrowWorld struct{ r *rand.Rand }

func (w *narrowWorld) odds(n int) bool { return w.r.IntN(n) == 0 }

// cluster has twins, labels that pass, namespaces without their name as a label, and pods
// that no policy is about; its baseline decides everything.
func (w *narrowWorld) cluster() *model.Cluster {
	var objects []model.Object
	names := w.odds(2)
	for i := range 4 {
		labels := map[string]string{"tenant": fmt.Sprintf("t%d", i/2)}
		if names {
			labels[nameLabel] = fmt.Sprintf("ns%d", i)
		}
		ns := made.NS(fmt.Sprintf("ns%d", i), "")
		ns.Labels = model.NewLabels(labels)
		objects = append(objects, ns)
	}
	n := made.Node("n1", "", "172.18.0.2")
	n.InternalIPs = n.HostIPs
	objects = append(objects, n)
	for i := range 10 {
		labels := map[string]string{"app": fmt.Sprintf("a%d", w.r.IntN(3)), "pod-template-hash": fmt.Sprint(w.r.IntN(5))}
		for _, k := range []string{"tier", "zone"} {
			if w.odds(2) {
				labels[k] = fmt.Sprintf("x%d", w.r.IntN(2))
			}
		}
		p := made.Pod(fmt.Sprintf("ns%d/p%d", w.r.IntN(4), i), "", fmt.Sprintf("10.244.0.%d", i+3))
		p.NodeName, p.Labels = "n1", model.NewLabels(labels)
		p.HostNetwork = w.odds(20)
		objects = append(objects, p)
	}
	return made.Cluster(objects...)
}

func (w *narrowWorld) ask(c *model.Cluster) Ask {
	a := Ask{Action: model.Allow, New: w.odds(2), Policy: made.ANP("narrow", 50, "tenant=t0", nil, nil)}
	if w.odds(2) {
		a.Action = model.Deny
	}
	if !a.New {
		if w.odds(2) {
			a.Policy = made.ANP("narrow", 50, "", nil, nil)
		}
		peers := made.Peers(made.NSPeer("tenant=t1"))
		a.Policy.Ingress = []model.Rule{made.Rule(model.Pass, peers), made.Rule(model.Deny, peers)}
		a.Policy.Egress = []model.Rule{made.Rule(model.Allow, peers, made.TCP(80))}
		number(a.Policy)
		c, _ = c.Upsert([]model.Object{a.Policy}, nil)
	}
	a.Before = verdict.New(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true}})
	var pods []*model.Pod
	for p := range c.Pods() {
		pods = append(pods, p)
	}
	// Lines come in bunches, as in a log: a few clients of a few servers on a few ports.
	from, to := w.some(pods, 3), w.some(pods, 3)
	end := func(of []*model.Pod) verdict.Endpoint {
		if w.odds(10) {
			return verdict.AddrEnd(netip.AddrFrom4([4]byte{8, 8, 8, byte(w.r.IntN(4))}))
		}
		p := of[w.r.IntN(len(of))]
		e := verdict.Endpoint{Key: p.Key, Addr: netip.MustParseAddr(p.IPs[0])}
		if w.odds(40) {
			e.Key.Name = "gone"
		}
		return e
	}
	for range 1 + w.r.IntN(12) {
		s := verdict.Seen{Lines: 1, Stage: model.StageAfterLB, Last: time.Unix(0, 0), Connection: verdict.Connection{From: end(from), To: end(to),
			Protocol: verdict.TCP, Port: uint16(80 + w.r.IntN(3))}}
		if w.odds(2) {
			s.Stage = model.StageToLport
		}
		switch {
		case w.odds(15):
			s.Connection.Protocol, s.Connection.Port = verdict.ICMP, 0
		case w.odds(4):
			s.Connection.Protocol = verdict.UDP
		}
		a.Seen = append(a.Seen, s)
	}
	return a
}

func (w *narrowWorld) some(pods []*model.Pod, n int) (out []*model.Pod) {
	for range 1 + w.r.IntN(n) {
		out = append(out, pods[w.r.IntN(len(pods))])
	}
	return out
}

func number(p *model.Policy) {
	for _, d := range model.Directions {
		for i := range p.Rules(d) {
			p.Rules(d)[i].Direction, p.Rules(d)[i].Index = d, i
		}
	}
}

// with is the policy with the rules of a proposal; their names tell them apart.
func with(t *testing.T, old *model.Policy, p *Proposal) *model.Policy {
	t.Helper()
	next := *old
	next.Ingress, next.Egress = slices.Clone(old.Ingress), slices.Clone(old.Egress)
	sel := func(s *metav1.LabelSelector) model.Selector {
		out, err := model.NewSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if s := p.Subject; s != nil {
		next.Subject = model.Subject{Namespaces: sel(s.Namespaces), Pods: sel(s.Pods)}
	}
	for _, r := range p.Rules {
		rule := model.Rule{Action: p.Action, Name: "proposed"}
		for _, s := range r.Peers {
			rule.Peers = append(rule.Peers, model.Peer{Kind: model.PeerPods, Namespaces: sel(s.Namespaces), Pods: sel(s.Pods)})
		}
		for _, n := range r.Networks {
			rule.Peers = append(rule.Peers, model.Peer{Kind: model.PeerNetworks, Networks: []string{n.String()}})
		}
		for _, ports := range r.Ports {
			rule.Ports = append(rule.Ports, model.Port{Protocol: string(ports.Protocol), Start: int32(ports.Lo), End: int32(ports.Hi)})
		}
		into := &next.Egress
		if r.Direction == model.Ingress {
			into = &next.Ingress
		}
		*into = slices.Insert(*into, r.At, rule)
	}
	number(&next)
	return &next
}

func judge(t *testing.T, seed uint64, c *model.Cluster, a Ask, p *Proposal) {
	t.Helper()
	next := with(t, a.Policy, p)
	c, _ = c.Upsert([]model.Object{next}, nil)
	after := verdict.New(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true}})
	type asked struct {
		conn verdict.Connection
		dir  model.Direction
	}
	plain := func(s verdict.Connection, d model.Direction) asked {
		for _, e := range []*verdict.Endpoint{&s.From, &s.To} {
			if e.Key.Name != "" {
				e.Addr = netip.Addr{}
			}
		}
		return asked{s, d}
	}
	want, said := map[asked]bool{}, map[asked]bool{}
	for _, s := range p.Seen {
		// A denial is a denial at either end, and what is to pass must pass at both.
		for _, d := range model.Directions {
			want[plain(s.Connection, d)] = true
		}
	}
	tell := func(m More, proto verdict.Protocol, port uint16) {
		for _, f := range m.From {
			for _, to := range m.To {
				if f == to {
					continue // a pod reaches itself without leaving its network
				}
				said[asked{verdict.Connection{From: f, To: to, Protocol: proto, Port: port}, m.Direction}] = true
			}
		}
	}
	ports := []verdict.Ports{{Protocol: verdict.ICMP}, {Protocol: verdict.TCP, Port: 79}, {Protocol: verdict.TCP, Port: 83}, {Protocol: verdict.SCTP, Port: 80}}
	for port := uint16(80); port < 83; port++ {
		ports = append(ports, verdict.Ports{Protocol: verdict.TCP, Port: port}, verdict.Ports{Protocol: verdict.UDP, Port: port})
	}
	for _, m := range p.More {
		for _, port := range ports {
			if slices.ContainsFunc(m.Ports, func(r verdict.PortRange) bool {
				return r.Protocol == port.Protocol && r.Lo <= port.Port && port.Port <= r.Hi
			}) {
				tell(m, port.Protocol, port.Port)
			}
		}
	}
	var ends []verdict.Endpoint
	for pod := range c.Pods() {
		ends = append(ends, verdict.Endpoint{Key: pod.Key})
	}
	for i := range 4 {
		ends = append(ends, verdict.AddrEnd(netip.AddrFrom4([4]byte{8, 8, 8, byte(i)})))
	}
	decided, earlier := map[asked]bool{}, map[asked]bool{} // by the proposed rules, by one that stood before
	for _, f := range ends {
		for _, to := range ends {
			if f == to {
				continue
			}
			for _, port := range ports {
				conn := verdict.Connection{From: f, To: to, Protocol: port.Protocol, Port: port.Port}
				ans, err := after.FromPolicies(conn)
				if err != nil {
					t.Fatal(err)
				}
				for _, st := range ans.Paths[0].Stages {
					by := st.Decided
					if by == nil {
						continue
					}
					k := asked{conn, by.Direction}
					if by.RuleName != "proposed" {
						earlier[k] = by.Policy == a.Policy.Key
						continue
					}
					decided[k] = true
					if !want[k] && !said[k] {
						t.Errorf("seed %d: it decides %s (%s) and does not say so", seed, conn, by.Direction)
					}
					if by.Action != a.Action {
						t.Errorf("seed %d: %s %s", seed, conn, by.Action)
					}
				}
			}
		}
	}
	for _, s := range p.Seen {
		k := plain(s.Connection, directionOf(&s))
		other := asked{k.conn, map[model.Direction]model.Direction{model.Ingress: model.Egress, model.Egress: model.Ingress}[k.dir]}
		if !decided[k] && (a.Action != model.Deny || !decided[other]) {
			t.Errorf("seed %d: it does not decide the line %s (%s)", seed, s.Connection, k.dir)
		}
	}
	for k := range said {
		if !decided[k] && !earlier[k] {
			t.Errorf("seed %d: it says that it covers %s (%s), and does not", seed, k.conn, k.dir)
		}
	}
	if t.Failed() {
		t.Logf("%+v", p)
	}
}
