package ladder_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/ui/nav"
)

// The ladder of a cluster on Antrea has its tiers in order, with the NetworkPolicies
// before the baseline, and offers nothing that is OVN-Kubernetes'.
func TestAntrea(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.AntreaFacts(t), nav.NewPage(nav.Ladder))
	s.Golden("antrea")
	s.ResizeAll()
	s.Resize(200, 60)
	s.Want("Antrea: 7 tiers   SANDBOX  writes  ACNP 24 · ANNP 4 · NP 1", "mytier · tier 10, custom", "emergency · tier 50", "securityops · tier 100 · 20 policies",
		"NetworkPolicy · after tier application · 1 policy", "baseline · tier 253 · 1 policy", "NodePort Service: ns-1/svc-1", "each rule has its own")
	for key, why := range map[string]string{"2": "rows: Antrea has no OVN rows", "3": "zones: Antrea has no OVN rows",
		"6": "not available with Antrea", "s": "not available with Antrea"} {
		s.Press(key)
		s.Want("Ladder", why)
	}
	s.Press("?")
	s.WantNot("go to the zones", "go to the rows", "plan of priorities")
	s.Press("esc", ":")
	s.Type("acnp allow-core")
	s.Want("acnp allow-core-dns-access", "Antrea ClusterNetworkPolicy, tier securityops, priority 5")
}

// L asks on, off or keep for each action, begins a session, and says that it is on; a NetworkPolicy has
// nothing to switch on.
func TestAntreaLogging(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.AntreaFacts(t), nav.NewPage(nav.Ladder))
	s.Resize(120, 40)
	seek := func(name string) {
		t.Helper()
		s.Press("g")
		for range 60 {
			if strings.Contains(s.Line("▸"), name) {
				return
			}
			s.Press("j")
		}
		t.Fatalf("no %s", name)
	}
	seek("acnp-with-log-setting")
	s.Press("L")
	s.Want("log ACNP acnp-with-log-setting", "Now: allow=on", "Deny  [keep] on  off  no rule", "Allow [keep] on  off  1 rule", "a all on")
	s.ResizeAll()
	s.Resize(120, 40)
	s.Press("esc")
	seek("allow-self-ns")
	s.Press("L")
	s.Want("Now: off", "▸Deny   keep [on] off")
	s.Press("enter")
	s.Want("preview: log-level ACNP allow-self-ns")
	s.Press("esc")
	seek(" NP ")
	s.Press("L")
	s.Want("each rule logs by its enableLogging")
}

// The page of a policy says where it stands, and what it applies to.
func TestAntreaPages(t *testing.T) {
	k := model.Key{Kind: model.KindACNP, Name: "acnp-with-log-setting"}
	s := uitest.OpenScreen(t, uitest.AntreaFacts(t), nav.ToPolicy(k))
	s.Resize(120, 34)
	s.Want("Antrea ClusterNetworkPolicy acnp-with-log-setting", "tier securityops (100) · priority 5", "pods: role=db or ns: env=prod → 4 pods",
		"1 rule with enableLogging", "Antrea reported nothing")
	s = uitest.OpenScreen(t, uitest.AntreaFacts(t), nav.ToRule(k, model.Ingress, 0))
	s.Resize(120, 34)
	s.Want("pods: role=frontend in ns: role=db → 1 pod", "on, label frontend-allowed", "tier securityops (100), priority 5, rule 0")
	reject := model.Key{Kind: model.KindACNP, Name: "acnp-reject-ping-request"}
	s = uitest.OpenScreen(t, uitest.AntreaFacts(t), nav.ToRule(reject, model.Egress, 0))
	s.Want("Reject", "icmp type 8 code 0")
}

// A policy is carried past its neighbours, within its tier and into others; between two it gets the
// number between theirs, typed digits go straight to a priority of the tier, and what flips is counted.
func TestCarryInTiers(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.AntreaFacts(t), nav.NewPage(nav.Ladder))
	s.Resize(120, 34)
	for range 40 {
		if strings.Contains(s.Line("▸"), "acnp-with-cluster-groups") {
			break
		}
		s.Press("j")
	}
	s.Press("m")
	s.Want("moving acnp-with-cluster-groups: securityops 8 (unchanged)", "← moving")
	s.Press("k")
	s.Want("securityops 8 → securityops 3", "← free")
	s.Press("j", "j")
	s.Want("securityops 8 → networkops 8", "free")
	s.ResizeAll()
	s.Resize(120, 34)
	s.Press("k")
	s.Type("5.05")
	s.Want("securityops 8 → securityops 5.05_")
	s.Press("backspace", "backspace", "backspace")
	s.Want("= tie", "securityops 8 → securityops 5_")
	s.Press("esc")
	s.Want("acnp-with-cluster-groups stays at securityops 8")
	s.Press("m", "j", "enter")
	s.Want("preview")
}

// The ladder says that a valid policy is not judged, whether a field of its own or a group that it names is the reason.
// A refused policy decides nothing.
func TestNotJudged(t *testing.T) {
	broken := func(severity model.Severity) []model.Broken {
		return []model.Broken{{Field: "spec", Message: "is about machines outside the cluster", Severity: severity}}
	}
	policy := func(name string, peer model.Peer, invalid []model.Broken) *model.Policy {
		return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindACNP, Name: name}}, Invalid: invalid,
			Tiered:  &model.TieredPolicy{Tier: "emergency", Priority: 1, AppliedTo: []model.AppliedTo{{Select: true}}},
			Ingress: []model.Rule{{Action: model.Deny, Peers: []model.Peer{peer}, Tiered: &model.TieredRule{Action: "Drop"}}}}
	}
	entities := model.Peer{Kind: model.PeerEntities, Namespaces: model.SelectEverything(), Pods: model.SelectEverything()}
	field := policy("by-field", entities, broken(model.SeverityWarning))
	p := uitest.AntreaFacts(t)
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{field,
		policy("by-group", model.Peer{Kind: model.PeerGroup, Group: "machines"}, nil),
		policy("by-refusal", entities, broken(model.SeverityError)),
		&model.Group{Meta: model.Meta{Key: model.Key{Kind: model.KindClusterGroup, Name: "machines"}}, Invalid: broken(model.SeverityWarning)}}, nil)
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Resize(160, 40)
	for name, state := range map[string]string{"by-field": " not judged ", "by-group": " not judged ", "by-refusal": " decides nothing "} {
		if line := s.Line(name); !strings.Contains(line, state) {
			t.Errorf("%s: %q", state, line)
		}
	}
	s = uitest.OpenScreen(t, p, nav.ToPolicy(field.Key))
	s.Resize(160, 40)
	s.Want("? not judged: see findings", "external entities: all")
}
