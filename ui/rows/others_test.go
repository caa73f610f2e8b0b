package rows_test

import (
	"fmt"
	"strings"
	"testing"

	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
	"rung/ui/nav"
)

// demo is the demo cluster with all rows that are compiled, each held by what
// OVN-Kubernetes hangs it on.
func demo(t testing.TB) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	for _, z := range p.Zones {
		live.Edit(t, p, z.Name, hang)
	}
	return p
}

// hang puts the rows that no port group of their own holds on the groups of
// namespaces and of the cluster, and on the switch
// (ovn-kubernetes.md#hairpin-and-node-rows, #firewall-rows, #multicast).
func hang(db *nb.DB) (out []nb.RowChange) {
	held := revision.NewACLHolders(db, nil)
	groups := map[string]*nb.PortGroup{}
	var sw *nb.LogicalSwitch
	for a := range db.ACLs() {
		if len(held.HoldersOfACL(a)) > 0 {
			continue
		}
		o := nb.ParseOwner(nb.TableACL, a.ExternalIDs)
		owner, name := nb.OwnerCluster, nb.GroupCluster
		switch {
		case o.Type == nb.OwnerNetpolNode:
			if sw == nil {
				for s := range db.Switches() {
					c := *s
					sw = &c
					out = append(out, nb.RowChange{Old: s, New: sw})
				}
			}
			sw.ACLs = append(sw.ACLs, a.UUID)
			continue
		case o.Type == nb.OwnerMulticastCluster && o.Name == "AllowInterNode":
			name = nb.GroupClusterRtr
		case o.Namespace != "":
			owner, name = nb.OwnerNamespace, o.Namespace
		}
		ids := nb.IDs(nb.DefaultController, owner, nb.IDPair{Key: nb.KeyName, Value: name})
		g := groups[name]
		if g == nil {
			g = &nb.PortGroup{UUID: uitest.UUID(name), Name: nb.HashedName(ids[nb.KeyID]), ExternalIDs: ids}
			groups[name] = g
			out = append(out, nb.RowChange{New: g})
		}
		g.ACLs = append(g.ACLs, a.UUID)
	}
	return out
}

// aclCount counts the rows of table ACL.
func aclCount(db *nb.DB) (n int) {
	for range db.ACLs() {
		n++
	}
	return n
}

func lines(n int) string { return fmt.Sprintf("%d lines", n) }

// others are the rows that a cluster has besides those of admin policies, one of
// each kind in ovn-worker. They are put there after the rows were judged.
func others(t testing.TB) *revision.Facts {
	t.Helper()
	p := demo(t)
	const d = nb.DefaultController
	id := func(kv ...string) (out []nb.IDPair) {
		for i := 0; i < len(kv); i += 2 {
			out = append(out, nb.IDPair{Key: kv[i], Value: kv[i+1]})
		}
		return out
	}
	live.Edit(t, p, "ovn-worker", func(db *nb.DB) (out []nb.RowChange) {
		n := 0
		uuid := func() string { n++; return fmt.Sprintf("0e000000-0000-4000-8000-%012d", n) }
		group := func(name string, ids map[string]string) *nb.PortGroup {
			g := &nb.PortGroup{UUID: uuid(), Name: name, ExternalIDs: ids}
			if name == "" {
				g.Name = nb.HashedName(ids[nb.KeyID])
			}
			out = append(out, nb.RowChange{New: g})
			return g
		}
		acl := func(on *nb.PortGroup, tier, prio int, dir, action, match string, ids map[string]string) {
			a := &nb.ACL{UUID: uuid(), Priority: prio, Tier: tier, Direction: dir, Action: action, Match: match, Meter: nb.LoggingMeter, ExternalIDs: ids}
			if on != nil {
				on.ACLs = append(on.ACLs, a.UUID)
			}
			out = append(out, nb.RowChange{New: a})
		}
		in := func(g *nb.PortGroup) string { return "outport == @" + g.Name }
		from := func(g *nb.PortGroup) string { return "inport == @" + g.Name }
		udn := group("", nb.IDs(d, nb.OwnerUDNIsolation, id(nb.KeyName, "SecondaryPods")...))
		blue := group("", nb.IDs(d, nb.OwnerNamespace, id(nb.KeyName, "blue")...))
		all := group("", nb.IDs(d, nb.OwnerCluster, id(nb.KeyName, nb.GroupCluster)...))
		deny := group("", nb.IDs(d, nb.OwnerNetpolNamespace, id(nb.KeyName, "old", nb.KeyDirection, "Ingress")...))
		old := group("a16480371363466183296", map[string]string{"name": "priority-50-example_25000"})
		acl(udn, 0, 1001, nb.ToLport, nb.ActionAllowRelated, in(udn)+" && (ip4.src==10.244.1.2 || ip6.src==fd00::2)",
			nb.IDs(d, nb.OwnerUDNIsolation, id(nb.KeyName, "AllowHostPrimaryUDN", nb.KeyDirection, "Ingress")...))
		acl(udn, 0, 1000, nb.ToLport, nb.ActionDrop, in(udn), nb.IDs(d, nb.OwnerUDNIsolation, id(nb.KeyName, "DenyPrimaryUDN", nb.KeyDirection, "Ingress")...))
		acl(old, 1, 25000, nb.ToLport, nb.ActionDrop, "((ip4.src == $a11410890234882820008)) && (outport == @a16480371363466183296)",
			nb.IDs("network-policy-controller", nb.OwnerANP, id(nb.KeyName, "priority-50-example", nb.KeyDirection, "ANPIngress", nb.KeyPriority, "25000")...))
		acl(blue, 2, 10000, nb.ToLport, nb.ActionAllow, "(ip4.dst == 1.2.3.0/24) && "+from(blue)+" && ((udp && ( udp.dst == 55 )))",
			nb.IDs(d, nb.OwnerEgressFirewall, id(nb.KeyName, "old", nb.KeyRuleIndex, "0")...))
		acl(blue, 2, 9999, nb.ToLport, nb.ActionDrop, "(ip4.dst == 0.0.0.0/0) && "+from(blue), nb.IDs(d, nb.OwnerEgressFirewall, id(nb.KeyName, "old", nb.KeyRuleIndex, "1")...))
		acl(blue, 2, 1012, nb.ToLport, nb.ActionAllow, in(blue)+" && igmp", nb.IDs(d, nb.OwnerMulticastNS, id(nb.KeyName, "old", nb.KeyDirection, "Ingress")...))
		acl(all, 2, 1011, nb.ToLport, nb.ActionDrop, "(ip4.mcast || mldv1)", nb.IDs(d, nb.OwnerMulticastCluster, id(nb.KeyType, "Other", nb.KeyDirection, "Ingress")...))
		acl(all, 2, 1001, nb.ToLport, nb.ActionAllowRelated, "ip4.src == 169.254.169.6", nb.IDs("blue-network-controller", nb.OwnerNetpolDefault, id(nb.KeyName, "allow-hairpinning", nb.KeyDirection, "Ingress")...))
		acl(deny, 2, 1001, nb.ToLport, nb.ActionAllow, in(deny)+" && (arp || nd)", nb.IDs(d, nb.OwnerNetpolNamespace, id(nb.KeyName, "old", nb.KeyDirection, "Ingress", nb.KeyType, "arpAllow")...))
		acl(deny, 2, 1000, nb.ToLport, nb.ActionDrop, in(deny), nb.IDs(d, nb.OwnerNetpolNamespace, id(nb.KeyName, "old", nb.KeyDirection, "Ingress", nb.KeyType, "defaultDeny")...))
		acl(deny, 2, 1000, nb.ToLport, nb.ActionAllow, "ip4.src == banana", nb.IDs("shop", "Basket", id(nb.KeyName, "fruit")...))
		acl(nil, 2, 900, nb.ToLport, nb.ActionDrop, "ip4", nil)
		acl(udn, 0, 1000, nb.FromLport, nb.ActionDrop, from(udn), nb.IDs(d, nb.OwnerUDNIsolation, id(nb.KeyName, "DenyPrimaryUDN", nb.KeyDirection, "Egress")...))
		return out
	})
	return p
}

