package cluster

import (
	"fmt"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// Policies lists policies, one line each.
var Policies = &page.Table[*PolicyReports]{
	Help: map[string]string{
		"ready":         "how many zones report it ready, with the sign of the worst",
		"zones":         "one sign per zone, in zone order",
		"not_ready":     "zones that report a failure",
		"no_report":     "zones that reported nothing",
		"gone":          "reports of zones that no longer exist",
		"rows_disagree": "zones whose rows contradict their report",
		"oldest":        "how old the oldest report is",
		"newest":        "how old the newest report is",
		"message":       "what a failing zone reports",
	},
	ID:    func(p *PolicyReports) string { return p.Key.String() },
	Empty: "no AdminNetworkPolicies, nothing to report",
	Columns: []page.Column[*PolicyReports]{
		{Key: "priority", Title: "PRIO", Right: true, Importance: 98,
			Cell: func(p *PolicyReports) page.Cell { return page.Cell{Text: p.priority} }},
		{Key: "policy", Title: "POLICY", Name: true, Min: 14, Importance: page.Always, Exact: func(p *PolicyReports) string { return p.Label },
			Cell: func(p *PolicyReports) page.Cell { return page.Cell{Text: p.Key.ShortLabel(), Role: themes.Accent} }},
		{Key: "ready", Title: "READY", Importance: page.Always, Cell: (*PolicyReports).OverallCell,
			Less: func(a, b *PolicyReports) int { return b.Zones - b.Ready - (a.Zones - a.Ready) }},
		{Key: "zones", Title: "ZONES", Sparse: true, NoSort: true, Importance: 97,
			Cell: func(p *PolicyReports) page.Cell { return page.Cell{More: p.marks} }},
		{Key: "not_ready", Title: "FAILING", Right: true, Importance: 91,
			Cell: func(p *PolicyReports) page.Cell { return countCell(p.Failing, themes.Error) }},
		{Key: "no_report", Title: "NO REPORT", Right: true, Importance: 95,
			Cell: func(p *PolicyReports) page.Cell { return countCell(p.Silent, themes.Warn) }},
		{Key: "gone", Title: "GONE", Right: true, Importance: 96,
			Cell: func(p *PolicyReports) page.Cell { return countCell(p.Gone, themes.Warn) }},
		{Key: "rows_disagree", Title: words.Differs + " ROWS", Right: true, Importance: 99,
			Cell: func(p *PolicyReports) page.Cell { return countCell(p.Against, themes.Error) }},
		{Key: "oldest", Title: "OLDEST", Live: true, Importance: 93, Less: func(a,
			b *PolicyReports) int {
			return a.Oldest.Compare(b.Oldest.Time)
		},
			Exact: func(p *PolicyReports) string {
				return p.Oldest.String()
			}, Cell: func(p *PolicyReports) page.Cell { return ageCell(p.Oldest, p.now) }},
		{Key: "newest", Title: "NEWEST", Live: true, Importance: 94, Less: func(a,
			b *PolicyReports) int {
			return a.Newest.Compare(b.Newest.Time)
		},
			Exact: func(p *PolicyReports) string {
				return p.Newest.String()
			}, Cell: func(p *PolicyReports) page.Cell { return ageCell(p.Newest, p.now) }},
		{Key: "message", Title: "MESSAGE", Min: 12, Flex: true, Importance: 92, Cell: func(p *PolicyReports) page.Cell {
			if len(p.Failures) == 0 {
				return page.Cell{}
			}
			return page.Cell{Text: p.Failures[0].Text}
		}},
	},
}

// Zones lists the reports of policies, one line for each zone.
var Zones = &page.Table[*ZoneReport]{
	Help: map[string]string{
		"reported":      "what the controller of the zone reported",
		"at":            "when the report last changed",
		"state_by_rows": "the state by the rows of the zone",
		"reason":        "the reason in the report",
		"notes":         "why the rows contradict it, or the report's message",
	},
	ID:    func(z *ZoneReport) string { return z.policyReports.Key.String() + " " + z.Zone },
	Empty: "no zones and no reports",
	Columns: []page.Column[*ZoneReport]{
		{Key: "policy", Title: "POLICY", DetailOnly: true, Importance: page.Always,
			Cell: page.TextCell(func(z *ZoneReport) string { return z.policyReports.Label })},
		{Key: "zone", Title: "ZONE", Name: true, Min: 14, Importance: page.Always,
			Cell: page.RoleCell(themes.Accent, func(z *ZoneReport) string { return z.Zone })},
		{Key: "reported", Title: "REPORTED", Importance: page.Always, Cell: func(z *ZoneReport) page.Cell {
			m := (&ZoneReport{Status: z.Status}).reportSign()
			return page.Cell{Sign: m, Text: string(z.Status), Role: m.Role}
		}},
		{Key: "at", Title: "AT", Importance: 97, Less: func(a, b *ZoneReport) int { return a.At.Compare(b.At.Time) },
			Exact: func(z *ZoneReport) string { return z.At.String() }, Cell: func(z *ZoneReport) page.Cell {
				if z.At.IsZero() {
					return page.None
				}
				return page.Cell{Text: words.Clock(z.At.Time, z.policyReports.now) + " (" + words.Age(z.policyReports.now.Sub(z.At.Time)) + ")"}
			}},
		{Key: "state_by_rows", Title: "ROWS SAY", Min: 12, Importance: page.Always, Cell: func(z *ZoneReport) page.Cell {
			if z.Status == Gone {
				return page.None
			}
			look := page.StateRole(z.Rows)
			return page.Cell{Sign: page.Span{Text: page.StateSign(z.Rows), Role: look}, Text: string(z.Rows), Role: look}
		}},
		{Key: "reason", Title: "REASON", Importance: 96, Cell: func(z *ZoneReport) page.Cell { return page.Cell{Text: z.Reason} }},
		{Key: "notes", Title: "NOTES", Min: 16, Flex: true, NoSort: true, Importance: 99, Cell: (*ZoneReport).noteCell},
	},
}

// fewZones limits the zones that each get a sign.
const fewZones = 12

// countCell returns a number for which 0 is good.
func countCell(n int, bad page.Role) page.Cell {
	return words.Choose(n == 0, page.None, page.Cell{Text: words.Thousands(n), Role: bad})
}

func ageCell(at model.Stamp, now time.Time) page.Cell {
	if at.IsZero() {
		return page.None
	}
	return page.Cell{Text: words.Age(now.Sub(at.Time))}
}

// OverallCell returns "3 of 3", with the sign of the worst report.
func (p *PolicyReports) OverallCell() page.Cell {
	sign := page.Span{Text: words.Yes, Role: themes.OK}
	switch {
	case p.Failing > 0:
		sign = page.Span{Text: words.Failed, Role: themes.Error}
	case p.Against > 0:
		sign = page.Span{Text: words.Differs, Role: themes.Error}
	case p.Ready < p.Zones:
		sign = page.Span{Text: words.Unknown, Role: themes.Warn}
	case p.Zones == 0:
		return page.Cell{Text: "no zone", Role: themes.Dim}
	}
	return page.Cell{Sign: sign, Text: fmt.Sprintf("%s of %s", words.Thousands(p.Ready), words.Thousands(p.Zones)), Role: sign.Role}
}

// setZoneSigns sets a sign for each zone: known zones in their order, then nodes without a zone, then deleted
// ones.
func (p *PolicyReports) setZoneSigns(zones []*model.ZoneState) {
	left := map[string]*ZoneReport{}
	for _, z := range p.Reports {
		left[z.Zone] = z
	}
	for _, z := range zones {
		if report := left[z.Name]; report != nil {
			p.marks = append(p.marks, report.reportSign())
			delete(left, z.Name)
		}
	}
	for _, z := range p.Reports {
		if left[z.Zone] != nil {
			p.marks = append(p.marks, z.reportSign())
		}
	}
}

// AgedCell returns the report with its sign and age: "reported ready 3m ago".
func (z *ZoneReport) AgedCell() page.Cell {
	c := page.Cell{Sign: z.reportSign(), Text: string(z.Status), Role: themes.Dim}
	if z.Status != Silent {
		c.Text = "reported " + c.Text
	}
	if !z.At.IsZero() {
		c.Text += " " + words.Age(z.policyReports.now.Sub(z.At.Time)) + " ago"
	}
	return c
}

// reportSign returns the sign of a report.
func (z *ZoneReport) reportSign() page.Span {
	switch {
	case z.Status == Failing:
		return page.Span{Text: words.Failed, Role: themes.Error}
	case z.Against != "":
		return page.Span{Text: words.Differs, Role: themes.Error}
	case z.Status == Silent:
		return page.Span{Text: words.Unknown, Role: themes.Warn}
	case z.Status == Gone:
		return page.Span{Text: words.Gone, Role: themes.Warn}
	}
	return page.Span{Text: words.Yes, Role: themes.OK}
}

// noteCell returns the contradiction between a report and the rows, else the failure's message, or why no
// report exists.
func (z *ZoneReport) noteCell() page.Cell {
	switch {
	case z.Against != "":
		c := page.Cell{Text: words.Differs + " " + z.Against, Role: themes.Error}
		if z.Status == Failing && z.Message != "" {
			c.More = page.Line{{Text: ": " + z.Message, Role: themes.Text}}
		}
		return c
	case z.Status == Gone:
		return page.Cell{Text: "its node is gone; the cluster manager removes the condition", Role: themes.Dim}
	case z.Status == Silent:
		return page.Cell{Text: "its controller has not processed the policy, or is not running", Role: themes.Dim}
	case z.Status == Failing:
		return page.Cell{Text: z.Message}
	}
	return page.Cell{}
}

// zonesNamed limits the zones named for a failure.
const zonesNamed = 4

// String returns the failure with some of its zones.
func (f ReportFailure) String() string {
	return fmt.Sprintf("%s (%s): %s", words.Count(len(f.Zones), "zone"), words.List(f.Zones, zonesNamed), f.Text)
}
