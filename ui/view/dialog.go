package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"rung/change"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/widget"
)

// Dialog is a question over the page. Its answers are carried out with an Env of the page that asked.
type Dialog interface {
	// PressKey handles a key press; text is what the key types. It is done when answered or cancelled.
	PressKey(env *Env, key, text string) (done bool)
	// Draw returns the title and the lines of a box of inner width w.
	Draw(st *themes.StyleSet, w int) (title string, lines []string)
}

// TypingDialog is a dialog with an input line.
type TypingDialog interface {
	// Cursor returns the place of the cursor in the lines drawn last: cell and line. ok is false while nothing
	// is typed.
	Cursor() (x, line int, ok bool)
	// TypesText reports whether keys are text, of which none may be lost.
	TypesText() bool
	// Paste takes pasted text.
	Paste(text string)
}

// ChangingDialog is a dialog whose question may change while open.
type ChangingDialog interface {
	// IsUnread reports whether it changed and was not answered since.
	IsUnread() bool
	// IsGone reports whether a change left nothing to ask.
	IsGone() bool
}

// FocusedDialog is a dialog with a line that must stay in sight if not all fit.
type FocusedDialog interface {
	// FocusLine returns that line's index in the lines of the last Draw.
	FocusLine() int
}

// YesKeys are the keys that answer yes: a for apply, as on the preview.
const YesKeys = "yYaA"

// ConfirmDialog asks yes or no, beginning with no.
type ConfirmDialog struct {
	Title string
	// Body says what will happen, one paragraph each.
	Body []string
	// Type is a name to type for yes. A wrong name can be corrected; an empty one means no.
	Type string
	// WhyNot is the reason why yes is not possible; empty asks.
	WhyNot string
	// Warn paragraphs have a warning sign.
	Warn []string
	// YesText and NoText name the answers; empty means "yes" and "no".
	YesText, NoText string
	Yes, No         func(*Env)
	// Trials are choices of auto-revert times: with one chosen, yes calls YesTrial. Space chooses the first,
	// then the next, after the last none. Empty offers no trial.
	Trials   []time.Duration
	YesTrial func(*Env, time.Duration)
	// Changed returns what changed since the question, empty if nothing; nil never checks. After a change yes
	// does not apply: the user has not read the present state.
	Changed func() string
	// Again returns the question for the changed state. It replaces this one, keeps the typed text, and its
	// first yes only reports the change. Nil, or a nil result: there is nothing left to ask.
	Again func() *ConfirmDialog

	yes        bool
	trial      int    // index into Trials from 1; 0 is none
	changed    string // what changed and left nothing to ask
	changeText string // what changed, of a question shown again
	isChanged  bool   // not answered since the change
	problem    string // what is wrong with the answer
	input      widget.TextInput
	typing     int // line of the input in the last drawing, 0 if none
}

// isStale reports whether there is nothing left to ask. A changed question is replaced by its new form.
func (c *ConfirmDialog) isStale() bool {
	if c.changed != "" || c.Changed == nil {
		return c.changed != ""
	}
	what := c.Changed()
	if what == "" {
		return false
	}
	var now *ConfirmDialog
	if c.Again != nil {
		now = c.Again()
	}
	if now == nil {
		c.changed = what
		return true
	}
	was := *c
	*c = *now
	c.input, c.typing, c.trial = was.input, was.typing, min(was.trial, len(c.Trials))
	c.Type = cmp.Or(c.Type, was.Type) // letters being typed must not become the answers y and n
	c.changeText, c.isChanged = what, true
	return false
}

// TypesText reports whether a name is typed.
func (c *ConfirmDialog) TypesText() bool { return c.Type != "" }

// IsUnread reports whether the question changed and was not answered since.
func (c *ConfirmDialog) IsUnread() bool { return c.isChanged }

// IsGone reports whether a change left nothing to ask.
func (c *ConfirmDialog) IsGone() bool { return c.changed != "" || c.changeText != "" && c.WhyNot != "" }

