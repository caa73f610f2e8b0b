package difference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/change"
	"rung/change/effect"
	"rung/change/gate"
	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// Signs of sentences, by importance.
var (
	Wrong = page.Span{Text: words.No, Role: themes.Error}
	Rail  = page.Span{Text: words.Barred, Role: themes.Error}
	Warns = page.Span{Text: words.Warned, Role: themes.Warn}
	Notes = page.Span{Text: words.Noted, Role: themes.Dim}
)

// PreviewPoint is one sentence about a change.
type PreviewPoint struct {
	Sign page.Span
	// Code is the code of a guard rail or finding, or the first word of a line for people; may be empty.
	Code string
	Text string
}

// CodedText returns the sentence with its code before it.
func (p PreviewPoint) CodedText() string {
	if p.Code == "" {
		return p.Text
	}
	return p.Code + ": " + p.Text
}

// PreviewParts is the text of a preview, in the order of reading. A painter leaves nothing out.
type PreviewParts struct {
	// Headline says what matters most, if the change may decide anything: its effect on all connections.
	Headline []PreviewPoint
	// Surplus describes unwanted effects of the change, Errors the errors in its text.
	Surplus, Errors []PreviewPoint
	Objects         []ChangedObject
	// Guards are the guard rails, ToType says what to type for them. Harm is everything else that may harm, worst first.
	Guards []PreviewPoint
	ToType string
	Harm   []PreviewPoint
	// Notes are mere information. Unjudged is the part of the effect that is unknown, Omitted are the caveats of all answers.
	Notes, Unjudged, Omitted []PreviewPoint
	// LoggedFlips are logged connections with another verdict, Flips all connections with another verdict, Others
	// those with the same verdict by another rule.
	LoggedFlips, Flips, Others GroupTable
	// Counts are the numbers of rows of each table that change, in every zone.
	Counts []PreviewPoint
}

// ChangedObject is one object that changes.
type ChangedObject struct {
	Name, Verb string // "ANP web" "is new"
	// The point describes additions and removals, or an object without changed fields.
	PreviewPoint
	Fields []ChangedField
	Diff   string
}

// ChangedField is a field of an object, or a column of a row, before and after.
type ChangedField struct {
	Path   string
	Change page.Line
}

// PreviewText returns the sentences of a preview.
func PreviewText(p *gate.Preview) *PreviewParts {
	t := &PreviewParts{
		Errors: model.MapList(p.Errors, func(b model.Broken) PreviewPoint {
			return PreviewPoint{Sign: words.Choose(b.IsError(), Wrong, Warns), Text: b.String()}
		}),
		Objects: model.MapList(p.Objects, func(o change.ObjectChange) ChangedObject { return newChangedObject(p, &o) }),
		Guards:  model.MapList(p.Guards, func(g change.Guard) PreviewPoint { return PreviewPoint{Rail, g.Code, g.Message} }),
	}
	for i := range p.NotConsidered {
		o := &p.NotConsidered[i]
		point := PreviewPoint{Sign: words.Choose(!o.IsAssumption(), Warns, Notes), Text: o.String()}
		switch o.Code {
		case model.OmittedAll: // the headline says so
		case model.OmittedPart:
			point.Text += words.Between(" → ", o.Remedy, "")
			t.Unjudged = append(t.Unjudged, point)
		default:
			t.Omitted = append(t.Omitted, point)
		}
	}
	if p.Blocked == "" && !slices.ContainsFunc(p.Errors, model.Broken.IsError) {
		t.ToType = words.Between("to apply it: type ", p.ConfirmName, ", or --confirm-name "+words.ShellJoin(p.ConfirmName))
	}
	for _, n := range effect.CountRows(p.Rows) {
		if n.Text != "" {
			t.Counts = append(t.Counts, PreviewPoint{Notes, n.Table + " rows", n.Text})
		}
	}
	if s := p.Surplus; s != nil {
		t.Surplus = []PreviewPoint{{Sign: words.Choose(!s.IsExact(), Warns, Notes), Text: s.Text()}}
	}
	add := func(points ...PreviewPoint) {
		for _, point := range points {
			if point.Sign.Text == Notes.Text {
				t.Notes = append(t.Notes, point)
			} else {
				t.Harm = append(t.Harm, point)
			}
		}
	}
	found := func(s model.Severity) {
		for _, f := range p.Findings {
			if f.Severity == s {
				add(findingPoint(f))
			}
		}
	}
	found(model.SeverityError)
	t.addEffect(p, add)
	for _, n := range p.Notes {
		add(PreviewPoint{Sign: words.Choose(slices.Contains(p.Warnings, n), Warns, Notes), Text: n})
	}
	found(model.SeverityWarning)
	found(model.SeverityInfo)
	return t
}

