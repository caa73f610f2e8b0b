package difference

import (
	"cmp"
	"fmt"
	"strings"

	"rung/change"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
)

// Facts is the JSON of rung diff (command-line.md#output): everything that differs between two revisions.
type Facts struct {
	Before      string             `json:"before"` // the names of both sides, as given
	After       string             `json:"after"`
	Policies    []*PolicyChange    `json:"policies"`
	Connections []*Connection      `json:"connections"`
	Workloads   AddedAndRemoved    `json:"workloads"`
	Findings    NewAndGoneFindings `json:"findings"`
	Guards      []Guard            `json:"guards"`
	ACLs        BeforeAfter        `json:"acls"`

	// NotConsidered are the omissions of both sides, with the name of their side.
	NotConsidered []model.Omission `json:"-"`
	// isPartial is set if connections, findings and guard rails were not compared, because one of the sides has
	// unread objects.
	isPartial bool
	sides     [2]*revision.Revision
	onlyIn    [2][]model.Finding
}

// AddedAndRemoved holds the workloads that only one side has.
type AddedAndRemoved struct {
	Added   []string `json:"came"`
	Removed []string `json:"went"`
}

// NewAndGoneFindings holds the findings that only one side has.
type NewAndGoneFindings struct {
	New  []Finding `json:"new"`
	Gone []Finding `json:"gone"`
}

// BeforeAfter is a number on both sides.
type BeforeAfter struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// Finding is a new or gone finding.
type Finding struct {
	Code     string         `json:"code"`
	Severity model.Severity `json:"severity"`
	Policy   string         `json:"policy,omitempty"`
	Rule     string         `json:"rule,omitempty"`
	Message  string         `json:"message"`

	Original *model.Finding `json:"-"`
}

// Guard is a guard rail that a step or a change meets.
type Guard struct {
	Code    string `json:"code"`
	Policy  string `json:"policy"`
	Message string `json:"message"`

	Key model.PolicyKey `json:"-"`
}

func newGuard(g change.Guard) Guard { return Guard{g.Code, g.Policy.String(), g.Message, g.Policy} }

// Connection is a group of connections between two ends that change alike.
type Connection struct {
	Change string           `json:"change"` // opens, closes, differs, decided
	From   string           `json:"from"`
	To     string           `json:"to"`
	Ports  []page.PortRange `json:"ports"`
	// Before and After are the verdicts, "mixed" if pods of a workload differ, "none" if an end does not
	// exist.
	Before   string   `json:"before"`
	After    string   `json:"after"`
	ByBefore []string `json:"by_before"` // empty if no rule matches
	ByAfter  []string `json:"by_after"`
	// Example is one of the connections, in the form for rung trace --cases: of the second side, else of the
	// first.
	Example trace.Question `json:"example"`
	// Network is the connections' network, or empty for the default one.
	Network string `json:"network,omitempty"`

	Original *revision.Change `json:"-"`

	// Set if it stands for several pairs of workloads of two namespaces.
	pairs              int
	fromGroup, toGroup string
}

// GroupConnections joins connections that change alike, by the same rules and on the same ports, between
// workloads of the same two namespaces.
func GroupConnections(all []*Connection) (out []*Connection) {
	type likeness struct{ change, from, to, ports, now, before string }
	groups := map[likeness][]*Connection{}
	place := func(e *revision.End) string {
		return words.Choose(e.IsOutside() || e.IsImagined(), e.String(), e.Namespace+"/")
	}
	var order []likeness
	for _, c := range all {
		like := likeness{c.Change, place(&c.Original.From), place(&c.Original.To), fmt.Sprint(c.Ports, c.Network), c.NowText(), c.BeforeText()}
		if groups[like] == nil {
			order = append(order, like)
		}
		groups[like] = append(groups[like], c)
	}
	for _, like := range order {
		members := groups[like]
		line := *members[0]
		line.pairs = len(members)
		if line.pairs > 1 {
			line.fromGroup = groupText(members, func(c *Connection) *revision.End { return &c.Original.From })
			line.toGroup = groupText(members, func(c *Connection) *revision.End { return &c.Original.To })
		}
		out = append(out, &line)
	}
	return out
}

// groupText names one end of a group, empty if it is one workload.
func groupText(members []*Connection, end func(*Connection) *revision.End) string {
	names := map[string]bool{}
	for _, c := range members {
		names[end(c).String()] = true
	}
	if len(names) == 1 {
		return ""
	}
	return end(members[0]).Namespace + " (" + words.Count(len(names), "workload") + ")"
}

