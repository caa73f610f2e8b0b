package packets_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"rung/model"
	"rung/test/made"
)

const (
	cnpClusters     = 30
	soakCNPClusters = 600
)

// OVN delivers what ClusterNetworkPolicies say, by the verdicts from the policies
// themselves, where their rows are written as OVN-Kubernetes might.
func TestCNPPacketsAgree(t *testing.T) {
	seed, rounds := seeded(t, cnpClusters, soakCNPClusters)
	r := newRun(t)
	began := time.Now()
	for n := range rounds {
		r.cluster(drawCNP(rand.New(rand.NewPCG(seed, 4000+uint64(n)))))
		if t.Failed() {
			t.Fatalf("in cluster %d of RUNG_SEED=%d", n, seed)
		}
	}
	t.Logf("%s: %d clusters with CNPs, %d connections, %s: %v", r.w.tools.Describe(), rounds, r.connections, time.Since(began).Round(time.Second), r.kinds)
	r.tally()
	if r.verdict["all"] < 1000 {
		t.Errorf("only %d verdicts were confirmed", r.verdict["all"])
	}
	for _, kind := range []string{"CNP in tier 1", "CNP in tier 3", "ANP", "BANP", "NP", "drop", "allow", "pass", "IPv4", "IPv6", "tcp", "udp", "sctp"} {
		if r.kinds[kind] < 5 {
			t.Errorf("only %d connections met %s", r.kinds[kind], kind)
		}
	}
	for _, what := range []string{"allow", "deny", "pod to pod", "pod to outside", "outside to pod", "pod to node"} {
		if r.verdict[what] < 20 {
			t.Errorf("only %d are %s", r.verdict[what], what)
		}
	}
}

// drawCNP makes a cluster with ClusterNetworkPolicies of both tiers, most of them in place
// of the older kinds. Priorities may be shared: where that leaves open who decides, both
// sides say so, and the connection is not counted.
func drawCNP(r *rand.Rand) *drawn {
	d := draw(r)
	d.options.CNP = true
	older := d.one(3)
	d.objects = slices.DeleteFunc(d.objects, func(o model.Object) bool {
		p, is := o.(*model.Policy)
		return is && (p.Kind == model.KindANP || p.Kind == model.KindEF || p.Kind == model.KindBANP) && !older
	})
	priorities := d.r.Perm(100)
	for i := range 2 + d.r.IntN(5) {
		p := made.ANP(fmt.Sprint("cnp", i), int32(priorities[i]), "*", d.rules(model.Ingress, true), d.rules(model.Egress, true))
		p.Kind, p.Subject = model.KindCNP, d.subject()
		if d.one(2) {
			p.Tier = model.TierBaseline
		}
		// What has no rows keeps those that it had before: such a policy never had any.
		switch {
		case d.one(8):
			p.Priority = int32(priorities[0])
		case d.one(12):
			p.Name, p.Priority = fmt.Sprint("above", i), 100+p.Priority
		case d.one(12):
			domain := made.Rule(model.Allow, []model.Peer{{Kind: model.PeerDNS, DNSName: "www.example.com"}})
			domain.Direction, domain.Index = model.Egress, len(p.Egress)
			p.Name, p.Egress = fmt.Sprint("names", i), append(p.Egress, domain)
		}
		if !d.one(4) {
			p.Logging, p.HasLogging = logging, true
		}
		d.objects = append(d.objects, p)
	}
	return d
}
