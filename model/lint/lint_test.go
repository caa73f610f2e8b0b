package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/selectors"
	"rung/test/made"
)

type rules = []model.Rule

// base is a cluster with tenants and DNS behind a Service.
func base() []model.Object {
	host := pod("kube-system/proxy", "app=proxy", "172.18.0.3")
	host.HostNetwork = true
	return []model.Object{
		ns("kube-system", "kubernetes.io/metadata.name=kube-system"), ns("blue", "tenant=blue"), ns("red", "tenant=red"), ns("empty", "tenant=empty"),
		pod("kube-system/dns-1", "app=dns", "10.0.0.3", "dns:UDP:5353", "dns-tcp:TCP:5353"), pod("kube-system/dns-2", "app=dns", "10.0.1.3", "dns:UDP:5353", "dns-tcp:TCP:5353"), host,
		pod("blue/web-1", "app=web", "10.0.0.4", "http:TCP:8080"), pod("blue/web-2", "app=web", "10.0.1.4"), pod("red/db", "app=db", "10.0.1.5"),
		node("cp", "node-role.kubernetes.io/control-plane=", "172.18.0.2"), node("worker", "role=worker", "172.18.0.3"),
		&model.Service{Meta: meta(model.KindService, "kube-system", "kube-dns", ""), Selector: labels("app=dns"),
			Ports: []model.ServicePort{{Name: "dns", Protocol: "UDP", Port: 53, TargetPort: "5353"}}},
	}
}

func banp(ingress, egress rules) *model.Policy {
	p := anp("default", 0, "tenant", ingress, egress)
	p.Kind, p.Tier = model.KindBANP, model.TierBaseline
	return p
}

func logging(p *model.Policy, raw string) *model.Policy {
	p.Logging, p.HasLogging = raw, true
	return p
}

func podSubject(p *model.Policy, pods string) *model.Policy {
	p.Subject.Pods, p.Subject.AllPods = made.Sel(pods), false
	return p
}

