package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/statedir"
	"rung/model/words"
	"rung/revision"
)

// ShowScreen shows an engine on a terminal. main passes it in, since package cli does not import the console.
type ShowScreen func(ctx context.Context, e *engine.Engine, o ScreenOptions) error

// ScreenOptions are the options of the screen. A field is empty if its flag was not given, so that the
// configuration file decides.
type ScreenOptions struct {
	// Text and name of the configuration file.
	Config     []byte
	ConfigPath string
	Theme      string
	Color      string
	ASCII      bool
	NoMouse    bool
	StateDir   string
	// Page is the console's first page, or empty for the default. View is the requested page or saved view,
	// which takes precedence.
	Page, View string
	// Notices to show when the console opens.
	Notices []string
	// Opens another context of the kubeconfig and closes the former engine; nil with files.
	Switch func(ctx context.Context, context string) (*engine.Engine, error)
	// Called when the terminal is lent to an editor or the shell, and when it is back.
	OnAway func(away bool)
	// Reads another input completely while the console runs.
	ReadInput func(ctx context.Context, input string) (*revision.Revision, error)
}

func DemoCommand(a *command.App, screen ShowScreen) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Open the console on a built-in example cluster",
		Long: `Open the console on a built-in cluster: three nodes, four tenants, about forty
pods, and policies that show every mark of the ladder. It is a sandbox: change what
you like, nothing of yours is touched. --system antrea opens the policies of Antrea's
documentation instead; Antrea has no zones.`,
		Example: `  rung demo
  rung demo --readonly --theme light
  rung demo --system antrea`,
		Args:        command.TakesArgs(0),
		Annotations: command.WithoutAnswer(),
		RunE:        func(cmd *cobra.Command, _ []string) error { return OpenConsole(cmd.Context(), a, screen, true) },
	}
}

// OpenConsole opens the console on a screen; without one it only reports errors. It does not wait for the
// engine: the first frame is drawn before anything was read.
func OpenConsole(ctx context.Context, a *command.App, screen ShowScreen, demo bool) error {
	var note string
	if screen != nil {
		var err error
		if note, err = statedir.OpenFolder(a.Flags.StateFolder()); err != nil {
			return err
		}
		log, err := command.OpenOwnLog(a.Flags.StateFolder())
		if err != nil {
			return fmt.Errorf("%w; --state-dir names another folder", err)
		}
		defer log.Close()
	}
	alone := false // log files only
	cfg, err := a.EngineConfig(ctx, demo, true)
	if err != nil {
		var none *engine.NoClusterError
		if demo || len(a.Flags.NB) > 0 || !errors.As(err, &none) {
			return err
		}
		alone = len(a.Flags.Log.Paths) > 0
		if !alone {
			if demo, err = firstScreen(ctx, a, none, screen != nil); !demo {
				return err
			}
			return OpenConsole(ctx, a, screen, true)
		}
		cfg = a.LogsAlone()
		cfg.StateDir = a.Flags.StateFolder()
	}
	if err := a.Flags.ConsoleFiles(ctx, &cfg); err != nil {
		return err
	}
	if screen == nil {
		return errors.New("this build has no console")
	}
	a.Needs = command.NeedObjects
	if demo {
		a.Needs = command.NeedNothing
	}
	if err := a.EmptyFolders(); err != nil && len(cfg.NB) == 0 {
		return err
	}
	ui := &a.Flags.UI
	opt := ScreenOptions{Theme: ui.Theme, Color: ui.Color, ASCII: ui.ASCII, NoMouse: ui.NoMouse, View: ui.View, StateDir: cfg.StateDir}
	if opt.Config, opt.ConfigPath, err = ui.ReadConfig(ctx); err != nil {
		return err
	}
	cfg.Screen = true
	if ui.Profile == "" {
		command.NoSamples()
	}
	command.SaveMemory()
	e, err := engine.New(ctx, cfg)
	if err != nil {
		return err
	}
	opt.Notices = e.Notices()
	if alone {
		opt.Page, opt.Notices = "logs", append([]string{command.LogsAloneText}, opt.Notices...)
	}
	for _, told := range []string{words.LimitsText(runtime.GOOS), note} {
		if told != "" {
			opt.Notices = append([]string{told}, opt.Notices...)
		}
	}
	opt.ReadInput = func(ctx context.Context, input string) (*revision.Revision, error) {
		return command.ReadInputFully(ctx, a, input)
	}
	open := &openEngines{newest: e}
	defer open.closeAll()
	if cfg.Kube != nil {
		opt.Switch = contextSwitcher(a, open)
	}
	if n := runtime.NumCPU(); runtime.GOMAXPROCS(0) == n {
		// With every core computing, a key press gets a thread of its own at once and the operating system
		// schedules it first; Go's scheduler would let it wait. A lower limit, such as a quota, is kept. The
		// engine has counted its cores by now.
		runtime.GOMAXPROCS(n + 2)
	}
	stop, err := startProfile(ui.Profile)
	if err != nil {
		return err
	}
	opt.OnAway = command.EditorHasTerminal.Store
	kept := keepGoroutines(a)
	shown := showUntilEmpty(ctx, a, e, func(ctx context.Context) error { return screen(ctx, e, opt) })
	return errors.Join(shown, kept(), stop())
}

// keepGoroutines makes SIGQUIT write the goroutines' stacks into a file while the screen is shown. Call kept
// after the screen: it returns an error that names the file, or nil without a SIGQUIT.
func keepGoroutines(a *command.App) (kept func() error) {
	dir := a.Flags.StateFolder()
	said := make(chan error, 1)
	keep := func(goroutines []byte) {
		path, err := statedir.KeepFile(dir, "goroutines-"+time.Now().UTC().Format("20060102-150405.000")+".txt", goroutines)
		if err == nil {
			err = fmt.Errorf("ended by SIGQUIT; goroutine dump written to %s", path)
		}
		select {
		case said <- err:
		default: // the first is enough
		}
	}
	command.OnQuit.Store(&keep)
	return func() error {
		command.OnQuit.Store(nil)
		select {
		case err := <-said:
			return err
		default:
			return nil
		}
	}
}

// showUntilEmpty runs the screen, and ends it with an error if the files turn out to hold nothing.
func showUntilEmpty(ctx context.Context, a *command.App, e *engine.Engine, screen func(context.Context) error) error {
	if a.Needs == command.NeedNothing || len(a.Flags.Files) == 0 {
		return screen(ctx)
	}
	ctx, end := context.WithCancelCause(ctx)
	lacking := make(chan error, 1)
	loaded := func(r *revision.Revision) bool { return r.Loaded }
	go func() {
		var err error
		if e.WaitFor(ctx, loaded) == nil || loaded(e.Revision()) { // else the screen was closed first
			if err = a.WhyNotEnough(e.Revision()); err != nil {
				end(err)
			}
		}
		lacking <- err
	}()
	err := screen(ctx)
	end(nil)
	if empty := <-lacking; empty != nil {
		return empty
	}
	return err
}
