package lint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// DNS needs both halves, the way out of the pods that ask and the way into the DNS pods,
// by both protocols: findings name the one that is shut.
func TestDNSHalves(t *testing.T) {
	const allow, deny, pass = model.Allow, model.Deny, model.Pass
	dnsPods := to(model.PeerPods, "kubernetes.io/metadata.name=kube-system + app=dns")
	drops := func(who, ports string) string {
		return "denies DNS queries of " + who + " at the DNS pods, kube-system/dns-1 and kube-system/dns-2 (" + ports + "); no rule above allows them"
	}
	tests := []struct {
		name  string
		extra []model.Object
		want  []string
	}{
		{"the way in is shut, the way out is not", []model.Object{
			anp("a", 1, "*", rules{rule(deny, inNS("*"))}, rules{rule(allow, dnsPods, "UDP:5353"), rule(deny, inNets("0.0.0.0/0"))})},
			[]string{
				"error dns-not-allowed a ingress 0: " + drops("3 pods", "UDP 5353, TCP 5353"),
				"warning deny-all-networks a egress 1: denies all egress of the subject's pods that no rule above decides; DNS over UDP 5353 allowed by egress 0, " +
					"but denied at the DNS pods by ingress 0, DNS over TCP 5353 not allowed, the API server (TCP 6443) not allowed",
				"warning dns-tcp-not-allowed a egress 1: DNS over TCP 5353 is not allowed by any rule above this one; DNS over UDP 5353 allowed by egress 0, but denied at the DNS pods by ingress 0"}},
		{"another policy shuts the way in", []model.Object{
			anp("a", 1, "kubernetes.io/metadata.name=kube-system", rules{rule(allow, inNS("tenant=blue")), rule(deny, inNS("*"))}, nil),
			anp("b", 2, "tenant=red", nil, rules{rule(allow, dnsPods, "UDP:5353"), rule(deny, inNS("*"))}),
			anp("c", 3, "tenant=blue", nil, rules{rule(allow, dnsPods, "UDP:5353"), rule(deny, inNS("*"))})},
			[]string{
				"error dns-not-allowed a ingress 1: " + drops("red/db", "UDP 5353, TCP 5353"),
				"warning dns-tcp-not-allowed b egress 1: DNS over TCP 5353 is not allowed by any rule above this one; DNS over UDP 5353 allowed by egress 0, but denied at the DNS pods by ANP a ingress 1",
				"warning dns-tcp-not-allowed c egress 1: DNS over TCP 5353 is not allowed by any rule above this one; DNS over UDP 5353 allowed by egress 0"}},
		{"the way in is open for all who ask, or for other ports shut", []model.Object{
			anp("a", 1, "*", rules{rule(allow, inNS("*"), "UDP:5353", "dns-tcp"), rule(deny, inNS("*"))}, nil),
			anp("b", 2, "*", rules{rule(deny, inNS("*"), "TCP:9153")}, nil)}, nil},
		{"a policy above lets them in; one beside does not", []model.Object{
			anp("a", 1, "*", rules{rule(pass, inNS("tenant=blue")), rule(allow, inNS("tenant=red"))}, nil),
			anp("b", 2, "*", rules{rule(deny, inNS("*"))}, nil),
			anp("x", 200, "*", rules{rule(deny, inNS("*"))}, nil)}, nil},
		{"beside", []model.Object{
			anp("a", 2, "*", rules{rule(allow, inNS("*"))}, nil), anp("b", 2, "*", rules{rule(deny, inNS("*"))}, nil)},
			[]string{"error dns-not-allowed b ingress 0: " + drops("3 pods", "UDP 5353, TCP 5353")}},
		{"only TCP on the way in", []model.Object{
			anp("a", 1, "*", rules{rule(deny, inNS("tenant=red"), "TCP:1-6000")}, nil)},
			[]string{"warning dns-tcp-not-allowed a ingress 0: " + drops("red/db", "TCP 5353")}},
		{"a baseline", []model.Object{banp(rules{rule(deny, inNS("tenant=red"))}, nil)}, nil},
		{"only TCP on the way out", []model.Object{
			anp("a", 1, "tenant", nil, rules{rule(deny, inNS("*"), "TCP:5353")})},
			[]string{"warning dns-tcp-not-allowed a egress 0: DNS over TCP 5353 is not allowed by any rule above this one; this rule does not match DNS over UDP 5353"}},
		{"two parts that are the whole", []model.Object{
			anp("a", 1, "tenant", nil, rules{rule(allow, inNets("10.0.0.0/24")), rule(allow, inNets("10.0.1.0/24")), rule(deny, dnsPods)})}, nil},
		{"a part of TCP", []model.Object{
			anp("a", 1, "tenant", nil, rules{rule(allow, inNets("10.0.0.0/24"), "TCP:5353"), rule(allow, dnsPods, "UDP:5353"), rule(deny, dnsPods)})},
			[]string{"warning dns-tcp-not-allowed a egress 2: DNS over TCP 5353 is allowed only in part by the rules above this one; DNS over UDP 5353 allowed by egress 1"}},
		{"a part is denied above", []model.Object{
			anp("a", 1, "tenant", nil, rules{rule(deny, inNets("10.0.0.0/24")), rule(deny, dnsPods)})},
			[]string{"error dns-not-allowed a egress 0: denies the subject's pods DNS over UDP 5353, and no rule above allows it",
				"error dns-not-allowed a egress 1: denies the subject's pods DNS over UDP 5353, and no rule above allows it"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == nil {
				want = []string{}
			}
			got := show(Run(cluster(append(base(), tt.extra...)...), nil, Options{}), DNSNotAllowed.Code, DNSTCPNotAllowed.Code, DenyAllNetworks.Code)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
