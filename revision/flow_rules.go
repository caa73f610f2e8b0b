package revision

import (
	"cmp"
	"slices"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/model/words"
)

// FoundBy says how the ACL behind a flow of a trace was found.
type FoundBy string

// The values, most certain first.
const (
	ByRow      FoundBy = "row"      // a live row has the flow's stage, tier, priority and match
	ByCompiled FoundBy = "compiled" // a compiled row has them
	ByName     FoundBy = "name"     // a row at that stage, tier and priority has the log line's name
	ByPlace    FoundBy = "place"    // stage, tier and priority only
)

// RulesBehindFlow holds the rules that a flow of a trace may come from.
type RulesBehindFlow struct {
	FoundBy FoundBy
	// Rules are the candidates: several if rows at one place are alike, empty if no row was found.
	Rules []BehindRule
}

// BehindRule is a rule, or another owner of rows.
type BehindRule struct {
	Zone  string // of the row; empty for a compiled row
	ACL   *nb.ACL
	Owner nb.Owner
	// Policy is set if the row belongs to a policy, Direction and Rule if it belongs to a rule.
	Policy    model.PolicyKey
	Direction model.Direction
	Rule      int // -1 if the row belongs to the whole policy
	RuleName  string
}

// RuleFinder finds the ACLs behind the flows of traces. Only one goroutine may use it.
type RuleFinder struct {
	rev   *Revision
	live  map[flowPlace][]zoneACL
	zones map[string]map[flowPlace][]zoneACL // compiled, by zone
}

type flowPlace struct {
	stage          string
	tier, priority int
}

type zoneACL struct {
	zone string
	acl  *nb.ACL
}

// NewRuleFinder returns a finder over the live rows of the named zones (else all) and the compiled rows.
func NewRuleFinder(r *Revision, zones ...string) *RuleFinder {
	f := &RuleFinder{rev: r, live: map[flowPlace][]zoneACL{}, zones: map[string]map[flowPlace][]zoneACL{}}
	for _, z := range r.Zones {
		if len(zones) > 0 && !slices.Contains(zones, z.Name) {
			continue
		}
		for a := range z.DB.ACLs() {
			at := placeOfACL(a)
			f.live[at] = append(f.live[at], zoneACL{z.Name, a})
		}
	}
	return f
}

func placeOfACL(a *nb.ACL) flowPlace { return flowPlace{a.Stage(), a.Tier, a.Priority} }

// compiledRows returns the compiled rows of a zone, by place. Without a node of that name every pod is local.
func (f *RuleFinder) compiledRows(zone string) map[flowPlace][]zoneACL {
	if f.rev.Cluster.Node(zone) == nil {
		zone = ""
	}
	if at, ok := f.zones[zone]; ok {
		return at
	}
	at := map[flowPlace][]zoneACL{}
	for c := range f.rev.Desired.Policies() {
		for _, a := range f.rev.Desired.ACLs(c, zone, nil) {
			at[placeOfACL(a)] = append(at[placeOfACL(a)], zoneACL{"", a})
		}
	}
	f.zones[zone] = at
	return at
}

// FindBehind finds the ACL of a flow in a trace. Rows of the zone named like the datapath come first.
func (f *RuleFinder) FindBehind(d *flow.Decision, m *flow.MetFlow) RulesBehindFlow {
	if m.Step == nil {
		return f.rulesByName(d, m)
	}
	at := flowPlace{string(d.Stage), max(0, m.Tier), m.Priority}
	zone := d.Pass.Datapath
	live := slices.Clone(f.live[at])
	sortOwnFirst(live, zone)
	compiled := f.compiledRows(zone)[at]
	same := func(x zoneACL) bool { return x.acl.Match == m.Match }
	named := func(x zoneACL) bool { return m.Log != nil && m.Log.Name != "" && x.acl.Name == m.Log.Name }
	alike := func(x zoneACL) bool { return actionVerdict(x.acl.Action) == actionVerdict(m.Verdict) }
	for _, try := range []struct {
		by   FoundBy
		of   []zoneACL
		fits func(zoneACL) bool
	}{
		{ByRow, live, same}, {ByCompiled, compiled, same}, {ByName, live, named}, {ByName, compiled, named},
		{ByPlace, live, alike}, {ByPlace, compiled, alike},
	} {
		if rules := f.rulesOfRows(try.of, try.fits); len(rules) > 0 {
			return RulesBehindFlow{try.by, rules}
		}
	}
	return RulesBehindFlow{}
}

