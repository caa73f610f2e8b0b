package consequences

import (
	"cmp"
	"fmt"
	"strings"

	"rung/change"
	"rung/change/effect"
	"rung/change/gate"
	"rung/model"
	"rung/model/ladder"
	"rung/pages/page"
	"rung/pages/page/role"
	"rung/revision"
	"rung/revision/connections"
	"rung/themes"
)

// Signs of sentences, by how much they matter.
var (
	Wrong = page.Span{Text: "✗", Role: themes.Error}
	Rail  = page.Span{Text: "●", Role: themes.Error}
	Warns = page.Span{Text: "▲", Role: themes.Warn}
	Notes = page.Span{Text: "·", Role: themes.Dim}
)

// Point is one sentence about a change.
type Point struct {
	Sign page.Span
	// Code is the kind of a guard rail or finding, or the word that a line for people begins
	// with; empty for none.
	Code string
	Text string
}

// Coded is the sentence with its code before it.
func (p Point) Coded() string {
	if p.Code == "" {
		return p.Text
	}
	return p.Code + ": " + p.Text
}

// Told is the text of a preview in parts. A painter orders its parts and leaves none out.
type Told struct {
	// Surplus says which effects the change has beyond the wanted ones, Errors are the errors in
	// its text.
	Surplus, Errors []Point
	Objects         []Object
	Guards          []Point
	// Effect is the effect on all connections, the summary first; Log the effect on those in the
	// log.
	Effect, Log []Point
	// Seen are the connections of the log that would have got another verdict, Flips all that
	// get another verdict, Others all that keep theirs by another rule.
	Seen, Flips, Others Groups
	// Findings are worth a thought, Hints are mere information.
	Findings, Omitted, Notes, Hints []Point
	// Counts are how many rows of each table change, in every zone.
	Counts []Point
}

// Object is one object that changes.
type Object struct {
	Name, Verb string // "ANP web" "is new"
	// Point says what comes or goes, or that no field changes.
	Point
	Fields []Field
	Diff   string
}

// Field is a field of an object, or a column of a row, before and after.
type Field struct {
	Path   string
	Change page.Line
}

// Tell puts a preview into sentences.
func Tell(p *gate.Preview) *Told {
	t := &Told{
		Errors:  page.Each(p.Errors, func(b model.Broken) Point { return Point{Sign: either(b.IsError(), Wrong, Warns), Text: b.String()} }),
		Objects: page.Each(p.Objects, func(o change.ObjectChange) Object { return objectOf(p, &o) }),
		Guards:  page.Each(p.Guards, func(g change.Guard) Point { return Point{Rail, g.Code, g.Message} }),
		Notes:   page.Each(p.Notes, func(n string) Point { return Point{Sign: Notes, Text: n} }),
		Omitted: page.Each(p.NotConsidered, func(o model.Omission) Point {
			return Point{Sign: either(!o.IsAssumption(), Warns, Notes), Text: o.String()}
		}),
	}
	for _, n := range effect.CountRows(p.Rows) {
		if n.Text != "" {
			t.Counts = append(t.Counts, Point{Notes, n.Table + " rows", n.Text})
		}
	}
	if s := p.Surplus; s != nil {
		t.Surplus = []Point{{Sign: either(!s.IsExact(), Warns, Notes), Text: s.Text()}}
	}
	for _, f := range p.Findings {
		if f.Severity == model.SeverityInfo {
			t.Hints = append(t.Hints, findingPoint(f))
		} else {
			t.Findings = append(t.Findings, findingPoint(f))
		}
	}
	e := p.Effect
	if e == nil {
		return t
	}
	t.Effect = []Point{{either(e.FlipsVerdicts() || e.Difference == nil, Warns, Notes), "connections", e.Text()}}
	for _, text := range p.StepTexts() {
		t.Effect = append(t.Effect, Point{Sign: Notes, Text: text})
	}
	if text := connections.OtherwiseText(e.Log); text != "" {
		t.Log = append(t.Log, Point{either(e.Log.Lines > 0, Warns, Notes), "log", text})
		t.Seen = seenGroups(e.Log.Groups)
	}
	if text := connections.ContraryText(e.Log); text != "" {
		t.Log = append(t.Log, Point{Sign: Warns, Text: text})
	}
	if e.Difference != nil {
		t.Flips, t.Others = groupsOf("connections that change", e.Flips), groupsOf("same verdict, by another rule", e.OtherDeciders)
	}
	return t
}

