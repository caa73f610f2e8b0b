package nb

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const selectorName = "ns1_LS{ML:{a: 1,b: 2,},ME:{LSR{Key:k,Operator:Exists,Values:[],},LSR{Key:z,Operator:In,Values:[c q],}},}"

// owned is external_ids as OVN-Kubernetes writes them, without the
// type-specific keys: the identity does not need them.
func owned(controller, ownerType, rest string) map[string]string {
	return map[string]string{KeyOwnerController: controller, KeyOwnerType: ownerType, KeyID: controller + ":" + ownerType + ":" + rest}
}

func with(ids map[string]string, kv ...string) map[string]string {
	ids = maps.Clone(ids)
	for i := 0; i < len(kv); i += 2 {
		if kv[i+1] == "" {
			delete(ids, kv[i])
			continue
		}
		ids[kv[i]] = kv[i+1]
	}
	return ids
}

func own(o Owner) Owner {
	if o.Controller == "" {
		o.Controller = DefaultController
	}
	return o
}

// Every kind of id of ovn-kubernetes.md#external-ids and #owner-types of the types Rung
// compiles.
func TestOwnerOfKnownRows(t *testing.T) {
	for _, tt := range []struct {
		table, ownerType, rest string
		want                   Owner
		label                  string
	}{
		{TableACL, OwnerANP, "allow-web:Ingress:0:tcp", Owner{Name: "allow-web", Direction: "Ingress", Protocol: "tcp"}, "ANP allow-web ingress 0 tcp"},
		{TableACL, OwnerANP, "a.b:Egress:12:None", Owner{Name: "a.b", Direction: "Egress", Index: 12, Protocol: "None"}, "ANP a.b egress 12"},
		{TableACL, OwnerANP, "x:Ingress:1:sctp-namedPort", Owner{Name: "x", Direction: "Ingress", Index: 1, Protocol: "sctp-namedPort"}, "ANP x ingress 1 sctp-namedPort"},
		{TableACL, OwnerANP, "x:Ingress:1:", Owner{Name: "x", Direction: "Ingress", Index: 1}, "ANP x ingress 1"},
		{TableAddressSet, OwnerANP, "x:Egress:5:v6", Owner{Name: "x", Direction: "Egress", Index: 5, Family: "v6"}, "ANP x egress 5 v6"},
		{TablePortGroup, OwnerANP, "x", Owner{Name: "x", Index: -1}, "ANP x"},
		{TableACL, OwnerBANP, "default:Egress:0:udp", Owner{Name: "default", Direction: "Egress", Protocol: "udp"}, "BANP default egress 0 udp"},
		{TableAddressSet, OwnerBANP, "default:Ingress:0:v4", Owner{Name: "default", Direction: "Ingress", Family: "v4"}, "BANP default ingress 0 v4"},
		{TablePortGroup, OwnerBANP, "default", Owner{Name: "default", Index: -1}, "BANP default"},
		{TableACL, OwnerCNP, "web:Egress:3:tcp", Owner{Name: "web", Direction: "Egress", Index: 3, Protocol: "tcp"}, "CNP web egress 3 tcp (as OVN-Kubernetes might)"},
		{TableAddressSet, OwnerCNP, "web:Ingress:0:v4", Owner{Name: "web", Direction: "Ingress", Family: "v4"}, "CNP web ingress 0 v4 (as OVN-Kubernetes might)"},
		{TablePortGroup, OwnerCNP, "web", Owner{Name: "web", Index: -1}, "CNP web (as OVN-Kubernetes might)"},
		{TableACL, OwnerNetworkPolicy, "default:test-policy:Egress:1:tcp:-1", Owner{Namespace: "default", Name: "test-policy", Direction: "Egress", Index: 1, Protocol: "tcp", Block: "-1"},
			"NP default/test-policy egress 1 tcp"},
		{TableACL, OwnerNetworkPolicy, "blue:web:Egress:1:None:-2", Owner{Namespace: "blue", Name: "web", Direction: "Egress", Index: 1, Protocol: "None", Block: "-2"}, "NP blue/web egress 1 (ip blocks)"},
		{TablePortGroup, OwnerNetworkPolicy, "blue:web", Owner{Namespace: "blue", Name: "web", Index: -1}, "NP blue/web"},
		{TableACL, OwnerNetpolNamespace, "blue:Ingress:defaultDeny", Owner{Namespace: "blue", Name: "Ingress", Direction: "Ingress", Index: -1, Detail: "defaultDeny"}, "default deny of blue, ingress"},
		{TableACL, OwnerNetpolNamespace, "blue:Egress:arpAllow", Owner{Namespace: "blue", Name: "Egress", Direction: "Egress", Index: -1, Detail: "arpAllow"}, "ARP of blue, egress"},
		{TableACL, OwnerNetpolNamespace, "blue:Ingress:icmpAllow", Owner{Namespace: "blue", Name: "Ingress", Direction: "Ingress", Index: -1, Detail: "icmpAllow"}, "ICMP of blue, ingress"},
		{TablePortGroup, OwnerNetpolNamespace, "blue:Egress", Owner{Namespace: "blue", Name: "Egress", Direction: "Egress", Index: -1}, "default deny of blue, egress"},
		{TableACL, OwnerNetpolDefault, "allow-hairpinning:Ingress", Owner{Name: "allow-hairpinning", Direction: "Ingress", Index: -1}, "hairpin ingress"},
		{TableACL, OwnerNetpolNode, "w1:10.244.1.2", Owner{Name: "w1", Index: -1, Detail: "10.244.1.2"}, "node w1 10.244.1.2"},
		{TableACL, OwnerNetpolNode, "w1:fd01:0:0:2::2", Owner{Name: "w1", Index: -1, Detail: "fd01:0:0:2::2"}, "node w1 fd01:0:0:2::2"},
		{TableAddressSet, OwnerPodSelector, selectorName + ":v4", Owner{Name: selectorName, Index: -1, Family: "v4"}, "pods " + selectorName + " v4"},
		{TableAddressSet, OwnerPodSelector, "LS{}_LS{}_LNM:v6", Owner{Name: "LS{}_LS{}_LNM", Index: -1, Family: "v6"}, "pods LS{}_LS{}_LNM v6"},
		{TableACL, OwnerEgressFirewall, "blue:3", Owner{Namespace: "blue", Name: "default", Index: 3}, "EF blue rule 3"},
		{TableACL, OwnerEgressFirewall, "blue:8000", Owner{Namespace: "blue", Name: "default", Index: 8000}, "EF blue rule 8000"},
		{TableAddressSet, OwnerEFDNS, "www.example.com:v4", Owner{Name: "www.example.com", Index: -1, Family: "v4"}, "EF DNS www.example.com v4"},
		{TableACL, OwnerMulticastNS, "blue:Egress", Owner{Namespace: "blue", Name: "default", Direction: "Egress", Index: -1}, "multicast of blue, egress"},
		{TableACL, OwnerMulticastCluster, "DefaultDeny:Ingress", Owner{Name: "DefaultDeny", Direction: "Ingress", Index: -1}, "multicast default deny, ingress"},
		{TableACL, OwnerMulticastCluster, "AllowInterNode:Egress", Owner{Name: "AllowInterNode", Direction: "Egress", Index: -1}, "multicast between nodes, egress"},
	} {
		t.Run(tt.table+" "+tt.rest, func(t *testing.T) {
			ids := owned(DefaultController, tt.ownerType, tt.rest)
			tt.want.Type, tt.want.Form, tt.want.Controller = tt.ownerType, FormKnown, DefaultController
			got := ParseOwner(tt.table, ids)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if got.Label() != tt.label {
				t.Errorf("label %q, want %q", got.Label(), tt.label)
			}
			// What was altered beside the id changes nothing.
			lies := with(ids, KeyName, "liar:liar", KeyDirection, "Sideways", KeyGressIndex, "77", KeyRuleIndex, "8", KeyType, "t", KeyIP, "::", KeyIPFamily, "v9",
				KeyProtocol, "gre", KeyIPBlock, "5", KeyPriority, "1", KeyNetwork, "n")
			if d := cmp.Diff(tt.want, ParseOwner(tt.table, lies)); d != "" {
				t.Error("with other keys altered: " + d)
			}
			// The same row of another network is understood, and not compiled.
			const udn = "cluster_udn_blue-network-controller"
			tt.want.Controller, tt.want.Form = udn, FormKnown
			got = ParseOwner(tt.table, owned(udn, tt.ownerType, tt.rest))
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if want := "network cluster_udn_blue: " + tt.label; got.Label() != want {
				t.Errorf("label %q, want %q", got.Label(), want)
			}
			// In another table, or with something behind it, no such id is written.
			for _, table := range []string{TableACL, TableAddressSet, TablePortGroup} {
				if o := ParseOwner(table, owned(DefaultController, tt.ownerType, tt.rest+":zz")); o.Form != FormOdd {
					t.Errorf("%s %s:zz: %v", table, tt.rest, o)
				}
				if o := ParseOwner(table, ids); table != tt.table && o.Form == FormKnown && (o.Namespace == tt.want.Namespace && o.Name == tt.want.Name) {
					t.Errorf("in %s as well: %v", table, o)
				}
			}
		})
	}
}