// sortOwnFirst sorts a zone's rows to the front.
func sortOwnFirst(rows []zoneACL, zone string) {
	slices.SortStableFunc(rows, func(a, b zoneACL) int {
		return cmp.Or(model.FalseFirst(a.zone != zone, b.zone != zone), cmp.Compare(a.zone, b.zone), CompareACLs(a.acl, b.acl))
	})
}

// rulesByName finds the rules by the logged name, for traces that show no flows.
func (f *RuleFinder) rulesByName(d *flow.Decision, m *flow.MetFlow) RulesBehindFlow {
	if m.Log == nil || m.Log.Name == "" {
		return RulesBehindFlow{}
	}
	var all []zoneACL
	for _, rows := range f.live {
		all = append(all, rows...)
	}
	if len(all) == 0 {
		for _, rows := range f.compiledRows(d.Pass.Datapath) {
			all = append(all, rows...)
		}
	}
	sortOwnFirst(all, d.Pass.Datapath)
	rules := f.rulesOfRows(all, func(x zoneACL) bool {
		return x.acl.Name == m.Log.Name && actionVerdict(x.acl.Action) == actionVerdict(m.Verdict)
	})
	if len(rules) == 0 {
		return RulesBehindFlow{}
	}
	return RulesBehindFlow{ByName, rules}
}

// rulesOfRows returns the owners of the rows that fit, each once, sorted by name.
func (f *RuleFinder) rulesOfRows(rows []zoneACL, fits func(zoneACL) bool) (out []BehindRule) {
	for _, x := range rows {
		if !fits(x) {
			continue
		}
		b := BehindRule{Zone: x.zone, ACL: x.acl, Owner: nb.OwnerOfRow(x.acl), Rule: -1}
		if k, ok := PolicyOfOwner(b.Owner); ok {
			b.Policy, b.Direction, b.Rule = k, ruleDirection(b.Owner), b.Owner.Index
			b.RuleName = ruleName(f.rev, k, b.Direction, b.Rule)
		}
		if !slices.ContainsFunc(out, func(o BehindRule) bool { return sameRule(o, b) }) {
			out = append(out, b)
		}
	}
	slices.SortStableFunc(out, func(a, b BehindRule) int { return cmp.Compare(a.Owner.Label(), b.Owner.Label()) })
	return out
}

// sameRule reports whether two rows belong to one rule, or to one owner if they belong to no rule.
func sameRule(a, b BehindRule) bool {
	if a.Policy != (model.PolicyKey{}) && a.Rule >= 0 {
		return a.Policy == b.Policy && a.Direction == b.Direction && a.Rule == b.Rule
	}
	return a.Owner.Label() == b.Owner.Label()
}

// Label names the rules that the flow may belong to.
func (b *RulesBehindFlow) Label() string {
	if len(b.Rules) == 0 {
		return "an ACL without a known row"
	}
	names := model.MapList(b.Rules, func(rule BehindRule) string { return DeciderText(new(rule.Decider())) })
	if len(names) > 1 {
		return "one of " + words.List(names, len(names))
	}
	return names[0]
}

// Decider returns the rule as the decider of its row.
func (b *BehindRule) Decider() verdict.Decider {
	d := verdict.RowDecider(b.ACL, nil)
	d.RuleName = b.RuleName
	return d
}

// DeciderText names a rule: `ANP cluster-control egress 5 "default-deny"`.
func DeciderText(d *verdict.Decider) string {
	if d.Policy == (model.Key{}) {
		return "row " + d.ACL
	}
	out := d.Policy.Label()
	if d.Reply {
		out = "replies: " + out
	}
	if d.Rule >= 0 {
		out += " " + RuleLabel(d.Direction, d.Rule, d.RuleName)
	}
	return out
}

// StageText names who decided in a stage, after which Passes, or why that is unknown. name names a rule; for
// nil it names the default.
func StageText(s *verdict.StageVerdict, name func(*verdict.Decider) string) string {
	list := func(all []verdict.Decider) string {
		return words.List(model.MapList(all, func(d verdict.Decider) string { return name(&d) }), len(all))
	}
	out := name(s.Decided)
	switch {
	case len(s.Candidates) > 0:
		out = "one of " + list(s.Candidates)
	case s.Verdict == verdict.Unknown:
		out = s.Reason
	}
	if len(s.Passed) > 0 {
		out += ", after " + list(s.Passed)
	}
	return out
}