// carryOutYes carries out yes, except for the first yes after a change.
func (c *ConfirmDialog) carryOutYes(env *Env) bool {
	if c.isChanged {
		c.isChanged, c.problem = false, "not done: the question changed meanwhile; read it again and repeat your answer"
		return false
	}
	if c.trial > 0 {
		return c.carryOut(env, func(env *Env) { c.YesTrial(env, c.Trials[c.trial-1]) })
	}
	return c.carryOut(env, c.Yes)
}

// PressKey answers.
func (c *ConfirmDialog) PressKey(env *Env, key, text string) bool {
	if c.isStale() || c.WhyNot != "" {
		// Somebody typing a name goes on for a moment: only esc and enter close the question.
		return (key == "esc" || key == "enter") && c.carryOut(env, c.No)
	}
	if key == "space" && len(c.Trials) > 0 { // no name contains a space
		c.trial = (c.trial + 1) % (len(c.Trials) + 1)
		return false
	}
	if c.Type != "" {
		return c.typeName(env, key, text)
	}
	switch key {
	case "esc", "n", "N", "q":
		return c.carryOut(env, c.No)
	case "y", "Y", "a", "A":
		return c.carryOutYes(env)
	case "left", "right", "tab", "shift+tab":
		c.yes, c.problem = !c.yes, ""
	case "enter":
		if c.yes {
			return c.carryOutYes(env)
		}
		return c.carryOut(env, c.No)
	}
	return false
}

// typeName edits the name and confirms with it.
func (c *ConfirmDialog) typeName(env *Env, key, text string) bool {
	switch key {
	case "esc":
		return c.carryOut(env, c.No)
	case "enter":
		switch strings.TrimSpace(c.input.InputText()) {
		case c.Type:
			return c.carryOutYes(env)
		case "":
			return c.carryOut(env, c.No)
		}
		c.problem = "the name is " + c.Type
		return false
	}
	c.problem = ""
	c.input.PressKey(env.Keys, key, text)
	return false
}

func (c *ConfirmDialog) carryOut(env *Env, f func(*Env)) bool {
	if f != nil {
		f(env)
	}
	return true
}

// Paste inserts text into the name.
func (c *ConfirmDialog) Paste(text string) {
	if c.Type != "" && c.WhyNot == "" {
		c.problem = ""
		c.input.InsertText(text)
	}
}

// Cursor returns the place of the cursor in the name.
func (c *ConfirmDialog) Cursor() (x, line int, ok bool) {
	return len(typeHere) + c.input.Cursor(), c.typing, c.typing > 0 && c.input.Cursor() >= 0
}

// typeHere precedes an input line.
const typeHere = " > "

// Draw shows the question, or why it is not asked any more.
func (c *ConfirmDialog) Draw(st *themes.StyleSet, w int) (string, []string) {
	var lines []string
	c.typing = 0
	if c.isStale() {
		lines = warningLines("Changed since you were asked: "+c.changed+".", st, w)
		return c.Title, append(lines, "", " Nothing was done.", "", " enter or esc closes")
	}
	for _, p := range c.Body {
		lines = append(lines, paragraphLines(p, themes.Style{}, w)...)
	}
	for _, p := range c.Warn {
		lines = append(lines, warningLines(p, st, w)...)
	}
	if c.changeText != "" { // next to the answer: a long question is shown from its end
		lines = append(append(lines, ""), warningLines("This question changed and was reloaded: "+c.changeText+".", st, w)...)
	}
	if len(c.Trials) > 0 && c.WhyNot == "" {
		lines = append(lines, "", c.drawTrial(st, w))
	}
	lines = append(lines, "")
	switch {
	case c.WhyNot != "":
		lines = append(lines, signedParagraph(words.No, st.Error, change.BlockedText(c.WhyNot), w)...)
		return c.Title, append(lines, "", " enter or esc closes")
	case c.Type != "":
		return c.Title, c.drawName(lines, st, w)
	}
	lines = append(lines, c.answerLines(st, w)...)
	if c.problem != "" {
		lines = append(lines, signedParagraph(words.Failed, st.Error, c.problem, w)...)
	}
	return c.Title, lines
}

