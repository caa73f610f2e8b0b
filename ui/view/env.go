package view

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"rung/change"
	"rung/model"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/widget"
)

// Env gives a view the state of the console, and takes its requests, during one call. It is
// not kept.
type Env struct {
	Console Console
	// Rev is the revision of this frame.
	Rev    *revision.Revision
	Now    time.Time
	Styles *themes.Styles
	Keys   *action.Keymap
	// StateDir takes files a view leaves behind: texts being edited, saved pages.
	StateDir string
	// Setups are the settings that pages keep for the next page of their kind.
	Setups *Setups
	// Page is the page of the view; W and H the size it is drawn in.
	Page nav.Page
	W, H int
	// Sign is the spinner of this frame, empty while nothing has been worked on for
	// long enough to say so.
	Sign string

	asks []any
}

// The requests of a view; the root model carries them out when the call returns.
type (
	// OpenAsk goes to a page; Replace leaves the current one out of the way
	// back.
	OpenAsk struct {
		Page    nav.Page
		Replace bool
	}
	// BackAsk goes back one page, and past the pages of an object that is gone;
	// the page that is then on top puts its cursor on To.
	BackAsk struct {
		To   nav.Page
		Past model.Key
	}
	// PreviewAsk shows a change with its consequences.
	PreviewAsk struct{ Mutation change.Mutation }
	// ToastAsk says something in the status line.
	ToastAsk struct {
		Text string
		Bad  bool
	}
	// CopyAsk puts text into the clipboard.
	CopyAsk Copy
	// RunAsk does work outside the screen's goroutine.
	RunAsk struct {
		What string
		Do   func(context.Context) any
	}
	// Prepared is the result of work that prepares a question: the question is put if its
	// page is still on top and nothing else is asked.
	Prepared func(*Env)
	// ExecAsk hands the terminal to a program.
	ExecAsk struct {
		Cmd  *exec.Cmd
		Done func(error) any
	}
	// DialogAsk puts a question.
	DialogAsk struct{ Dialog Dialog }
	// FilterAsk sets the page's filter.
	FilterAsk struct{ Text string }
	// SwitchAsk goes to another context of the kubeconfig.
	SwitchAsk struct{ Context string }
)

// Busy names the work that has been done since a moment, and is empty while that is so short
// that it would only flicker. The line is drawn again with every turn of the spinner
// as long as the work is one of Run's, or the page's own (Worker).
func (e *Env) Busy(since time.Time, what string) widget.Line {
	if e.Sign == "" || e.Now.Sub(since) < widget.SpinAfter {
		return nil
	}
	return widget.Styled(e.Sign+" "+what, e.Styles.Info)
}

// SavedDir is the folder for what the user saves; Stamp is the moment, for a file's name.
func (e *Env) SavedDir() string { return filepath.Join(e.StateDir, "saved") }

// Stamp is the moment as it stands in the name of a file.
func (e *Env) Stamp() string { return e.Now.UTC().Format("20060102-150405") }

func (e *Env) add(a any) { e.asks = append(e.asks, a) }

// Take returns what was asked for, in order, and forgets it.
func (e *Env) Take() []any {
	asks := e.asks
	e.asks = nil
	return asks
}

// Open goes to a page; a page that is no place says so.
func (e *Env) Open(p nav.Page) {
	if p.None() {
		e.Fail("nothing to open here")
		return
	}
	e.add(OpenAsk{Page: p})
}

// Replace goes to a page instead of the current one.
func (e *Env) Replace(p nav.Page) { e.add(OpenAsk{Page: p, Replace: true}) }

// Back goes back one page.
func (e *Env) Back() { e.add(BackAsk{}) }

// BackTo goes back one page and puts the cursor there on what to stands for.
func (e *Env) BackTo(to nav.Page) { e.add(BackAsk{To: to}) }

// BackPast goes back one page, and on past every page of an object that is gone.
func (e *Env) BackPast(gone model.Key) { e.add(BackAsk{Past: gone}) }

// Preview shows a change before it is made.
func (e *Env) Preview(m change.Mutation) { e.add(PreviewAsk{Mutation: m}) }

// Say puts a text into the status line, Fail one that went wrong.
func (e *Env) Say(format string, args ...any) { e.add(ToastAsk{Text: fmt.Sprintf(format, args...)}) }

// Fail says what went wrong.
func (e *Env) Fail(format string, args ...any) {
	e.add(ToastAsk{Text: fmt.Sprintf(format, args...), Bad: true})
}

// Copy puts text into the clipboard; what names it.
func (e *Env) Copy(what, text string) { e.add(CopyAsk{What: what, Text: text}) }

// Run does work elsewhere; what it returns comes to the view's Receive, unless
// the page was left meanwhile: ctx ends then. what says what is being done. A ToastAsk is
// said, and a Prepared question put, by the root model.
func (e *Env) Run(what string, do func(ctx context.Context) any) { e.add(RunAsk{what, do}) }

// Exec hands the terminal to a program and takes it back when it ends; done's
// result comes to Receive.
func (e *Env) Exec(cmd *exec.Cmd, done func(error) any) { e.add(ExecAsk{cmd, done}) }

// Ask puts a question.
func (e *Env) Ask(d Dialog) { e.add(DialogAsk{d}) }

// Filter sets the filter of the page.
func (e *Env) Filter(text string) { e.add(FilterAsk{text}) }

// Switch leaves this cluster for another context of the kubeconfig.
func (e *Env) Switch(context string) { e.add(SwitchAsk{context}) }

// Setups are how pages of a kind were last set up by the user, for the next page of that
// kind: until the console ends. The zero value and nil keep nothing.
type Setups struct{ by map[nav.Kind]any }

// Keep keeps what the next page of a kind begins with.
func (k *Setups) Keep(kind nav.Kind, set any) {
	if k == nil {
		return
	}
	if k.by == nil {
		k.by = map[nav.Kind]any{}
	}
	k.by[kind] = set
}

// Of returns the settings kept for a kind of page, nil for none.
func (k *Setups) Of(kind nav.Kind) any {
	if k == nil {
		return nil
	}
	return k.by[kind]
}
