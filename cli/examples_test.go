package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/test/install"
	"rung/test/wait"
)

// inExamples is set where a process of Rung is started by an example: it then runs what
// standsFor makes of it, and writes to this file how it was run.
const inExamples = "RUNG_EXAMPLES"

// examplesWithin is after how long an example that does not end by itself is told to.
const examplesWithin = "RUNG_EXAMPLES_WITHIN"

// examplesAtOnce is how many help texts and documents are tried at once.
const examplesAtOnce = 3

// Every example of every help text and document runs as it stands, in a folder with the examples
// of the repository, by a shell: in the order in which they stand, so that one may write what
// another reads. What needs a cluster, a terminal or a time is run as standsFor says, what needs
// more than that is only read: command, flags and arguments exist.
func TestExamplesRun(t *testing.T) {
	install.WithoutRace(t)
	atOnce := make(chan struct{}, examplesAtOnce)
	for name, lines := range examplesOfAll(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			dir, env := exampleFolder(t)
			for _, line := range lines {
				runExample(t, dir, env, line)
			}
		})
	}
}

// examplesOfAll are the examples of help texts, by command, and of documents, by file.
func examplesOfAll(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	var ofCommand func(cmd *cobra.Command)
	ofCommand = func(cmd *cobra.Command) {
		if lines := exampleLines(cmd.Example); len(lines) > 0 {
			out[cmd.CommandPath()+" --help"] = lines
		} else if cmd.Runnable() && !cmd.Hidden {
			t.Errorf("%s has no examples", cmd.CommandPath())
		}
		for _, c := range cmd.Commands() {
			ofCommand(c)
		}
	}
	ofCommand(commandsForTest())
	documents, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(documents, "../README.md") {
		if filepath.Base(file) == "pipelines.md" {
			continue // test/pipelines runs it, in repositories of its own
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "```") {
			if i%2 == 1 {
				_, block, _ = strings.Cut(block, "\n")
				out[filepath.Base(file)] = append(out[filepath.Base(file)], exampleLines(block)...)
			}
		}
	}
	return out
}

// commandsForTest are all commands, for who looks at them.
func commandsForTest() *cobra.Command { return Commands() }

var (
	runsRung   = regexp.MustCompile(`(^|\| *)rung( |$)`)
	makesInput = regexp.MustCompile(`^(kubectl get|oc|echo) `)
)

// exampleLines are the command lines of a text in which Rung is run, and those that make its input.
// One that ends with | goes on in the next.
func exampleLines(text string) (out []string) {
	has := false
	text = regexp.MustCompile(`\|[ \t]*\n\s*`).ReplaceAllString(text, "| ")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		if runs := runsRung.MatchString(line); runs || makesInput.MatchString(line) {
			has, out = has || runs, append(out, line)
		}
	}
	if !has {
		return nil
	}
	return out
}

// aclLine is a line of the ACL log of the examples.
const aclLine = `2026-11-03T10:00:01.000Z|00001|acl_log(ovn_pinctrl0)|INFO|name="ANP:cluster-control:Egress:5", verdict=drop, ` +
	`severity=alert, direction=from-lport: tcp,nw_src=10.244.1.5,nw_dst=10.244.2.6,tp_src=40000,tp_dst=80,tcp_flags=syn` + "\n"

