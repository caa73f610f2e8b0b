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
	Styles *themes.StyleSet
	Keys   *action.Keymap
	// StateDir takes files a view leaves behind: texts being edited, saved pages.
	StateDir string
	// LogSetup is how the last page of log lines was set up; nil keeps nothing.
	LogSetup *LogSetup
	// Said has the messages of the status line.
	Said *MessageLog
	// ReadInput reads another input than what the console shows, to its end: a path, git:REV, a
	// context. Nil where there is no way to.
	ReadInput func(ctx context.Context, input string) (*revision.Revision, error)
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
	// OpenAsk goes to a page; ReplacePage leaves the current one out of the way
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
	CopyAsk CopyItem
	// RunAsk does work outside the screen's goroutine.
	RunAsk struct {
		What string
		Do   func(context.Context) any
	}
	// PreparedDialog is the result of work that prepares a question: the question is put if its
	// page is still on top and nothing else is asked.
	PreparedDialog func(*Env)
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

// BusyLine names the work that has been done since a moment, and is empty while that is so short
// that it would only flicker. The line is drawn again with every turn of the spinner
// as long as the work is one of Run's, or the page's own (Worker).
func (e *Env) BusyLine(since time.Time, what string) widget.Line {
	if e.Sign == "" || e.Now.Sub(since) < widget.SpinAfter {
		return nil
	}
	return widget.StyledLine(e.Sign+" "+what, e.Styles.Info)
}

// SavedDir is the folder for what the user saves; FileStamp is the moment, for a file's name.
func (e *Env) SavedDir() string { return filepath.Join(e.StateDir, "saved") }

// FileStamp is the moment as it stands in the name of a file.
func (e *Env) FileStamp() string { return e.Now.UTC().Format("20060102-150405") }

func (e *Env) addAsk(a any) { e.asks = append(e.asks, a) }

// TakeAsks returns what was asked for, in order, and forgets it.
func (e *Env) TakeAsks() []any {
	asks := e.asks
	e.asks = nil
	return asks
}

// OpenPage goes to a page; a page that is no place says so.
func (e *Env) OpenPage(p nav.Page) {
	if p.IsNone() {
		e.SayFailure("nothing to open here")
		return
	}
	e.addAsk(OpenAsk{Page: p})
}

// ReplacePage goes to a page instead of the current one.
func (e *Env) ReplacePage(p nav.Page) { e.addAsk(OpenAsk{Page: p, Replace: true}) }

// GoBack goes back one page.
func (e *Env) GoBack() { e.addAsk(BackAsk{}) }

// BackTo goes back one page and puts the cursor there on what to stands for.
func (e *Env) BackTo(to nav.Page) { e.addAsk(BackAsk{To: to}) }

// BackPast goes back one page, and on past every page of an object that is gone.
func (e *Env) BackPast(gone model.Key) { e.addAsk(BackAsk{Past: gone}) }

// PreviewChange shows a change before it is made.
func (e *Env) PreviewChange(m change.Mutation) { e.addAsk(PreviewAsk{Mutation: m}) }

// SayText puts a text into the status line, Fail one that went wrong.
func (e *Env) SayText(format string, args ...any) {
	e.addAsk(ToastAsk{Text: fmt.Sprintf(format, args...)})
}

// SayFailure says what went wrong.
func (e *Env) SayFailure(format string, args ...any) {
	e.addAsk(ToastAsk{Text: fmt.Sprintf(format, args...), Bad: true})
}

// CopyText puts text into the clipboard; what names it.
func (e *Env) CopyText(what, text string) { e.addAsk(CopyAsk{What: what, Text: text}) }

// Run does work elsewhere; what it returns comes to the view's ReceiveResult, unless
// the page was left meanwhile: ctx ends then. what says what is being done. A ToastAsk is
// said, and a PreparedDialog put, by the root model.
func (e *Env) Run(what string, do func(ctx context.Context) any) { e.addAsk(RunAsk{what, do}) }

// ExecProgram hands the terminal to a program and takes it back when it ends; done's
// result comes to ReceiveResult.
func (e *Env) ExecProgram(cmd *exec.Cmd, done func(error) any) { e.addAsk(ExecAsk{cmd, done}) }

// AskDialog puts a question.
func (e *Env) AskDialog(d Dialog) { e.addAsk(DialogAsk{d}) }

// SetPageFilter sets the filter of the page.
func (e *Env) SetPageFilter(text string) { e.addAsk(FilterAsk{text}) }

// SwitchContext leaves this cluster for another context of the kubeconfig.
func (e *Env) SwitchContext(context string) { e.addAsk(SwitchAsk{context}) }
