package template

import (
	"fmt"
	"slices"
	"strings"

	"rung/model/template"
	"rung/model/words"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// answerForm asks the questions of a template, with the answers that the cluster offers below.
type answerForm struct {
	w         *template.World
	t         *template.Template
	onAnswers func(*view.Env, template.Answers)

	questions []template.Question
	input     []widget.TextInput
	touched   []bool // somebody answered it: what is offered does not replace the answer
	fieldAt   int
	offers    []template.Choice
	pick      int
	moved     bool // the cursor was put on it
	problem   string
	typing    int // the line of the field in the last drawing
}

func newForm(w *template.World, t *template.Template, done func(*view.Env, template.Answers)) *answerForm {
	f := &answerForm{w: w, t: t, onAnswers: done, questions: t.AskedQuestions()}
	f.input, f.touched = make([]widget.TextInput, len(f.questions)), make([]bool, len(f.questions))
	f.followOffered(0)
	f.enterField(0)
	return f
}

// answersUpTo returns the values of the fields before one.
func (f *answerForm) answersUpTo(upTo int) template.Answers {
	out := template.Answers{}
	for i := range upTo {
		out[f.questions[i].Name] = f.fieldValue(i)
	}
	return out
}

func (f *answerForm) fieldValue(i int) string { return strings.TrimSpace(f.input[i].InputText()) }

// followOffered fills the fields from one on, which nobody answered, with what is offered first:
// it depends on the answers before.
func (f *answerForm) followOffered(from int) {
	for i := from; i < len(f.questions); i++ {
		if !f.touched[i] {
			f.input[i].PrefillText(f.questions[i].FirstChoice(f.w, f.answersUpTo(i)))
		}
	}
}

// enterField goes to a field.
func (f *answerForm) enterField(i int) {
	f.fieldAt, f.problem, f.moved, f.pick = i, "", false, 0
	f.offers = f.questions[i].OfferedChoices(f.w, f.answersUpTo(i))
	if at := slices.IndexFunc(f.offers, func(c template.Choice) bool { return c.Value == f.fieldValue(i) }); at >= 0 {
		f.pick = at
	}
}

// takesSeveral says whether the field takes more than one of what is offered.
func (f *answerForm) takesSeveral() bool { return f.questions[f.fieldAt].Kind == template.Values }

// PressKey fills the fields.
func (f *answerForm) PressKey(env *view.Env, key, text string) bool {
	switch key {
	case "esc":
		return true
	case "enter":
		return f.nextField(env)
	case "tab":
		f.enterField((f.fieldAt + 1) % len(f.questions))
	case "shift+tab":
		f.enterField((f.fieldAt + len(f.questions) - 1) % len(f.questions))
	case "down", "ctrl+n":
		f.moveBy(1)
	case "up", "ctrl+p":
		f.moveBy(-1)
	case "space":
		if f.takesSeveral() {
			f.toggleValue()
			return false
		}
		f.editField(env, key, text)
	default:
		f.editField(env, key, text)
	}
	return false
}

// moveBy goes along what is offered, and takes it where one answer is wanted.
func (f *answerForm) moveBy(by int) {
	if len(f.offers) == 0 {
		return
	}
	f.pick, f.moved = max(0, min(f.pick+by, len(f.offers)-1)), true
	if !f.takesSeveral() {
		f.setValue(f.offers[f.pick].Value)
	}
}

// toggleValue takes a value into the list, or out of it; the line of all values takes all.
func (f *answerForm) toggleValue() {
	if f.pick >= len(f.offers) {
		return
	}
	v := f.offers[f.pick].Value
	if strings.Contains(v, ",") {
		f.setValue(v)
		return
	}
	var out []string
	had := false
	for _, x := range strings.Split(f.fieldValue(f.fieldAt), ",") {
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
	f.setValue(strings.Join(out, ","))
}

func (f *answerForm) hasValue(v string) bool {
	return slices.ContainsFunc(strings.Split(f.fieldValue(f.fieldAt), ","), func(x string) bool { return strings.TrimSpace(x) == v })
}

// setValue answers the field.
func (f *answerForm) setValue(text string) {
	f.input[f.fieldAt].Set(text)
	f.touched[f.fieldAt], f.problem = true, ""
	f.followOffered(f.fieldAt + 1)
}

// editField types into the field.
func (f *answerForm) editField(env *view.Env, key, text string) {
	was := f.input[f.fieldAt].InputText()
	f.input[f.fieldAt].PressKey(env.Keys, key, text)
	if f.input[f.fieldAt].InputText() != was {
		f.touched[f.fieldAt], f.problem, f.moved = true, "", false
		f.followOffered(f.fieldAt + 1)
	}
}

// nextField checks the field and goes on; after the last the policies are made.
func (f *answerForm) nextField(env *view.Env) bool {
	if !f.checkField(f.fieldAt) {
		return false
	}
	if f.fieldAt < len(f.questions)-1 {
		f.enterField(f.fieldAt + 1)
		return false
	}
	for i := range f.questions {
		if !f.checkField(i) {
			return false
		}
	}
	f.onAnswers(env, f.answersUpTo(len(f.questions)))
	return true
}

// checkField says whether a field has an answer, and goes there where it has not.
func (f *answerForm) checkField(i int) bool {
	_, err := f.t.CheckAnswer(f.w, &f.questions[i], f.fieldValue(i), f.answersUpTo(i))
	if err == nil {
		return true
	}
	if f.fieldAt != i {
		f.enterField(i)
	}
	f.problem = err.Error()
	return false
}

// Paste types into the field.
func (f *answerForm) Paste(text string) {
	f.input[f.fieldAt].InsertText(strings.TrimSpace(text))
	f.touched[f.fieldAt], f.problem = true, ""
	f.followOffered(f.fieldAt + 1)
}

// TypesText says that text is typed.
func (f *answerForm) TypesText() bool { return true }

// Cursor is in the field.
func (f *answerForm) Cursor() (x, line int, ok bool) {
	c := f.input[f.fieldAt].Cursor()
	return f.nameWidth() + c, f.typing, c >= 0
}

// FocusLine is the field.
func (f *answerForm) FocusLine() int { return f.typing }

func (f *answerForm) nameWidth() int {
	n := 0
	for _, q := range f.questions {
		n = max(n, len(q.Name))
	}
	return n + 4
}

// mostOffers is how many answers are offered at a time.
const mostOffers = 6

// Draw shows the fields, the question of the one that is filled, and the answers to choose.
func (f *answerForm) Draw(st *themes.StyleSet, w int) (string, []string) {
	var lines []string
	say := func(lead, text string, style themes.Style) {
		for _, l := range widget.FlowText(widget.CleanText(text), max(1, w-2-len([]rune(lead)))) {
			lines = append(lines, widget.Line{{Text: " " + lead + l, Style: style}}.Render(w))
			lead = strings.Repeat(" ", len([]rune(lead)))
		}
	}
	say("", f.t.For+".", st.Dim)
	lines = append(lines, "")
	wide := f.nameWidth()
	for i, q := range f.questions {
		mark, look := "  ", st.Dim
		if i == f.fieldAt {
			mark, look, f.typing = " "+words.Cursor, st.Title, len(lines)
		}
		name := widget.StyledLine(mark+q.Name+strings.Repeat(" ", wide-2-len(q.Name)), look)
		if i == f.fieldAt {
			lines = append(lines, name.Render(wide)+f.input[i].Render(st, max(1, w-wide-1)))
		} else {
			lines = append(lines, widget.JoinLines(name, widget.PlainLine(widget.CleanText(f.fieldValue(i)))).Render(w))
		}
	}
	lines = append(lines, "")
	q := &f.questions[f.fieldAt]
	say("", q.Ask, st.Text)
	if f.problem != "" {
		say(words.Failed+" ", f.problem, st.Error)
	}
	lines = append(lines, f.offeredLines(st, w)...)
	hint := "enter goes on"
	if f.fieldAt == len(f.questions)-1 {
		hint = "enter previews; nothing is written yet"
	}
	if f.takesSeveral() {
		hint = "space takes a value in or out · " + hint
	} else if len(f.offers) > 1 {
		hint = "up/down choose · " + hint
	}
	say("", hint+" · tab next field · esc cancel", st.Dim)
	return "new " + f.t.Name, lines
}

// offeredLines are the answers that can be chosen, as many lines each time.
func (f *answerForm) offeredLines(st *themes.StyleSet, w int) []string {
	lines := make([]string, 0, mostOffers+1)
	wide := 0
	for _, o := range f.offers {
		if f.takesSeveral() && strings.Contains(o.Value, ",") {
			continue // it is called all
		}
		wide = max(wide, min(widget.TextWidth(widget.CleanText(o.Value)), w/2))
	}
	top := max(0, min(f.pick-mostOffers/2, len(f.offers)-mostOffers))
	for i := top; i < len(f.offers) && i < top+mostOffers; i++ {
		o := f.offers[i]
		value, mark := widget.CleanText(o.Value), "   "
		if i == f.pick && (f.moved || f.fieldValue(f.fieldAt) == o.Value) {
			mark = " " + words.Cursor + " "
		}
		if f.takesSeveral() {
			box := "[ ] "
			switch {
			case strings.Contains(o.Value, ","):
				value, box = "all", "    "
			case f.hasValue(o.Value):
				box = "[x] "
			}
			mark += box
		}
		l := widget.Line{{Text: mark}, {Text: value, Style: st.Accent}}
		l = l.Add(strings.Repeat(" ", max(0, wide-widget.TextWidth(value))+2)+widget.CleanText(o.Note), st.Dim)
		if i == f.pick && f.moved {
			lines = append(lines, l.RenderAs(w, st.Selection))
		} else {
			lines = append(lines, l.Render(w))
		}
	}
	if left := len(f.offers) - top - mostOffers; left > 0 {
		lines = append(lines, widget.StyledLine(fmt.Sprintf("   … %s more", words.Thousands(left)), st.Dim).Render(w))
	} else {
		lines = append(lines, "")
	}
	return lines
}
