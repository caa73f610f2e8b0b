package template

import (
	"fmt"
	"slices"
	"strings"

	"rung/model/template"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// form asks the questions of a template, with the answers that the cluster offers below.
type form struct {
	w    *template.World
	t    *template.Template
	done func(*view.Env, template.Answers)

	questions []template.Question
	input     []widget.Input
	touched   []bool // somebody answered it: what is offered does not replace the answer
	at        int
	offers    []template.Choice
	pick      int
	moved     bool // the cursor was put on it
	wrong     string
	typing    int // the line of the field in the last drawing
}

func newForm(w *template.World, t *template.Template, done func(*view.Env, template.Answers)) *form {
	f := &form{w: w, t: t, done: done, questions: t.AskedQuestions()}
	f.input, f.touched = make([]widget.Input, len(f.questions)), make([]bool, len(f.questions))
	f.follow(0)
	f.enter(0)
	return f
}

// answers returns the values of the fields before one.
func (f *form) answers(upTo int) template.Answers {
	out := template.Answers{}
	for i := range upTo {
		out[f.questions[i].Name] = f.value(i)
	}
	return out
}

func (f *form) value(i int) string { return strings.TrimSpace(f.input[i].Value()) }

// follow fills the fields from one on, which nobody answered, with what is offered first:
// it depends on the answers before.
func (f *form) follow(from int) {
	for i := from; i < len(f.questions); i++ {
		if !f.touched[i] {
			f.input[i].Prefill(f.questions[i].FirstChoice(f.w, f.answers(i)))
		}
	}
}

// enter goes to a field.
func (f *form) enter(i int) {
	f.at, f.wrong, f.moved, f.pick = i, "", false, 0
	f.offers = f.questions[i].OfferedChoices(f.w, f.answers(i))
	if at := slices.IndexFunc(f.offers, func(c template.Choice) bool { return c.Value == f.value(i) }); at >= 0 {
		f.pick = at
	}
}

// several says whether the field takes more than one of what is offered.
func (f *form) several() bool { return f.questions[f.at].Kind == template.Values }

// PressKey fills the fields.
func (f *form) PressKey(env *view.Env, key, text string) bool {
	switch key {
	case "esc":
		return true
	case "enter":
		return f.next(env)
	case "tab":
		f.enter((f.at + 1) % len(f.questions))
	case "shift+tab":
		f.enter((f.at + len(f.questions) - 1) % len(f.questions))
	case "down", "ctrl+n":
		f.move(1)
	case "up", "ctrl+p":
		f.move(-1)
	case "space":
		if f.several() {
			f.toggle()
			return false
		}
		f.edit(env, key, text)
	default:
		f.edit(env, key, text)
	}
	return false
}

// move goes along what is offered, and takes it where one answer is wanted.
func (f *form) move(by int) {
	if len(f.offers) == 0 {
		return
	}
	f.pick, f.moved = max(0, min(f.pick+by, len(f.offers)-1)), true
	if !f.several() {
		f.set(f.offers[f.pick].Value)
	}
}

// toggle takes a value into the list, or out of it; the line of all values takes all.
func (f *form) toggle() {
	if f.pick >= len(f.offers) {
		return
	}
	v := f.offers[f.pick].Value
	if strings.Contains(v, ",") {
		f.set(v)
		return
	}
	var out []string
	had := false
	for _, x := range strings.Split(f.value(f.at), ",") {
		x = strings.TrimSpace(x)
		if x == v {
			had = true
		} else if x != "" {
			out = append(out, x)
		}
	}
	if !had {
		out = append(out, v)
	}
	f.set(strings.Join(out, ","))
}

func (f *form) has(v string) bool {
	return slices.ContainsFunc(strings.Split(f.value(f.at), ","), func(x string) bool { return strings.TrimSpace(x) == v })
}

// set answers the field.
func (f *form) set(text string) {
	f.input[f.at].Set(text)
	f.touched[f.at], f.wrong = true, ""
	f.follow(f.at + 1)
}

// edit types into the field.
func (f *form) edit(env *view.Env, key, text string) {
	was := f.input[f.at].Value()
	f.input[f.at].Key(env.Keys, key, text)
	if f.input[f.at].Value() != was {
		f.touched[f.at], f.wrong, f.moved = true, "", false
		f.follow(f.at + 1)
	}
}

// next checks the field and goes on; after the last the policies are made.
func (f *form) next(env *view.Env) bool {
	if !f.check(f.at) {
		return false
	}
	if f.at < len(f.questions)-1 {
		f.enter(f.at + 1)
		return false
	}
	for i := range f.questions {
		if !f.check(i) {
			return false
		}
	}
	f.done(env, f.answers(len(f.questions)))
	return true
}

// check says whether a field has an answer, and goes there where it has not.
func (f *form) check(i int) bool {
	_, err := f.t.CheckAnswer(f.w, &f.questions[i], f.value(i), f.answers(i))
	if err == nil {
		return true
	}
	if f.at != i {
		f.enter(i)
	}
	f.wrong = err.Error()
	return false
}

// Paste types into the field.
func (f *form) Paste(text string) {
	f.input[f.at].Insert(strings.TrimSpace(text))
	f.touched[f.at], f.wrong = true, ""
	f.follow(f.at + 1)
}

// TypesText says that text is typed.
func (f *form) TypesText() bool { return true }

// Cursor is in the field.
func (f *form) Cursor() (x, line int, ok bool) {
	c := f.input[f.at].Cursor()
	return f.nameWidth() + c, f.typing, c >= 0
}

// FocusLine is the field.
func (f *form) FocusLine() int { return f.typing }

func (f *form) nameWidth() int {
	n := 0
	for _, q := range f.questions {
		n = max(n, len(q.Name))
	}
	return n + 4
}

// mostOffers is how many answers are offered at a time.
const mostOffers = 6

// Draw shows the fields, the question of the one that is filled, and the answers to choose.
func (f *form) Draw(st *themes.StyleSet, w int) (string, []string) {
	var lines []string
	say := func(lead, text string, style themes.Style) {
		for _, l := range widget.Flow(widget.Clean(text), max(1, w-2-len([]rune(lead)))) {
			lines = append(lines, widget.Line{{Text: " " + lead + l, Style: style}}.Render(w))
			lead = strings.Repeat(" ", len([]rune(lead)))
		}
	}
	say("", f.t.For+".", st.Dim)
	lines = append(lines, "")
	wide := f.nameWidth()
	for i, q := range f.questions {
		mark, look := "  ", st.Dim
		if i == f.at {
			mark, look, f.typing = " ▸", st.Title, len(lines)
		}
		name := widget.Styled(mark+q.Name+strings.Repeat(" ", wide-2-len(q.Name)), look)
		if i == f.at {
			lines = append(lines, name.Render(wide)+f.input[i].Render(st, max(1, w-wide-1)))
		} else {
			lines = append(lines, widget.Join(name, widget.Plain(widget.Clean(f.value(i)))).Render(w))
		}
	}
	lines = append(lines, "")
	q := &f.questions[f.at]
	say("", q.Ask, st.Text)
	if f.wrong != "" {
		say("● ", f.wrong, st.Error)
	}
	lines = append(lines, f.offered(st, w)...)
	hint := "enter goes on"
	if f.at == len(f.questions)-1 {
		hint = "enter previews; nothing is written yet"
	}
	if f.several() {
		hint = "space takes a value in or out · " + hint
	} else if len(f.offers) > 1 {
		hint = "up/down choose · " + hint
	}
	say("", hint+" · tab next field · esc cancel", st.Dim)
	return "new " + f.t.Name, lines
}

// offered are the answers that can be chosen, as many lines each time.
func (f *form) offered(st *themes.StyleSet, w int) []string {
	lines := make([]string, 0, mostOffers+1)
	wide := 0
	for _, o := range f.offers {
		if f.several() && strings.Contains(o.Value, ",") {
			continue // it is called all
		}
		wide = max(wide, min(widget.Width(widget.Clean(o.Value)), w/2))
	}
	top := max(0, min(f.pick-mostOffers/2, len(f.offers)-mostOffers))
	for i := top; i < len(f.offers) && i < top+mostOffers; i++ {
		o := f.offers[i]
		value, mark := widget.Clean(o.Value), "   "
		if i == f.pick && (f.moved || f.value(f.at) == o.Value) {
			mark = " ▸ "
		}
		if f.several() {
			box := "[ ] "
			switch {
			case strings.Contains(o.Value, ","):
				value, box = "all", "    "
			case f.has(o.Value):
				box = "[x] "
			}
			mark += box
		}
		l := widget.Line{{Text: mark}, {Text: value, Style: st.Accent}}
		l = l.Add(strings.Repeat(" ", max(0, wide-widget.Width(value))+2)+widget.Clean(o.Note), st.Dim)
		if i == f.pick && f.moved {
			lines = append(lines, l.RenderAs(w, st.Selection))
		} else {
			lines = append(lines, l.Render(w))
		}
	}
	if left := len(f.offers) - top - mostOffers; left > 0 {
		lines = append(lines, widget.Styled(fmt.Sprintf("   … %d more", left), st.Dim).Render(w))
	} else {
		lines = append(lines, "")
	}
	return lines
}
