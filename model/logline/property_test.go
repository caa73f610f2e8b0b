package logline

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/test/made"
)

// TestPeersAreExact: of 1,000 random sets of lines the proposed rules decide every line that
// is not left out with its reason, at the ends that were asked for; and at the other end only
// pods that have namespace and lasting labels of one in the lines, and addresses of the
// lines, each on ports of its lines. A namespace without its name for a label, which no API
// server has, is not told from its like. What of that becomes another verdict is what
// engine/propose holds against brute force.
func TestPeersAreExact(t *testing.T) {
	var lines, left, rules int
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
		lines, rules = lines+p.Lines, rules+len(p.Rules)
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d lines in %d rules, %d lines left", lines, rules, left)
	if lines < 2500 || left < 100 {
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

func (w *narrowWorld) ask(c *model.Cluster) ProposalInput {
	a := ProposalInput{Action: model.Allow, New: w.odds(2), Policy: made.ANP("narrow", 50, "tenant=t0", nil, nil)}
	if w.odds(2) {
		a.Action = model.Deny
	}
	a.Ends = EndsFor(a.Action)[w.r.IntN(len(EndsFor(a.Action)))]
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
	a.Before = verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true}})
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
		s := diff.LoggedConnection{Lines: 1, Stage: model.StageAfterLB, Last: time.Unix(0, 0), Connection: verdict.Connection{From: end(from), To: end(to),
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
	if !p.Subject.Namespaces.IsNil() {
		next.Subject = p.Subject
	}
	for _, rule := range p.Rules {
		rule.Name = "proposed"
		if rule.Action != p.Action {
			t.Fatalf("%s, want %s", rule.Action, p.Action)
		}
		into := &next.Egress
		if rule.Direction == model.Ingress {
			into = &next.Ingress
		}
		*into = slices.Insert(*into, rule.Index, rule)
	}
	number(&next)
	return &next
}

func judge(t *testing.T, seed uint64, c *model.Cluster, a ProposalInput, p *Proposal) {
	t.Helper()
	next := with(t, a.Policy, p)
	c, _ = c.Upsert([]model.Object{next}, nil)
	after := verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true}})
	kind := func(e verdict.Endpoint) string {
		if e.Key.Name == "" {
			return e.Addr.String()
		}
		pod := c.Pod(e.Key.Namespace, e.Key.Name)
		return pod.Namespace + classKey(lastingLabels(pod.Labels.Map()))
	}
	type told struct {
		other string
		ports verdict.Ports
		dir   model.Direction
	}
	portsOf := func(c verdict.Connection) verdict.Ports { return verdict.Ports{Protocol: c.Protocol, Port: c.Port} }
	all := map[told]bool{}
	for _, s := range p.Seen {
		all[told{kind(s.Connection.To), portsOf(s.Connection), model.Egress}] = true
		all[told{kind(s.Connection.From), portsOf(s.Connection), model.Ingress}] = true
	}
	asked := func(k told) bool {
		return all[k] || all[told{k.other, verdict.Ports{Protocol: verdict.ICMP}, k.dir}] // which only a rule of all ports can name
	}
	ports := []verdict.Ports{{Protocol: verdict.ICMP}, {Protocol: verdict.TCP, Port: 79}, {Protocol: verdict.TCP, Port: 83}, {Protocol: verdict.SCTP, Port: 80}}
	for port := uint16(80); port < 83; port++ {
		ports = append(ports, verdict.Ports{Protocol: verdict.TCP, Port: port}, verdict.Ports{Protocol: verdict.UDP, Port: port})
	}
	var ends []verdict.Endpoint
	for pod := range c.Pods() {
		ends = append(ends, verdict.Endpoint{Key: pod.Key})
	}
	for i := range 4 {
		ends = append(ends, verdict.AddrEnd(netip.AddrFrom4([4]byte{8, 8, 8, byte(i)})))
	}
	decides := func(conn verdict.Connection) (at []model.Direction) {
		ans, err := verdict.FromPolicies(after, conn)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range ans.Paths[0].Stages {
			by := st.Decided
			if by == nil || by.RuleName != "proposed" {
				continue
			}
			at = append(at, by.Direction)
			if by.Action != a.Action {
				t.Errorf("seed %d: %s %s", seed, conn, by.Action)
			}
		}
		return at
	}
	for _, f := range ends {
		for _, to := range ends {
			for _, port := range ports {
				conn := verdict.Connection{From: f, To: to, Protocol: port.Protocol, Port: port.Port}
				if f == to {
					continue
				}
				for _, d := range decides(conn) {
					other := to
					if d == model.Ingress {
						other = f
					}
					nameless := other.Key.Name != "" && c.Namespace(other.Key.Namespace).Labels.Map()[nameLabel] == ""
					if !nameless && !asked(told{kind(other), port, d}) {
						t.Errorf("seed %d: it decides %s (%s), and no line has that end", seed, conn, d)
					}
				}
			}
		}
	}
	for _, s := range p.Seen {
		was, err := verdict.FromPolicies(a.Before, s.Connection)
		if err != nil {
			t.Fatal(err)
		}
		at := decides(s.Connection)
		for _, st := range was.Paths[0].Stages {
			d := model.Egress
			if st.Stage == model.StageToLport {
				d = model.Ingress
			}
			if a.Action == model.Allow && st.Verdict != verdict.Allow && !slices.Contains(at, d) {
				t.Errorf("seed %d: it does not decide the line %s (%s)", seed, s.Connection, d)
			}
		}
		if len(at) == 0 {
			t.Errorf("seed %d: it does not decide the line %s", seed, s.Connection)
		}
	}
	if t.Failed() {
		t.Logf("%+v", p)
	}
}
