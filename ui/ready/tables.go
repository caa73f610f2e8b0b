package ready

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/revision/policies"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/view"
	"rung/ui/widget"
)

// policyTable has a line for each policy.
func (v *View) policyTable() *widget.Table[*policies.PolicyReady] {
	count := func(f func(*policies.PolicyReady) int, look func(*themes.Styles) themes.Style) func(*policies.PolicyReady) widget.Line {
		return func(p *policies.PolicyReady) widget.Line {
			if n := f(p); n > 0 {
				return widget.Styled(strconv.Itoa(n), look(v.st))
			}
			return widget.Styled("–", v.st.Dim)
		}
	}
	bad := func(st *themes.Styles) themes.Style { return st.Error }
	warn := func(st *themes.Styles) themes.Style { return st.Warn }
	return &widget.Table[*policies.PolicyReady]{
		ID:    func(p *policies.PolicyReady) string { return p.Policy.String() },
		Empty: "no AdminNetworkPolicies, nothing to report",
		Columns: []widget.Column[*policies.PolicyReady]{
			{Title: "PRIO", Right: true, Drop: 2, Cell: func(p *policies.PolicyReady) widget.Line { return widget.Plain(v.priority(p.Policy)) }},
			{Title: "POLICY", Name: true, Min: 14, Cell: func(p *policies.PolicyReady) widget.Line { return widget.Styled(p.Policy.Brief(), v.st.Accent) }},
			{Title: "READY", Cell: v.overall, Less: func(a, b *policies.PolicyReady) int { return b.Zones - b.Ready - (a.Zones - a.Ready) }},
			{Title: "FAILING", Right: true, Drop: 9, Cell: count(func(p *policies.PolicyReady) int { return p.Failing }, bad)},
			{Title: "NO REPORT", Right: true, Drop: 5, Cell: count(func(p *policies.PolicyReady) int { return p.Silent }, warn)},
			{Title: "GONE", Right: true, Drop: 4, Cell: count(func(p *policies.PolicyReady) int { return p.Gone }, warn)},
			{Title: "≠ ROWS", Right: true, Drop: 1, Cell: count(func(p *policies.PolicyReady) int { return p.Against }, bad)},
			{Title: "OLDEST", Drop: 7, Cell: func(p *policies.PolicyReady) widget.Line { return v.age(p.Oldest) },
				Less: func(a, b *policies.PolicyReady) int { return a.Oldest.Compare(b.Oldest) }},
			{Title: "NEWEST", Drop: 6, Cell: func(p *policies.PolicyReady) widget.Line { return v.age(p.Newest) },
				Less: func(a, b *policies.PolicyReady) int { return a.Newest.Compare(b.Newest) }},
			{Title: "MESSAGE", Min: 12, Flex: true, Drop: 8, Cell: func(p *policies.PolicyReady) widget.Line {
				if len(p.Failures) == 0 {
					return nil
				}
				return widget.Plain(p.Failures[0].Text)
			}},
		},
	}
}

// stripColumn stands after that of how many zones are ready.
const stripColumn = 3

// columns puts the column of marks in where zones are few, and takes it out.
func (v *View) columns(few bool) {
	t := v.policies
	if has := t.Columns[stripColumn].Title == "ZONES"; has == few {
		return
	}
	if few {
		t.Columns = slices.Insert(t.Columns, stripColumn, widget.Column[*policies.PolicyReady]{Title: "ZONES", Drop: 3, Cell: v.strip, NoSort: true})
	} else {
		t.Columns = slices.Delete(t.Columns, stripColumn, stripColumn+1)
	}
}

func (v *View) priority(k model.PolicyKey) string {
	if p := v.rev.Cluster.Policy(k); p != nil && k.Kind == model.KindANP {
		return strconv.Itoa(int(p.Priority))
	}
	return ""
}

// overall is "3 of 3 zones", with a sign of the worst.
func (v *View) overall(p *policies.PolicyReady) widget.Line {
	sign, look := "✓", v.st.OK
	switch {
	case p.Failing > 0:
		sign, look = "●", v.st.Error
	case p.Against > 0:
		sign, look = "≠", v.st.Error
	case p.Ready < p.Zones:
		sign, look = "?", v.st.Warn
	case p.Zones == 0:
		return widget.Styled("no zone", v.st.Dim)
	}
	return widget.Styled(fmt.Sprintf("%s %d of %d", sign, p.Ready, p.Zones), look)
}