func TestFindings(t *testing.T) {
	const allow, deny, pass = model.Allow, model.Deny, model.Pass
	long := strings.Repeat("n", 58)
	udnPod := pod("red/udn", "app=udn", "10.0.9.9")
	udnPod.Networks = []model.PodNetwork{{Name: "red/net", Role: "primary"}}
	badNode := node("odd", "role=worker")
	badNode.HostErr = "not JSON"
	young := pod("empty/young", "app=young", "10.0.9.8")
	young.NodeName = ""
	dnsPods := to(model.PeerPods, "kubernetes.io/metadata.name=kube-system + app=dns")
	tests := []struct {
		name  string
		codes []string // those to look at
		extra []model.Object
		bare  bool // without the base cluster
		max   int32
		want  []string
	}{
		{name: "priority above the range", codes: []string{PriorityUnsupported.Code}, extra: []model.Object{anp("a", 120, "tenant", nil, nil), anp("b", 99, "tenant", nil, nil)},
			want: []string{"error priority-unsupported a: priority 120 is above 99: OVN-Kubernetes does not enforce the policy; if it was programmed before, its old rows remain and still decide at the old priority"}},
		{name: "another range", codes: []string{PriorityUnsupported.Code}, max: 50, extra: []model.Object{anp("b", 99, "tenant", nil, nil)},
			want: []string{"error priority-unsupported b: priority 99 is above 50: OVN-Kubernetes does not enforce the policy; if it was programmed before, its old rows remain and still decide at the old priority"}},
		{name: "shared priority", codes: []string{PriorityDuplicate.Code, PriorityConflict.Code}, extra: []model.Object{
			anp("a", 7, "tenant=blue", rules{rule(allow, inNS("*"))}, nil), anp("b", 7, "tenant=red", rules{rule(deny, inNS("*"))}, nil),
			anp("x", 200, "*", nil, nil), anp("y", 200, "*", nil, nil)},
			want: []string{"info priority-duplicate a: shares priority 7 with b: lower rule numbers decide first; which of two rules with the same number wins is undefined; no rules conflict now",
				"info priority-duplicate b: shares priority 7 with a: lower rule numbers decide first; which of two rules with the same number wins is undefined; no rules conflict now"}},
		{name: "conflict", codes: []string{PriorityDuplicate.Code, PriorityConflict.Code}, extra: []model.Object{
			anp("a", 7, "tenant=blue", rules{rule(allow, inNS("tenant=red"), "TCP:80")}, nil), anp("b", 7, "tenant", rules{rule(deny, inNS("*"))}, nil)},
			want: []string{
				"error priority-conflict a ingress 0: conflicts with b at priority 7: rule 0 is Allow here and Deny there; which one wins is undefined, e.g. for red/db → blue/web-1 tcp 80",
				"error priority-conflict b ingress 0: conflicts with a at priority 7: rule 0 is Deny here and Allow there; which one wins is undefined, e.g. for red/db → blue/web-1 tcp 80",
				"info priority-duplicate a: shares priority 7 with b: lower rule numbers decide first; which of two rules with the same number wins is undefined",
				"info priority-duplicate b: shares priority 7 with a: lower rule numbers decide first; which of two rules with the same number wins is undefined"}},
		{name: "logging", codes: []string{LoggingInvalid.Code}, extra: []model.Object{logging(anp("a", 1, "tenant", nil, nil), `{"deny":"Alert"}`), logging(anp("b", 2, "tenant", nil, nil), `{"deny":"alert"}`),
			logging(banp(nil, nil), "[\n]")},
			want: []string{
				`error logging-annotation-invalid a: cannot parse ANP ACL logging annotation, disabling it for ANP a: disabling deny logging due to an invalid deny annotation. "Alert" is not a valid log severity; ` +
					`despite that text the whole policy is not programmed, and old rows may still apply`,
				`error logging-annotation-invalid default: cannot parse BANP ACL logging annotation, disabling it for BANP default: could not unmarshal ANP ACL annotation '[` + "\uFFFD" + `]', disabling logging, err: "json: cannot unmarshal array into Go value of type util.ACLLoggingLevels"; ` +
					`despite that text the whole policy is not programmed, and old rows may still apply`}},
		{name: "system namespaces", codes: []string{SelectsSystem.Code}, extra: []model.Object{ns("openshift-dns", ""), ns("kubernetes-lookalike", ""),
			anp("a", 1, "*", rules{rule(deny, inNS("*"))}, nil), anp("b", 2, "*", rules{rule(allow, inNS("*"))}, nil), anp("c", 3, "tenant", rules{rule(deny, inNS("*"))}, nil),
			podSubject(anp("d", 4, "*", nil, rules{rule(deny, inNS("*"))}), "app=dns"), podSubject(anp("e", 5, "*", nil, rules{rule(deny, inNS("*"))}), "app=web")},
			want: []string{"warning subject-selects-system a: selects kube-system, openshift-dns, and 1 rule denies",
				"warning subject-selects-system d: selects kube-system, and 1 rule denies", "info subject-selects-system b: selects kube-system, openshift-dns"}},
		{name: "empty selector and Deny", codes: []string{EmptySelectorDeny.Code}, extra: []model.Object{
			anp("a", 1, "*", rules{rule(allow, inNS("*")), rule(deny, inNS("*"))}, rules{rule(deny, inNS("*"))}), anp("b", 2, "*", rules{rule(allow, inNS("*"))}, nil),
			anp("c", 3, "tenant", rules{rule(deny, inNS("*"))}, nil), podSubject(anp("d", 4, "*", rules{rule(deny, inNS("*"))}, nil), "*")},
			want: []string{"warning subject-empty-selector-with-deny a ingress 1: the subject is every pod of every namespace, future ones too, and 2 rules deny",
				"warning subject-empty-selector-with-deny d ingress 0: the subject is every pod of every namespace, future ones too, and 1 rule denies"}},
		{name: "subject matches nothing", codes: []string{SubjectNothing.Code}, extra: []model.Object{young, anp("a", 1, "tenant=purple", nil, nil), anp("b", 2, "tenant=empty", nil, nil), anp("c", 3, "tenant=blue", nil, nil)},
			want: []string{"warning subject-matches-nothing a: the subject ns: tenant=purple matches no pod: the policy decides nothing now",
				"warning subject-matches-nothing b: the 1 pod that the subject ns: tenant=empty matches cannot be subjects (host-networked, completed or not scheduled): the policy decides nothing now"}},
		{name: "no pods are known", bare: true, codes: []string{SubjectNothing.Code, PeerNothing.Code, NamedPortUnmatched.Code},
			extra: []model.Object{anp("a", 1, "tenant", rules{rule(deny, inNS("tenant=x"), "http")}, rules{rule(deny, to(model.PeerNodes, "*"))})}},
		{name: "host-networked pods", codes: []string{HostNetwork.Code}, extra: []model.Object{anp("a", 1, "*", nil, nil), anp("b", 2, "tenant", nil, nil)},
			want: []string{"info hostnetwork-selected a: 1 pod of the subject is host-networked: the policy does not apply to it (kube-system/proxy)"}},
		{name: "primary user-defined network", codes: []string{PrimaryUDN.Code}, extra: []model.Object{udnPod, anp("a", 1, "tenant=red", rules{rule(deny, inNS("*"))}, nil), anp("b", 2, "tenant=red", nil, nil), anp("c", 3, "tenant=blue", nil, nil)},
			want: []string{"warning primary-udn a: 1 pod of the subject has a primary user-defined network: ANP not enforced on their primary network (red/udn)",
				"info primary-udn b: 1 pod of the subject has a primary user-defined network: ANP not enforced on their primary network (red/udn)"}},
		{name: "long names", codes: []string{NameCut.Code}, extra: []model.Object{
			anp(long, 1, "tenant", rules{rule(deny, inNS("*")), rule(deny, inNS("*"))}, nil), anp(long[:54], 2, "tenant", rules{rule(deny, inNS("*"))}, nil),
			anp(long[:48], 3, "tenant", rules{rule(deny, inNS("*"))}, nil)},
			want: []string{"warning name-cut " + long + ": the name is too long (58 characters): OVN cuts the ACL names, so log lines of ingress 0, ingress 1 share a name with those of other rules",
				"info name-cut " + long[:54] + ": the name is too long (54 characters): OVN cuts the ACL names of ingress 0"}},
		{name: "deny of all networks", codes: []string{DenyAllNetworks.Code, DNSNotAllowed.Code, DNSTCPNotAllowed.Code}, extra: []model.Object{
			anp("a", 1, "tenant=blue", nil, rules{rule(allow, dnsPods, "UDP:5353"), rule(pass, to(model.PeerNodes, "*"), "TCP:6443"), rule(deny, inNets("0.0.0.0/0"))}),
			anp("b", 2, "tenant=red", nil, rules{rule(deny, inNets("::/0 0.0.0.0/0"))})},
			want: []string{
				"error dns-not-allowed b egress 0: denies the subject's pods DNS over UDP 5353, and no rule above allows it",
				"warning deny-all-networks a egress 2: denies all egress of the subject's pods that no rule above decides; DNS over UDP 5353 allowed by egress 0, " +
					"DNS over TCP 5353 not allowed, the API server (TCP 6443) passed to NetworkPolicies by egress 1",
				"warning dns-tcp-not-allowed a egress 2: DNS over TCP 5353 is not allowed by any rule above this one; DNS over UDP 5353 allowed by egress 0",
				"warning deny-all-networks b egress 0: denies all egress of the subject's pods that no rule above decides; DNS over UDP 5353 not allowed, " +
					"DNS over TCP 5353 not allowed, the API server (TCP 6443) not allowed"}},
		{name: "allowed by a policy above", codes: []string{DenyAllNetworks.Code, DNSNotAllowed.Code, DNSTCPNotAllowed.Code}, extra: []model.Object{
			anp("a", 1, "*", nil, rules{rule(allow, dnsPods, "UDP:5353", "dns-tcp"), rule(allow, inNets("172.18.0.0/16"))}),
			anp("b", 2, "tenant", nil, rules{rule(deny, inNets("0.0.0.0/0"))}), anp("c", 3, "tenant", nil, rules{rule(deny, inNS("*"))}), banp(nil, rules{rule(deny, inNS("*"))})},
			want: []string{"warning deny-all-networks b egress 0: denies all egress of the subject's pods that no rule above decides; DNS over UDP 5353 allowed by ANP a egress 0, " +
				"DNS over TCP 5353 allowed by ANP a egress 0, the API server (TCP 6443) allowed by ANP a egress 1"}},
		{name: "a policy above of other pods, beside, or not enforced does not help", codes: []string{DNSNotAllowed.Code}, extra: []model.Object{
			anp("a", 1, "tenant=red", nil, rules{rule(allow, dnsPods)}), anp("b", 2, "tenant=blue", nil, rules{rule(deny, inNS("*"))}), anp("a2", 2, "*", nil, rules{rule(allow, dnsPods)}),
			anp("x", 150, "*", nil, rules{rule(allow, dnsPods), rule(deny, inNS("*"))}), anp("z", 160, "*", nil, rules{rule(deny, inNS("*"))})},
			want: []string{"error dns-not-allowed b egress 0: denies the subject's pods DNS over UDP 5353, and no rule above allows it"}},
		{name: "a part of DNS", codes: []string{DNSNotAllowed.Code}, extra: []model.Object{
			anp("a", 1, "tenant", nil, rules{rule(allow, inNets("10.0.0.0/24")), rule(deny, dnsPods)})},
			want: []string{"error dns-not-allowed a egress 1: denies the subject's pods DNS over UDP 5353, and rules above allow only a part of it"}},
		{name: "a Deny of other ports leaves DNS alone", codes: []string{DNSNotAllowed.Code, DenyAllNetworks.Code}, extra: []model.Object{
			anp("a", 1, "tenant", nil, rules{rule(deny, inNets("0.0.0.0/0"), "TCP:25")}), anp("b", 2, "tenant", nil, rules{rule(deny, inNS("*"), "TCP:80-90")})},
			want: []string{"info deny-all-networks a egress 0: denies egress of the subject's pods to tcp 25, at any address, that no rule above decides"}},
		{name: "no DNS pods are known", bare: true, codes: []string{DenyAllNetworks.Code, DNSNotAllowed.Code, DNSTCPNotAllowed.Code}, extra: []model.Object{
			anp("a", 1, "tenant", nil, rules{rule(allow, inNS("x=y"), "UDP:53"), rule(deny, inNets("0.0.0.0/0"))}), anp("b", 2, "*", nil, rules{rule(deny, inNS("*"))})},
			want: []string{"warning deny-all-networks a egress 1: denies all egress of the subject's pods that no rule above decides; DNS over UDP allowed by egress 0, DNS over TCP not allowed",
				"warning dns-tcp-not-allowed a egress 1: DNS over TCP is not allowed by any rule above this one; DNS over UDP allowed by egress 0"}},
		{name: "an unknown protocol matches nothing", codes: []string{RuleShadowed.Code, PriorityConflict.Code, EmptySelectorDeny.Code, DenyAllNetworks.Code, DNSNotAllowed.Code}, extra: []model.Object{
			anp("a", 1, "*", rules{rule(deny, inNS("*"), "tcp:80"), rule(allow, inNS("*"), "tcp:80"), rule(pass, inNS("*"), "TCP:80 kube:80"), rule(allow, inNS("*"), "TCP:80")},
				rules{rule(deny, inNets("0.0.0.0/0"), "udp:53")}),
			anp("b", 1, "*", rules{rule(allow, inNS("*"), "tcp:80")}, nil)},
			want: []string{"warning rule-shadowed a ingress 3: never applies: ingress 2 (Pass) above it decides everything this Allow matches"}},
		{name: "host bits", codes: []string{NetworkHostBits.Code, CIDR.Code}, extra: []model.Object{anp("a", 1, "tenant", nil, rules{rule(allow, inNets("10.0.54.0/19 10.1.0.0/16 fd00::1/64 10.9.9.9/32"))})},
			want: []string{"warning network-host-bits a egress 0: 10.0.54.0/19 means 10.0.32.0/19, fd00::1/64 means fd00::/64: the host bits are cleared"}},
		{name: "no CIDR", codes: []string{CIDR.Code}, extra: []model.Object{anp("a", 1, "tenant", nil, rules{rule(allow, inNets("10.0.0.0/33 10.0.0.0"))})},
			want: []string{"error cidr a egress 0: 10.0.0.0 is an invalid CIDR for OVN-Kubernetes: the whole policy is not programmed, and old rows may still apply",
				"error cidr a egress 0: 10.0.0.0/33 is an invalid CIDR for OVN-Kubernetes: the whole policy is not programmed, and old rows may still apply"}},
		{name: "networks that cover pods", codes: []string{NetworkCoversPods.Code}, extra: []model.Object{anp("a", 1, "tenant", nil, rules{rule(allow, inNets("10.0.0.0/24 192.168.0.0/16 10.0.0.0/16"))})},
			want: []string{"info network-covers-pods a egress 0: 10.0.0.0/24, 10.0.0.0/16 also cover pods (up to 5): networks are meant for addresses outside the cluster"}},
		{name: "ipBlocks that cover pods", codes: []string{NetworkCoversPods.Code}, extra: []model.Object{np("blue/np", "", "IE", []model.Rule{npRule()}, []model.Rule{rule(allow, []model.Peer{
			{Kind: model.PeerNetworks, Networks: []string{"0.0.0.0/0"}, Except: []string{"10.0.0.0/16"}},
			{Kind: model.PeerNetworks, Networks: []string{"10.0.0.0/16"}, Except: []string{"10.0.0.0/30"}}})})},
			want: []string{"info network-covers-pods np egress 0: 10.0.0.0/16 also covers pods (up to 4): networks are meant for addresses outside the cluster"}},
		{name: "named ports", codes: []string{NamedPortUnmatched.Code}, extra: []model.Object{
			anp("a", 1, "tenant=blue", rules{rule(deny, inNS("tenant=red"), "http"), rule(deny, inNS("tenant=red"), "grpc"), rule(allow, inNS("tenant=red"), "grpc"), rule(deny, inNS("tenant=red"), "grpc", "TCP:80")},
				rules{rule(deny, inNS("tenant=blue"), "http"), rule(deny, inNS("tenant=red"), "http", "grpc")})},
			want: []string{`warning named-port-unmatched a ingress 1: no receiving pod of the rule declares the named port "grpc": the rule compiles to no ACL at all, so its Deny does nothing`,
				`warning named-port-unmatched a egress 1: no receiving pod of the rule declares the named ports "http", "grpc": the rule compiles to no ACL at all, so its Deny does nothing`,
				`info named-port-unmatched a ingress 2: no receiving pod of the rule declares the named port "grpc": the rule compiles to no ACL at all, so its Allow does nothing`,
				`info named-port-unmatched a ingress 3: no receiving pod of the rule declares the named port "grpc"`}},
		{name: "peers match nothing", codes: []string{PeerNothing.Code}, extra: []model.Object{
			anp("a", 1, "tenant=blue", rules{rule(deny, inNS("tenant=x", "tenant=red")), rule(deny, inNS("tenant=x")), rule(allow, to(model.PeerPods, "* + app=x"))},
				rules{rule(deny, to(model.PeerNodes, "role=x")), rule(deny, append(to(model.PeerNodes, "role=x"), inNets("9.0.0.0/8")...))})},
			want: []string{`warning peer-matches-nothing a ingress 1: the peer "ns: tenant=x" matches no pod or node: the rule does nothing now (Deny)`,
				`warning peer-matches-nothing a egress 0: the peer "nodes: role=x" matches no pod or node: the rule does nothing now (Deny)`,
				`info peer-matches-nothing a ingress 0: the peer "ns: tenant=x" matches no pod or node`,
				`info peer-matches-nothing a ingress 2: the peer "pods: app=x" matches no pod or node: the rule does nothing now (Allow)`,
				`info peer-matches-nothing a egress 1: the peer "nodes: role=x" matches no pod or node`}},
		{name: "addresses of a node cannot be read", codes: []string{HostCIDRs.Code}, extra: []model.Object{badNode,
			anp("a", 1, "tenant", nil, rules{rule(allow, to(model.PeerNodes, "role=worker")), rule(allow, to(model.PeerNodes, "node-role.kubernetes.io/control-plane"))})},
			want: []string{"error host-cidrs-malformed a egress 0: the annotation k8s.ovn.org/host-cidrs of node odd (not JSON) cannot be read: the whole policy is not programmed, and old rows may still apply"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects := tt.extra
			if !tt.bare {
				objects = append(base(), objects...)
			}
			want := tt.want
			if want == nil {
				want = []string{}
			}
			if diff := cmp.Diff(want, show(Run(cluster(objects...), nil, Options{MaxPriority: tt.max}), tt.codes...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestShadows(t *testing.T) {
	const allow, deny, pass = model.Allow, model.Deny, model.Pass
	podPeer := func(s string) []model.Peer { return to(model.PeerPods, s) }
	tests := []struct {
		name  string
		rules rules
		want  []string
	}{
		{name: "equal peers", rules: rules{rule(allow, inNS("tenant=red")), rule(deny, inNS("tenant=red"))}, want: []string{"warning 1: egress 0 (Allow) above it decides"}},
		{name: "same action", rules: rules{rule(deny, inNS("tenant=red")), rule(deny, inNS("tenant=red"), "TCP:80")}, want: []string{"info 1: egress 0 (Deny) above it decides"}},
		{name: "everything above", rules: rules{rule(pass, inNS("*")), rule(deny, podPeer("tenant=red + app=db"), "TCP:80")}, want: []string{"warning 1: egress 0 (Pass) above it decides"}},
		{name: "all pods of a label", rules: rules{rule(pass, podPeer("* + app=db")), rule(deny, podPeer("tenant=red + app=db"))}, want: []string{"warning 1: egress 0 (Pass) above it decides"}},
		{name: "a namespace's pods", rules: rules{rule(pass, inNS("tenant=red")), rule(deny, podPeer("tenant=red + app=db"))}, want: []string{"warning 1: egress 0 (Pass) above it decides"}},
		{name: "narrower above", rules: rules{rule(pass, podPeer("tenant=red + app=db")), rule(deny, inNS("tenant=red"))}},
		{name: "ports above", rules: rules{rule(pass, inNS("*"), "TCP:80"), rule(deny, inNS("tenant=red"))}},
		{name: "the same ports above", rules: rules{rule(pass, inNS("*"), "TCP:80", "UDP:5-6"), rule(deny, inNS("tenant=red"), "UDP:5-6", "TCP:80")}, want: []string{"warning 1: egress 0 (Pass) above it decides"}},
		{name: "several rules together", rules: rules{rule(allow, inNS("tenant=red")), rule(deny, inNS("tenant=blue"), "TCP:1"), rule(deny, inNS("tenant=blue")), rule(deny, inNS("tenant=blue", "tenant=red"))},
			want: []string{"warning 3: egress 0 (Allow), egress 2 (Deny) above it decide"}},
		{name: "one peer left", rules: rules{rule(allow, inNS("tenant=red")), rule(deny, inNS("tenant=blue", "tenant=red"))}},
		{name: "networks", rules: rules{rule(allow, inNets("10.0.0.0/8 fd00::/8")), rule(deny, inNets("10.1.2.3/16 fd01::/16"))}, want: []string{"warning 1: egress 0 (Allow) above it decides"}},
		{name: "wider network", rules: rules{rule(allow, inNets("10.1.0.0/16")), rule(deny, inNets("10.0.0.0/8"))}},
		{name: "pods are not networks", rules: rules{rule(allow, inNets("0.0.0.0/0 ::/0")), rule(deny, inNS("*"))}},
		{name: "nodes", rules: rules{rule(allow, to(model.PeerNodes, "*")), rule(deny, to(model.PeerNodes, "role=worker"))}, want: []string{"warning 1: egress 0 (Allow) above it decides"}},
		{name: "an absent selector is no everything", rules: rules{rule(allow, []model.Peer{{Kind: model.PeerPods}, {Kind: model.PeerNodes}}), rule(deny, inNS("tenant=red")), rule(deny, to(model.PeerNodes, "a=b"))}},
		{name: "no peers", rules: rules{rule(allow, inNS("*")), rule(deny, nil)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Run(cluster(anp("a", 1, "tenant", nil, tt.rules)), nil, Options{}) {
				if f.Code == RuleShadowed.Code {
					text, _, _ := strings.Cut(f.Message, " everything")
					got = append(got, string(f.Severity)+" "+string(rune('0'+f.Rule))+strings.TrimPrefix(text, "never applies"))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBrokenObjects(t *testing.T) {
	invalid := anp("b", 3, "tenant", nil, nil)
	invalid.Origin.File = "b.yaml"
	invalid.Invalid = []model.Broken{{Code: "profile", Field: "spec.egress[2].to[0].domainNames", Message: "not known", Remedy: "remove it"}}
	np := &model.Policy{Meta: meta(model.KindNP, "blue", "n", ""), Tier: model.TierNetwork, Invalid: []model.Broken{{Code: "cidr", Field: "spec.ingress[x]", Message: "bad"}}}
	broken := []model.Broken{
		{Origin: model.Origin{File: "z.yaml"}, Code: "yaml", Message: "not YAML", Remedy: "mend it"},
		{Origin: model.Origin{File: "y.yaml"}, Key: model.Key{Kind: "Widget", Name: "w"}, Severity: model.SeverityInfo, Code: "unknown-kind", Message: "left aside"},
		{Origin: model.Origin{File: "a.yaml"}, Key: model.Key{Kind: model.KindANP, Name: "c"}, Field: "spec.ingress[1].from", Message: "unknown field"},
	}
	got := Run(cluster(invalid, np), broken, Options{})
	want := []model.Finding{
		{Code: "profile", Severity: model.SeverityError, Policy: invalid.Key, Direction: model.Egress, Rule: 2,
			Message: "spec.egress[2].to[0].domainNames: not known", Remedy: "remove it", Origin: model.Origin{File: "b.yaml"}},
		{Code: "cidr", Severity: model.SeverityError, Policy: np.Key, Rule: -1, Message: "spec.ingress[x]: bad"},
		{Code: "yaml", Severity: model.SeverityError, Rule: -1, Message: "not YAML", Remedy: "mend it", Origin: model.Origin{File: "z.yaml"}},
		{Code: "broken", Severity: model.SeverityError, Policy: model.Key{Kind: model.KindANP, Name: "c"}, Direction: model.Ingress, Rule: 1,
			Message: "spec.ingress[1].from: unknown field", Origin: model.Origin{File: "a.yaml"}},
		{Code: "unknown-kind", Severity: model.SeverityInfo, Policy: model.Key{Kind: "Widget", Name: "w"}, Rule: -1, Message: "left aside", Origin: model.Origin{File: "y.yaml"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every finding of a mixed cluster says what to do, and the order is that of
// the package's promise.
func TestOrderAndRemedies(t *testing.T) {
	c := cluster(append(base(), anp("late", 50, "*", rules{rule(model.Deny, inNS("tenant=x"))}, rules{rule(model.Deny, inNets("0.0.0.1/0"))}),
		logging(anp("early", 5, "*", rules{rule(model.Deny, inNS("*"))}, rules{rule(model.Deny, inNets("0.0.0.0/0"))}), "x"), anp("over", 100, "tenant=purple", nil, nil))...)
	got := Run(c, nil, Options{})
	var order []string
	for _, f := range got {
		if f.Remedy == "" || f.Message == "" {
			t.Errorf("%+v says too little", f)
		}
		line := string(f.Severity) + " " + f.Policy.Name
		if n := len(order); n == 0 || order[n-1] != line {
			order = append(order, line)
		}
	}
	want := []string{"error early", "error over", "warning early", "warning late", "warning over", "info early", "info late"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range 20 {
		if diff := cmp.Diff(got, Run(c, nil, Options{})); diff != "" {
			t.Fatalf("another run (-first +this):\n%s", diff)
		}
	}
	if got := Run(nil, nil, Options{}); len(got) != 0 {
		t.Errorf("an empty cluster: %v", got)
	}
}

func TestServices(t *testing.T) {
	byName := []model.ServicePort{{Protocol: "UDP", Port: 53, TargetPort: "dns"}, {Port: 53, TargetPort: "dns-tcp"}}
	api := []model.Object{&model.Service{Meta: meta(model.KindService, "default", "kubernetes", ""), Ports: []model.ServicePort{{Port: 443, TargetPort: "6444"}}},
		&model.EndpointSlice{Meta: meta(model.KindEndpointSlice, "default", "kubernetes", ""), Addresses: []string{"172.18.0.9", "x"}}}
	tests := []struct {
		name    string
		objects []model.Object
		pods    int
		ports   map[string]int32
		api     string
		apiPort int32
	}{
		{name: "nothing", ports: map[string]int32{"UDP": 0, "TCP": 0}, api: "[]", apiPort: 6443},
		{name: "the base cluster", objects: base(), pods: 2, ports: map[string]int32{"UDP": 5353, "TCP": 5353}, api: "[172.18.0.2]", apiPort: 6443},
		{name: "ports by name", objects: []model.Object{ns("openshift-dns", ""), pod("openshift-dns/d", "dns=default", "10.0.0.1", "dns:UDP:5300", "dns-tcp:TCP:5301"),
			&model.Service{Meta: meta(model.KindService, "openshift-dns", "dns-default", ""), Selector: labels("dns=default"), Ports: byName}},
			pods: 1, ports: map[string]int32{"UDP": 5300, "TCP": 5301}, api: "[]", apiPort: 6443},
		{name: "without a Service", objects: []model.Object{ns("kube-system", ""), ns("blue", ""), pod("kube-system/d", "", "10.0.0.1", "dns:UDP:53"), pod("blue/d", "", "10.0.0.2", "dns:UDP:5399")},
			pods: 1, ports: map[string]int32{"UDP": 53, "TCP": 53}, api: "[]", apiPort: 6443},
		{name: "endpoints of the API server", objects: append(base(), api...), pods: 2, ports: map[string]int32{"UDP": 5353, "TCP": 5353}, api: "[172.18.0.9]", apiPort: 6444},
	}
	for _, tt := range tests {
		c := cluster(tt.objects...)
		s := FindVitalServices(c, selectors.NewPodIndex(c, nil))
		var api []string
		for _, a := range s.API {
			api = append(api, a.String())
		}
		got := []any{s.DNSPods.Len(), s.DNSPorts, "[" + strings.Join(api, " ") + "]", s.APIPort}
		if diff := cmp.Diff([]any{tt.pods, tt.ports, tt.api, tt.apiPort}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A Deny of every address of a family that the cluster does not have drops nothing.
func TestDenyOfAnAbsentFamily(t *testing.T) {
	for _, tc := range []struct {
		network string
		v4, v6  bool
		all     bool
	}{{"::/0", true, false, false}, {"::/0", true, true, true}, {"::/0", false, true, true}, {"0.0.0.0/0", true, false, true}, {"0.0.0.0/0", false, true, false}} {
		c := cluster(append(base(), anp("wall", 5, "*", nil, rules{rule(model.Deny, inNets(tc.network))}))...)
		var said []string
		for _, f := range Run(c, nil, Options{IPv4: tc.v4, IPv6: tc.v6}) {
			if f.Code == DenyAllNetworks.Code || f.Code == DNSNotAllowed.Code {
				said = append(said, f.Code)
			}
		}
		if (len(said) > 0) != tc.all {
			t.Errorf("%+v: %v", tc, said)
		}
	}
}

// The finding about policies for each tenant stays where it is, word for word, whatever their
// priorities are: a move of one of them neither brings it nor takes it away.
func TestMovesKeepTenantFinding(t *testing.T) {
	find := func(priorities ...int32) []model.Finding {
		objects := []model.Object{ns("d", "tenant=d"), ns("a", "tenant=a"), ns("c", "tenant=c")}
		for i, name := range []string{"a", "b", "c"} {
			own := "tenant=" + name
			objects = append(objects, anp(name, priorities[i], own, rules{rule(model.Allow, inNS(own)), rule(model.Deny, inNS("*"))}, nil))
		}
		return slices.DeleteFunc(Run(cluster(objects...), nil, Options{}), func(f model.Finding) bool { return f.Code != TenantPolicies.Code })
	}
	want := find(1, 2, 3)
	if len(want) != 1 || want[0].Policy.Name != "a" {
		t.Fatalf("the finding is not of the first name: %+v", want)
	}
	for _, priorities := range [][]int32{{3, 2, 1}, {2, 3, 1}, {5, 5, 5}, {9, 1, 4}} {
		if d := cmp.Diff(want, find(priorities...)); d != "" {
			t.Errorf("priorities %v (-before the moves +after):\n%s", priorities, d)
		}
	}
}
