package acllog

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/logline"
)

// The lines that Antrea's page on network policies shows, and some of older layouts.
var antreaLines = []string{
	`2023/07/04 12:45:21.804416 IngressDefaultRule AntreaNetworkPolicy:default/reject-tcp-policy RejectTCPRequest Ingress Reject 16 default/nettoolv3 10.10.1.7 53646 10.10.1.14 80 TCP 60 tcp-log-label`,
	`2023/07/03 23:24:36.422233 AntreaPolicyEgressRule AntreaNetworkPolicy:default/reject-icmp-policy RejectICMPRequest Egress Reject 14500 default/nettool 10.10.1.7 <nil> 10.10.2.3 <nil> ICMP 84 icmp-log-label`,
	`2023/07/03 23:24:37.424024 AntreaPolicyEgressRule AntreaNetworkPolicy:default/reject-icmp-policy RejectICMPRequest Egress Reject 14500 default/nettool 10.10.1.7 <nil> 10.10.2.3 <nil> ICMP 84 icmp-log-label [2 packets in 1.000855539s]`,
	`2023/07/04 12:31:02.801442 IngressRule K8sNetworkPolicy:default/allow-tcp-80 <nil> Ingress Allow 190 default/nettool 10.10.1.13 57050 10.10.1.7 80 TCP 60 <nil>`,
	`2023/07/04 12:33:26.221413 IngressDefaultRule K8sNetworkPolicy <nil> Ingress Drop <nil> default/nettool 10.10.1.13 <nil> 10.10.1.7 <nil> ICMP 84 <nil>`,
	`2021/06/24 23:56:41.346165 AntreaPolicyEgressRule AntreaNetworkPolicy:default/test-anp Drop 44900 10.10.1.65 35402 10.0.0.5 80 TCP 60 [3 packets in 1.011379442s]`,
	`2022/01/02 03:04:05.000006 AntreaPolicyIngressRule AntreaClusterNetworkPolicy:isolate a rule: Drop it Ingress Redirect 14500 a/b fd00::1 1 fd00::2 65535 UDP 0`,
	`2022/01/02 03:04:05.000006 AntreaPolicyEgressRule AdminNetworkPolicy:cluster-control deny-icmp Egress Drop 14500 a/b fd00::1 <nil> fd00::2 <nil> ICMPv6 104 <nil> [17 packets in 1.2s]`,
}

