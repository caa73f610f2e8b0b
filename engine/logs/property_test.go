package logs

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"strings"
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/changing"
	"rung/test/given"
)

// TestProposalsAreExact: of random sets of lines, what is allowed (or denied) with the text
// that is proposed is what was before, and the lines; or the first sentence counts the pairs
// that are more, exactly. Judged by asking about every pair of ends, on the lines' ports and
// some others, before and after. A line that stays as it is is counted with who decides it, or
// left out with its reason.
func TestProposalsAreExact(t *testing.T) {
	n := 60
	if os.Getenv("RUNG_SOAK") != "" {
		n = 1000
	}
	var tally propertyTally
	for seed := range uint64(n) {
		propertyOf(t, seed, &tally)
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d sets, %d lines: %d proposals exact, %d with a surplus of %d pairs; %d refused; %d lines stay, %d left out, %d to Services; %d questions",
		n, tally.lines, tally.exact, tally.more, tally.surplus, tally.refused, tally.still, tally.left, tally.fronts, tally.asked)
	if tally.exact < n/4 || tally.more < n/10 || tally.refused < n/20 || tally.left == 0 || tally.fronts == 0 {
		t.Error("too few to prove anything")
	}
}

type propertyTally struct{ lines, exact, more, surplus, refused, still, left, fronts, asked int }

type proposeWorld struct{ *rand.Rand }

func (w proposeWorld) odds(n int) bool          { return w.IntN(n) == 0 }
func (w proposeWorld) of(some ...string) string { return some[w.IntN(len(some))] }

// objects are four namespaces with twins, pods that no label tells apart, and policies of
// every tier at either end.
func (w proposeWorld) objects() (pods, policies string) {
	var b strings.Builder
	for i := range 4 {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns%d, labels: {tenant: t%d}}\n", i, i/2)
	}
	for i := range 11 {
		labels := fmt.Sprintf("app: a%d, pod-template-hash: h%d", w.IntN(4), w.IntN(5))
		for _, k := range []string{"tier", "zone"} {
			if w.odds(2) {
				labels += fmt.Sprintf(", %s: x%d", k, w.IntN(2))
			}
		}
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%d, namespace: ns%d, labels: {%s}}\n"+
			"spec: {nodeName: %s, containers: [{name: c}]}\nstatus: {phase: Running, podIPs: [{ip: 10.245.0.%d}]}\n", i, w.IntN(4), labels,
			w.of("worker", "control"), i+3)
	}
	for i := range services {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Service\nmetadata: {name: s%d, namespace: ns%d}\n"+
			"spec: {clusterIP: %s, selector: {app: a%d}, ports: [{port: 80, targetPort: %d, protocol: TCP}, {name: u, port: 81, protocol: UDP}]}\n",
			i, w.IntN(4), clusterIP(i), w.IntN(4), 80+w.IntN(3))
	}
	rule := func(actions ...string) string {
		to := w.of("*", "tenant=t0", "tenant=t1", "name=ns1", "name=ns2")
		side := w.of("in", "out")
		if side == "out" && w.odds(4) {
			to = w.of("8.8.8.0/24", "0.0.0.0/0", "10.96.0.0/16")
		}
		return side + " " + w.of(actions...) + " " + to + w.of("", "", " tcp:80", " udp:81", " tcp:82")
	}
	var p strings.Builder
	for i := range w.IntN(4) {
		p.WriteString("---\n" + given.ANP(fmt.Sprintf("anp%d", i), 10+10*w.IntN(5), w.of("", "tenant=t0", "name=ns1", "name=ns2"), rule("deny"), rule("deny", "pass", "allow")))
	}
	if w.odds(2) {
		p.WriteString("---\n" + given.BANP(w.of("", "tenant=t0"), rule("deny"), rule("deny", "allow")))
	}
	for i := range w.IntN(3) {
		ns := fmt.Sprintf("ns%d", w.IntN(4))
		p.WriteString("---\n" + given.NP(ns, fmt.Sprintf("np%d", i), w.of("{podSelector: {}, policyTypes: [Ingress]}",
			"{podSelector: {matchLabels: {app: a0}}, policyTypes: [Ingress, Egress]}",
			"{podSelector: {matchLabels: {app: a1}}, ingress: [{from: [{podSelector: {}}]}]}")))
	}
	if w.odds(5) {
		p.WriteString("---\n" + given.EF("ns0", "{type: Deny, to: {cidrSelector: 8.8.8.0/25}}"))
	}
	return b.String(), p.String()
}

// services is how many there are: some have no pod, and some several.
const services = 3

func clusterIP(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 96, 0, byte(20 + i)}) }