// addEffect adds the effect on connections: to the headline, with add to the other points, and the groups.
func (t *PreviewParts) addEffect(p *gate.Preview, add func(...PreviewPoint)) {
	e := p.Effect
	if e == nil {
		return
	}
	t.Headline = []PreviewPoint{{words.Choose(e.FlipsVerdicts() || e.Difference == nil, Warns, Notes), "connections", e.Headline()}}
	for _, text := range p.StepTexts() {
		add(PreviewPoint{Sign: words.Choose(strings.HasPrefix(text, "no "), Notes, Warns), Text: text})
	}
	if text := revision.LogDiffText(e.Log); text != "" {
		add(PreviewPoint{words.Choose(e.Log.Lines > 0, Warns, Notes), "log", text})
		t.LoggedFlips = loggedGroups(e.Log.Groups)
	}
	if text := revision.LogContradictionText(e.Log); text != "" {
		add(PreviewPoint{Sign: Warns, Text: text})
	}
	if e.Difference != nil {
		t.Flips, t.Others = newFlipTable("connections that change", e.Flips), newFlipTable("same verdict, by another rule", e.OtherDeciders)
	}
}

// BriefRails shortens guard rails for a text with many of them: without examples, and with only the first two
// namespaces.
func BriefRails(rails []PreviewPoint) []PreviewPoint {
	return model.MapList(rails, func(p PreviewPoint) PreviewPoint {
		p.Text, _, _ = strings.Cut(p.Text, "for example")
		p.Text = strings.TrimRight(p.Text, " ,:")
		if parts := strings.Split(p.Text, "), "); len(parts) > 3 {
			p.Text = fmt.Sprintf("%s), %s) and %s more", parts[0], parts[1], words.Thousands(len(parts)-2))
		}
		return p
	})
}

func findingPoint(f model.Finding) PreviewPoint {
	text := f.Policy.Label()
	if f.Rule >= 0 && f.Direction != "" {
		text += " " + revision.RuleLabel(f.Direction, f.Rule, "")
	}
	text += ": " + f.Message
	text += words.Between(" (", f.Remedy, ")")
	return PreviewPoint{page.SeveritySign(f.Severity), fmt.Sprint(f.Severity, " ", f.Code), text}
}

func newChangedObject(p *gate.Preview, o *change.ObjectChange) ChangedObject {
	out := ChangedObject{Name: o.Key.Label(), Verb: "changes", Diff: o.Diff}
	switch {
	case o.Old == nil:
		out.Verb = "is new"
		if p.Undoes != 0 {
			out.Verb = "is restored"
		}
		out.PreviewPoint = PreviewPoint{Sign: page.Span{Text: "+", Role: themes.Added}, Text: out.Name + " " + out.Verb + ": " +
			policyBrief(o.New)}
	case o.New == nil:
		out.Verb = "is deleted"
		out.PreviewPoint = PreviewPoint{Sign: page.Span{Text: "-", Role: themes.Removed}, Text: out.Name + " is deleted: " + policyBrief(o.Old)}
	case len(o.Fields) == 0:
		out.Text = "only the text changes, not the meaning"
	default:
		out.Fields = model.MapList(o.Fields, func(f change.FieldChange) ChangedField {
			return ChangedField{f.Path, beforeAndAfter(f.Old, f.New)}
		})
	}
	return out
}

// policyBrief describes a policy in a few words.
func policyBrief(p *model.Policy) string {
	s := ""
	if p.Kind.HasPriority() {
		s = fmt.Sprintf("priority %d, ", p.Priority)
	}
	return s + fmt.Sprintf("ingress %s, egress %s", ladder.CountRules(p.Ingress), ladder.CountRules(p.Egress))
}

// beforeAndAfter returns a value before and after, in three pieces.
func beforeAndAfter(old, now string) page.Line {
	return page.Line{{Text: cmp.Or(old, "none"), Role: themes.Removed}, {Text: " → ", Role: themes.Dim},
		{Text: cmp.Or(now, "none"), Role: themes.Added}}
}

// ChangedFields returns the columns of a changed row. For sets it returns the added and removed members, some or
// all.
func ChangedFields(r *change.RowChange, all bool) []ChangedField {
	return model.MapList(r.Fields, func(f model.FieldDiff) ChangedField {
		if f.Missing == nil && f.Extra == nil {
			switch r.Kind {
			case model.DiffMissing:
				return ChangedField{f.Column, page.Line{{Text: f.Desired, Role: themes.Added}}}
			case model.DiffExtra:
				return ChangedField{f.Column, page.Line{{Text: f.Live, Role: themes.Removed}}}
			}
			return ChangedField{f.Column, beforeAndAfter(f.Live, f.Desired)}
		}
		come, gone := membersText("+", f.Missing, all), membersText("−", f.Extra, all)
		if come != "" && gone != "" {
			come += "  "
		}
		return ChangedField{f.Column, page.Line{{Text: come + gone, Role: themes.Text}}}
	})
}

// membersText counts the members of a set after a sign, and lists three or all; empty for none.
func membersText(sign string, m []string, all bool) string {
	const some = 3
	switch {
	case len(m) == 0:
		return ""
	case len(m) > some && !all:
		return fmt.Sprintf("%s%s (%s, …)", sign, words.Thousands(len(m)), strings.Join(m[:some], ", "))
	}
	return fmt.Sprintf("%s%s (%s)", sign, words.Thousands(len(m)), strings.Join(m, ", "))
}
