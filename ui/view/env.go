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

// Env gives a view the state of the console and collects its requests during one call. Do not keep it.
type Env struct {
	Console Console
	// Rev is the revision of this frame.
	Rev    *revision.Revision
	Now    time.Time
	Styles *themes.StyleSet
	Keys   *action.Keymap
	// StateDir holds files a view leaves behind: texts being edited, saved pages.
	StateDir string
	// LogSetup holds the settings of the last page of log lines; nil keeps nothing.
	LogSetup *LogSetup
	// Messages has the messages of the status line.
	Messages *MessageLog
	// ReadInput reads another input to its end: a path, git:REV or a context. Nil if not available.
	ReadInput func(ctx context.Context, input string) (*revision.Revision, error)
	// Page is the page of the view, W and H its size.
	Page nav.Page
	W, H int
	// Sign is the spinner of this frame, empty unless some work takes long.
	Sign string

	asks []any
}

// Requests of a view; the root model carries them out when the call returns.
type (
	// OpenAsk opens a page; Replace closes the current one.
	OpenAsk struct {
		Page    nav.Page
		Replace bool
	}
	// BackAsk goes back one page, and past the pages of a removed object; the page on top then puts its cursor
	// on To.
	BackAsk struct {
		To   nav.Page
		Past model.Key
	}
	// PreviewAsk opens the preview of a change with its consequences.
	PreviewAsk struct{ Mutation change.Mutation }
	// ToastAsk shows a message in the status line.
	ToastAsk struct {
		Text string
		Bad  bool
	}
	// CopyAsk puts text into the clipboard.
	CopyAsk CopyItem
	// RunAsk runs work outside the screen's goroutine.
	RunAsk struct {
		What string
		Do   func(context.Context) any
	}
	// PreparedDialog is the result of work that prepares a question, asked if its page is still on top and no
	// other dialog is open.
	PreparedDialog func(*Env)
	// ExecAsk gives the terminal to a program.
	ExecAsk struct {
		Cmd  *exec.Cmd
		Done func(error) any
	}
	// DialogAsk asks a question.
	DialogAsk struct{ Dialog Dialog }
	// FilterAsk sets the page's filter.
	FilterAsk struct{ Text string }
	// SwitchAsk opens another context of the kubeconfig.
	SwitchAsk struct{ Context string }
)

// BusyLine names work that began at since, empty while it is so short that it would only flicker. The line is
// redrawn with every step of the spinner while the work is one of Run's, or the page's own (Worker).
func (e *Env) BusyLine(since time.Time, what string) widget.Line {
	if e.Sign == "" || e.Now.Sub(since) < widget.SpinAfter {
		return nil
	}
	return widget.StyledLine(e.Sign+" "+what, e.Styles.Info)
}

// KeyHint names the key of an action, empty if it has none.
func (e *Env) KeyHint(id action.ID) string { return e.Keys.ActionByID(id).HintKey() }

// SavedDir returns the folder for files the user saves.
func (e *Env) SavedDir() string { return filepath.Join(e.StateDir, "saved") }

// FileStamp returns the present time for a file name.
func (e *Env) FileStamp() string { return e.Now.UTC().Format("20060102-150405") }

func (e *Env) addAsk(a any) { e.asks = append(e.asks, a) }

// TakeAsks returns the requests in order, and clears them.
func (e *Env) TakeAsks() []any {
	asks := e.asks
	e.asks = nil
	return asks
}

// OpenPage opens a page; the zero page gives an error message.
func (e *Env) OpenPage(p nav.Page) {
	if p.IsNone() {
		e.ShowFailure("nothing to open here")
		return
	}
	e.addAsk(OpenAsk{Page: p})
}

// ReplacePage opens a page instead of the current one.
func (e *Env) ReplacePage(p nav.Page) { e.addAsk(OpenAsk{Page: p, Replace: true}) }

// GoBack goes back one page.
func (e *Env) GoBack() { e.addAsk(BackAsk{}) }

// BackTo goes back one page and puts the cursor on the item whose page is to.
func (e *Env) BackTo(to nav.Page) { e.addAsk(BackAsk{To: to}) }

// BackPast goes back one page, and on past every page of the removed object.
func (e *Env) BackPast(gone model.Key) { e.addAsk(BackAsk{Past: gone}) }

// PreviewChange opens the preview of a change, where the user confirms it.
func (e *Env) PreviewChange(m change.Mutation) { e.addAsk(PreviewAsk{Mutation: m}) }

// ShowText shows a text in the status line.
func (e *Env) ShowText(format string, args ...any) {
	e.addAsk(ToastAsk{Text: fmt.Sprintf(format, args...)})
}

// ShowFailure shows an error in the status line.
func (e *Env) ShowFailure(format string, args ...any) {
	e.addAsk(ToastAsk{Text: fmt.Sprintf(format, args...), Bad: true})
}

// CopyText puts text into the clipboard; what names it.
func (e *Env) CopyText(what, text string) { e.addAsk(CopyAsk{What: what, Text: text}) }

// Run does work in a goroutine; its result goes to the view's ReceiveResult. If the page is closed, ctx ends
// and the result is dropped. what names the work. The root model handles a ToastAsk or PreparedDialog itself.
func (e *Env) Run(what string, do func(ctx context.Context) any) { e.addAsk(RunAsk{what, do}) }

// ExecProgram gives the terminal to a program until it ends; done's result goes to ReceiveResult.
func (e *Env) ExecProgram(cmd *exec.Cmd, done func(error) any) { e.addAsk(ExecAsk{cmd, done}) }

// AskDialog asks a question.
func (e *Env) AskDialog(d Dialog) { e.addAsk(DialogAsk{d}) }

// SetPageFilter sets the filter of the page.
func (e *Env) SetPageFilter(text string) { e.addAsk(FilterAsk{text}) }

// SwitchContext switches to another context of the kubeconfig.
func (e *Env) SwitchContext(context string) { e.addAsk(SwitchAsk{context}) }