// exampleFolder makes a folder with what examples read, and returns it with the environment in
// which they run: the other programs that they name print what these would.
func exampleFolder(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	trace := ""
	archive, err := txtar.ParseFile("testdata/script/explain.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "trace.txt" {
			trace = string(f.Data)
		}
	}
	for _, name := range []string{"examples", "examples-antrea", "examples-networks"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS("../"+name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"must-gather", "must-gather.local.123"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS("../examples")); err != nil {
			t.Fatal(err)
		}
	}
	script := func(name, text string) { writeExampleFile(t, filepath.Join(dir, "bin", name), "#!/bin/sh\n"+text+"\n") }
	script("kubectl", `for f in examples/[0-9]*.yaml; do echo ---; cat "$f"; done`)
	script("oc", "cat acl-audit-log.log")
	script("ovn-trace", "cat trace.txt")
	script("ovnkube-trace", "cat trace.txt")
	for _, log := range []string{"acl-audit-log.log", "must-gather/acl-audit-log.log", "node-a/acl-audit-log.log"} {
		writeExampleFile(t, filepath.Join(dir, log), aclLine)
	}
	writeExampleFile(t, filepath.Join(dir, "trace.txt"), trace)
	// A checkout of Rung is a repository.
	if out, err := exec.Command("/bin/sh", "-c", `cd "$0" && git init -q -b main . && git add examples && `+
		`git -c user.name=a -c user.email=a@example.com commit -q -m examples`, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if os.Link(self, filepath.Join(dir, "bin", "rung")) != nil { // is on another disk
		text, err := os.ReadFile(self)
		if err != nil {
			t.Fatal(err)
		}
		writeExampleFile(t, filepath.Join(dir, "bin", "rung"), string(text))
	}
	run, err := os.MkdirTemp("", "rung") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	return dir, append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "HOME="+dir, "KUBECONFIG=", "XDG_RUNTIME_DIR="+run,
		"XDG_STATE_HOME="+filepath.Join(dir, ".state"), "XDG_CONFIG_HOME="+filepath.Join(dir, ".config"), "GORACE=atexit_sleep_ms=0",
		inExamples+"="+filepath.Join(dir, "how"))
}

func writeExampleFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// runExample has a shell run a line. The answer may be no, which is an answer.
func runExample(t *testing.T, dir string, env []string, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
	defer cancel()
	var out, errs bytes.Buffer
	var err error
	how := filepath.Join(dir, "how")
	for within := 3 * time.Second; ctx.Err() == nil; within *= 3 {
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
		out.Reset()
		errs.Reset()
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(env, examplesWithin+"="+within.String()), &out, &errs
		_ = os.Remove(how)
		err = cmd.Run()
		if !strings.HasSuffix(errs.String(), "rung: interrupted\n") { // else it had not begun yet
			break
		}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == command.ExitNo {
		err = nil
	}
	said, _ := os.ReadFile(how) // nothing where it runs as it stands
	if err != nil {
		t.Errorf("%s\n(%s)\n%v\n%s%s", line, strings.TrimSpace(string(said)), err, errs.String(), out.String())
		return
	}
	t.Logf("%s\n  %s", line, cmp.Or(strings.TrimSpace(string(said)), "as it stands"))
}

// exampleMain is Main for an example, run as standsFor says.
func exampleMain(args []string) int {
	run, onlyRead, within := standsFor(args)
	how := os.Getenv(inExamples)
	_ = os.Unsetenv(inExamples) // a process that Rung starts is none of an example
	if f, err := os.OpenFile(how, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		switch {
		case onlyRead != "":
			fmt.Fprintln(f, "only read: "+onlyRead)
		case !slices.Equal(run, args):
			fmt.Fprintln(f, "run as: rung "+strings.Join(run, " "))
		}
		_ = f.Close()
	}
	if onlyRead != "" {
		if err := readLine(args); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return command.ExitFailed
		}
		return command.ExitOK
	}
	if within > 0 {
		time.AfterFunc(within, func() {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Signal(syscall.SIGTERM)
			}
		})
	}
	return Main(append(run, "--allow-unjudged", "--sandbox-ovsdb", "builtin"), os.Stdin, os.Stdout, os.Stderr, sayScreen)
}

// readLine says what is wrong with a command line that is not run.
func readLine(args []string) error {
	cmd, rest, err := commandsForTest().Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	return err
}

// What an example needs that cannot be had here, by its flags and by its command: such a line is
// only read.
var (
	needsByFlag = map[string]string{
		"nb": "needs a database", "sb": "needs a database", "ovn": "needs OVN", "sandbox-ovn": "needs OVN", "probe": "needs OVN",
		"controller": "needs the log of a pod", "node": "needs the logs of nodes", "sessions": "needs the sessions of a cluster",
		"end": "needs a session", "back": "needs a plan that stopped", "resume": "needs a plan that stopped", "keep": "needs a plan that stopped",
		"update": "needs a set that misses something", "propose": "needs lines that were denied", "cert": "needs certificates",
	}
	needsByCommand = map[string]string{
		"diff": "names two sides that the reader has", "probe": "needs OVN", "reconcile": "needs a database", "observe": "needs a cluster",
		"confirm": "needs a change on trial",
	}
	// clusterFlags say which cluster, and as whom; whether it may be written.
	clusterFlags = []string{"context", "kubeconfig", "as", "as-group", "user", "cluster", "server", "write", "force-conflicts"}
)