// strip is a mark for each zone, by name, where they are few.
func (v *View) strip(p *policies.PolicyReady) widget.Line {
	if len(p.Reports) > view.FoldZones {
		return nil
	}
	byName := map[string]*policies.ZoneReady{}
	for i := range p.Reports {
		byName[p.Reports[i].Zone] = &p.Reports[i]
	}
	var l widget.Line
	add := func(z *policies.ZoneReady) {
		sign, look := mark(z, v.st)
		l = l.Add(sign, look)
	}
	for _, z := range v.rev.Zones {
		if r := byName[z.Name]; r != nil {
			add(r)
			delete(byName, z.Name)
		}
	}
	for i := range p.Reports { // nodes without a known zone, and those that are gone
		if r := byName[p.Reports[i].Zone]; r != nil {
			add(r)
		}
	}
	return l
}

// mark is the sign of a report.
func mark(z *policies.ZoneReady, st *themes.Styles) (string, themes.Style) {
	switch {
	case z.Status == policies.ReadyFailing:
		return "●", st.Error
	case z.Against != "":
		return "≠", st.Error
	case z.Status == policies.ReadySilent:
		return "?", st.Warn
	case z.Status == policies.ReadyGone:
		return "✗", st.Warn
	}
	return "✓", st.OK
}

func (v *View) age(t time.Time) widget.Line {
	if t.IsZero() {
		return widget.Styled("–", v.st.Dim)
	}
	return widget.Plain(words.Age(v.now.Sub(t)))
}

// zoneTable has a line for each zone of one policy.
func (v *View) zoneTable() *widget.Table[*policies.ZoneReady] {
	return &widget.Table[*policies.ZoneReady]{
		ID:    func(z *policies.ZoneReady) string { return z.Zone },
		Empty: "no zones and no reports",
		Columns: []widget.Column[*policies.ZoneReady]{
			{Title: "ZONE", Name: true, Min: 14, Cell: func(z *policies.ZoneReady) widget.Line { return widget.Styled(z.Zone, v.st.Accent) }},
			{Title: "REPORTED", Cell: func(z *policies.ZoneReady) widget.Line {
				sign, look := mark(&policies.ZoneReady{Status: z.Status}, v.st)
				return widget.Styled(sign+" "+string(z.Status), look)
			}},
			{Title: "AT", Drop: 3, Cell: func(z *policies.ZoneReady) widget.Line {
				if z.At.IsZero() {
					return widget.Styled("–", v.st.Dim)
				}
				return widget.Plain(words.Clock(z.At, v.now) + " (" + words.Age(v.now.Sub(z.At)) + ")")
			}, Less: func(a, b *policies.ZoneReady) int { return a.At.Compare(b.At) }},
			{Title: "ROWS SAY", Min: 12, Cell: func(z *policies.ZoneReady) widget.Line {
				if z.Status == policies.ReadyGone {
					return widget.Styled("–", v.st.Dim)
				}
				return widget.Styled(detail.StateSign(z.Rows)+" "+string(z.Rows), view.StateStyle(z.Rows, v.st))
			}},
			{Title: "REASON", Drop: 4, Cell: func(z *policies.ZoneReady) widget.Line { return widget.Plain(z.Reason) }},
			{Title: "NOTES", Min: 16, Flex: true, Drop: 1, NoSort: true, Cell: v.note},
		},
	}
}

// note is what speaks against a report, else its message where it failed.
func (v *View) note(z *policies.ZoneReady) widget.Line {
	switch {
	case z.Against != "":
		l := widget.Styled("≠ "+z.Against, v.st.Error)
		if z.Status == policies.ReadyFailing && z.Message != "" {
			l = l.Add(": "+z.Message, v.st.Text)
		}
		return l
	case z.Status == policies.ReadyGone:
		return widget.Styled("its node is gone; the cluster manager removes the condition", v.st.Dim)
	case z.Status == policies.ReadySilent:
		return widget.Styled("its controller has not processed the policy, or is not running", v.st.Dim)
	case z.Status == policies.ReadyFailing:
		return widget.Plain(z.Message)
	}
	return nil
}