// Every row of every owner is there, named, in its place.
func TestEveryOwner(t *testing.T) {
	p := others(t)
	s := uitest.OpenScreen(t, p, nav.Page{Kind: nav.Rows, Zone: "ovn-worker"})
	s.Resize(200, 110)
	s.Want(lines(aclCount(p.Zones[1].DB)), "▲ rows at 24000 and 1000 decide differently: which one wins is undefined", "(ip4.mcast || mldv1)")
	at := -1
	frame := strings.Split(s.PlainFrame(), "\n")
	for _, want := range [][]string{
		{"── from-lport ·"},
		{"0  1000", "UDN isolation DenyPrimaryUDN, egress", "◇ other"},
		{"no row matches: allowed in this stage"},
		{"── from-lport after load balancing"},
		{"BANP default egress 0", "own group"},
		{"no row matches: allowed in this stage"},
		{"── to-lport"},
		{"0  1001", "UDN isolation AllowHostPrimaryUDN, ingress", "UDN isolation SecondaryPods"},
		{"0  1000", "UDN isolation DenyPrimaryUDN, ingress"},
		{"ANP break-glass ingress 0"},
		{"1 25000", "2023 form: ANP priority-50-example ingress, priority 25000", "~ legacy", "2023 form: port group"},
		{"── † decides even after an ANP egress Allow ──"},
		{"2 10000", "† EF old rule 0", "namespace blue"},
		{"2  9999", "† EF old rule 1"},
		{"2  1012", "† multicast of old, ingress"},
		{"2  1011=", "† multicast Other, ingress (id of another form)", "≡ other form", "cluster clusterPortGroup"},
		{"2  1001=", "network blue: hairpin ingress", "◇ other"},
		{"2  1001=", "ARP of old, ingress", "own group"},
		{"2  1000▲", "default deny of old, ingress"},
		{"2  1000▲", "owner Basket of controller shop: fruit", "▲ match", "▲ cannot be parsed: ip4.src == banana"},
		{"2   900", "no owner", "nothing: no effect"},
		{"3  1750", "BANP default ingress 0"},
		{"no row matches: allowed in this stage"},
	} {
		found := -1
		for i := at + 1; i < len(frame) && found < 0; i++ {
			found = i
			for _, w := range want {
				if !strings.Contains(frame[i], w) {
					found = -1
				}
			}
		}
		if found < 0 {
			t.Fatalf("no line with %q after line %d:\n%s", want, at, s.PlainFrame())
		}
		at = found
	}
	s.Press("/")
	s.Type("even after")
	s.Press("enter")
	s.Want("11 of ", "† EF old rule 0", "† multicast default deny, ingress")
	s.Press("/")
	s.Press("ctrl+u")
	s.Type("▲.match")
	s.Press("enter")
	s.Want("1 of ", "Basket")
}
