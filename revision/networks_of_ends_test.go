package revision_test

import (
	"net/netip"
	"strings"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
	"rung/model/verdict"
	"rung/revision"
	"rung/system"
	"rung/test/made"
)

// A connection is judged on the network that both ends are on; ends on networks that do not reach each
// other are denied, connected ones are not known.
func TestForConnection(t *testing.T) {
	pod := func(name, ip, network, on string) *model.Pod {
		p := made.Pod(name, "", ip)
		p.NodeName, p.Phase = "n1", "Running"
		if network != "" {
			p.Networks = []model.PodNetwork{{Name: network, Role: "primary", IPs: []string{on}}}
		}
		return p
	}
	labelled := func(name string) *model.Namespace { return made.NS(name, model.LabelPrimaryUDN+"=") }
	net := func(ns, id string) *network.Attachment {
		return &network.Attachment{Meta: model.Meta{Key: model.Key{Kind: model.KindNAD, Namespace: ns, Name: "net"}}, ID: id,
			Config: network.Config{Name: ns + "_net", Topology: network.Layer3, Primary: true, Subnets: []netip.Prefix{netip.MustParsePrefix("10.20.0.0/16")}}}
	}
	connect := &network.Connect{Meta: model.Meta{Key: model.Key{Kind: model.KindCNC, Name: "both"}}, Pods: true, IDs: []string{"1", "2"}}
	objects := []model.Object{labelled("a"), labelled("b"), labelled("c"), made.NS("d", ""), net("a", "1"), net("b", "2"), net("c", "3"), made.Node("n1", "", "172.18.0.2"), connect,
		pod("a/x", "10.128.0.1", "a/net", "10.20.0.4"), pod("a/y", "10.128.0.2", "a/net", "10.20.0.5"), pod("b/x", "10.128.0.3", "b/net", "10.20.0.4"),
		pod("c/x", "10.128.0.4", "c/net", "10.20.0.4"), pod("d/x", "10.128.0.5", "", "")}
	far := net("e", "4")
	far.Config.Subnets = []netip.Prefix{netip.MustParsePrefix("10.30.0.0/16")}
	open := pod("a/open", "10.128.0.6", "a/net", "10.20.0.6")
	open.OpenPorts = []string{"tcp.dst == 80"}
	objects = append(objects, labelled("e"), far, pod("e/x", "10.128.0.7", "e/net", "10.30.0.7"), open,
		&network.Connect{Meta: model.Meta{Key: model.Key{Kind: model.KindCNC, Name: "far"}}, Pods: true, IDs: []string{"1", "4"}},
		&model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "a", Name: "web"}}, ClusterIPs: []string{"172.30.0.9"}, Ports: []model.ServicePort{{Port: 80, Protocol: "TCP"}}})
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	r := revision.New(revision.Facts{Cluster: c, Desired: compiler.Compile(c, compiler.Options{IPv4: true}), System: system.OVN}, nil)
	end := func(text string) verdict.Endpoint {
		if a, err := netip.ParseAddr(text); err == nil {
			return verdict.Endpoint{Addr: a}
		}
		ns, name, _ := strings.Cut(text, "/")
		return verdict.Endpoint{Key: model.Key{Kind: model.KindPod, Namespace: ns, Name: name}}
	}
	for _, tt := range []struct {
		from, to, asked string
		on              string // the network that is asked
		apart           verdict.Verdict
	}{
		{from: "a/x", to: "a/y", on: "a_net"},
		{from: "a/x", to: "8.8.8.8", on: "a_net"},
		{from: "8.8.8.8", to: "b/x", on: "b_net"},
		{from: "d/x", to: "8.8.8.8"},
		{from: "d/x", to: "a/x", apart: verdict.Deny},
		{from: "a/x", to: "d/x", apart: verdict.Deny},
		{from: "a/x", to: "c/x", apart: verdict.Deny},
		{from: "a/x", to: "b/x", apart: verdict.Unknown},
		{from: "a/x", to: "10.128.0.5", apart: verdict.Deny},
		{from: "a/x", to: "10.20.0.9", asked: "a_net", on: "a_net"},
		{from: "a/x", to: "a/y", asked: "default"},
		// Addresses on the default network of pods with a primary one.
		{from: "d/x", to: "10.128.0.1", apart: verdict.Deny},
		{from: "10.128.0.1", to: "d/x", apart: verdict.Deny},
		{from: "d/x", to: "a/open"},
		{from: "d/x", to: "10.128.0.6"},
		{from: "8.8.8.8", to: "10.128.0.6"},
		{from: "a/x", to: "10.128.0.6", apart: verdict.Deny},
		{from: "b/x", to: "a/open", apart: verdict.Unknown},
		// The address of a Service on a primary network.
		{from: "d/x", to: "172.30.0.9", apart: verdict.Deny},
		{from: "a/x", to: "172.30.0.9", on: "a_net"},
		{from: "c/x", to: "172.30.0.9", apart: verdict.Deny},
		{from: "b/x", to: "172.30.0.9", apart: verdict.Unknown},
		// Connected networks, by name and by address.
		{from: "a/x", to: "e/x", apart: verdict.Unknown},
		{from: "a/x", to: "10.30.0.7", apart: verdict.Unknown},
		{from: "10.30.0.7", to: "a/x", apart: verdict.Unknown},
		{from: "c/x", to: "10.30.0.7", on: "c_net"},
	} {
		q := verdict.Connection{From: end(tt.from), To: end(tt.to), Protocol: verdict.TCP, Port: 80, Network: tt.asked}
		on, apart, err := revision.ForConnection(r, q)
		if err != nil {
			t.Fatal(err)
		}
		name, what := "", verdict.Verdict("")
		if on.Network != nil {
			name = on.Network.Name
		}
		if apart != nil {
			what = apart.Verdict
		}
		if name != tt.on || what != tt.apart {
			t.Errorf("%s: asked on %q, %q, want %q, %q", q, name, what, tt.on, tt.apart)
		}
	}
	if _, _, err := revision.ForConnection(r, verdict.Connection{From: end("a/x"), To: end("a/y"), Network: "no"}); err == nil {
		t.Error("a network that there is not: no error")
	}
	if _, _, err := revision.ForConnection(r, verdict.Connection{From: end("a/x"), To: end("d/x"), Network: "a_net"}); err == nil || !strings.Contains(err.Error(), "pod d/x is not on the network a_net") {
		t.Errorf("a pod that is not on the network: %v", err)
	}
}