// drawTrial draws the choice of auto-revert, and what space chooses next.
func (c *ConfirmDialog) drawTrial(st *themes.StyleSet, w int) string {
	box, style, within, next := "[ ]", themes.Style{}, c.Trials[0], ""
	if c.trial > 0 {
		box, style, within, next = "[x]", st.Title, c.Trials[c.trial-1], " (space: off)"
		if c.trial < len(c.Trials) {
			next = " (space: " + revision.ConfirmTimeText(c.Trials[c.trial]) + ")"
		}
	}
	return widget.Line{{Text: " "}, {Text: "space", Style: st.Key}, {Text: " " + box + " auto-revert in " + revision.ConfirmTimeText(within) +
		" unless confirmed", Style: style},
		{Text: next, Style: st.Dim}}.Render(w)
}

// answerLines draws no and yes, side by side if they fit.
func (c *ConfirmDialog) answerLines(st *themes.StyleSet, w int) []string {
	no, yes := widget.StyledLine("  n "+cmp.Or(c.NoText, "no")+"  ", st.Dim), widget.StyledLine("  y "+cmp.Or(c.YesText, "yes")+"  ", st.Dim)
	chosen := &no
	if c.yes {
		chosen = &yes
	}
	*chosen = widget.StyledLine("["+strings.TrimSuffix((*chosen)[0].Text[1:], " ")+"]", st.Selection)
	if 1+no.LineWidth()+3+yes.LineWidth() <= w {
		return []string{widget.JoinLines(widget.PlainLine(" "), no, widget.PlainLine("   "), yes).Render(w)}
	}
	return []string{widget.JoinLines(widget.PlainLine(" "), no).Render(w), widget.JoinLines(widget.PlainLine(" "), yes).Render(w)}
}

// drawName adds the name to type, the typed text and its error.
func (c *ConfirmDialog) drawName(lines []string, st *themes.StyleSet, w int) []string {
	ask := widget.Line{{Text: " Type "}, {Text: c.Type, Style: st.Title}, {Text: " to confirm, esc to cancel:"}}
	if ask.LineWidth() <= w {
		lines = append(lines, ask.Render(w))
	} else {
		lines = append(lines, paragraphLines(strings.TrimSpace(ask.String()), themes.Style{}, w)...)
	}
	lines = append(lines, typeHere+c.input.Render(st, max(1, w-len(typeHere)-1)))
	c.typing = len(lines) - 1
	if c.problem != "" {
		lines = append(lines, signedParagraph(words.Failed, st.Error, c.problem, w)...)
	}
	return lines
}

// paragraphLines wraps text for a box.
func paragraphLines(text string, style themes.Style, w int) []string {
	lines := widget.FlowText(text, max(1, w-2))
	for i := range lines {
		lines[i] = " " + style.Render(lines[i])
	}
	return lines
}

// signedParagraph wraps text after a sign, both in one style.
func signedParagraph(sign string, style themes.Style, text string, w int) []string {
	lines := widget.FlowText(text, max(1, w-4))
	for i := range lines {
		mark := words.Choose(i == 0, sign+" ", "  ")
		lines[i] = " " + style.Render(mark+lines[i])
	}
	return lines
}

// warningLines wraps text after a warning sign.
func warningLines(text string, st *themes.StyleSet, w int) []string {
	lines := widget.FlowText(text, max(1, w-4))
	for i := range lines {
		mark := "  "
		if i == 0 {
			mark = st.Warn.Render(words.Warned) + " "
		}
		lines[i] = " " + mark + lines[i]
	}
	return lines
}

// AskFind asks for a text and goes to its first match, or reports no match.
func AskFind(env *Env, t *widget.TextView) {
	const label = "Text or regular expression (lower case matches any case):"
	env.AskDialog(&PromptDialog{Title: "Find", Label: label, Check: func(text string) string {
		if f := widget.ParseFilter(text); !t.FindMatch(f) && !f.IsEmpty() {
			return fmt.Sprintf("%q is not in the text", text)
		}
		return ""
	}})
}