// outsides are the addresses outside that lines and questions are about.
func outsides() (out []netip.Addr) {
	for i := range byte(4) {
		out = append(out, netip.AddrFrom4([4]byte{8, 8, 8, i}))
	}
	return append(out, netip.MustParseAddr("9.9.9.9"))
}

// clusterIPs are the addresses of Services, to which nothing goes once policies are asked.
func clusterIPs() (out []verdict.Endpoint) {
	for i := range services {
		out = append(out, verdict.AddrEnd(clusterIP(i)))
	}
	return out
}

// seen are lines in bunches, as in a log: a few clients of a few servers on a few ports.
func (w proposeWorld) seen(t *testing.T, rev *revision.Revision, ends []verdict.Endpoint) (out []diff.LoggedConnection) {
	pool := func() (out []verdict.Endpoint) {
		for range 1 + w.IntN(3) {
			e := ends[w.IntN(len(ends))]
			for e.Key.Name == "" && !w.odds(4) {
				e = ends[w.IntN(len(ends))]
			}
			out = append(out, e)
		}
		return out
	}
	from, to := pool(), pool()
	if w.odds(3) {
		to = append(to, clusterIPs()[w.IntN(services)])
	}
	for range 1 + w.IntN(10) {
		s := diff.LoggedConnection{Lines: 1 + w.IntN(3), Connection: verdict.Connection{From: from[w.IntN(len(from))], To: to[w.IntN(len(to))],
			Protocol: verdict.TCP, Port: uint16(80 + w.IntN(3))}}
		switch {
		case w.odds(20):
			s.Connection.Protocol, s.Connection.Port = verdict.ICMP, 0
		case w.odds(4):
			s.Connection.Protocol = verdict.UDP
		}
		if s.Connection.From.Key.Name == "" && s.Connection.To.Key.Name == "" {
			continue
		}
		a, err := verdict.FromPolicies(rev.Verdicts(), s.Connection)
		if err != nil {
			t.Fatal(err)
		}
		// It is written where it is decided: by the first that does not allow it, or by any.
		s.LoggedVerdict, s.Stage = a.Verdict, model.StageToLport
		if a.Front != nil { // of a file from elsewhere: OVN writes no such line
			out = append(out, s)
			continue
		}
		for _, st := range a.Paths[0].Stages {
			if st.Verdict == a.Verdict && (s.LoggedVerdict != verdict.Allow || w.odds(2)) {
				s.Stage = st.Stage
				break
			}
		}
		out = append(out, s)
	}
	return out
}

