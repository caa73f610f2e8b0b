package compiler

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
)

// TestNoRows covers what OVN-Kubernetes refuses (ovn-kubernetes.md#no-rows).
func TestNoRows(t *testing.T) {
	badLog := anp("p", 0, nsSubject(t, ""))
	badLog.Logging, badLog.HasLogging = `{"deny":"ALERT"}`, true
	profile := anp("p", 0, nsSubject(t, ""))
	profile.Invalid = []model.Broken{{Message: "spec.egress[0].to[0].domainNames: not known"}}
	bad := node("n1", "role=worker")
	bad.HostErr = "broken annotation"
	nodes := anp("p", 3, nsSubject(t, ""), rule(model.Egress, model.Allow, nil, nodePeer(t, "role=worker")))
	nodes.Egress[0].Name = "to-workers"
	both := anp("p", 0, nsSubject(t, ""), rule(model.Egress, model.Deny, nil, netPeer("x")), rule(model.Egress, model.Deny, nil, nodePeer(t, "")))
	both.Logging, both.HasLogging = `{"deny":"ALERT"}`, true
	logAndNode := anp("p", 0, nsSubject(t, ""), rule(model.Egress, model.Allow, nil, nodePeer(t, "role=worker")))
	logAndNode.Logging, logAndNode.HasLogging = `{"deny":"ALERT"}`, true
	const logText = `cannot parse ANP ACL logging annotation, disabling it for ANP p: disabling deny logging due to an invalid deny annotation. "ALERT" is not a valid log severity`
	high := anp("p", 100, nsSubject(t, ""), rule(model.Egress, model.Deny, nil, netPeer("x")))
	baseline := banp(nsSubject(t, ""), rule(model.Egress, model.Deny, nil, netPeer("x")))
	for _, tt := range []struct {
		name, code, message string
		p                   *model.Policy
	}{
		{"a CIDR and the annotation are one error, the nodes are not asked", "cidr", "[cannot create anp egress Rule 0 in ANP p: invalid CIDR address: x, " + logText + "]", both},
		{"the annotation comes before the nodes", "logging-annotation", logText, logAndNode},
		{"the priority comes before the rules", "priority", "error attempting to add ANP p with priority 100 because, OVNK only supports priority ranges 0-99", high},
		{"a baseline's rules", "cidr", "cannot create banp egress Rule 0 in BANP default: invalid CIDR address: x", baseline},
		{"priority", "priority", "error attempting to add ANP p with priority 100 because, OVNK only supports priority ranges 0-99", anp("p", 100, nsSubject(t, ""))},
		{"annotation", "logging-annotation", `cannot parse ANP ACL logging annotation, disabling it for ANP p: disabling deny logging due to an invalid deny annotation. "ALERT" is not a valid log severity`, badLog},
		{"CIDR", "cidr", "cannot create anp egress Rule 0 in ANP p: invalid CIDR address: 10.0.0.0", anp("p", 0, nsSubject(t, ""), rule(model.Egress, model.Deny, nil, netPeer("10.0.0.0")))},
		{"two CIDRs", "cidr", "[cannot create anp egress Rule 0 in ANP p: invalid CIDR address: x, cannot create anp egress Rule 1 in ANP p: invalid CIDR address: y]",
			anp("p", 0, nsSubject(t, ""), rule(model.Egress, model.Deny, nil, netPeer("x")), rule(model.Egress, model.Deny, nil, netPeer("y")))},
		{"profile", "profile", "spec.egress[0].to[0].domainNames: not known", profile},
		{"host-cidrs", "host-cidrs", "unable to convert peers to addresses for anp p: unable to create address set for  rule to-workers with priority 29700: failed to get node host CIDRs for n1: broken annotation", nodes},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows := Compile(clusterOf(tt.p, bad), Options{}).RowsOfUnit(tt.p.Key, "", nil)
			want := &model.PolicyRows{Policy: tt.p.Key, None: &model.NoRows{Code: tt.code, Message: tt.message}}
			if diff := cmp.Diff(want, rows); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			own := pod("a/own", "", "n1", "10.0.0.2")
			own.Networks = []model.PodNetwork{{Name: "a/net", Role: "primary"}}
			des := Compile(clusterOf(tt.p, bad, namespace("a", ""), pod("a/x", "", "n1", "10.0.0.1"), own), Options{})
			if n, apart := des.SubjectCount(des.Policy(tt.p.Key)); n != 1 || apart != 1 || len(des.LogicalPorts(des.Policy(tt.p.Key), "", nil)) != 2 {
				t.Errorf("it would apply to %d pods and %d with a network of their own, want 1 and 1", n, apart)
			}
		})
	}
	if got := Compile(clusterOf(anp("p", 500, nsSubject(t, ""))), Options{MaxPriority: 1000}).Policy(model.Key{Kind: model.KindANP, Name: "p"}); got.WhyNoRows != nil {
		t.Errorf("the limit is a capability of the cluster: %v", got.WhyNoRows)
	}
}