// PromptDialog asks for a line of text.
type PromptDialog struct {
	Title string
	Label string
	// Value is the initial text, which typing replaces.
	Value string
	// Offers are texts that up and down put into the line, each with a note.
	Offers []ChoiceItem
	// Check returns the error of a text, empty if valid.
	Check func(string) string
	Done  func(*Env, string)

	input   widget.TextInput
	begun   bool
	offerAt int // index of the offer put into the line last
	problem string
	typing  int // line of the input in the last drawing
}

func (p *PromptDialog) beginInput() {
	if !p.begun {
		p.begun = true
		p.input.PrefillText(p.Value)
	}
}

// PressKey edits the line.
func (p *PromptDialog) PressKey(env *Env, key, text string) bool {
	p.beginInput()
	switch key {
	case "esc":
		return true
	case "enter":
		if p.Check != nil {
			p.problem = p.Check(p.input.InputText())
			if p.problem != "" {
				return false
			}
		}
		if p.Done != nil {
			p.Done(env, p.input.InputText())
		}
		return true
	case "down", "ctrl+n", "up", "ctrl+p":
		if n := len(p.Offers); n > 0 {
			step := words.Choose(key == "down" || key == "ctrl+n", 1, -1)
			p.offerAt = max(0, min(p.offerAt+step, n-1))
			p.input.Set(p.Offers[p.offerAt].Text)
			p.problem = ""
			return false
		}
	}
	p.input.PressKey(env.Keys, key, text)
	p.problem = ""
	return false
}

// Paste inserts text into the line.
func (p *PromptDialog) Paste(text string) { p.beginInput(); p.problem = ""; p.input.InsertText(text) }

// TypesText returns true: keys are text.
func (p *PromptDialog) TypesText() bool { return true }

// Cursor returns the place of the cursor in the line.
func (p *PromptDialog) Cursor() (x, line int, ok bool) {
	return len(typeHere) + p.input.Cursor(), p.typing, p.input.Cursor() >= 0
}

// Draw shows the line and its error.
func (p *PromptDialog) Draw(st *themes.StyleSet, w int) (string, []string) {
	p.beginInput()
	lines := paragraphLines(widget.CleanText(p.Label), themes.Style{}, w)
	p.typing = len(lines)
	lines = append(lines, typeHere+p.input.Render(st, max(1, w-len(typeHere)-1)))
	switch {
	case p.problem != "":
		lines = append(lines, signedParagraph(words.Failed, st.Error, p.problem, w)...)
	case p.input.IsPrefilled():
		lines = append(lines, paragraphLines("enter accept · type to replace", st.Dim, w)...)
	}
	return p.Title, append(lines, p.offerLines(st, w)...)
}

// mostOffers bounds the offers drawn at a time.
const mostOffers = 6

// offerLines draws the offers around the one put into the line last.
func (p *PromptDialog) offerLines(st *themes.StyleSet, w int) (lines []string) {
	wide := 0
	for _, o := range p.Offers {
		wide = max(wide, min(widget.TextWidth(widget.CleanText(o.Text)), w/2))
	}
	top := max(0, min(p.offerAt-mostOffers/2, len(p.Offers)-mostOffers))
	for i := top; i < min(top+mostOffers, len(p.Offers)); i++ {
		text, mark := widget.CleanText(p.Offers[i].Text), "  "
		if p.Offers[i].Text == p.input.InputText() {
			mark = " " + words.Cursor
		}
		l := widget.Line{{Text: mark + " "}, {Text: text, Style: st.Accent}}
		lines = append(lines, l.Add(strings.Repeat(" ", max(0, wide-widget.TextWidth(text))+2)+widget.CleanText(p.Offers[i].Note), st.Dim).Render(
			w))
	}
	if left := len(p.Offers) - top - mostOffers; left > 0 {
		lines = append(lines, widget.StyledLine(fmt.Sprintf("   … %s more", words.Thousands(left)), st.Dim).Render(w))
	}
	if len(p.Offers) > 1 {
		lines = append(lines, paragraphLines("up/down choose · esc cancel", st.Dim, w)...)
	}
	return lines
}