func TestAntrea(t *testing.T) {
	at := func(s string) time.Time {
		at, err := time.Parse("2006/01/02 15:04:05.000000", s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	key := func(k model.Kind, namespace, name string) model.PolicyKey {
		return model.PolicyKey{Kind: k, Namespace: namespace, Name: name}
	}
	for i, want := range []logline.Line{
		{At: at("2023/07/04 12:45:21.804416"), Name: "AntreaNetworkPolicy:default/reject-tcp-policy", Verdict: "reject", Direction: "to-lport", Proto: "tcp",
			Src: ip("10.10.1.7"), SrcPort: 53646, Dst: ip("10.10.1.14"), DstPort: 80,
			Named: &logline.NamedLine{Table: "IngressDefaultRule", Policy: key(model.KindANNP, "default", "reject-tcp-policy"), Direction: model.Ingress,
				Rule: "RejectTCPRequest", Priority: 16, AppliedTo: "default/nettoolv3", Length: 60, Label: "tcp-log-label", Packets: 1}},
		{At: at("2023/07/03 23:24:36.422233"), Name: "AntreaNetworkPolicy:default/reject-icmp-policy", Verdict: "reject", Direction: "from-lport", Proto: "icmp",
			Src: ip("10.10.1.7"), Dst: ip("10.10.2.3"),
			Named: &logline.NamedLine{Table: "AntreaPolicyEgressRule", Policy: key(model.KindANNP, "default", "reject-icmp-policy"), Direction: model.Egress,
				Rule: "RejectICMPRequest", Priority: 14500, AppliedTo: "default/nettool", Length: 84, Label: "icmp-log-label", Packets: 1}},
		{At: at("2023/07/03 23:24:37.424024"), Name: "AntreaNetworkPolicy:default/reject-icmp-policy", Verdict: "reject", Direction: "from-lport", Proto: "icmp",
			Src: ip("10.10.1.7"), Dst: ip("10.10.2.3"),
			Named: &logline.NamedLine{Table: "AntreaPolicyEgressRule", Policy: key(model.KindANNP, "default", "reject-icmp-policy"), Direction: model.Egress,
				Rule: "RejectICMPRequest", Priority: 14500, AppliedTo: "default/nettool", Length: 84, Label: "icmp-log-label", Packets: 2, Over: 1000855539}},
		{At: at("2023/07/04 12:31:02.801442"), Name: "K8sNetworkPolicy:default/allow-tcp-80", Verdict: "allow", Direction: "to-lport", Proto: "tcp",
			Src: ip("10.10.1.13"), SrcPort: 57050, Dst: ip("10.10.1.7"), DstPort: 80,
			Named: &logline.NamedLine{Table: "IngressRule", Policy: key(model.KindNP, "default", "allow-tcp-80"), Direction: model.Ingress,
				Priority: 190, AppliedTo: "default/nettool", Length: 60, Packets: 1}},
		{At: at("2023/07/04 12:33:26.221413"), Name: "K8sNetworkPolicy", Verdict: "drop", Direction: "to-lport", Proto: "icmp",
			Src: ip("10.10.1.13"), Dst: ip("10.10.1.7"),
			Named: &logline.NamedLine{Table: "IngressDefaultRule", Policy: key(model.KindNP, "default", ""), Direction: model.Ingress,
				AppliedTo: "default/nettool", Length: 84, Packets: 1}},
		{At: at("2021/06/24 23:56:41.346165"), Name: "AntreaNetworkPolicy:default/test-anp", Verdict: "drop", Direction: "from-lport", Proto: "tcp",
			Src: ip("10.10.1.65"), SrcPort: 35402, Dst: ip("10.0.0.5"), DstPort: 80,
			Named: &logline.NamedLine{Table: "AntreaPolicyEgressRule", Policy: key(model.KindANNP, "default", "test-anp"), Direction: model.Egress,
				Priority: 44900, Length: 60, Packets: 3, Over: 1011379442}},
		{At: at("2022/01/02 03:04:05.000006"), Name: "AntreaClusterNetworkPolicy:isolate", Verdict: "redirect", Direction: "to-lport", Proto: "udp",
			Src: ip("fd00::1"), SrcPort: 1, Dst: ip("fd00::2"), DstPort: 65535,
			Named: &logline.NamedLine{Table: "AntreaPolicyIngressRule", Policy: key(model.KindACNP, "", "isolate"), Direction: model.Ingress,
				Rule: "a rule: Drop it", Priority: 14500, AppliedTo: "a/b", Packets: 1}},
		{At: at("2022/01/02 03:04:05.000006"), Name: "AdminNetworkPolicy:cluster-control", Verdict: "drop", Direction: "from-lport", Proto: "icmp6",
			Src: ip("fd00::1"), Dst: ip("fd00::2"),
			Named: &logline.NamedLine{Table: "AntreaPolicyEgressRule", Policy: key(model.KindANP, "", "cluster-control"), Direction: model.Egress,
				Rule: "deny-icmp", Priority: 14500, AppliedTo: "a/b", Length: 104, Packets: 17, Over: 1200 * time.Millisecond}},
	} {
		for prefix, is := range map[string][2]string{"": {}, "node-1 ": {"node-1"}, "[pod/antrea-agent-x/antrea-agent] ": {"", "antrea-agent-x"},
			"2023-07-04T12:45:22Z stdout F ": {}, "kube-system antrea-agent-x antrea-agent ": {"", "kube-system/antrea-agent-x"}} {
			want := want
			want.Raw, want.Zone, want.Pod = prefix+antreaLines[i], is[0], is[1]
			got, err := Parse(want.Raw + "\n")
			if err != nil {
				t.Errorf("%s: %v", want.Raw, err)
				continue
			}
			if d := cmp.Diff(want, got, lines); d != "" {
				t.Errorf("%s (-want +got):\n%s", want.Raw, d)
			}
		}
	}
}

// Lines that only look like np.log's are skipped; those that are and cannot be read are
// said to be odd.
func TestAntreaErrors(t *testing.T) {
	const head, tail = `2023/07/04 12:45:21.804416 IngressRule AntreaNetworkPolicy:a/b `, ` 10.10.1.7 53646 10.10.1.14 80 TCP 60 label`
	for line, odd := range map[string]bool{
		"2023/07/04 12:45:21 Processing NetworkPolicy default/x":                           false,
		"2023/07/04 12:45:21.804416 NetworkPolicy controller started":                      false,
		"2023/07/04 12:45:21.804416 Table OtherNetworkPolicy:a/b Allow 1" + tail:           false,
		"2023/13/04 12:45:21.804416 IngressRule K8sNetworkPolicy <nil> Allow 1 x/y" + tail: false,
		"somebody says " + antreaLines[0]:                                                  true,
		head:                                                                               true,
		head + "rule Ingress Allow 16 a/b 10.10.1.7 53646 10.10.1.14 80 TCP":               true,
		head + "rule Ingress Allow 16 a/b 10.10.1.7 53646 10.10.1.14 80 TCP x label":       true,
		head + "rule Ingress Allow 16 a/b 10.10.1.7 536460 10.10.1.14 80 TCP 60 label":     true,
		head + "rule Ingress Allow 16 a/b fe80::1%x 53646 10.10.1.14 80 TCP 60 label":      true,
		head + "rule Ingress Forget 16 a/b" + tail:                                         true,
		head + "rule Ingress Allow x a/b" + tail:                                           true,
		head + "rule Ingress Allow 16 a/b" + tail + " [x packets in 1s]":                   true,
		head + "rule Ingress Allow 16 a/b" + tail + " [0 packets in 1s]":                   true,
		head + "rule Ingress Allow 16 a/b" + tail + " [2 packets in soon]":                 true,
		head + "rule Ingress Allow 16 a/b" + tail + " [2 packets in -1s]":                  true,
		head + "rule Ingress Allow 16 a/b" + tail + " [2 packets]":                         true,
		head + strings.Repeat("x ", antreaWords) + "Ingress Allow 16 a/b" + tail:           true,
	} {
		_, err := Parse(line)
		switch {
		case err == nil:
			t.Errorf("%.120s: read", line)
		case errors.Is(err, ErrNotACL) == odd:
			t.Errorf("%.120s: %v", line, err)
		}
	}
	for _, rule := range []string{"rule Ingress Allow 16 a/b", "Allow 16", "rule Allow 16 a/b", "<nil> Ingress Allow <nil> <nil>"} {
		if l, err := Parse(head + rule + tail); err != nil || l.Named.Direction != model.Ingress || l.Named.Label != "label" {
			t.Errorf("%s: %+v %v", rule, l.Named, err)
		}
	}
}