func TestOwnerOfOtherRows(t *testing.T) {
	d := func(ownerType, rest string) map[string]string { return owned(DefaultController, ownerType, rest) }
	anp2023 := func(rest string) map[string]string { return owned("network-policy-controller", OwnerANP, rest) }
	for _, tt := range []struct {
		name, table string
		ids         map[string]string
		want        Owner
		label       string
	}{
		{"nobody", TableACL, nil, Owner{Index: -1}, "no owner"},
		{"ids of somebody", TableACL, map[string]string{"neutron:rule": "x"}, Owner{Index: -1}, "no owner"},

		{"tier 0", TableACL, with(d(OwnerUDNIsolation, "DenyPrimaryUDN:Egress"), KeyName, "DenyPrimaryUDN", KeyDirection, "Egress"),
			own(Owner{Type: OwnerUDNIsolation, Form: FormRecognised, Name: "DenyPrimaryUDN", Direction: "Egress", Index: -1}), "UDN isolation DenyPrimaryUDN, egress"},
		{"tier 0, open port", TableACL, with(d(OwnerUDNIsolation, "OpenPort-blue/web:Ingress"), KeyName, "OpenPort-blue/web", KeyDirection, "Ingress"),
			own(Owner{Type: OwnerUDNIsolation, Form: FormRecognised, Name: "OpenPort-blue/web", Direction: "Ingress", Index: -1}), "UDN isolation OpenPort-blue/web, ingress"},
		{"advertised, all", TableACL, with(d(OwnerAdvertised, "advertised-network-subnets:"), KeyName, "advertised-network-subnets"),
			own(Owner{Type: OwnerAdvertised, Form: FormRecognised, Name: "advertised-network-subnets", Index: -1}), "advertised network advertised-network-subnets"},
		{"advertised, one", TableACL, with(owned("blue-network-controller", OwnerAdvertised, "blue:4"), KeyName, "blue", KeyNetwork, "4"),
			Owner{Controller: "blue-network-controller", Type: OwnerAdvertised, Form: FormRecognised, Name: "blue", Detail: "4", Index: -1}, "advertised network blue id 4"},
		{"connect", TableACL, with(d(OwnerNetworkConnect, "c1:pass-service"), KeyName, "c1", KeyType, "pass-service"),
			own(Owner{Type: OwnerNetworkConnect, Form: FormRecognised, Name: "c1", Detail: "pass-service", Index: -1}), "network connect c1, pass-service"},
		{"group of a namespace", TablePortGroup, with(d(OwnerNamespace, "blue"), KeyName, "blue"),
			own(Owner{Type: OwnerNamespace, Form: FormRecognised, Name: "blue", Index: -1}), "namespace blue"},
		{"cluster group", TablePortGroup, with(d(OwnerCluster, GroupCluster), KeyName, GroupCluster),
			own(Owner{Type: OwnerCluster, Form: FormRecognised, Name: GroupCluster, Index: -1}), "cluster clusterPortGroup"},

		{"2023 ACL", TableACL, anp2023("priority-50-example:ANPEgress:25000"),
			Owner{Controller: "network-policy-controller", Type: OwnerANP, Form: FormLegacy, Name: "priority-50-example", Direction: "Egress", Index: -1, Detail: "25000"},
			"2023 form: ANP priority-50-example egress, priority 25000"},
		{"2023 set", TableAddressSet, anp2023("priority-50-example:ANPIngress:25000:v4"),
			Owner{Controller: "network-policy-controller", Type: OwnerANP, Form: FormLegacy, Name: "priority-50-example", Direction: "Ingress", Index: -1, Detail: "25000", Family: "v4"},
			"2023 form: ANP priority-50-example ingress v4, priority 25000"},
		{"2023 baseline", TableACL, owned("network-policy-controller", OwnerBANP, "default:BANPEgress:1750"),
			Owner{Controller: "network-policy-controller", Type: OwnerBANP, Form: FormLegacy, Name: "default", Direction: "Egress", Index: -1, Detail: "1750"},
			"2023 form: BANP default egress, priority 1750"},
		{"2023 group", TablePortGroup, map[string]string{"name": "priority-50-example_25000"},
			Owner{Form: FormLegacy, Name: "priority-50-example", Index: -1, Detail: "25000"}, "2023 form: port group of priority-50-example, priority 25000"},
		{"a group of an older NetworkPolicy", TablePortGroup, map[string]string{"name": "blue_web"}, Owner{Index: -1}, "no owner"},
		{"2023, nothing like it", TableACL, anp2023("x:Egress:25000"),
			Owner{Controller: "network-policy-controller", Type: OwnerANP, Form: FormUnknown, Index: -1}, "owner AdminNetworkPolicy of controller network-policy-controller"},
		{"EF by priority", TableACL, with(d(OwnerEgressFirewall, "default:9999"), KeyName, "default", "rule-idx", "1"),
			own(Owner{Type: OwnerEgressFirewall, Form: FormLegacy, Namespace: "default", Name: "default", Index: 1, Detail: "9999"}), "older form: EF default rule 1"},
		{"EF by priority that could be an index", TableACL, with(d(OwnerEgressFirewall, "blue:5000"), "rule-idx", "5000"),
			own(Owner{Type: OwnerEgressFirewall, Form: FormLegacy, Namespace: "blue", Name: "default", Index: 5000, Detail: "5000"}), "older form: EF blue rule 5000"},
		{"multicast of older releases", TableACL, d(OwnerMulticastNS, "blue:Allow_Ingress"),
			own(Owner{Type: OwnerMulticastNS, Form: FormLegacy, Namespace: "blue", Name: "default", Direction: "Ingress", Index: -1}), "older form: multicast of blue, ingress"},
		{"NP of older releases", TableACL, d(OwnerNetworkPolicy, "default:test-policy:egress:0:-1:0"),
			own(Owner{Type: OwnerNetworkPolicy, Form: FormLegacy, Namespace: "default", Name: "test-policy", Direction: "Egress", Detail: "-1", Block: "0"}),
			"older form: NP default/test-policy egress 0, ip block 0"},
		{"NP of older releases, a port", TableACL, d(OwnerNetworkPolicy, "default:p:ingress:2:1:-1"),
			own(Owner{Type: OwnerNetworkPolicy, Form: FormLegacy, Namespace: "default", Name: "p", Direction: "Ingress", Index: 2, Detail: "1", Block: "-1"}),
			"older form: NP default/p ingress 2, port 1"},

		{"odd index", TableACL, with(d(OwnerANP, "x:Ingress:01:None"), KeyName, "x", KeyDirection, "Ingress", KeyGressIndex, "01"),
			own(Owner{Type: OwnerANP, Form: FormOdd, Name: "x", Direction: "Ingress", Index: -1}), "ANP x ingress (id of another form)"},
		{"odd protocol", TableACL, with(d(OwnerNetworkPolicy, "b:p:Ingress:1:tcp-namedPort:-1"), KeyName, "b:p", KeyGressIndex, "1"),
			own(Owner{Type: OwnerNetworkPolicy, Form: FormOdd, Namespace: "b", Name: "p", Index: 1}), "NP b/p 1 (id of another form)"},
		{"no id", TableACL, with(d(OwnerNetpolNamespace, "blue:Ingress:defaultDeny"), KeyID, "", KeyName, "blue", KeyDirection, "Ingress", KeyType, "defaultDeny"),
			own(Owner{Type: OwnerNetpolNamespace, Form: FormOdd, Namespace: "blue", Name: "Ingress", Direction: "Ingress", Index: -1, Detail: "defaultDeny"}),
			"default deny of blue, ingress (id of another form)"},
		{"id of another type", TableACL, with(d(OwnerANP, "x:Ingress:0:None"), KeyOwnerType, OwnerBANP, KeyName, "x"),
			own(Owner{Type: OwnerBANP, Form: FormOdd, Name: "x", Index: -1}), "BANP x (id of another form)"},
		{"node without an address", TableACL, with(d(OwnerNetpolNode, "w1"), KeyName, "w1"),
			own(Owner{Type: OwnerNetpolNode, Form: FormOdd, Name: "w1", Index: -1}), "node w1 (id of another form)"},
		{"EF out of range", TableACL, with(d(OwnerEgressFirewall, "blue:10001"), KeyName, "blue", KeyRuleIndex, "10001"),
			own(Owner{Type: OwnerEgressFirewall, Form: FormOdd, Namespace: "blue", Name: "default", Index: 10001}), "EF blue rule 10001 (id of another form)"},
		{"multicast of the cluster", TableACL, with(d(OwnerMulticastCluster, "Other:Egress"), KeyType, "Other", KeyDirection, "Egress"),
			own(Owner{Type: OwnerMulticastCluster, Form: FormOdd, Name: "Other", Direction: "Egress", Index: -1}), "multicast Other, egress (id of another form)"},

		{"another network, odd", TableACL, with(owned("n1-network-controller", OwnerNetworkPolicy, "b:p:x"), KeyName, "b:p", KeyDirection, "Egress"),
			Owner{Controller: "n1-network-controller", Type: OwnerNetworkPolicy, Form: FormOdd, Namespace: "b", Name: "p", Direction: "Egress", Index: -1}, "network n1: NP b/p egress (id of another form)"},
		{"another owner", TableACL, with(owned("x-controller", "EgressQoS", "blue:1"), KeyName, "blue", KeyRuleIndex, "1"),
			Owner{Controller: "x-controller", Type: "EgressQoS", Form: FormUnknown, Name: "blue", Index: 1}, "owner EgressQoS of controller x-controller: blue 1"},
		{"a type of ours of another controller", TableACL, with(owned("mine", OwnerANP, "x:Ingress:0:None"), KeyName, "x"),
			Owner{Controller: "mine", Type: OwnerANP, Form: FormUnknown, Name: "x", Index: -1}, "owner AdminNetworkPolicy of controller mine: x"},
		{"no type", TableACL, with(d(OwnerANP, "x:Ingress:0:None"), KeyOwnerType, "", KeyName, "x"),
			own(Owner{Form: FormUnknown, Name: "x", Index: -1}), "owner without a type of controller default-network-controller: x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ParseOwner(tt.table, tt.ids)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if got.Label() != tt.label {
				t.Errorf("label %q, want %q", got.Label(), tt.label)
			}
		})
	}
}

