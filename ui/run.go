package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/adrg/xdg"
	"github.com/charmbracelet/colorprofile"

	"rung/revision"
	"rung/themes"
	"rung/ui/nav"
	"rung/ui/terminal"
	"rung/ui/view"
	"rung/ui/widget"
)

// Console is the part of the engine that the screen needs.
type Console = view.Console

// Options are how to run the console. The zero value is usable.
type Options struct {
	Config
	// Themes are the available themes; nil reads the user's from $XDG_CONFIG_HOME/rung/themes on top of the
	// built-in ones.
	Themes *themes.ThemeSet
	// Page is the first page; the zero value means Config.Start, else the ladder.
	Page nav.Page
	// Stdin and Stdout are the terminal, the process's own when nil.
	Stdin  io.Reader
	Stdout io.Writer
	// OnAway is called when an editor or the shell gets the terminal, and when it is back.
	OnAway func(away bool)
	// Environ is the environment of the terminal, the process's own when nil.
	Environ []string
	// StateDir receives error reports and saved pages; empty means $XDG_STATE_HOME/rung.
	StateDir string
	// Notices are shown when the console opens, one after the other. Errors of the configuration are shown in
	// one dialog.
	Notices []string
	// Switch opens the console of another kubeconfig context; nil if there is none. The caller ends the old
	// console.
	Switch func(ctx context.Context, context string) (Console, error)
	// ReadInput reads another input to its end, as commands do, until ctx ends; nil if not available.
	ReadInput func(ctx context.Context, input string) (*revision.Revision, error)
	// Profile forces a colour profile; Unknown means Config.Color.
	Profile colorprofile.Profile

	configProblems []string // of the configuration and the themes
}

// ErrEnded is wrapped in the error of a console that was ended while a text was being edited.
var ErrEnded = errors.New("told to end")

// fps bounds writes to the terminal; a key shows after at most one such interval.
const fps = 120

func (o *Options) fillDefaults() {
	if o.Themes == nil {
		var warn []error
		o.Themes, warn = themes.LoadThemes(filepath.Join(xdg.ConfigHome, "rung", "themes"))
		for _, err := range warn {
			o.configProblems = append(o.configProblems, widget.CleanText(err.Error()))
		}
	}
	if o.StateDir == "" {
		o.StateDir = filepath.Join(xdg.StateHome, "rung")
	}
	if o.Page.IsNone() {
		o.Page = o.StartPage()
	}
	o.configProblems = append(o.configProblems, o.CheckAll(o.Themes)...)
}

// getenv returns the lookup function of the given environment, nil for the process's own.
func (o *Options) getenv() func(string) string {
	if o.Environ == nil {
		return nil
	}
	return func(name string) string {
		for _, pair := range slices.Backward(o.Environ) {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// Run shows the console until the user leaves it or ctx ends. The terminal is always restored; after an
// internal error the returned error names the report.
func Run(ctx context.Context, console Console, opt Options) error {
	opt.fillDefaults()
	outside := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newRoot(ctx, console, opt)
	// Signals end ctx, and the program then leaves as by a key. Bubble Tea's own signal handler, or a program
	// ended by its context, would not wait for readers of the terminal, or would wait for ever.
	popts := []tea.ProgramOption{tea.WithFPS(fps), tea.WithoutSignalHandler()}
	if keys := terminal.NewInput(opt.Stdin); keys != nil {
		popts = append(popts, tea.WithInput(keys))
	} else if opt.Stdin != nil {
		popts = append(popts, tea.WithInput(opt.Stdin))
	}
	out := terminal.NewOutput(ctx, opt.Stdout)
	if out != nil {
		popts = append(popts, tea.WithOutput(out))
	} else if opt.Stdout != nil {
		popts = append(popts, tea.WithOutput(opt.Stdout))
	}
	if opt.Environ != nil {
		popts = append(popts, tea.WithEnvironment(opt.Environ))
	}
	if opt.Profile != colorprofile.Unknown {
		popts = append(popts, tea.WithColorProfile(opt.Profile))
	} else if p, forced, err := themes.ColourProfile(opt.Color, opt.getenv()); err == nil && forced {
		popts = append(popts, tea.WithColorProfile(p))
	}
	prog := tea.NewProgram(m, popts...)
	m.quit = prog.Quit
	m.terminal = terminal.NewControl(ctx, func(stop bool) { prog.Send(pauseMsg{stop}) })
	defer m.terminal.Close()
	if opt.OnAway != nil {
		m.terminal.OnAway = opt.OnAway
	}
	defer context.AfterFunc(ctx, prog.Quit)()
	_, err := prog.Run()
	if out != nil {
		terminal.ShowCursor(out)
		out.Leave()
	}
	kept := strings.Join(m.keptFiles(), " and ")
	m.pageTrail.endAll()
	m.session.endSession()
	switch {
	case m.crash != "":
		return fmt.Errorf("internal error, the terminal was restored: %s", m.crash)
	case outside.Err() != nil && kept != "":
		return fmt.Errorf("%w while a text was being edited; it was not applied and is kept in %s", ErrEnded, kept)
	case outside.Err() != nil, errors.Is(err, tea.ErrInterrupted):
		return nil // the terminal may be gone as well
	case terminal.IsNoTerminal(err):
		return errors.New("the console needs a terminal; rung --help lists the commands, which need none")
	case err != nil:
		return fmt.Errorf("running the console: %w", err)
	}
	return nil
}

// NewInline makes the console's model for another driver, mostly a test: work runs at once instead of in a
// goroutine, and questions take keys from the start, so that every effect of a key shows before the next. Feed
// the model with Update and read it with View; its commands (clocks, the clipboard) may be dropped.
func NewInline(ctx context.Context, console Console, opt Options) tea.Model {
	opt.fillDefaults()
	m := newRoot(ctx, console, opt)
	m.inline = true
	context.AfterFunc(ctx, func() { m.session.stop() })
	return m
}

// RefreshMessage returns the message that makes an inline model take its console's newest revision.
func RefreshMessage(model tea.Model) tea.Msg {
	s := model.(*rootModel).session
	return revMsg{rev: PreparedRevision(s.console, nil), session: s}
}

// HasQuit reports whether a model has ended the program.
func HasQuit(model tea.Model) bool { return model.(*rootModel).quits }
