package ladder_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui/nav"
)

// everything is the demo cluster with the rows of all units, rows of tier 0, of
// an older release, of an unknown owner and of a policy that is gone.
func everything(t testing.TB) *revision.Facts {
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	ids := func(owner string, pairs ...string) map[string]string {
		var kv []nb.IDPair
		for i := 0; i < len(pairs); i += 2 {
			kv = append(kv, nb.IDPair{Key: pairs[i], Value: pairs[i+1]})
		}
		return nb.IDs(nb.DefaultController, owner, kv...)
	}
	isolation := func(name, dir, action string, priority int) *nb.ACL {
		direction := nb.FromLport
		if dir == "Ingress" {
			direction = nb.ToLport
		}
		return &nb.ACL{Action: action, Direction: direction, Priority: priority, Match: name + dir, ExternalIDs: ids(nb.OwnerUDNIsolation, nb.KeyName, name, nb.KeyDirection, dir)}
	}
	for _, z := range p.Zones[:2] {
		uitest.AddRows(p, z.Name,
			isolation("DenyPrimaryUDN", "Egress", nb.ActionDrop, 1000), isolation("AllowHostARPPrimaryUDN", "Egress", nb.ActionAllow, 1001),
			isolation("DenyPrimaryUDN", "Ingress", nb.ActionDrop, 1000), isolation("OpenPort-red/web-1", "Ingress", nb.ActionAllowRelated, 1001),
			isolation("OpenPort-red/web-2", "Ingress", nb.ActionAllowRelated, 1001),
			&nb.ACL{Action: nb.ActionPass, Direction: nb.FromLport, Options: map[string]string{nb.OptAfterLB: "true"}, Priority: 1100,
				ExternalIDs: ids(nb.OwnerAdvertised, nb.KeyName, "blue-net", nb.KeyNetwork, "4")},
			&nb.ACL{Action: nb.ActionDrop, Direction: nb.ToLport, Tier: 1, Priority: 26550, ExternalIDs: nb.IDs("network-policy-controller", nb.OwnerANP,
				nb.IDPair{Key: nb.KeyName, Value: "forgotten"}, nb.IDPair{Key: nb.KeyDirection, Value: "ANPIngress"}, nb.IDPair{Key: nb.KeyPriority, Value: "26550"})},
			&nb.ACL{Action: nb.ActionAllow, Direction: nb.ToLport, Tier: 2, Priority: 5000, Match: "ip4"},
			&nb.ACL{Action: nb.ActionDrop, Direction: nb.ToLport, Tier: 3, Priority: 1800, ExternalIDs: nb.IDs("lab", "Honeypot", nb.IDPair{Key: nb.KeyName, Value: "bees"})},
			&nb.ACL{Action: nb.ActionDrop, Direction: nb.ToLport, Tier: 1, Priority: 29000, ExternalIDs: ids(nb.OwnerANP, nb.KeyName, "deleted",
				nb.KeyDirection, "Ingress", nb.KeyGressIndex, "0", nb.KeyProtocol, "None")},
		)
	}
	return p
}

// order fails the test when the frame does not have lines with the texts in this
// order.
func order(t *testing.T, s *uitest.Screen, texts ...string) {
	t.Helper()
	rest := s.PlainFrame()
	for _, x := range texts {
		i := strings.Index(rest, x)
		if i < 0 {
			t.Errorf("%q is not there, or not in its place:\n%s", x, s.PlainFrame())
			return
		}
		rest = rest[i+len(x):]
	}
}

func unfolded(t *testing.T, p *revision.Facts) *uitest.Screen {
	t.Helper()
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	goTo(t, s, "tier 2")
	s.Press("enter")
	return s
}

// Tier 0 is one line, which says whose rows there are, until it is unfolded.
func TestTier0Unfolds(t *testing.T) {
	s := uitest.OpenScreen(t, everything(t), nav.NewPage(nav.Ladder))
	s.Resize(120, 34)
	s.Want("rows · UDNIsolation, AdvertisedNetwork · ⏎ unfolds")
	s.WantNot("DenyPrimaryUDN")
	s.Press("g")
	goTo(t, s, "tier 0")
	s.Press("enter")
	s.Want("AdvertisedNetwork · ⏎ folds", "DenyPrimaryUDN", "▸ ── tier 0")
	s.Golden("tier0")
	s.ResizeAll()
	s.Press("enter")
	s.WantNot("DenyPrimaryUDN")
}

