package preview

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"rung/change"
	"rung/change/gate"
	"rung/change/planrun"
	"rung/model"
	"rung/model/ladder"
	"rung/revision"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// shortChange is how many lines of what changes stand before what follows from it.
const shortChange = 3

// wide is from which width on rows stand beside the change.
const wide = 110

// page builds the lines of one document.
type page struct {
	st    *themes.Styles
	w     int // of the text
	lines []widget.DocLine
}

func (b *page) add(l widget.Line) { b.lines = append(b.lines, widget.DocLine{Line: l}) }

func (b *page) text(text string, st themes.Style) {
	for _, l := range widget.Flow(text, max(8, b.w-1)) {
		b.add(widget.Line{{Text: " "}, {Text: l, Style: st}})
	}
}

// point is a paragraph with a mark before it.
func (b *page) point(mark string, st themes.Style, text string, body themes.Style) {
	for _, l := range widget.Flow(text, max(8, b.w-3)) {
		b.add(widget.Line{{Text: " " + mark + " ", Style: st}, {Text: l, Style: body}})
		mark = " "
	}
}

func (b *page) heading(title string) {
	if len(b.lines) > 0 {
		b.lines = append(b.lines, widget.DocLine{Line: widget.Line{}, Skip: true})
	}
	b.lines = append(b.lines, widget.DocLine{Line: widget.Heading(title, b.w, b.st), Head: true, Skip: true})
}

// build makes the documents anew when what they are made of changed.
func (v *View) build(env *view.Env) {
	v.side = env.W >= wide && v.p != nil && len(v.p.Rows) > 0
	key := builtKey{v.p, env.W, v.side, v.diff, v.phase, env.Styles, v.wrong, v.notice, ""}
	if v.phase >= waiting {
		key.shown = fmt.Sprint(v.shown)
	}
	if key == v.built {
		return
	}
	v.built = key
	v.onRows = v.onRows && v.side
	lw, rw := v.widths(env.W)
	left := &page{st: env.Styles, w: lw - 3}
	v.head(left)
	if v.p != nil && v.phase != failed {
		// What follows matters most: a long list of what changes comes after it.
		change := &page{st: env.Styles, w: lw - 3}
		v.changes(change)
		short := len(change.lines) <= shortChange && !v.diff
		if short {
			left.lines = append(left.lines, change.lines...)
		}
		v.consequences(left)
		if !v.diff {
			v.flips(left)
		}
		if !short {
			title := "change"
			if v.diff {
				title = "change, as text"
			}
			left.heading(title)
			left.lines = append(left.lines, change.lines...)
		}
		if v.diff { // what was asked for comes first
			v.flips(left)
		}
		right := left
		if v.side {
			right = &page{st: env.Styles, w: rw - 3}
		}
		v.rowLines(right)
		left.commands(v.p.Commands)
		if !v.diff {
			left.texts(v.p.Objects)
		}
		if v.side {
			v.rows.SetLines(right.lines)
		}
	}
	v.change.SetLines(left.lines)
}

func (v *View) widths(w int) (left, right int) {
	if !v.side {
		return w, 0
	}
	left = w * 11 / 20
	return left, w - left - 1
}

// head says what the change is and what is wrong.
func (v *View) head(b *page) {
	if v.phase == failed {
		text := "The change could not be worked out: " + v.err.Error()
		if errors.Is(v.err, planrun.ErrPlan) {
			text = v.err.Error() // it says that it was refused, and why
		}
		b.point("✗", b.st.Error, text, b.st.Text)
		b.text("Nothing was changed.", b.st.Text)
		return
	}
	if v.p == nil {
		return
	}
	b.text(v.p.Title, b.st.Title)
	if s := v.p.Surplus; s != nil && s.Exact() {
		b.point("·", b.st.Dim, s.Text(), b.st.Text)
	} else if s != nil {
		b.point("▲", b.st.Warn, s.Text(), b.st.Text)
	}
	if v.phase >= waiting {
		v.zones(b)
	}
	if v.wrong != "" {
		b.point("✗", b.st.Error, "Not written: "+v.wrong+". Nothing was changed.", b.st.Error)
	}
	if v.notice != "" {
		b.point("▲", b.st.Warn, v.notice, b.st.Text)
	}
	for _, e := range v.p.Errors {
		if e.IsError() {
			b.point("✗", b.st.Error, e.String(), b.st.Text)
		} else {
			b.point("▲", b.st.Warn, e.String(), b.st.Text)
		}
	}
	if v.opt.Kept != "" && v.p.Blocked != "" {
		b.text("Your text is kept in "+v.opt.Kept, b.st.Dim)
	}
	if c := v.p.Conflict; c != nil {
		v.conflict(b, c)
	}
}