// standsFor is the command line that is run for an example, or why it is only read. Where within is
// not 0 the command ends only when it is told to.
//
//   - A cluster, named or that of the kubeconfig, is played by examples/, and --write by --write-back.
//   - What would be asked at a terminal is answered: --yes, --confirm-name, --defaults.
//   - What waits for lines or for somebody does so for a second.
func standsFor(args []string) (run []string, onlyRead string, within time.Duration) {
	cmd, rest, err := commandsForTest().Find(args)
	if err != nil || cmd.ParseFlags(rest) != nil {
		return args, "", 0 // which says what is wrong
	}
	given := cmd.Flags().Changed
	for _, name := range slices.Sorted(maps.Keys(needsByFlag)) {
		if cmd.Flags().Lookup(name) != nil && given(name) {
			return args, needsByFlag[name], 0
		}
	}
	if why := needsByCommand[cmd.Name()]; why != "" {
		return args, why, 0
	}
	if slices.ContainsFunc(args, func(s string) bool { return strings.HasPrefix(s, "/") }) {
		return args, "names a path of the reader's machine", 0
	}
	ofCluster := slices.DeleteFunc(slices.Clone(clusterFlags), func(name string) bool { // verify has a --write of its own
		return cmd.LocalNonPersistentFlags().Lookup(name) != nil && name != "force-conflicts"
	})
	onCluster := slices.ContainsFunc(ofCluster, func(name string) bool { return cmd.Flags().Lookup(name) != nil && given(name) })
	if cmd.Name() == "apply" && !given("change") && given("filename") {
		return args, "needs an API server, which applies it", 0
	}
	run = withoutFlags(cmd, args, ofCluster)
	readsObjects := !slices.Contains([]string{"demo", "version", "options", "completion", "help"}, cmd.Name()) && cmd.Flags().Lookup("help").Value.String() == "false" &&
		!(cmd.Name() == "rung" && given("version")) && !given("log") && !(cmd.Name() == "new" && cmd.Flags().NArg() == 0) && !slices.Contains(args, "-") && cmd.Name() != "convert"
	if onCluster || !given("filename") && readsObjects {
		run = append(run, "-f", "examples/")
	}
	lasts := cmd.Flags().Lookup("yes") != nil
	if lasts && given("write") || slices.Contains([]string{"undo", "redo"}, cmd.Name()) && !given("write-back") {
		run = append(run, "--write-back")
	}
	if lasts && !given("dry-run") && !given("yes") && !(cmd.Name() == "new" && !given("apply")) {
		run = append(run, "--yes")
		if cmd.Name() == "delete" {
			run = append(run, "--confirm-name", cmd.Flags().Arg(0))
		}
	}
	if cmd.Name() == "new" && cmd.Flags().NArg() > 0 && !given("defaults") {
		run = append(run, "--defaults")
	}
	for _, name := range []string{"confirm", "listen"} {
		if cmd.Flags().Lookup(name) != nil && given(name) {
			run = append(withoutFlags(cmd, run, []string{name}), "--"+name, "1s")
		}
	}
	if cmd.Name() == "logs" && !given("why") && !given("log") {
		run = append(withoutFlags(cmd, run, []string{"for"}), "--for", "1s")
	}
	for _, name := range []string{"follow", "watch"} {
		if cmd.Flags().Lookup(name) != nil && given(name) {
			within, _ = time.ParseDuration(os.Getenv(examplesWithin))
		}
	}
	return run, "", within
}

// withoutFlags is a command line without some flags and their values.
func withoutFlags(cmd *cobra.Command, args, names []string) (out []string) {
	for i := 0; i < len(args); i++ {
		name, value, _ := strings.Cut(strings.TrimPrefix(args[i], "--"), "=")
		f := cmd.Flags().Lookup(name)
		if !strings.HasPrefix(args[i], "--") || f == nil || !slices.Contains(names, name) {
			out = append(out, args[i])
			continue
		}
		if value == "" && f.NoOptDefVal == "" {
			i++
		}
	}
	return out
}