func TestTier2(t *testing.T) {
	s := uitest.OpenScreen(t, everything(t), nav.NewPage(nav.Ladder))
	s.Resize(80, 24)
	goTo(t, s, "tier 2")
	s.Press("enter")
	order(t, s, "▸ ── tier 2", "EF yellow", "NP allow-web", "NP db-from-api") // in sight at once
	s.Golden("tier2")
	s.ResizeAll()
	s.Resize(200, 90)
	order(t, s, "tier 2 · NetworkPolicy 4 · EgressFirewall 1 · multicast 1 · other rows · ⏎ folds · higher OVN priority first",
		"to-lport: decides even after an ANP egress Allow", "a tier-1 ingress Allow or Deny decides first",
		"10000 ─ EF yellow", "1012 ─ multicast monitoring", "1011 ─ deny multicast",
		"from-lport-after-lb: egress multicast", "1012 ─ multicast monitoring",
		"NetworkPolicy by namespace", "▽ blue  1 policy · default deny ingress", "1001 ─ NP allow-web", "1000 ─ deny ingress",
		"▽ restricted  1 policy · default deny ingress, egress", "▽ yellow  1 policy · default deny egress · EgressFirewall",
		"hairpin and nodes", "1001 ─ hairpin", "1001 ─ ovn-worker2",
		"other live rows in tier 2: they decide by priority too", "5000 ◦ rows Rung does not compile: no owner  1A  to-lport  2 rows in 2/3 zones", "tier 3")
	for _, line := range []string{"ovn-worker2", "NP allow-web"} {
		if l := s.Line("─ " + line); strings.ContainsAny(l, words.Differs+words.Unknown) {
			t.Errorf("%s is in sync: %q", line, l)
		}
	}

	goTo(t, s, "▽ blue")
	s.Press("space")
	s.Want("▷ blue  1 policy · default deny ingress")
	s.WantNot("NP allow-web")
	s.Press("enter", "j")
	s.Want("NP allow-web")
	s.Press("enter")
	s.Want("NetworkPolicy blue/allow-web")
	s.Press("esc")

	// A filter looks into what is folded, and names policies in full.
	goTo(t, s, "tier 2")
	s.Press("enter")
	s.WantNot("NP allow-web")
	s.Press("/")
	s.Type("allow-web")
	s.Press("enter")
	s.Want("NP blue/allow-web")
	s.Press("esc")
	s.WantNot("NP blue/allow-web")
}

func TestFoldedTier2Worries(t *testing.T) {
	p := everything(t)
	z := *p.Zones[1]
	z.Policies = map[model.PolicyKey]*model.PolicyInZone{}
	for k, x := range p.Zones[1].Policies {
		c := *x
		if k.Kind == model.KindNP && k.Name == "allow-web" {
			c.InSync, c.Missing = false, 1
		}
		z.Policies[k] = &c
	}
	p.Zones[1] = &z
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Want("▲ 1 not in sync · ⏎ unfolds")
	goTo(t, s, "tier 2")
	s.Press("enter")
	s.Resize(200, 90)
	s.Want("1 row behind ovn-worker")
	s.WantNot("not in sync ·")
}

