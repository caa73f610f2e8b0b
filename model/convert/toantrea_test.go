package convert

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

func TestToAntrea(t *testing.T) {
	named := model.Port{Name: "http"}
	pods := made.ANP("pods", 7, "a=b", []model.Rule{made.Rule(model.Deny, everyone)}, []model.Rule{
		made.Rule(model.Allow, made.Peers(made.PodPeer("x=y", "!z"), made.NetPeer("10.0.0.0/8", "fd00::/8")), made.TCP(80), model.Port{Protocol: "UDP", Start: 5, End: 9, Range: true}),
		made.Rule(model.Pass, everyone, named)})
	pods.Subject.AllPods, pods.Subject.Pods = false, made.Sel("app in (u,v)")
	pods.Egress[0].Name, pods.Egress[1].Name = "same", "same"
	pods.Logging, pods.HasLogging = `{"deny":"alert"}`, true
	bad := made.ANP("bad", 8, "*", []model.Rule{made.Rule(model.Deny, everyone)}, nil)
	bad.Invalid = []model.Broken{{Code: model.InvalidCIDR, Field: "spec.x", Message: "is no CIDR"}}
	loud := made.ANP("loud", 8, "*", []model.Rule{made.Rule(model.Deny, everyone)}, nil)
	loud.Logging, loud.HasLogging = `{"deny":"LOUD"}`, true
	deny := []model.Rule{made.Rule(model.Deny, everyone)}
	for _, c := range []struct {
		name string
		in   []model.Object
		want []string
	}{
		{"every field of an ANP", []model.Object{pods}, []string{`ACNP pods application 8 pods: app in (u,v) in ns: a=b`,
			`  ingress rule 0 "ingress-0" Drop ns: all  logs`, `  egress rule 0 "same" Allow pods: !z in ns: x=y | networks: 10.0.0.0/8 | networks: fd00::/8 tcp 80,udp 5–9`,
			`  egress rule 1 "same-2" Pass ns: all "http","http","http"`,
			"ANP pods: its log levels are left out (Deny: alert): enableLogging has no levels"}},
		{"what Antrea takes otherwise", []model.Object{made.ANP("p", 0, "*", []model.Rule{made.Rule(model.Deny, everyone, named), made.Rule(model.Deny, nil)},
			[]model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("10.0.0.0/8")), named), made.Rule(model.Deny, made.Peers(made.NodePeer("*"))),
				made.Rule(model.Deny, everyone, made.TCP(1), model.Port{Protocol: "tcp", Start: 1, End: 1}), made.Rule(model.Deny, everyone, model.Port{Protocol: "TCP"})})}, []string{
			"ACNP p application 1 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all "http","http","http"`, `  egress rule 0 "egress-0" Drop networks: 10.0.0.0/8 "http","http","http"`,
			`  egress rule 1 "egress-1" Drop nodes: all`, `  egress rule 2 "egress-2" Drop ns: all tcp 1`,
			`ANP p ingress 0 approximate, now: port "http": OVN-Kubernetes also uses ports that peers declare, Antrea does not`,
			"ANP p ingress 1 not expressible, later: it names no peer and matches nothing; in Antrea's API it would match everything",
			`ANP p egress 0 approximate, now: port "http": OVN-Kubernetes resolves it on pods only, Antrea also in networks`,
			"ANP p egress 1 approximate, now: nodes (all): Antrea uses InternalIPs and gateways, OVN-Kubernetes all addresses",
			`ANP p egress 2 approximate, later: the API does not support protocol "tcp", which matches nothing in OVN-Kubernetes`,
			"ANP p egress 3 not expressible, now: its ports are undefined: it names a protocol without a port"}},
		{"not enforced", []model.Object{bad, loud, made.ANP("high", 500, "*", deny, nil)}, []string{
			"ACNP loud application 9 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`, "ACNP high application 501 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`,
			"ANP bad ingress 0 not expressible, : spec.x is no CIDR",
			"ANP loud ingress 0 approximate, now: OVN-Kubernetes does not enforce it because of its logging annotation, but Antrea does",
			"ANP high ingress 0 approximate, now: OVN-Kubernetes does not enforce priority 500, but Antrea does"}},
		{"ties stay, CNPs among ANPs", []model.Object{made.ANP("p", 3, "*", deny, nil), made.ANP("q", 3, "*", deny, nil), cnp(made.ANP("q", 2, "*", deny, nil), model.TierAdmin)}, []string{
			"ACNP q application 3 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`, "ACNP p application 4 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`,
			"ACNP q-2 application 4 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`}},
		{"a rule that is left out, in a tie", []model.Object{made.ANP("p", 3, "*", []model.Rule{made.Rule(model.Allow, nil), made.Rule(model.Deny, everyone)}, nil),
			made.ANP("q", 3, "*", []model.Rule{made.Rule(model.Pass, everyone), made.Rule(model.Allow, everyone)}, nil)}, []string{
			"ACNP q application 4 ns: all", `  ingress rule 0 "ingress-0" Pass ns: all`, "ACNP p application 4.5 ns: all", `  ingress rule 0 "ingress-1" Drop ns: all`,
			"ACNP q-2 application 4.5 ns: all", `  ingress rule 0 "ingress-1" Allow ns: all`, "ANP p ingress 0 not expressible, later: it names no peer and matches nothing; in Antrea's API it would match everything"}},
		{"baselines: no Pass there", []model.Object{banp("*", []model.Rule{made.Rule(model.Deny, everyone)}, nil),
			cnp(made.ANP("c", 4, "*", []model.Rule{made.Rule(model.Pass, everyone)}, nil), model.TierBaseline)}, []string{
			"ACNP c baseline 5 ns: all", `  ingress rule 0 "ingress-0" Allow ns: all`, "ACNP default baseline 6 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`}},
		{"behind what is there", []model.Object{made.ANP("p", 0, "*", deny, nil), cnp(made.ANP("c", 0, "*", deny, nil), model.TierAdmin), banp("*", deny, nil),
			native("p", "application", 7.5, ons("*")), native("a/n", "platform", 3, ons("*")), native("b", "baseline", 1, ons("*"))}, []string{
			"ACNP c platform 4 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`, "ACNP p-2 application 9 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`,
			"ACNP default baseline 2 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`}},
		{"little room", []model.Object{made.ANP("p", 0, "*", deny, nil), made.ANP("q", 99, "*", deny, nil), native("n", "application", 9990, ons("*"))}, []string{
			"ACNP p application 9993.333333333334 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`, "ACNP q application 9996.666666666666 ns: all", `  ingress rule 0 "ingress-0" Drop ns: all`}},
		{"no room", []model.Object{made.ANP("p", 0, "*", deny, nil), native("n", "application", 9999.5, ons("*"))}, []string{
			"ANP p ingress 0 not expressible, now: no free priority after the policies of tier application"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ToAntrea(antreaCluster(c.in...))
			if d := cmp.Diff(c.want, sayings(&r)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