// zones tells what each zone shows.
func (v *View) zones(b *page) {
	_, ok := count(v.shown)
	b.text(fmt.Sprintf("Written. %d of %d zones show it:", ok, len(v.shown)), b.st.Text)
	for _, s := range v.shown {
		mark, st, text := "●", b.st.OK, "shows it"
		if !s.OK {
			mark, st, text = "○", b.st.Warn, "not yet"
		}
		if s.Why != "" {
			text += ": " + s.Why
		}
		b.add(widget.Line{{Text: " " + mark + " ", Style: st}, {Text: s.Zone, Style: b.st.Accent}, {Text: "  " + text}})
	}
}

// changes are the objects field by field, or as a difference of the texts.
func (v *View) changes(b *page) {
	names := 0
	for _, o := range v.p.Objects {
		names = max(names, widget.Width(o.Key.Label()))
	}
	for i := range v.p.Objects {
		o := &v.p.Objects[i]
		if len(v.p.Objects) > 1 && !v.diff && b.short(o, names) {
			continue
		}
		if len(v.p.Objects) > 1 {
			b.add(widget.Line{{Text: " " + o.Key.Label(), Style: b.st.Accent}, {Text: " " + verb(v.p, o)}})
		}
		switch {
		case v.diff:
			b.diff(o.Diff)
		case o.New == nil:
			b.point("-", b.st.Removed, o.Key.Label()+" is deleted: "+about(o.Old), b.st.Text)
		case o.Old == nil:
			b.point("+", b.st.Added, o.Key.Label()+" "+created(v.p)+": "+about(o.New), b.st.Text)
		case len(o.Fields) == 0:
			b.text("only the text changes, not what it means", b.st.Dim)
		default:
			b.fields(o.Fields)
		}
	}
}

// short puts an object of which one field changes into one line, where it has
// room; pad is how wide the names of all objects are.
func (b *page) short(o *change.ObjectChange, pad int) bool {
	if len(o.Fields) != 1 || o.Old == nil || o.New == nil {
		return false
	}
	f := o.Fields[0]
	l := widget.Line{{Text: " " + o.Key.Label() + strings.Repeat(" ", pad-widget.Width(o.Key.Label())+2), Style: b.st.Accent},
		{Text: f.Path + "  ", Style: b.st.CodeKey}, {Text: cmp.Or(f.Old, "none"), Style: b.st.Removed}, {Text: " → ", Style: b.st.Dim},
		{Text: cmp.Or(f.New, "none"), Style: b.st.Added}}
	if l.Width() > b.w {
		return false
	}
	b.add(l)
	return true
}

func verb(p *gate.Preview, o *change.ObjectChange) string {
	switch {
	case o.Old == nil:
		return created(p)
	case o.New == nil:
		return "is deleted"
	}
	return "changes"
}

// created says what becomes of an object that is not there now.
func created(p *gate.Preview) string {
	if p.Undoes != 0 {
		return "is restored"
	}
	return "is new"
}

// about is a policy in a few words.
func about(p *model.Policy) string {
	s := ""
	if p.Kind.Ranked() {
		s = fmt.Sprintf("priority %d, ", p.Priority)
	}
	return s + fmt.Sprintf("ingress %s, egress %s", ladder.CountRules(p.Ingress), ladder.CountRules(p.Egress))
}