// Every stage has what decides there in its order, and nothing else.
func TestStages(t *testing.T) {
	s := unfolded(t, everything(t))
	goTo(t, s, "NP vault-from")
	s.Press("s")
	s.Want("Ladder from-lport ", "what leaves a pod, before load balancing · s next stage", "tier 2 · no rule decides in this stage")
	s.WantNot("break-glass", "free", "advertised network")
	order(t, s, "tier 0", "1001 ◦ UDN isolation AllowHostARPPrimaryUDN, egress  1A  2 rows in 2/3 zones", "1000 ◦ UDN isolation DenyPrimaryUDN", "tier 1")
	s.Golden("from-lport")

	s.Press("s")
	s.Resize(200, 90)
	order(t, s, "Ladder from-lport-after-lb", "1100 ◦ advertised network blue-net", "30 ─ break-glass", "43 ─ multi-tenant-isolation", "60 ─ quarantine",
		"1012 ─ multicast monitoring", "1011 ─ deny multicast", "1001 ─ NP vault-from-blue", "1001 ─ hairpin",
		"default deny", "1000 ─ deny egress", "tier 3", "default")
	s.WantNot("┌ allow-metrics", "EF yellow", "NP allow-web", "ovn-worker2 ", "deny ingress", "free", "INGRESS", "DenyPrimaryUDN")
	if !strings.Contains(s.Line("▸"), "NP vault-from-blue") {
		t.Errorf("the cursor did not come back to its line: %q", s.Line("▸"))
	}

	s.Press("s")
	s.Golden("to-lport")
	s.Resize(200, 90)
	order(t, s, "Ladder to-lport", "1001 ◦ UDN isolation open ports of pods, ingress  2A  4 rows", "29000 ◦ leftover rows: ANP deleted ingress",
		"30 ─ break-glass", "34 ─ cluster-control", "26550 ◦ rows Rung does not compile: 2023 form: ANP forgotten ingress", "40 ┌ blue-tenant",
		"10000 ─ EF yellow", "5000 ◦ rows Rung does not compile: no owner", "1012 ─ multicast monitoring", "1001 ─ NP allow-web", "1001 ─ ovn-worker2",
		"1000 ─ deny ingress", "tier 3", "1800 ◦ rows Rung does not compile: owner Honeypot of controller lab", "─ default")
	s.WantNot("deny egress", "NP web-to-vault", "advertised network")

	// Carrying is over all stages: a slot is free in all or in none.
	goTo(t, s, "cluster-control")
	s.Press("m")
	s.Want("moving cluster-control", "5 free")
	s.WantNot("Ladder to-lport")
	s.Press("esc")
	s.Want("Ladder to-lport")
	s.Press("z")
	s.Want("gaps are shown with all stages together")
	s.Press("s")
	s.Want("30 free  0–29", "NP web-to-vault")
	s.WantNot("next stage")
}

// What no policy stands for leads to its rows.
func TestRowsOfOthers(t *testing.T) {
	s := unfolded(t, everything(t))
	s.Resize(200, 90)
	goTo(t, s, "tier 0")
	s.Press("enter")
	for line, want := range map[string][]string{
		"open ports of pods":        {"OpenPort-red/web-1", "OpenPort-red/web-2"},
		"ANP deleted":               {"ANP deleted ingress 0"},
		"2023 form: ANP forgotten":  {"ANP forgotten ingress"},
		"compile: no owner":         {"no owner", "5000"},
		"owner Honeypot":            {"Honeypot", "1800"},
		"DenyPrimaryUDN, ingress":   {"DenyPrimaryUDN, ingress"},
		"deny multicast":            {"multicast default deny, ingress", "multicast default deny, egress"},
		"─ ovn-worker2":             {"node ovn-worker2"},
		"─ deny ingress":            {"default deny of blue, ingress", "ARP of blue, ingress"},
		"multicast monitoring   ns": {"multicast of monitoring, egress"},
	} {
		goTo(t, s, line)
		s.Press("enter")
		s.Want(append(want, "Ladder › rows")...)
		s.WantNot("break-glass", "AllowHostARP", "nothing matches")
		s.Press("esc", "esc")
		s.Want("tier 1")
	}
}

// Without rows tier 0 has no line.
func TestTier0WithoutRows(t *testing.T) {
	s := open(t)
	s.Want("tier 1")
	s.WantNot("tier 0")
}

// Many groups of rows end in a line that leads to all of them.
func TestManyRowsOfOthers(t *testing.T) {
	p := uitest.DemoFacts(t)
	var acls []*nb.ACL
	for i := range 130 {
		acls = append(acls, &nb.ACL{Action: nb.ActionDrop, Direction: nb.ToLport, Priority: 100 + i, Match: "ip4"})
	}
	uitest.AddRows(p, p.Zones[0].Name, acls...)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(120, 200)
	s.Want("before every policy · 130 rows · no owner · ⏎ unfolds")
	goTo(t, s, "tier 0")
	s.Press("enter")
	s.Want("before every policy · 130 rows", " 229 ◦ no owner", "and 30 more groups of rows")
	goTo(t, s, "more groups of rows")
	s.Press("enter")
	s.Want("Ladder › rows")
}