func propertyOf(t *testing.T, seed uint64, tally *propertyTally) {
	t.Helper()
	w := proposeWorld{rand.New(rand.NewPCG(seed, 23))}
	pods, policies := w.objects()
	world := changing.New(t, pods+policies)
	rev := world.Current()
	var ends []verdict.Endpoint
	for p := range rev.Cluster.Pods() {
		if strings.HasPrefix(p.Namespace, "ns") {
			ends = append(ends, verdict.Endpoint{Key: p.Key, Addr: netip.MustParseAddr(p.IPs[0])})
		}
	}
	for _, a := range outsides() {
		ends = append(ends, verdict.AddrEnd(a))
	}
	lines := w.seen(t, rev, ends)
	if len(lines) == 0 {
		return
	}
	target := Target{Policy: given.ANPKey("from-log"), Priority: -1, Action: model.Allow}
	want := verdict.Allow
	if w.odds(2) {
		target.Action, want = model.Deny, verdict.Deny
	}
	if w.odds(4) {
		var all []model.PolicyKey
		for p := range rev.Cluster.AllPolicies() {
			all = append(all, p.Key)
		}
		if len(all) > 0 {
			target.Policy = all[w.IntN(len(all))]
		}
	}
	p, err := MakeProposal(t.Context(), rev, target, lines)
	for _, s := range lines {
		tally.lines += s.Lines
	}
	if err != nil {
		tally.refused++
		return
	}
	next, broken := manifests.ParsePolicy([]byte(p.Text))
	if next == nil || len(broken) > 0 {
		t.Fatalf("seed %d: %v\n%s", seed, broken, p.Text)
	}
	after := rev.WithPolicies([]model.Object{next}, nil)

	type key struct {
		from, to string
		proto    verdict.Protocol
		port     uint16
	}
	of := func(c verdict.Connection) key { return key{c.From.String(), c.To.String(), c.Protocol, c.Port} }
	asked := map[key]bool{}
	count := 0
	for _, s := range p.Seen {
		asked[of(s.Connection)] = true
		count += s.Lines
		if strings.HasPrefix(s.Connection.To.String(), "10.96.") {
			t.Errorf("seed %d: rules about %s, which no rule matches", seed, s.Connection)
		}
	}
	for _, l := range p.Left {
		if strings.Contains(l.Reason, "is the ClusterIP of service ns") {
			tally.fronts += l.Lines
		}
	}
	for _, l := range p.Left {
		tally.left += l.Lines
		count += l.Lines
	}
	total := 0
	for _, s := range lines {
		total += s.Lines
	}
	if count != total {
		t.Errorf("seed %d: %d of %d lines are taken or left out", seed, count, total)
	}
	ports := []verdict.Ports{{Protocol: verdict.ICMP}, {Protocol: verdict.SCTP, Port: 80}}
	for port := uint16(79); port < 84; port++ {
		ports = append(ports, verdict.Ports{Protocol: verdict.TCP, Port: port}, verdict.Ports{Protocol: verdict.UDP, Port: port})
	}
	surplus := map[[2]string]bool{}
	for _, from := range everyPod(rev, ends) {
		for _, to := range everyPod(rev, ends) {
			if from == to || from.Key.Name == "" && to.Key.Name == "" {
				continue
			}
			for _, port := range ports {
				c := verdict.Connection{From: from, To: to, Protocol: port.Protocol, Port: port.Port}
				a, err := verdict.FromPolicies(rev.Verdicts(), c)
				b, err2 := verdict.FromPolicies(after.Verdicts(), c)
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				tally.asked += 2
				switch {
				case a.Front != nil: // what becomes of its pods is asked of them
					for i := range a.Paths {
						if is := b.Paths[i].Verdict; is != a.Paths[i].Verdict && is != want {
							t.Errorf("seed %d: %s, %s: %s → %s", seed, c, a.Paths[i].To.Endpoint, a.Paths[i].Verdict, is)
						}
					}
				case a.Verdict == b.Verdict:
				case b.Verdict != want:
					t.Errorf("seed %d: %s: %s → %s", seed, c, a.Verdict, b.Verdict)
				case !asked[of(c)]:
					surplus[[2]string{blockOf(p, from), blockOf(p, to)}] = true
				}
			}
		}
	}
	still := 0
	for _, s := range p.Seen {
		if a, err := verdict.FromPolicies(after.Verdicts(), s.Connection); err != nil || a.Verdict != want {
			still += s.Lines
		}
	}
	said := 0
	for _, s := range p.Kept {
		said += s.Lines
	}
	if still != said {
		t.Errorf("seed %d: %d lines stay as they are, and it says %d", seed, still, said)
	}
	first := p.Notes()[0]
	if got := surplusOf(p); got != len(surplus) {
		t.Errorf("seed %d (%s, %v): it says a surplus of %d pairs, and there are %d: %v", seed, target.Action, target.Policy, got, len(surplus), surplus)
	} else if has := strings.Contains(first, words.Count(len(surplus), "pair")); got > 0 && !has {
		t.Errorf("seed %d: the first sentence does not say %d pairs: %s", seed, got, first)
	}
	if !p.New && len(surplus)+still+len(p.Left) > 0 {
		t.Errorf("seed %d: into %s, which does not make it exact: surplus of %d pairs, %d lines stay, %v left out", seed, target.Policy.Label(), len(surplus), still, p.Left)
	}
	if t.Failed() {
		t.Logf("%s\n%s\n%s", policies, p.Text, strings.Join(p.Notes(), "\n"))
		for _, s := range lines {
			t.Logf("%s %s (%s)", s.LoggedVerdict, s.Connection, s.Stage)
		}
	}
	tally.still += still
	tally.surplus += len(surplus)
	if len(surplus) > 0 {
		tally.more++
	} else {
		tally.exact++
	}
}

// everyPod is all ends there are, those of the pods of given with them.
func everyPod(rev *revision.Revision, ends []verdict.Endpoint) []verdict.Endpoint {
	out := append(clusterIPs(), ends...)
	for p := range rev.Cluster.Pods() {
		if !strings.HasPrefix(p.Namespace, "ns") {
			out = append(out, verdict.Endpoint{Key: p.Key, Addr: netip.MustParseAddr(p.IPs[0])})
		}
	}
	return out
}

// blockOf is the end that a pair is counted by: addresses of one network of the text are one.
func blockOf(p *Proposal, e verdict.Endpoint) string {
	if e.Key.Name != "" {
		return e.Key.String()
	}
	for _, r := range p.Rules {
		for _, n := range r.Networks {
			if n.Contains(e.Addr) {
				return n.String()
			}
		}
	}
	return e.Addr.String()
}

func surplusOf(p *Proposal) int {
	if p.Surplus.IsExact() {
		return 0
	}
	return p.Surplus.Pairs
}
