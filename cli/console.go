package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
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
	// Config is the text of the configuration file, ConfigPath its path.
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
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Open the console on a built-in example cluster",
		Long: `Open the console on a built-in cluster: three nodes, four tenants, about forty
pods, and policies with a few faults to find. For the first minute one zone does not
answer. It is a sandbox: change what you like, nothing of yours is touched.
--system antrea opens the policies of Antrea's documentation instead; Antrea has no
zones.`,
		Example: `  rung demo
  rung demo --readonly --theme light
  rung demo --system antrea`,
		Args:        command.TakesArgs(0),
		Annotations: command.WithoutAnswer(),
		RunE:        func(cmd *cobra.Command, _ []string) error { return OpenConsole(cmd.Context(), a, screen, true) },
	}
	cmd.Flags().DurationVar(&a.Flags.DemoLag, "lag", time.Minute, "`TIME` that the last zone does not answer at the start")
	return cmd
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

// openEngines holds the engines of a console: the shown one, and former ones still closing.
type openEngines struct {
	mu     sync.Mutex
	newest *engine.Engine
	ending sync.WaitGroup
	closed bool
}

// replaceEngine shows another engine and closes the former one, without waiting for it. If the screen is
// closed already, it closes e at once.
func (r *openEngines) replaceEngine(e *engine.Engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		e.Close()
		return
	}
	old := r.newest
	r.newest = e
	r.ending.Go(old.Close)
}

func (r *openEngines) closeAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.newest.Close()
	r.ending.Wait()
}

// contextSwitcher opens other contexts with the flags of this run, but without the permission to make changes.
func contextSwitcher(a *command.App, open *openEngines) func(context.Context, string) (*engine.Engine, error) {
	return func(ctx context.Context, name string) (*engine.Engine, error) {
		next := command.ForContext(a, name)
		switch {
		case len(next.Flags.NB)+len(next.Flags.SB) > 0:
			return nil, errors.New("--nb and --sb name databases of one cluster; start Rung again for another cluster")
		case next.Flags.Kube.LeadsElsewhere():
			return nil, errors.New("server or login were given by flags, for one cluster; start Rung again for another")
		}
		cfg, err := next.EngineConfig(ctx, false, true)
		if err != nil {
			return nil, err
		}
		cfg.Screen = true
		e, err := engine.New(ctx, cfg)
		if err != nil {
			return nil, err
		}
		open.replaceEngine(e)
		return e, nil
	}
}

// firstScreen prints the console's answer without a cluster or a file: the places searched, and what to do. At
// a terminal it offers to open the demo with one key; demo reports whether it was pressed.
func firstScreen(ctx context.Context, a *command.App, none *engine.NoClusterError, screen bool) (demo bool, err error) {
	fmt.Fprint(a.Err, firstText(none, a.Call))
	if !screen || !a.CanAsk {
		return false, command.ErrPrinted
	}
	fmt.Fprint(a.Err, "\nd opens the demo · q quits ")
	demo, err = waitForKey(ctx, a)
	fmt.Fprintln(a.Err)
	if err == nil && !demo {
		err = command.ErrPrinted
	}
	return demo, err
}

// firstText lists the places searched, in order, and what can be looked at; call is how to call Rung.
func firstText(none *engine.NoClusterError, call string) string {
	places := [][2]string{{"-f PATH", "not given"}}
	if len(none.Looked) > 0 && !strings.HasPrefix(none.Looked[0].Name, "--kubeconfig") {
		places = append(places, [2]string{"--kubeconfig FILE", "not given"})
	}
	for _, p := range none.Looked {
		places = append(places, [2]string{words.CleanText(p.Name), p.Why})
	}
	return "No cluster and no files: nothing to show yet.\n\nLooked for, in this order:\n" + pairLines(places) +
		"\nTo look at something:\n" + pairLines([][2]string{
		{call + " demo", "a built-in cluster; nothing of yours is touched"},
		{call + " -f FOLDER", "manifests, a must-gather, or a kubectl dump"},
		{call + " --kubeconfig FILE", "a cluster, read-only"},
	})
}

// leftWidth is the greatest width of the left of two columns.
const leftWidth = 40

// pairLines formats lines of two columns, indented.
func pairLines(lines [][2]string) string {
	width := 0
	for _, l := range lines {
		if w := ansi.StringWidth(l[0]); w <= leftWidth {
			width = max(width, w)
		}
	}
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "  %s%s  %s\n", l[0], strings.Repeat(" ", max(0, width-ansi.StringWidth(l[0]))), l[1])
	}
	return b.String()
}

// Keys while the terminal is raw.
const ctrlC, ctrlD = 3, 4

// waitForKey waits for d or q and ignores other keys. The end of the input counts as q.
func waitForKey(ctx context.Context, a *command.App) (d bool, err error) {
	if f, ok := a.Keyboard.(*os.File); ok {
		if was, err := term.MakeRaw(f.Fd()); err == nil {
			defer func() { _ = term.Restore(f.Fd(), was) }()
		}
	}
	for key := make([]byte, 1); ; {
		_, err := io.ReadFull(a.In, key)
		switch {
		case ctx.Err() != nil:
			return false, fmt.Errorf("waiting for a key: %w", ctx.Err())
		case err != nil:
			return false, nil
		}
		switch key[0] {
		case 'd':
			return true, nil
		case 'q', ctrlC, ctrlD:
			return false, nil
		}
	}
}

// startProfile writes a CPU and a heap profile of the console into a folder, for developers of Rung. stop ends
// the profile.
func startProfile(dir string) (stop func() error, err error) {
	if dir == "" {
		return func() error { return nil }, nil
	}
	cpu, err := os.Create(filepath.Join(dir, "cpu.pprof"))
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return nil, errors.Join(fmt.Errorf("profile: %w", err), cpu.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		heap, err := os.Create(filepath.Join(dir, "heap.pprof"))
		if err != nil {
			return errors.Join(fmt.Errorf("profile: %w", err), cpu.Close())
		}
		runtime.GC()
		return errors.Join(pprof.WriteHeapProfile(heap), heap.Close(), cpu.Close())
	}, nil
}