// Units of more namespaces than one reads at a glance stay folded.
func TestManyNamespacesStayFolded(t *testing.T) {
	p := uitest.DemoFacts(t)
	var more []model.Object
	for i := range 70 {
		ns := "team-" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		more = append(more, &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: ns, Name: "quiet"}},
			Tier: model.TierNetwork, Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true, Namespace: ns}, IsolatesIngress: true})
	}
	p.Cluster, _ = p.Cluster.Upsert(more, nil)
	s := unfolded(t, p)
	s.Resize(120, 150)
	s.Want("▷ team-aa  1 policy", "▷ blue")
	s.WantNot("NP quiet")
	goTo(t, s, "▷ team-ac")
	s.Press("enter")
	s.Want("▽ team-ac", "NP quiet")
	if n := strings.Count(s.PlainFrame(), "NP quiet"); n != 1 {
		t.Errorf("%d namespaces unfolded", n)
	}
	if !slices.Contains(strings.Fields(s.Line("NP quiet")), "1001") {
		t.Errorf("the line has no priority: %q", s.Line("NP quiet"))
	}
}

// Rows that the sandbox made up say so, in the sandbox alone.
func TestExamples(t *testing.T) {
	p := uitest.DemoFacts(t)
	example := func(tier, priority int, controller, owner string, pairs ...nb.IDPair) *nb.ACL {
		ids := nb.IDs(controller, owner, pairs...)
		ids["rung"] = "sandbox"
		return &nb.ACL{Action: nb.ActionDrop, Direction: nb.ToLport, Tier: tier, Priority: priority, Match: "ip4", ExternalIDs: ids}
	}
	for _, z := range p.Zones {
		uitest.AddRows(p, z.Name,
			example(0, 1000, nb.DefaultController, nb.OwnerUDNIsolation, nb.IDPair{Key: nb.KeyName, Value: "DenyPrimaryUDN"}, nb.IDPair{Key: nb.KeyDirection, Value: "Ingress"}),
			example(1, 25000, "network-policy-controller", nb.OwnerANP, nb.IDPair{Key: nb.KeyName, Value: "old"}, nb.IDPair{Key: nb.KeyDirection, Value: "ANPIngress"},
				nb.IDPair{Key: nb.KeyPriority, Value: "25000"}))
	}
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(80, 60)
	s.Want("▷ sandbox examples · ", "6 rows")
	s.WantNot("25000", "tier 0")
	goTo(t, s, "▷ sandbox examples")
	s.Press("enter")
	s.Resize(120, 60)
	s.Want("▽ sandbox examples", "DenyPrimaryUDN", "◦ sandbox example: 2023 form: ANP old ingress  1D", "OVN priority 25000")
	if l := s.Line("◦ sandbox example: 2023"); strings.TrimSpace(string([]rune(l)[:8])) != "" {
		t.Errorf("an example stands in the column of priorities: %q", l)
	}
	goTo(t, s, "◦ sandbox example: 2023")
	s.Press("enter", "enter")
	s.Want("A sandbox example; it matches nothing.")

	p.Mode.Sandbox = false
	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(120, 60)
	s.Want("before every policy · 3 rows · UDNIsolation", "rows Rung does not compile: 2023 form: ANP old ingress")
	s.WantNot("sandbox example")
}

// In a stage only the ACLs of the stage are counted.
func TestACLsOfAStage(t *testing.T) {
	s := uitest.OpenScreen(t, everything(t), nav.NewPage(nav.Ladder))
	s.Resize(200, 90)
	acls := func() string {
		head, line := s.Line("PODS"), s.Line("cluster-control")
		at := strings.Index(head, "ACLS")
		return strings.TrimSpace(string([]rune(line)[len([]rune(head[:at])) : len([]rune(head[:at]))+4]))
	}
	var got []string
	for range 4 {
		got = append(got, acls())
		s.Press("s")
		if strings.Contains(s.PlainFrame(), "from-lport ") {
			s.Press("s") // no rule decides there
		}
	}
	r := revision.New(*everything(t), nil)
	k := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	in, out := revision.StageACLCount(r, k, model.StageToLport), revision.StageACLCount(r, k, model.StageAfterLB)
	if in == 0 || out == 0 || in+out != revision.ACLCount(r, k) || revision.StageACLCount(r, k, model.StageFromLport) != 0 {
		t.Fatalf("%d arriving and %d leaving of %d", in, out, revision.ACLCount(r, k))
	}
	if want := []string{strconv.Itoa(in + out), strconv.Itoa(out), strconv.Itoa(in), strconv.Itoa(in + out)}; !slices.Equal(got, want) {
		t.Errorf("ACLS over the stages: %v, want %v", got, want)
	}
}