// TestOddPolicies covers what no API server should let through, and what the
// controller does with it all the same (ovn-kubernetes.md#unknown-protocol,
// #unsupported-priority, #baseline).
func TestOddPolicies(t *testing.T) {
	web := pod("a/web", "app=web", "n1", "10.0.0.1")
	base := []model.Object{namespace("a", "t=a"), web}
	rows := func(p *model.Policy) *model.PolicyRows {
		return Compile(clusterOf(append(base, p)...), Options{IPv4: true}).RowsOfUnit(p.Key, "", nil)
	}
	deny := func(ports []model.Port, peers ...model.Peer) model.Rule {
		return rule(model.Ingress, model.Deny, ports, peers...)
	}

	other := banp(nsSubject(t, ""), deny(nil, nsPeer(t, "")))
	other.Name = "mine"
	if r := rows(other); r.ACLs[0].Name != "BANP:mine:Ingress:0" || r.ACLs[0].ID() != d+"BaselineAdminNetworkPolicy:mine:Ingress:0:None" ||
		r.PortGroup.Name != nb.HashedName(d+"BaselineAdminNetworkPolicy:mine") {
		t.Errorf("a BANP is called what it is called: %+v", r.ACLs[0])
	}

	if r := rows(anp("p", -1, nsSubject(t, ""), deny(nil, nsPeer(t, "")))); r.None != nil || r.ACLs[0].Priority != 30100 {
		t.Errorf("a negative priority is not checked: %+v", r)
	}

	mixed := anp("p", 0, nsSubject(t, ""), deny([]model.Port{{Protocol: "", Start: 80, End: 80}, {Protocol: "TCP", Start: 1, End: 1}, {Protocol: "ICMP", Start: 7, End: 9}}, nsPeer(t, "")))
	r := rows(mixed)
	var got []string
	for _, a := range r.ACLs {
		_, l4, _ := strings.Cut(a.Match, ")) && ")
		got = append(got, a.ExternalIDs[nb.KeyProtocol]+": "+l4)
	}
	if diff := cmp.Diff([]string{":  && (.dst==80 || 7<=.dst<=9)", "tcp: tcp && tcp.dst==1"}, slices.Sorted(slices.Values(got))); diff != "" {
		t.Errorf("an unknown protocol makes a broken row (-want +got):\n%s", diff)
	}

	none := anp("p", 0, model.Subject{}, deny(nil, nsPeer(t, "")), deny(nil))
	if r := rows(none); len(r.PortGroup.Ports) != 0 || len(r.ACLs) != 2 || len(r.AddressSets) != 2 || len(r.AddressSets[1].Addresses) != 0 {
		t.Errorf("no subject and no peer select nothing: %+v", r)
	}

	six := anp("p", 0, nsSubject(t, ""), rule(model.Egress, model.Deny, nil, netPeer("::/0")))
	if r := rows(six); len(r.AddressSets) != 1 || len(r.AddressSets[0].Addresses) != 0 || len(r.ACLs) != 1 {
		t.Errorf("an IPv6 network on an IPv4 cluster leaves the rule empty: %+v", r)
	}
}