// fields lists changed fields, old → new.
func (b *page) fields(fields []change.FieldChange) {
	pad := 0
	for _, f := range fields {
		if n := widget.Width(f.Path); n <= b.w/2 {
			pad = max(pad, n)
		}
	}
	for _, f := range fields {
		old, now := cmp.Or(f.Old, "none"), cmp.Or(f.New, "none")
		room := b.w - pad - 7
		l := widget.Line{{Text: " " + f.Path, Style: b.st.CodeKey}}
		if n := widget.Width(f.Path); n > pad || widget.Width(old)+widget.Width(now) > room {
			b.add(l)
			b.point("  -", b.st.Removed, old, b.st.Removed)
			b.point("  +", b.st.Added, now, b.st.Added)
			continue
		}
		l = l.Add(strings.Repeat(" ", pad-widget.Width(f.Path)+2), b.st.Text)
		b.add(l.Add(old, b.st.Removed).Add(" → ", b.st.Dim).Add(now, b.st.Added))
	}
}

// texts are the whole texts of new objects; what follows from them stands
// before.
func (b *page) texts(objects []change.ObjectChange) {
	for _, o := range objects {
		if o.Old != nil || o.New == nil {
			continue
		}
		b.heading("text of " + o.Key.Label())
		for _, l := range widget.YAML(o.New.YAML, b.st) {
			b.add(widget.Join(widget.Plain(" "), l))
		}
	}
}

// manyGuards is from how many guard rails on each is told without its example at first, so
// that a small screen has all of them.
const manyGuards = 4

// guardText is what a guard rail says among the others.
func guardText(p *gate.Preview, g change.Guard) string {
	if len(p.Guards) < manyGuards {
		return g.Message
	}
	return briefGuard(g.Message)
}

// briefGuard is a message without its example, and without the namespaces behind the first two.
func briefGuard(text string) string {
	text, _, _ = strings.Cut(text, "for example")
	text = strings.TrimRight(text, " ,:")
	parts := strings.Split(text, "), ")
	if len(parts) > 3 {
		text = fmt.Sprintf("%s), %s) and %d more", parts[0], parts[1], len(parts)-2)
	}
	return text
}

// consequences are what to read before saying yes: guard rails, findings, notes,
// and last what is only good to know.
func (v *View) consequences(b *page) {
	if len(v.p.Guards)+len(v.p.Findings)+len(v.p.Notes)+len(v.p.NotConsidered) == 0 && v.p.Effect == nil {
		return
	}
	b.heading("consequences")
	for _, g := range v.p.Guards {
		b.point("●", b.st.Error, guardText(v.p, g), b.st.Text)
	}
	v.effect(b)
	info := func(f model.Finding) bool { return f.Severity == model.SeverityInfo }
	b.findings(v.p.Findings, func(f model.Finding) bool { return !info(f) })
	for i := range v.p.NotConsidered {
		o := &v.p.NotConsidered[i]
		sign, look := "▲", b.st.Warn
		if o.Assumed() {
			sign, look = "·", b.st.Dim
		}
		b.point(sign, look, o.String(), b.st.Text)
	}
	for _, n := range v.p.Notes {
		b.point("·", b.st.Dim, n, b.st.Text)
	}
	b.findings(v.p.Findings, info)
	if len(v.p.Guards) < manyGuards {
		return
	}
	b.heading("guard rails with examples")
	for _, g := range v.p.Guards {
		b.point("●", b.st.Error, g.Message, b.st.Text)
	}
}

func (b *page) findings(all []model.Finding, which func(model.Finding) bool) {
	for _, f := range all {
		if !which(f) {
			continue
		}
		mark, st := "▲", b.st.Warn
		switch f.Severity {
		case model.SeverityError:
			mark, st = "●", b.st.Error
		case model.SeverityInfo:
			mark, st = "·", b.st.Info
		}
		text := f.Policy.Label()
		if f.Rule >= 0 && f.Direction != "" {
			text += " " + revision.RuleLabel(f.Direction, f.Rule, "")
		}
		text += ": " + f.Message
		if f.Remedy != "" {
			text += " (" + f.Remedy + ")"
		}
		b.point(mark, st, text, b.st.Text)
	}
}

// commands are the equivalent command lines.
func (b *page) commands(all []string) {
	if len(all) == 0 {
		return
	}
	b.heading("the same with kubectl")
	for _, c := range all {
		b.text(c, b.st.CodeText)
	}
}

func dashes(w int) string { return strings.Repeat("─", max(0, w)) }
