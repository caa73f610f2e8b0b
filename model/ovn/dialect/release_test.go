package dialect

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model/ovn/nb"
)

var update = flag.Bool("update", false, "write the table of docs/ovn-kubernetes.md")

func idsOf(controller, owner, rest string) map[string]string {
	return map[string]string{nb.KeyOwnerController: controller, nb.KeyOwnerType: owner, nb.KeyID: controller + ":" + owner + ":" + rest,
		nb.KeyName: strings.Split(rest, ":")[0]}
}

func acl(owner, rest, match string, change ...func(*nb.ACL)) *nb.ACL {
	a := &nb.ACL{UUID: "1", Match: match, Tier: 2, Meter: nb.LoggingMeter, ExternalIDs: idsOf(nb.DefaultController, owner, rest)}
	for _, c := range change {
		c(a)
	}
	return a
}

// examples are, for each line that rows show, a row of either form; nil where that form has none.
func examples() map[string][2]nb.Row {
	const np, deny = "blue:web:Ingress:0:None:", "blue:Ingress:"
	noTier := func(a *nb.ACL) { a.Tier = 0 }
	action := func(what string) func(*nb.ACL) { return func(a *nb.ACL) { a.Action = what } }
	group := func(name, readable string) *nb.PortGroup {
		return &nb.PortGroup{Name: name, ExternalIDs: map[string]string{"name": readable}}
	}
	of2023 := acl(nb.OwnerANP, "", "")
	of2023.ExternalIDs = idsOf("network-policy-controller", nb.OwnerANP, "one:ANPEgress:25000")
	byRule := acl(nb.OwnerEgressFirewall, "blue:0", "inport == @a1 && ip4.dst == 0.0.0.0/0")
	byRule.ExternalIDs[nb.KeyRuleIndex] = "0"
	byPriority := acl(nb.OwnerEgressFirewall, "blue:10000", "ip4.src == $a1 && ip4.dst == 0.0.0.0/0")
	byPriority.ExternalIDs["rule-idx"] = "0"
	return map[string][2]nb.Row{
		"form-of-2023":    {acl(nb.OwnerANP, "one:Egress:0:None", ""), of2023},
		"netpol-ids":      {acl(nb.OwnerNetworkPolicy, np+"-1", ""), acl(nb.OwnerNetworkPolicy, "blue:web:ingress:0:-1:-1", "")},
		"firewall-ids":    {byRule, byPriority},
		"multicast-ids":   {acl(nb.OwnerMulticastNS, "blue:Egress", ""), acl(nb.OwnerMulticastNS, "blue:Allow_Egress", "")},
		"deny-groups":     {acl(nb.OwnerNetpolNamespace, deny+"defaultDeny", "outport == @a1"), group("a1_ingressDefaultDeny", "")},
		"literal-groups":  {acl(nb.OwnerMulticastCluster, "DefaultDeny:Egress", "inport == @a1"), group(nb.GroupCluster, "")},
		"netpol-groups":   {nil, group(nb.HashedName("blue_web"), "blue_web")},
		"hairpin-clauses": {acl(nb.OwnerNetworkPolicy, np+"-1", "ip4 && outport == @a1"), acl(nb.OwnerNetworkPolicy, np+"-1", "(ip4.src == {$a} || (ip4.src == 169.254.169.5 && ip4.dst == {$a}))")},
		"firewall-sets":   {byRule, byPriority},
		Tiers:             {acl(nb.OwnerNetworkPolicy, np+"-1", ""), acl(nb.OwnerNetworkPolicy, np+"-1", "", noTier)},
		"advertised-rows": {acl(nb.OwnerAdvertised, "net:1", ""), nil},
		"isolation-tier":  {acl(nb.OwnerUDNIsolation, "DenyPrimaryUDN:Egress", "", noTier), acl(nb.OwnerUDNIsolation, "DenySecondary:Egress", "")},
		"isolation-ids":   {acl(nb.OwnerUDNIsolation, "AllowHostPrimaryUDN:Ingress", ""), acl(nb.OwnerUDNIsolation, "AllowHostSecondary:Ingress", "")},
		"advertised-pass": {acl(nb.OwnerAdvertised, "net:1", "((ip4.src == 10.0.0.0/24 || ip4.src == 10.1.0.0/24) && (ip4.dst == 10.0.0.0/24))", action(nb.ActionPass)), nil},
		MergedIPBlocks:    {acl(nb.OwnerNetworkPolicy, np+"-2", ""), acl(nb.OwnerNetworkPolicy, np+"1", "")},
		"icmp-allow":      {acl(nb.OwnerNetpolNamespace, deny+"icmpAllow", ""), nil},
		"network-connect": {acl(nb.OwnerNetworkConnect, "pass-service", ""), nil},
		"selector-sets":   {acl(nb.OwnerNetworkPolicy, np+"-1", "ip4.src == {$lnm}"), acl(nb.OwnerNetworkPolicy, np+"-1", "ip4.src == {$ns}")},
		"advertised-drop": {acl(nb.OwnerAdvertised, "advertised-network-subnets:", "", action(nb.ActionDrop)), acl(nb.OwnerAdvertised, "advertised-network-subnets:", "", action(nb.ActionDrop), func(a *nb.ACL) { a.UUID = "on a switch" })},
		UnloggedMeter:     {acl(nb.OwnerANP, "one:Egress:0:None", ""), acl(nb.OwnerANP, "one:Egress:0:None", "", func(a *nb.ACL) { a.Meter = "" })},
	}
}