// declared are the type-specific keys of an id in their order
// (ovn-kubernetes.md#owner-types), to build it again from what was read.
func declared(table string, o Owner) []string {
	index := ""
	if o.Index >= 0 {
		index = o.indexText()
	}
	ns := o.Namespace + ":" + o.Name
	switch table + " " + o.Type {
	case "ACL " + OwnerANP, "ACL " + OwnerBANP, "ACL " + OwnerCNP:
		return []string{o.Name, o.Direction, index, o.Protocol}
	case "Address_Set " + OwnerANP, "Address_Set " + OwnerBANP, "Address_Set " + OwnerCNP:
		return []string{o.Name, o.Direction, index, o.Family}
	case "ACL " + OwnerNetworkPolicy:
		return []string{ns, o.Direction, index, o.Protocol, o.Block}
	case "Port_Group " + OwnerNetworkPolicy:
		return []string{ns}
	case "ACL " + OwnerNetpolNamespace:
		return []string{o.Namespace, o.Direction, o.Detail}
	case "Port_Group " + OwnerNetpolNamespace, "ACL " + OwnerMulticastNS:
		return []string{o.Namespace, o.Direction}
	case "ACL " + OwnerNetpolDefault, "ACL " + OwnerMulticastCluster:
		return []string{o.Name, o.Direction}
	case "ACL " + OwnerNetpolNode:
		return []string{o.Name, o.Detail}
	case "Address_Set " + OwnerPodSelector, "Address_Set " + OwnerEFDNS:
		return []string{o.Name, o.Family}
	case "ACL " + OwnerEgressFirewall:
		return []string{o.Namespace, index}
	}
	return []string{o.Name}
}

