package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"rung/cli/command"
	"rung/engine"
	"rung/revision"
	"rung/test/install"
	"rung/test/uitest"
	"rung/test/wait"
)

// scriptsAtOnce is how many scripts run at once: they wait for databases and times more than
// they compute, so that as many as there are cores leave those idle.
const scriptsAtOnce = 6

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "rung" { // as which the scripts start it
		flag.Parse()
		command.CompleteTimeout = wait.Patience // scripts say how long it may take; elsewhere it is what is completed
		if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
			_ = flag.Set("test.parallel", strconv.Itoa(max(scriptsAtOnce, runtime.GOMAXPROCS(0))))
		}
	}
	testscript.Main(m, map[string]func(){
		"rung": func() {
			if within, err := time.ParseDuration(os.Getenv("COMPLETE_WITHIN")); err == nil {
				command.CompleteTimeout = within
			}
			if os.Getenv(inExamples) != "" {
				os.Exit(exampleMain(os.Args[1:]))
			}
			os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, sayScreen))
		},
	})
}

// sayScreen stands for the console: it says what it was given.
func sayScreen(ctx context.Context, e *engine.Engine, o ScreenOptions) error {
	err := e.WaitFor(ctx, func(r *revision.Revision) bool { return r.Loaded })
	r := e.Revision()
	fmt.Printf("console: %s, writes %t, write-back %t, theme %q, config %d bytes\n", r.Mode.Title, r.Mode.Writes,
		r.Mode.WriteBack, o.Theme, len(o.Config))
	if o.Page != "" {
		fmt.Printf("page: %s, %s\n", o.Page, strings.Join(o.Notices, "; "))
	}
	return err
}

// racedScripts are the scripts that run under the race detector too: commands in them work while
// others do. A command is started 1,300 times in all scripts, and the detector makes each start
// five times as slow, so make test runs all of them without it.
var racedScripts = []string{"confirm", "dialect", "reconcile", "second", "zones"}

// scriptParams names all scripts, or the few that run under the race detector.
func scriptParams() testscript.Params {
	p := testscript.Params{Dir: "testdata/script", UpdateScripts: *uitest.Update, RequireUniqueNames: true}
	if install.Raced {
		p.Dir = ""
		for _, name := range racedScripts {
			p.Files = append(p.Files, filepath.Join("testdata/script", name+".txtar"))
		}
	}
	return p
}

// The scripts run the whole command line, each in a folder of its own with a copy
// of testdata/cluster. "exits N COMMAND…" wants an exact exit code, "endpoints
// DIR N" waits for a sandbox of N zones and sets $nb_ZONE.
func TestScripts(t *testing.T) {
	p := scriptParams()
	p.Setup = func(env *testscript.Env) error {
		if err := os.CopyFS(filepath.Join(env.WorkDir, "cluster"), os.DirFS("testdata/cluster")); err != nil {
			return err
		}
		root, err := filepath.Abs("..")
		if err != nil {
			return err
		}
		env.Setenv("TROUBLED", filepath.Join(root, "test", "given", "troubled"))
		env.Setenv("ANTREA", filepath.Join(root, "examples-antrea"))
		env.Setenv("NETWORKS", filepath.Join(root, "examples-networks"))
		// Sockets have short paths.
		run, err := os.MkdirTemp("", "rung")
		if err != nil {
			return err
		}
		env.Defer(func() { _ = os.RemoveAll(run) })
		env.Setenv("XDG_RUNTIME_DIR", run)
		env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
		env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
		env.Setenv("HOME", env.WorkDir)
		env.Setenv("COMPLETE_WITHIN", wait.Patience.String()) // a machine may have much to do
		// The race detector's runtime sleeps for a second before a process ends.
		env.Setenv("GORACE", "atexit_sleep_ms=0")
		return nil
	}
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "endpoints": endpoints}
	testscript.Run(t, p)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit %d, want %d\n[stdout]\n%s[stderr]\n%s", code, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// endpoints waits until a sandbox has made the sockets of its zones.
func endpoints(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[1])
	if neg || err != nil || len(args) != 2 {
		ts.Fatalf("usage: endpoints DIR ZONES")
	}
	for deadline := time.Now().Add(wait.Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		found, err := filepath.Glob(filepath.Join(args[0], "*.sock"))
		ts.Check(err)
		if len(found) < want {
			continue
		}
		for _, s := range found {
			ts.Setenv("nb_"+strings.TrimSuffix(filepath.Base(s), ".sock"), "unix:"+s)
		}
		return
	}
	ts.Fatalf("no %d sockets under %s", want, args[0])
}
