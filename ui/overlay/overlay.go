package overlay

import (
	"rung/engine/trace"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"slices"
)

// Overlay is something over the page that has the keyboard.
type Overlay interface {
	// Key takes a key press. An overlay that is done goes away; what was chosen in it
	// is carried out then, nil for nothing.
	Key(key, text string) (done bool, chosen *Choice)
	Paste(text string)
	// Draw gives a title and the lines of a box w cells wide inside and at most h high.
	Draw(st *themes.Styles, w, h int) (title string, lines []string)
	// Width is how wide the box wants to be inside.
	Width() int
	// Cursor says where the terminal's cursor belongs in the lines that were drawn
	// last; ok is false where nothing is typed.
	Cursor() (x, line int, ok bool)
}

// Stack are the overlays over a page; the last has the keyboard.
type Stack []Overlay

// Remove takes an overlay away.
func (s *Stack) Remove(o Overlay) {
	*s = slices.DeleteFunc(slices.Clone(*s), func(x Overlay) bool { return x == o })
}

// Choice is what was chosen in an overlay: an action, a page, a theme, or a question whose
// missing parts are asked for.
type Choice struct {
	Action *action.Action
	Page   nav.Page
	Theme  string
	Trace  *trace.Question
}

// Offered is an action of the page, and why it cannot be done now, empty when it can.
type Offered struct {
	action.Action
	WhyNot string
}

// Offers are what there is to choose from.
type Offers struct {
	Rev     *revision.Revision
	Keys    *action.Keymap
	Actions []Offered
	Themes  []string
}