// FuzzOwnerOf: whatever ids a row has, reading them does not panic; an id that
// is known can be written again from what was read.
func FuzzOwnerOf(f *testing.F) {
	for _, rest := range []string{
		"x:Ingress:0:tcp", "x:Egress:5:v4", "x", "default:p:Egress:0:None:-1", "default:p:egress:0:-1:0", "blue:Ingress:defaultDeny", "allow-hairpinning:Egress",
		"w1:10.244.2.2", "w1:fd01::2", selectorName + ":v4", "blue:10000", "www.x.org:v6", "blue:Allow_Egress", "DefaultDeny:Ingress", "x:ANPEgress:25000",
	} {
		for ownerType := range compiledTypes {
			f.Add(byte(0), DefaultController, ownerType, rest, "blue")
			f.Add(byte(1), "network-policy-controller", ownerType, rest, "x_25000")
		}
	}
	f.Fuzz(func(t *testing.T, table byte, controller, ownerType, rest, name string) {
		tables := []string{TableACL, TableAddressSet, TablePortGroup, TableMeter}
		tab := tables[int(table)%len(tables)]
		ids := with(owned(controller, ownerType, rest), KeyName, name, KeyDirection, name, KeyGressIndex, name, "name", name)
		o := ParseOwner(tab, ids)
		if o.Label() == "" {
			t.Errorf("%v has no label", ids)
		}
		if o.Form != FormKnown {
			return
		}
		if got := controller + ":" + ownerType + ":" + strings.Join(declared(tab, o), ":"); got != ids[KeyID] {
			t.Errorf("id %q was read as %+v, which is %q", ids[KeyID], o, got)
		}
	})
}