// Every line tells its two forms apart, and rows of one form are never taken for the other.
func TestSigns(t *testing.T) {
	db := (*nb.DB)(nil).Apply([]nb.RowChange{
		{New: &nb.AddressSet{UUID: "s1", Name: "lnm", ExternalIDs: idsOf(nb.DefaultController, nb.OwnerPodSelector, "LS{}_LS{}_LNM:v4")}},
		{New: &nb.AddressSet{UUID: "s2", Name: "ns", ExternalIDs: idsOf(nb.DefaultController, nb.OwnerNamespace, "blue:v4")}},
	})
	all := examples()
	for i := range Lines {
		l := &Lines[i]
		rows, there := all[l.Name]
		if shown := l.sign != nil || l.acl != nil || l.unowned != nil; shown != there || shown == (l.Treatment == Unseen) {
			t.Errorf("%s: treatment %d, shown by rows %v, with an example %v", l.Name, l.Treatment, shown, there)
		}
		for j, want := range []Form{Today, Other} {
			r := rows[j]
			if r == nil {
				continue
			}
			row := Row{Row: r, Owner: nb.OwnerOfRow(r), DB: db, OnSwitch: func(acl string) bool { return acl == "on a switch" }}
			if got := l.ClassifyRow(row); got != want {
				t.Errorf("%s: form %d of %+v, want %d", l.Name, got, r, want)
			}
		}
	}
}

// The table names each line once, and Lines fit into a Set.
func TestLines(t *testing.T) {
	names := map[string]bool{}
	if len(Lines) > 64 {
		t.Errorf("%d lines do not fit into a Set", len(Lines))
	}
	for i, l := range Lines {
		if l.Name == "" || names[l.Name] || l.Today == "" || l.Other == "" {
			t.Errorf("line %d, %q: no name of its own, or a form without text", i, l.Name)
		}
		names[l.Name] = true
		if (l.Treatment == Compiled) != (l.Counted != "") || (l.Since != "") && l.Upstream == "" {
			t.Errorf("%s: what is compiled is counted, and what has a month has a change", l.Name)
		}
		if s := Set(0).With(l.Name); !s.Has(l.Name) || s != 1<<i {
			t.Errorf("%s: set %b", l.Name, s)
		}
	}
	if !slices.IsSortedFunc(Lines[slices.IndexFunc(Lines, func(l Line) bool { return l.Since != "" }):len(Lines)-1], func(a, b Line) int { return strings.Compare(a.Since, b.Since) }) {
		t.Error("the months go back")
	}
	if Set(0).With("no line") != 0 || Set(1).Has("no line") {
		t.Error("a set knows a line that is none")
	}
}

// docs/ovn-kubernetes.md has the table; -update writes it.
func TestReleasesDoc(t *testing.T) {
	const path, head = "../../../docs/ovn-kubernetes.md", "| line | since | today | other form | Rung |\n|---|---|---|---|---|\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), head)
	if at < 0 {
		t.Fatalf("%s has no table that begins with %q", path, head)
	}
	old, _, _ := strings.Cut(string(text[at:]), "\n\n")
	old += "\n"
	var b strings.Builder
	b.WriteString(head)
	since := func(l Line) string {
		change := strings.NewReplacer("pull requests ", "#", "pull request ", "#", " and ", ", #").Replace(l.Upstream)
		if strings.HasPrefix(l.Upstream, "commit") {
			change = l.Upstream
		}
		switch {
		case l.IsUnreleased:
			return "to come: " + change
		case l.Since == "":
			return "earlier"
		}
		if _, err := time.Parse("2006-01", l.Since); err != nil {
			t.Fatalf("%s: %q is no month", l.Name, l.Since)
		}
		return l.Since + ", " + change
	}
	short := map[Treatment]string{LeftOut: "recognised", ReadAlike: "read", Compiled: "compiled", Unseen: "unseen"}
	for _, l := range Lines {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", l.Name, since(l), l.Today, l.Other, short[l.Treatment])
	}
	if b.String() == old {
		return
	}
	if !*update {
		t.Fatalf("%s has another table of releases: go test ./model/ovn/dialect -update", path)
	}
	if err := os.WriteFile(path, []byte(string(text[:at])+b.String()+string(text[at+len(old):])), 0o644); err != nil {
		t.Fatal(err)
	}
}