func either(is bool, yes, no page.Span) page.Span {
	if is {
		return yes
	}
	return no
}

// Brief are guard rails of which there are many: without examples, and without the
// namespaces behind the first two.
func Brief(rails []Point) []Point {
	return page.Each(rails, func(p Point) Point {
		p.Text, _, _ = strings.Cut(p.Text, "for example")
		p.Text = strings.TrimRight(p.Text, " ,:")
		if parts := strings.Split(p.Text, "), "); len(parts) > 3 {
			p.Text = fmt.Sprintf("%s), %s) and %d more", parts[0], parts[1], len(parts)-2)
		}
		return p
	})
}

func findingPoint(f model.Finding) Point {
	text := f.Policy.Label()
	if f.Rule >= 0 && f.Direction != "" {
		text += " " + revision.RuleLabel(f.Direction, f.Rule, "")
	}
	text += ": " + f.Message
	if f.Remedy != "" {
		text += " (" + f.Remedy + ")"
	}
	return Point{role.Severity(f.Severity), fmt.Sprint(f.Severity, " ", f.Code), text}
}

func objectOf(p *gate.Preview, o *change.ObjectChange) Object {
	out := Object{Name: o.Key.Label(), Verb: "changes", Diff: o.Diff}
	switch {
	case o.Old == nil:
		out.Verb = "is new"
		if p.Undoes != 0 {
			out.Verb = "is restored"
		}
		out.Point = Point{Sign: page.Span{Text: "+", Role: themes.Added}, Text: out.Name + " " + out.Verb + ": " + inBrief(o.New)}
	case o.New == nil:
		out.Verb = "is deleted"
		out.Point = Point{Sign: page.Span{Text: "-", Role: themes.Removed}, Text: out.Name + " is deleted: " + inBrief(o.Old)}
	case len(o.Fields) == 0:
		out.Text = "only the text changes, not what it means"
	default:
		out.Fields = page.Each(o.Fields, func(f change.FieldChange) Field { return Field{f.Path, becomes(f.Old, f.New)} })
	}
	return out
}

// inBrief is a policy in a few words.
func inBrief(p *model.Policy) string {
	s := ""
	if p.Kind.HasPriority() {
		s = fmt.Sprintf("priority %d, ", p.Priority)
	}
	return s + fmt.Sprintf("ingress %s, egress %s", ladder.CountRules(p.Ingress), ladder.CountRules(p.Egress))
}

// becomes is a value before and after: three pieces.
func becomes(old, now string) page.Line {
	return page.Line{{Text: cmp.Or(old, "none"), Role: themes.Removed}, {Text: " → ", Role: themes.Dim}, {Text: cmp.Or(now, "none"), Role: themes.Added}}
}

// FieldsOf are the columns of a row that changes, comes or goes; of sets the members that come
// and go, some of them or all.
func FieldsOf(r *change.RowChange, all bool) []Field {
	return page.Each(r.Fields, func(f model.FieldDiff) Field {
		if f.Missing == nil && f.Extra == nil {
			switch r.Kind {
			case model.DiffMissing:
				return Field{f.Column, page.Line{{Text: f.Desired, Role: themes.Added}}}
			case model.DiffExtra:
				return Field{f.Column, page.Line{{Text: f.Live, Role: themes.Removed}}}
			}
			return Field{f.Column, becomes(f.Live, f.Desired)}
		}
		come, gone := members("+", f.Missing, all), members("−", f.Extra, all)
		if come != "" && gone != "" {
			come += "  "
		}
		return Field{f.Column, page.Line{{Text: come + gone, Role: themes.Text}}}
	})
}

// members counts the members of a set behind a sign, and lists three of them or all; empty
// for none.
func members(sign string, m []string, all bool) string {
	const some = 3
	switch {
	case len(m) == 0:
		return ""
	case len(m) > some && !all:
		return fmt.Sprintf("%s%d (%s, …)", sign, len(m), strings.Join(m[:some], ", "))
	}
	return fmt.Sprintf("%s%d (%s)", sign, len(m), strings.Join(m, ", "))
}
