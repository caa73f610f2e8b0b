package network

import (
	"testing"

	"rung/model"
	"rung/test/made"
)

func TestPrograms(t *testing.T) {
	nad := func(name string, c Config) *Attachment {
		c.Name, c.Topology = name, Layer2
		return &Attachment{Meta: model.Meta{Key: model.Key{Kind: model.KindNAD, Namespace: "a", Name: name}}, Config: c}
	}
	table := NewTable(made.Cluster(made.NS("plain", ""), made.NS("waits", model.LabelPrimaryUDN+"="), made.NS("a", ""), nad("bare", Config{})))
	netpol := func(ns string, peers ...model.Peer) *model.Policy {
		return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: ns, Name: "p"}}, Egress: []model.Rule{made.Rule(model.Allow, peers)}}
	}
	for _, c := range []struct {
		name string
		on   *Network
		p    *model.Policy
		want bool
	}{
		{"the default network", nil, netpol("plain", made.NSPeer("")), true},
		{"a namespace that waits", nil, netpol("waits"), false},
		{"a network without addresses, blocks", table.Network("bare"), netpol("a", made.NetPeer("10.0.0.0/8")), true},
		{"a network without addresses, everything", table.Network("bare"), netpol("a"), true},
		{"a network without addresses, selectors", table.Network("bare"), netpol("a", made.NetPeer("10.0.0.0/8"), made.NSPeer("")), false},
	} {
		if got := table.Programs(c.on, c.p); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if !(*Table)(nil).Programs(nil, netpol("plain")) {
		t.Error("without networks")
	}
}
