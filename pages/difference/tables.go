package difference

import (
	"cmp"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// PolicyLine is a table line for a policy, or for a rule or field below it.
type PolicyLine struct {
	ID     string
	Policy *PolicyChange
	Detail string
	first  bool
}

// PolicyLines returns the lines of the table of policies.
func (f *Facts) PolicyLines() (out []*PolicyLine) {
	for _, p := range f.Policies {
		var details []string
		for _, r := range p.Rules {
			switch {
			case r.Before == "":
				details = append(details, r.Rule+" is new: "+r.After)
			case r.After == "":
				details = append(details, r.Rule+" is removed: "+r.Before)
			case r.Before == r.After:
				details = append(details, r.Rule+": "+r.After)
			default:
				details = append(details, r.Rule+": "+r.Before+" → "+r.After)
			}
		}
		for _, c := range p.Fields {
			details = append(details, c.Path+": "+textOrNothing(c.Old)+" → "+textOrNothing(c.New))
		}
		if len(details) == 0 {
			details = []string{""}
		}
		for i, d := range details {
			out = append(out, &PolicyLine{ID: p.Policy + " " + strconv.Itoa(i), Policy: p, Detail: d, first: i == 0})
		}
	}
	return out
}

func textOrNothing(s string) string { return cmp.Or(s, "nothing") }

// changeRoles are the roles of the words for changes.
var changeRoles = map[string]themes.Token{"new": themes.OK, "gone": themes.Error, "opens": themes.Warn, "closes": themes.Error,
	"decided": themes.Dim}

// Policies lists new, deleted, moved and changed policies.
var Policies = &page.Table[*PolicyLine]{
	Help: map[string]string{
		"change":   "how the policy changed",
		"detail":   "a rule or field that differs, before and after",
		"priority": "its priority, before and after a move",
	},
	ID:    func(l *PolicyLine) string { return l.ID },
	Empty: "no policy came, went, moved or changed",
	Columns: []page.Column[*PolicyLine]{
		{Key: "change", Title: "CHANGE", Importance: page.Always, Cell: firstLineCell(func(p *PolicyChange) page.Cell {
			return page.Cell{Text: p.Change, Role: changeRoles[p.Change]}
		})},
		{Key: "policy", Title: "POLICY", Name: true, Min: 16, Max: 44, Importance: page.Always,
			Cell: firstLineCell(func(p *PolicyChange) page.Cell { return page.Cell{Text: p.Key.Label(), Role: themes.Accent} })},
		{Key: "priority", Title: "PRIO", Sparse: true, Importance: 98, Cell: firstLineCell(func(p *PolicyChange) page.Cell {
			return page.Cell{Text: p.Priority}
		})},
		{Key: "detail", Title: "DETAIL", Flex: true, Min: 24, Importance: page.Always, NoSort: true,
			Cell: page.TextCell(func(l *PolicyLine) string { return l.Detail })},
	},
}

// firstLineCell returns a cell that only the first line of a policy shows.
func firstLineCell(cell func(*PolicyChange) page.Cell) func(*PolicyLine) page.Cell {
	return func(l *PolicyLine) page.Cell {
		if !l.first {
			return page.Cell{}
		}
		return cell(l.Policy)
	}
}

// Connections lists connections that change.
var Connections = &page.Table[*Connection]{
	Help: map[string]string{
		"change":  "opens: allowed only now; closes: allowed only before; differs: another verdict; decided: same verdict, another rule",
		"from":    "the source: a workload or outside addresses",
		"to":      "the destination: a workload or outside addresses",
		"now":     "the verdict and the deciding rules",
		"was":     "the verdict before and the deciding rules",
		"example": "one of the connections, for rung trace",
	},
	ID:    func(c *Connection) string { return c.Change + " " + c.From + " → " + c.To + " " + c.PortsText() },
	Empty: "no connection between workloads or with outside addresses changes",
	Columns: []page.Column[*Connection]{
		{Key: "change", Title: "CHANGE", Importance: page.Always,
			Cell: func(c *Connection) page.Cell {
				return page.Cell{Text: c.Change + words.Choose(c.pairs > 1, " "+words.Count(c.pairs, "pair"), ""), Role: changeRoles[c.Change]}
			}},
		{Key: "from", Title: "FROM", Name: true, Min: 14, Max: 48, Importance: page.Always, Cell: func(c *Connection) page.Cell {
			return page.Cell{Text: cmp.Or(c.fromGroup, c.Original.From.Brief()), Role: themes.Accent}
		}, Exact: func(c *Connection) string { return c.From }},
		{Key: "to", Title: "TO", Name: true, Min: 14, Max: 48, Importance: page.Always, Cell: func(c *Connection) page.Cell {
			return page.Cell{Text: cmp.Or(c.toGroup, c.Original.To.Brief()), Role: themes.Accent}
		}, Exact: func(c *Connection) string { return c.To }},
		{Key: "ports", Title: "PORTS", Min: 8, Max: 32, Importance: page.Always,
			Cell: page.TextCell(func(c *Connection) string { return c.PortsText() })},
		{Key: "now", Title: "NOW", Min: 12, Max: 60, Importance: 98, Cell: func(c *Connection) page.Cell { return page.Cell{Text: c.NowText()} }},
		{Key: "was", Title: "BEFORE", Min: 12, Max: 60, Importance: 97,
			Cell: page.RoleCell(themes.Dim, func(c *Connection) string { return c.BeforeText() })},
		{Key: "example", Title: "EXAMPLE", Wide: true, Importance: 90,
			Cell: page.TextCell(func(c *Connection) string { return c.Example.String() })},
	},
}

// PortsText returns the ports for people, with the network if it is user-defined.
func (c *Connection) PortsText() string {
	return revision.PortsText(c.Original.Ports) + words.OnNetwork(c.Network)
}

// decidedText returns a verdict with the deciding rules.
func decidedText(o verdict.Outcome, text string, by []string) string {
	if o == 0 {
		return "no such connection"
	}
	if len(by) == 0 {
		return text + ": no policy"
	}
	return text + ": " + strings.Join(by, "; ")
}

// EndsText returns both ends. A group says its number of pairs: its workloads need not all reach each other.
func (c *Connection) EndsText() string {
	return cmp.Or(c.fromGroup, c.Original.From.Brief()) + " → " + cmp.Or(c.toGroup, c.Original.To.Brief()) +
		words.Choose(c.pairs > 1, " ("+words.Count(c.pairs, "pair")+")", "")
}

// Sentence describes the connection in one line: "opens shop/web → bank/db TCP 5432".
func (c *Connection) Sentence() string {
	word := c.Change
	if c.Change == string(revision.Decided) {
		word = "decided by another rule:"
	}
	return word + " " + c.EndsText() + " " + c.PortsText()
}

// FindingLine is a table line for a new or gone finding.
type FindingLine struct {
	Finding
	Side string // new or gone
	id   int
}

// IsGone reports whether only the first side has it.
func (l *FindingLine) IsGone() bool { return l.Side == "gone" }

// FindingLines returns the findings, new ones first.
func (f *Facts) FindingLines() (out []*FindingLine) {
	for _, side := range []struct {
		name string
		all  []Finding
	}{{"new", f.Findings.New}, {"gone", f.Findings.Gone}} {
		for _, x := range side.all {
			out = append(out, &FindingLine{x, side.name, len(out)})
		}
	}
	return out
}

// Findings lists findings that only one side has.
var Findings = &page.Table[*FindingLine]{
	Help: map[string]string{
		"change":   "whether the finding is new or gone",
		"severity": "error, warning or info",
		"code":     "its kind: docs/findings.md explains each",
		"message":  "what is wrong",
	},
	ID:    func(l *FindingLine) string { return strconv.Itoa(l.id) },
	Empty: "no finding is new or gone",
	Columns: []page.Column[*FindingLine]{
		{Key: "change", Title: "FINDING", Importance: page.Always,
			Cell: func(l *FindingLine) page.Cell { return page.Cell{Text: l.Side, Role: findingRoles[l.Side]} }},
		{Key: "severity", Title: "SEVERITY", Importance: page.Always,
			Cell: page.TextCell(func(l *FindingLine) string { return string(l.Severity) })},
		{Key: "policy", Title: "POLICY", Name: true, Min: 16, Max: 44, Importance: page.Always,
			Cell: page.RoleCell(themes.Accent, func(l *FindingLine) string { return l.Original.Policy.Label() })},
		{Key: "rule", Title: "RULE", Sparse: true, Importance: 98, Cell: func(l *FindingLine) page.Cell {
			if l.Rule == "" {
				return page.Cell{}
			}
			return page.Cell{Text: revision.RuleLabel(l.Original.Direction, l.Original.Rule, "")}
		}},
		{Key: "code", Title: "CODE", Importance: 97, Cell: func(l *FindingLine) page.Cell { return page.Cell{Text: l.Code, Role: themes.Dim} }},
		{Key: "message", Title: "MESSAGE", Flex: true, Min: 20, Importance: page.Always, NoSort: true,
			Cell: page.TextCell(func(l *FindingLine) string { return l.Message })},
	},
}

// findingRoles are the roles of new and gone findings.
var findingRoles = map[string]themes.Token{"new": themes.Warn, "gone": themes.OK}

// Guards lists the guard rails that the change triggers.
var Guards = &page.Table[*Guard]{
	Help: map[string]string{
		"guard":   "the guard rail: docs/command-line.md explains each",
		"message": "what the step would do",
	},
	ID:    func(g *Guard) string { return g.Code + " " + g.Policy + " " + g.Message },
	Empty: "the step meets no guard rail",
	Columns: []page.Column[*Guard]{
		{Key: "guard", Title: "GUARD RAIL", Importance: page.Always,
			Cell: page.RoleCell(themes.Warn, func(g *Guard) string { return g.Code })},
		{Key: "policy", Title: "POLICY", Name: true, Min: 16, Max: 44, Importance: page.Always,
			Cell: page.RoleCell(themes.Accent, func(g *Guard) string { return g.Key.Label() })},
		{Key: "message", Title: "MESSAGE", Flex: true, Min: 20, Importance: page.Always, NoSort: true,
			Cell: page.TextCell(func(g *Guard) string { return g.Message })},
	},
}

// NowText returns the verdict with the deciding rules. If they have the same names as before, it says that
// they changed.
func (c *Connection) NowText() string {
	now := decidedText(c.Original.After, c.After, c.ByAfter)
	if now == c.BeforeText() {
		now += ", which changed"
	}
	return now
}

// BeforeText returns the verdict before, with the rules that decided.
func (c *Connection) BeforeText() string { return decidedText(c.Original.Before, c.Before, c.ByBefore) }

// OriginOfDecider returns the file of the policy that decides a connection now, else of the previous decider;
// zero if both are unknown.
func (f *Facts) OriginOfDecider(c *Connection) model.Origin {
	for _, by := range c.Original.ByAfter {
		if p := f.sides[1].Cluster.Policy(by.Policy); p != nil {
			return p.Origin
		}
	}
	for _, by := range c.Original.ByBefore {
		if p := f.sides[1].Cluster.Policy(by.Policy); p != nil {
			return p.Origin
		}
	}
	return model.Origin{}
}
