package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/cli/command"
	"rung/test/wait"
)

// documentTable are the rows of the table of docs/command-line.md that has this head, cell by cell.
func documentTable(t *testing.T, head string) (out [][]string) {
	t.Helper()
	text, err := os.ReadFile("../docs/command-line.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), head+"\n")
	if !ok {
		t.Fatalf("no table %s", head)
	}
	_, table, _ = strings.Cut(table, "\n") // the line below the head
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(table, "\n"), "\n") {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "¦"), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out = append(out, cells)
	}
	return out
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// spans are the texts between backquotes.
func spans(text string) (out []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// zoneLines are command lines by their rows in the table of commands: where the row says "with
// FLAG", the line without the flag.
var zoneLines = map[string]string{
	"rung ladder":                             "ladder",
	"rung policy NAME":                        "policy guard-db",
	"rung policy":                             "policy",
	"rung get [KIND [NAME]]":                  "get anp",
	"rung pod NAMESPACE/NAME":                 "pod blue/web-0",
	"rung pod":                                "pod -n blue",
	"rung namespace NAME":                     "namespace blue",
	"rung trace --from END --to END --port N": "trace green/web-0 blue/web-0 80",
	"rung matrix":                             "matrix",
	"rung connections":                        "connections",
	"rung verify FILE…":                       "verify holds.yaml",
	"rung convert --to anp [FILE…]":           "convert --to anp",
	"rung convert --to networkpolicy [FILE…]": "convert --to networkpolicy",
	"rung lint":                               "lint",
	"rung report":                             "report",
	"rung zones":                              "zones",
	"rung drift":                              "drift",
	"rung rows [POLICY]":                      "rows",
	"rung can":                                "can",
	"rung compile [POLICY]":                   "compile",
	"rung activity":                           "activity",
	"rung logs":                               "logs --for 1s",
	"rung logs POLICY":                        "logs guard-db --for 1s",
	"rung logs --log PATH":                    "logs --log acl.log",
	"rung logs --aggregate":                   "logs --aggregate --for 1s",
	"rung logs --why POLICY":                  "logs --why guard-db",
	"rung logs --controller ZONE POLICY":      "logs --controller alpha guard-db",
	"rung explain FILE":                       "explain met.txt",
	"rung explain TEXT":                       "explain a4263564778217271041",
	"rung preview":                            "preview --move allow-web=25",
	"rung new [TEMPLATE]":                     "new default-deny --defaults --yes",
	"rung apply --change FILE":                "apply --change new.yaml --yes",
	"rung delete POLICY":                      "delete guard-db --dry-run",
	"rung move POLICY [TIER/]PRIORITY":        "move allow-web 25 --dry-run",
	"rung log-level POLICY --deny on":         "log-level ACNP/deny --deny on --yes",
	"rung log-level NAME…":                    "log-level allow-web --deny info --yes",
	"rung log-level --end [NAME…]":            "log-level --end --write-back --yes",
	"rung log-level --sessions":               "log-level --sessions",
	"rung plan":                               "plan --yes",
	"rung undo [NUMBER]":                      "undo --write-back --yes",
	"rung undo --list":                        "undo --list --write-back",
	"rung redo [NUMBER]":                      "redo --write-back --yes",
	"rung confirm":                            "confirm --write-back",
	"rung options":                            "options",
}

// zoneLinesElsewhere are rows without a line here, and why.
var zoneLinesElsewhere = map[string]string{
	"rung": "opens the console",
	"rung probe --from END --to END --port N": "needs OVN: TestProbe",
	"rung apply -f FILE":                      "is for a cluster",
	"rung diff BEFORE AFTER":                  "takes its inputs as arguments: diff.txtar",
	"rung reconcile":                          "writes until it is told to stop: TestServicesEnd",
	"rung observe":                            "reads until it is told to stop: TestServicesEnd",
	"rung version":                            "takes no input",
}

// The table of commands says which of them read zones. A command that does refuses a database
// of no known kind, a change any that is given; and without databases both refuse a sandbox
// folder that is somebody else's.
func TestWhichCommandsReadZones(t *testing.T) {
	table := documentTable(t, "| command | what it does | reads zones |")
	b := newBench(t)
	if err := os.Mkdir("taken", 0o700); err != nil {
		t.Fatal(err)
	}
	b.file("taken/letter.txt", "not a sandbox's")
	reads := func(line string) (database, sandbox bool) {
		_, _, errs := b.run(t.Context(), line+" -f written --nb alpha=ftp:x")
		database = strings.Contains(errs, "rung: --nb ")
		_, _, errs = b.run(t.Context(), line+" -f written --sandbox-dir taken")
		return database, strings.Contains(errs, "letter.txt")
	}
	told := map[string]bool{}
	for _, row := range table {
		name, mark := spans(row[0])[0], row[2]
		told[name] = true
		line := zoneLines[name]
		if line == "" {
			if zoneLinesElsewhere[name] == "" {
				t.Errorf("%s: say how it is run, or why it is not", name)
			}
			continue
		}
		database, sandbox := reads(line)
		var says bool
		switch flags := spans(mark); {
		case strings.HasPrefix(mark, "no: "): // lines, not rows
			says = sandbox
		case mark == "no":
			says = !database && !sandbox
		case mark == "yes":
			says = database && sandbox
		case mark == "with `--nb`", mark == "with databases":
			says = database && !sandbox
		default:
			says = len(flags) > 0 && !database && !sandbox
			for _, flag := range flags {
				if with, _ := reads(line + " " + flag); !with {
					t.Errorf("rung %s %s reads no database", line, flag)
				}
			}
		}
		if !says {
			t.Errorf("%s: the table says %q; it looks at a database that is given: %v; starts a sandbox: %v", name, mark, database, sandbox)
		}
	}
	for name := range zoneLines {
		if !told[name] {
			t.Errorf("the table has no %s", name)
		}
	}
}

// The document says which forms of -o commands have besides those of all.
func TestFormsAreTold(t *testing.T) {
	told, has := map[string][]string{}, map[string][]string{}
	for _, row := range documentTable(t, "| command | also `-o` | |") {
		for _, name := range spans(row[0]) {
			told[name] = spans(row[1])
			slices.Sort(told[name])
		}
	}
	for _, cmd := range rootCommand(&command.App{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Printed: map[string]bool{}}, nil).Commands() {
		forms := command.OutputForms(cmd)
		if len(forms) > 4 {
			has[cmd.Name()] = slices.Sorted(slices.Values(forms[4:]))
		}
	}
	if diff := cmp.Diff(has, told); diff != "" {
		t.Errorf("docs/command-line.md#output (-has +told)\n%s", diff)
	}
}

// The examples of the README that run on the demo's manifests end as it says: with 2, since one
// file is broken.
func TestReadmeEndsAsItSays(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "ends with exit code 2") {
		t.Error("the README does not say how commands end")
	}
	lines := regexp.MustCompile("(?m)^ *rung (.* -f examples/.*)$").FindAllStringSubmatch(string(text), -1)
	if len(lines) < 3 {
		t.Fatalf("%d examples", len(lines))
	}
	dir := t.TempDir() // one writes a file
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../examples")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, m := range lines {
		line, _, _ := strings.Cut(m[1], "#")
		ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
		var out bytes.Buffer
		code := runUntil(ctx, append(strings.Fields(line), "--sandbox-ovsdb", "builtin", "--state-dir", t.TempDir()), strings.NewReader(""), &out, &out, nil)
		cancel()
		if code != command.ExitFailed || !strings.Contains(out.String(), "15-broken.yaml") {
			t.Errorf("rung %s: exit %d\n%s", line, code, &out)
		}
	}
}

// The figures of the README's task are those of the commands.
func TestReadmeFigures(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	prose := strings.Join(strings.Fields(string(text)), " ")
	figures := func(re string) []string {
		m := regexp.MustCompile(re).FindStringSubmatch(prose)
		if m == nil {
			t.Fatalf("the README does not say %s", re)
		}
		return m[1:]
	}
	quiet := figures("it moves to ([0-9]+). `enter` previews the change: ([0-9]+) rows change their priority, and no verdict changes.")
	opens := figures("At ([0-9]+) it would open ([0-9]+) pairs of pods: a guard rail stops that")
	for priority, says := range map[string][]string{
		quiet[0]: {"ACL rows: " + quiet[1] + " changed: priority", "connections: no verdict changes"},
		opens[0]: {"opens " + opens[1] + " pairs", "--confirm-name blue-asks-green"},
	} {
		var out bytes.Buffer
		runUntil(t.Context(), []string{"move", "blue-asks-green", priority, "--dry-run", "-f", "../examples", "--state-dir", t.TempDir()}, strings.NewReader(""), &out, &out, nil)
		for _, want := range says {
			if !strings.Contains(out.String(), want) {
				t.Errorf("to %s: no %q in\n%s", priority, want, &out)
			}
		}
	}
}
