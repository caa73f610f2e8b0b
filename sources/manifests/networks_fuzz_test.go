package manifests

import (
	"net/netip"
	"testing"

	"rung/model"
	"rung/model/network"
	"rung/model/words"
)

// FuzzTexts reads anything as an annotation and as a configuration: no panic, what is read is clean, addresses and
// subnets are some.
func FuzzTexts(f *testing.F) {
	for _, text := range []string{`{"default":{"ip_addresses":["10.244.1.9/24"]},"b/udn":{"ip_address":"10.9.0.4/16"}}`, "l2net, red/l2net@eth1,l2net", `[{"name":"l2net"},{"name":"l2net"}]`,
		"- {protocol: tcp, port: 80}\n- protocol: icmp\n", `{"default":"10.244.2.0/24","a":["fd00::/64"]}`, "a: &a [*a]\n",
		`{"type":"ovn-k8s-cni-overlay","name":"n","netAttachDefName":"blue/net","topology":"layer3","subnets":"10.20.0.0/16/24,fd30::/48","infrastructureSubnets":"10.20.0.8/29","defaultGatewayIPs":"10.20.0.9"}`,
		`{"name":"n","plugins":[{"type":"ovn-k8s-cni-overlay","netAttachDefName":"blue/net","topology":"layer2"}]}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check := func(what string) {
			if !words.IsClean(what) {
				t.Errorf("not clean: %q", what)
			}
		}
		nets, _ := PodNetworks(text)
		for _, n := range nets {
			check(n.Name + n.Role)
			for _, ip := range n.IPs {
				if _, err := netip.ParseAddr(ip); err != nil {
					t.Error(err)
				}
			}
		}
		keys, err := Attachments(text, "blue")
		seen := map[string]bool{}
		for _, k := range keys {
			check(k)
			if err != nil || seen[k] {
				t.Errorf("%q twice, or with %v", k, err)
			}
			seen[k] = true
		}
		ports, _ := OpenPorts(text)
		for _, p := range ports {
			check(p)
		}
		own, others, _ := NodeSubnets(text)
		for name, subnets := range others {
			check(name)
			own = append(own, subnets...)
		}
		for _, s := range own {
			if p, err := netip.ParsePrefix(s); err != nil || p != p.Masked() {
				t.Errorf("subnet %q: %v", s, err)
			}
		}
		var o NAD
		o.Spec.Config = text
		read, issues := readNetwork((*decoder).nadOf, &o, keyed(model.KindNAD, "blue", "net"))
		a := read.(*network.Attachment)
		check(a.Config.Name + string(a.Config.Topology) + a.Err)
		if (a.Err == "") != (len(issues) == 0) || a.Foreign && a.Err != "" {
			t.Errorf("%+v with %v", a, issues)
		}
	})
}
