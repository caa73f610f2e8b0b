package manifests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	antreademo "rung/examples-antrea"
	"rung/model"
	"rung/model/antrea"
)

// said is a policy in a few words: where it stands, what it applies to, its rules.
func said(p *model.Policy) []string {
	out := []string{fmt.Sprintf("%s %s %g: %s", p.Key.Label(), p.Tiered.Tier, p.Tiered.Priority, p.AppliedText())}
	for r := range p.AllRules() {
		a := r.Tiered
		name := r.Name
		if a.Generated {
			name = strings.TrimRight(name, "0123456789abcdef") + "*"
		}
		text := fmt.Sprintf("%s %s %s %q %s", r.Direction.Lower(), a.Action, r.Action, name, strings.Join(r.PeerTexts(), " or "))
		if len(a.AppliedTo) > 0 {
			text += " for " + model.AppliedText(a.AppliedTo, p.Namespace)
		}
		if ports := r.PortTexts(); len(ports) > 0 {
			text += " " + strings.Join(ports, ", ")
		}
		if a.Logging {
			text += " logged " + a.LogLabel
		}
		out = append(out, text)
	}
	for _, b := range p.Invalid {
		out = append(out, "invalid "+b.Code+" "+b.Field)
	}
	return out
}

// Every policy that Antrea's documentation shows, as it is read, with its place in the
// effective order.
func TestAntreaDocumentPolicies(t *testing.T) {
	res, err := Read(t.Context(), Options{FS: antreademo.Files, Paths: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Broken) > 0 {
		t.Errorf("broken: %q", lines(res.Broken))
	}
	c, _ := (&model.Cluster{}).Upsert(res.Objects, nil)
	order := antrea.EffectiveOrder(c)
	tests := []struct {
		label string
		place int
		want  []string
	}{
		{"ACNP deny-self-ns-a-to-b", 0, []string{
			`ACNP deny-self-ns-a-to-b securityops 1: pods: app=b`,
			`ingress Deny Deny "ingress-deny-*" pods: app=a in its own namespace`,
		}},
		{"ACNP isolate-all-pods-in-namespace", 1, []string{
			`ACNP isolate-all-pods-in-namespace securityops 1: ns: app=no-network-access-required`,
			`ingress Drop Deny "drop-all-ingress" everything`,
			`egress Drop Deny "drop-all-egress" everything`,
		}},
		{"ACNP isolation-based-on-org", 2, []string{
			`ACNP isolation-based-on-org securityops 1: ns: org`,
			`ingress Allow Allow "ingress-allow-*" pods in namespaces with its org`,
			`ingress Deny Deny "ingress-deny-*" everything`,
			`egress Allow Allow "egress-allow-*" pods in namespaces with its org`,
			`egress Deny Deny "egress-deny-*" everything`,
		}},
		{"ACNP isolation-based-on-org-and-env", 3, []string{
			`ACNP isolation-based-on-org-and-env securityops 1: ns: all`,
			`ingress Allow Allow "ingress-allow-*" pods in namespaces with its org, env`,
			`ingress Deny Deny "ingress-deny-*" ns: all`,
		}},
		{"ACNP acnp-deny-external-client-nodeport-svc-access", 4, []string{
			`ACNP acnp-deny-external-client-nodeport-svc-access securityops 5: NodePort Service: ns-1/svc-1`,
			`ingress Drop Deny "ingress-drop-*" networks: 1.1.1.0/24`,
		}},
		{"ACNP acnp-drop-to-services", 5, []string{
			`ACNP acnp-drop-to-services securityops 5: pods: role=client in ns: env=prod`,
			`egress Drop Deny "DropToServices" Service: svcNamespace/svcName`,
		}},
		{"ACNP acnp-node-egress-traffic-drop", 6, []string{
			`ACNP acnp-node-egress-traffic-drop securityops 5: nodes: kubernetes.io/os=linux`,
			`egress Drop Deny "dropHTTPTrafficToCIDR" networks: 192.168.1.0/24 tcp 80`,
		}},
		{"ACNP acnp-node-ingress-traffic-drop", 7, []string{
			`ACNP acnp-node-ingress-traffic-drop securityops 5: nodes: kubernetes.io/os=linux`,
			`ingress Drop Deny "dropSSHTrafficFromCIDR" networks: 192.168.1.0/24 tcp 22`,
		}},
		{"ACNP acnp-reject-ping-request", 8, []string{
			`ACNP acnp-reject-ping-request securityops 5: pods: role=server in ns: env=prod`,
			`egress Reject Deny "DropPingRequest" everything icmp type 8 code 0`,
		}},
		{"ACNP acnp-service-account", 9, []string{
			`ACNP acnp-service-account securityops 5: service account: ns-1/sa-1`,
			`egress Drop Deny "ServiceAccountEgressRule" service account: ns-2/sa-2`,
		}},
		{"ACNP acnp-with-igmp-drop", 10, []string{
			`ACNP acnp-with-igmp-drop securityops 5: pods: app=mcjoin6`,
			`ingress Drop Deny "dropIGMPQuery" everything igmp type 0x11 group 224.0.0.1`,
			`egress Drop Deny "dropIGMPReport" everything igmp type 0x16 group 225.1.2.3`,
		}},
		{"ACNP acnp-with-log-setting", 11, []string{
			`ACNP acnp-with-log-setting securityops 5: pods: role=db or ns: env=prod`,
			`ingress Allow Allow "AllowFromFrontend" pods: role=frontend in ns: role=db logged frontend-allowed`,
		}},
		{"ACNP acnp-with-multicast-traffic-drop", 12, []string{
			`ACNP acnp-with-multicast-traffic-drop securityops 5: pods: app=mcjoin6`,
			`egress Drop Deny "dropMcastUDPTraffic" networks: 225.1.2.3/32`,
		}},
		{"ACNP acnp-with-stand-alone-selectors", 13, []string{
			`ACNP acnp-with-stand-alone-selectors securityops 5: pods: role=db or ns: env=prod`,
			`ingress Allow Allow "AllowFromFrontend" pods: role=frontend or pods: role=nondb in ns: role=db tcp 8080–9000, tcp 6379`,
			`egress Drop Deny "DropToThirdParty" networks: 10.0.10.0/24 tcp 5978`,
		}},
		{"ACNP allow-core-dns-access", 14, []string{
			`ACNP allow-core-dns-access securityops 5: ns: all`,
			`ingress Allow Allow "allow-dns" everything tcp 53, udp 53 logged `,
		}},
		{"ACNP allow-web-access-to-internal-domain", 15, []string{
			`ACNP allow-web-access-to-internal-domain securityops 5: pods: egress-restriction=internal-domain-only`,
			`egress Allow Allow "allow-dns" everything tcp 53, udp 53`,
			`egress Allow Allow "allow-http-only" everything http *.bar.com`,
		}},
		{"ACNP strict-ns-isolation", 16, []string{
			`ACNP strict-ns-isolation securityops 5: ns: name notin (kube-system)`,
			`ingress Pass Pass "PassFromSameNS" pods in its own namespace`,
			`ingress Drop Deny "DropFromAllOtherNS" ns: all`,
			`egress Pass Pass "PassToSameNS" pods in its own namespace`,
			`egress Drop Deny "DropToAllOtherNS" ns: all`,
		}},
		{"ANNP default/annp-with-groups", 17, []string{
			`ANNP default/annp-with-groups securityops 5: group: test-grp-with-db-selector`,
			`ingress Allow Allow "AllowFromFrontend" group: test-grp-with-frontend-selector tcp 8080–9000`,
			`egress Drop Deny "DropToThirdParty" group: test-grp-with-ip-block tcp 5978`,
		}},
		{"ANNP default/test-annp", 18, []string{
			`ANNP default/test-annp securityops 5: pods: role=db in default`,
			`ingress Allow Allow "AllowFromFrontend" pods: role=frontend in default or pods: role=nondb in ns: role=db tcp 8080–9000`,
			`egress Drop Deny "DropToThirdParty" networks: 10.0.10.0/24 tcp 5978`,
		}},
		{"ACNP acnp-with-cluster-groups", 19, []string{
			`ACNP acnp-with-cluster-groups securityops 8: group: test-cg-with-db-selector`,
			`ingress Allow Allow "AllowFromFrontend" group: test-cg-with-frontend-selector tcp 8080–9000, tcp 6379`,
			`egress Drop Deny "DropToThirdParty" group: test-cg-with-ip-block tcp 5978`,
		}},
		{"ACNP allow-self-ns", 20, []string{
			`ACNP allow-self-ns platform 1: ns: all`,
			`ingress Allow Allow "ingress-allow-*" pods in its own namespace`,
			`ingress Deny Deny "ingress-deny-*" everything`,
			`egress Allow Allow "egress-allow-*" pods in its own namespace`,
			`egress Deny Deny "egress-deny-*" everything`,
		}},
		{"ACNP acnp-appliedto-per-rule", 21, []string{
			`ACNP acnp-appliedto-per-rule application 1: each rule has its own`,
			`ingress Drop Deny "ingress-drop-*" pods: app=client-east for pods: app=db-restricted-west`,
			`ingress Drop Deny "ingress-drop-*" pods: app=client-west for pods: app=db-restricted-east`,
		}},
		{"ACNP acnp-fqdn-all-foobar", 22, []string{
			`ACNP acnp-fqdn-all-foobar application 1: pods: app=client`,
			`egress Allow Allow "egress-allow-*" domain: *foobar.com tcp 8080`,
			`egress Drop Deny "egress-drop-*" everything`,
		}},
		{"ACNP acnp-fqdn-headless-service", 23, []string{
			`ACNP acnp-fqdn-headless-service application 1: pods: app=client`,
			`egress Drop Deny "egress-drop-*" domain: svcA.default.svc.cluster.local`,
		}},
		{"ACNP egress-control-plane", 24, []string{
			`ACNP egress-control-plane application 1: pods: app=antrea-test-app`,
			`egress Drop Deny "egress-drop-*" nodes: node-role.kubernetes.io/control-plane= tcp 6443`,
		}},
		{"ANNP default/ingress-allow-http-request-to-api-v2", 25, []string{
			`ANNP default/ingress-allow-http-request-to-api-v2 application 5: pods: app=web in default`,
			`ingress Allow Allow "allow-http" pods: app=client in default http GET foo.bar.com/api/v2/*`,
			`ingress Drop Deny "drop-other" everything`,
		}},
		{"ANNP default/test-annp-by-name", 26, []string{
			`ANNP default/test-annp-by-name application 5: ns: default`,
			`egress Allow Allow "AllowToCoreDNS" pods: k8s-app=kube-dns in ns: name=kube-system tcp 53, udp 53`,
		}},
		{"ACNP default-cluster-deny", 28, []string{
			`ACNP default-cluster-deny baseline 1: ns: all`,
			`ingress Drop Deny "ingress-drop-*" everything`,
			`egress Drop Deny "egress-drop-*" everything`,
		}},
	}
	if n := c.Count(model.KindACNP) + c.Count(model.KindANNP); n != len(tests) {
		t.Errorf("%d policies of Antrea, %d tested", n, len(tests))
	}
	for _, tt := range tests {
		t.Run(tt.label, func(t *testing.T) {
			p := order[tt.place].Policy
			if p.Key.Label() != tt.label {
				t.Fatalf("place %d is that of %s", tt.place, p.Key.Label())
			}
			if diff := cmp.Diff(tt.want, said(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The groups: what each stands for.
func TestAntreaDocumentGroups(t *testing.T) {
	res, err := Read(t.Context(), Options{FS: antreademo.Files, Paths: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := (&model.Cluster{}).Upsert(res.Objects, nil)
	r := antrea.ResolveGroups(c)
	cluster := func(name string) model.Key { return model.Key{Kind: model.KindClusterGroup, Name: name} }
	group := func(name string) model.Key {
		return model.Key{Kind: model.KindGroup, Namespace: "default", Name: name}
	}
	for _, tt := range []struct {
		key  model.Key
		want []string
	}{
		{cluster("test-cg-sel"), []string{"shop/db-0"}},
		{cluster("test-cg-ip-block"), []string{"10.0.10.0/24"}},
		{cluster("test-cg-svc-ref"), []string{"default/web-0"}},
		{cluster("test-cg-nested"), []string{"default/web-0", "shop/db-0", "ClusterGroup test-cg-ip-blocks does not exist"}},
		{group("test-grp-sel"), []string{"default/db-0"}},
		{group("test-grp-with-namespace"), []string{"shop/db-0"}},
		{group("test-grp-ip-block"), []string{"10.0.10.0/24"}},
		{group("test-grp-svc-ref"), []string{"default/web-0"}},
		{group("test-grp-nested"), []string{"default/db-0", "default/web-0", "Group default/test-grp-ip-blocks does not exist"}},
		{group("test-grp-with-frontend-selector"), []string{"data/nondb-0", "default/frontend-0"}},
	} {
		t.Run(antrea.ObjectLabel(tt.key), func(t *testing.T) {
			m := r.FindMembers(tt.key)
			var got []string
			for p := range c.Pods() {
				for i := range m.Pods {
					if m.Pods[i].Matches(c.Namespace(p.Namespace), p) {
						got = append(got, p.Namespace+"/"+p.Name)
						break
					}
				}
			}
			got = append(got, m.Networks...)
			for _, why := range m.Reasons {
				got = append(got, why.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
