package revision

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/given"
)

// The facts of a policy's rules: pods behind several peers count once, networks have
// none, and every rule knows its own ACLs.
func TestRuleFacts(t *testing.T) {
	r := revisionOf(t, given.ANP("one", 1, "tenant=blue", "in deny tenant=red", "out allow 10.0.0.0/8", "in allow *"))
	var got []string
	p := r.Cluster.Policy(given.ANPKey("one"))
	for _, f := range ListRuleFacts(r, p) {
		id := ""
		if len(f.ACLs) > 0 {
			id = f.ACLs[0][strings.Index(f.ACLs[0], "one"):]
		}
		got = append(got, fmt.Sprint(f.Direction, " ", f.Index, " ", f.PeerTexts(), f.PortTexts(), " ", f.Pods, " ", f.SelectsPods, " ", len(f.ACLs), " ", id))
	}
	want := []string{
		"Ingress 0 [ns: tenant=red] [] 2 true 1 one:Ingress:0:None",
		"Ingress 1 [ns: all] [] 8 true 1 one:Ingress:1:None",
		"Egress 0 [networks: 10.0.0.0/8] [] 0 false 1 one:Egress:0:None",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	twice := *p
	twice.Ingress = append([]model.Rule(nil), p.Ingress...)
	twice.Ingress[0].Peers = append(append([]model.Peer(nil), p.Ingress[0].Peers...), p.Ingress[0].Peers...)
	once := ListRuleFacts(r, p)[0].Pods
	if f := ListRuleFacts(r.WithPolicies([]model.Object{&twice}, nil), &twice)[0]; f.Pods != once || once == 0 {
		t.Errorf("%d pods behind the same peer twice, %d behind it once", f.Pods, once)
	}
}