func newFindings(all []model.Finding) []Finding {
	out := []Finding{}
	for i := range all {
		f := &all[i]
		o := Finding{Code: f.Code, Severity: f.Severity, Message: f.Message, Original: f}
		if f.Policy.Name != "" {
			o.Policy = f.Policy.String()
		}
		if f.Direction != "" && f.Rule >= 0 {
			o.Rule = fmt.Sprintf("%s rule %d", f.Direction.Lower(), f.Rule)
		}
		out = append(out, o)
	}
	return out
}

func newConnection(c *revision.Change) *Connection {
	return &Connection{Change: string(c.Kind), From: c.From.String(), To: c.To.String(),
		Before: outcomeText(c.Before), After: outcomeText(c.After),
		Ports: page.PortRanges(c.Ports), ByBefore: deciderTexts(c.ByBefore), ByAfter: deciderTexts(c.ByAfter),
		Example: trace.NewQuestion(c.Example()), Network: c.Network, Original: c}
}

// outcomeText returns a verdict, "mixed" for several, "none" for no connection.
func outcomeText(o verdict.Outcome) string {
	v, one := o.Verdict()
	switch {
	case o == 0:
		return "none"
	case !one:
		return "mixed"
	}
	return string(v)
}

func deciderTexts(by []verdict.Decider) []string {
	return model.MapList(by, func(d verdict.Decider) string { return revision.DecidersText([]verdict.Decider{d}) })
}

// Count returns the number of pairs of ends with a kind of change, each pair once for all ports.
func (f *Facts) Count(kind revision.ChangeKind) int {
	pairs := map[[2]string]bool{}
	for _, c := range f.Connections {
		if c.Change == string(kind) {
			pairs[[2]string{c.From, c.To}] = true
		}
	}
	return len(pairs)
}

// IsEmpty reports whether nothing differs.
func (f *Facts) IsEmpty() bool {
	return len(f.Policies)+len(f.Connections)+len(f.Workloads.Added)+len(f.Workloads.Removed)+len(f.onlyIn[0])+len(f.onlyIn[1]) == 0
}

// Summary returns three lines: connections, policies, findings and guard rails.
func (f *Facts) Summary() []string {
	var parts []string
	for _, k := range []struct {
		kind      revision.ChangeKind
		one, many string
	}{{revision.Opens, "opens", "open"}, {revision.Closes, "closes", "close"}, {revision.Differs, "gets another verdict",
		"get another verdict"},
		{revision.Decided, "is decided by another rule", "are decided by another rule"}} {
		if n := f.Count(k.kind); n > 0 {
			parts = append(parts, words.Thousands(n)+" "+words.OneOrMany(n, k.one, k.many))
		}
	}
	first := "Connections: " + cmp.Or(strings.Join(parts, ", "), "none changes")
	first += words.Choose(len(parts) > 0, " (pairs of workloads, or of a workload and outside addresses)", "")
	if came, went := len(f.Workloads.Added), len(f.Workloads.Removed); came+went > 0 {
		first += fmt.Sprintf("; %s new, %s removed", words.Count(came, "workload"), words.Thousands(went))
	}
	second := "Policies: " + f.policiesText()
	if f.ACLs.Before != f.ACLs.After {
		second += fmt.Sprintf("; ACLs %s → %s", words.Thousands(f.ACLs.Before), words.Thousands(f.ACLs.After))
	}
	third := "Findings: "
	switch {
	case len(f.Findings.New)+len(f.Findings.Gone) == 0:
		third += "none new, none gone"
	default:
		third += fmt.Sprintf("new %s; gone %s", cmp.Or(model.CountFindings(f.onlyIn[1]).Text(), "none"),
			cmp.Or(model.CountFindings(f.onlyIn[0]).Text(), "none"))
	}
	third += "; guard rails met: " + words.Thousands(len(f.Guards))
	if f.isPartial {
		return []string{"Connections: not compared", second, "Findings: not compared"}
	}
	return []string{first, second, third}
}

// WorkloadLines names the workloads that only one side has, up to most for each side; all says how to see the rest.
func (f *Facts) WorkloadLines(most int, all string) (out []string) {
	for i, names := range [][]string{f.Workloads.Added, f.Workloads.Removed} {
		if text := words.JoinAtMost(names, ", ", most); text != "" {
			out = append(out, []string{"new", "removed"}[i]+" workloads: "+text+words.Choose(len(names) > most, " ("+all+")", ""))
		}
	}
	return out
}

// policiesText counts policies by change.
func (f *Facts) policiesText() string {
	counts := map[string]int{}
	for _, p := range f.Policies {
		counts[p.Change]++
	}
	var parts []string
	for _, what := range []string{"new", "gone", "moved", "moved, changed", "changed"} {
		if n := counts[what]; n > 0 {
			parts = append(parts, words.Thousands(n)+" "+strings.Replace(what, ", ", " and ", 1))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none changes")
}
