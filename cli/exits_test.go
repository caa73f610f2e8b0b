package cli

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/cli/command"
	"rung/test/wait"
)

// exitRow is a row of the table of exit codes.
type exitRow struct {
	commands []string
	one, two bool // it says what these mean
}

// exitTable reads the table of docs/command-line.md#exit-codes.
func exitTable(t *testing.T) (out []exitRow) {
	t.Helper()
	text, err := os.ReadFile("../docs/command-line.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| command | 1 | 2 besides errors |\n|---|---|---|\n")
	if !ok {
		t.Fatal("no table of exit codes")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 {
			t.Fatalf("%d cells: %s", len(cells), line)
		}
		row := exitRow{one: strings.TrimSpace(cells[1]) != "", two: strings.TrimSpace(cells[2]) != ""}
		for _, m := range regexp.MustCompile("`([a-z-][^`]*)`").FindAllStringSubmatch(cells[0], -1) {
			row.commands = append(row.commands, m[1])
		}
		out = append(out, row)
	}
	return out
}

// exitCases are command lines and how they end, by the command as the table calls it. They run
// one after the other: what is written into the folder "written" is there for the next.
var exitCases = []struct {
	command, line string
	code          int
}{
	{"ladder", "ladder -f cluster", 0},
	{"ladder", "ladder -f refused", 2},
	{"ladder", "ladder -f refused --allow-unjudged", 0},
	{"ladder", "ladder -f refused --allow-unjudged=refused", 0},
	{"ladder", "ladder -f refused --allow-unjudged=unscheduled", 2},
	{"policy", "policy guard-db -f cluster", 0},
	{"get", "get anp -f cluster", 0},
	{"get", "get anp guard-db -f torn", 2},
	{"policy", "policy guard-db -f torn", 2},
	{"pod", "pod blue/web-0 -f cluster", 0},
	{"pod", "pod blue/web-0 -f refused", 2},
	{"namespace", "namespace blue -f cluster", 0},
	{"namespace", "namespace blue -f refused", 2},
	{"compile", "compile -f cluster", 0},
	{"compile", "compile -f torn", 2},
	{"can", "can -f cluster", 0},
	{"can", "can -f refused", 2},
	{"activity", "activity -f cluster", 0},
	{"activity", "activity -f refused", 2},
	{"trace", "trace green/web-0 blue/web-0 80 -f cluster", 0},
	{"trace", "trace green/web-0 blue/web-0 9999 -f cluster --by both --nb alpha=file:whole.db", 1},
	{"trace", "trace green/web-0 blue/web-0 80 -f refused", 2},
	{"trace", "trace green/web-0 blue/late 80 -f pending", 0}, // a pod that waits for its node is an assumption
	{"trace", "trace green/web-0 blue/late 80 -f pending --allow-unjudged=unscheduled", 0},
	{"trace", "trace kube-system/proxy-0 blue/web-0 80 -f cluster", 2},
	{"matrix", "matrix -f cluster", 0},
	{"connections", "connections -f cluster", 0},
	{"connections", "connections -f refused", 2},
	{"connections", "connections -f cluster/nodes.yaml", 2},
	{"diff", "diff cluster cluster", 0},
	{"diff", "diff cluster clean --fail-on guards,opens,closes,findings", 1},
	{"diff", "diff cluster refused", 2},
	{"diff", "diff refused clean --fail-on guards,opens,closes,findings", 2},
	{"diff", "diff clean refused --fail-on findings", 1},
	{"matrix", "matrix -f refused", 2},
	{"matrix", "matrix -f refused --only deny", 2},
	{"matrix", "matrix -f cluster/nodes.yaml", 2},
	{"verify", "verify holds.yaml -f cluster", 0},
	{"verify", "verify fails.yaml -f cluster", 1},
	{"verify", "verify holds.yaml -f refused", 2},
	{"verify", "verify none.yaml -f cluster", 2},
	{"report", "report -f clean", 0},
	{"report", "report -f clean --expectations fails.yaml", 1},
	{"report", "report -f refused", 2},
	{"report", "report -f clean --expectations missing.yaml", 2},
	{"report", "report -f cluster/nodes.yaml", 2},
	{"lint", "lint -f clean", 0},
	{"lint", "lint -f cluster", 1},
	{"lint", "lint -f refused", 1},
	{"lint", "lint -f foreign", 2},
	{"preview", "preview --move allow-web=25 -f clean", 0},
	{"preview", "preview --delete guard-db -f clean", 1},
	{"preview", "preview --delete guard-db -f refused", 2},
	{"--dry-run", "move allow-web 25 -f clean --dry-run", 0},
	{"apply", "apply --change new.yaml -f clean --yes", 0},
	{"apply", "apply --change refused/deny.yaml -f clean --yes", 1},
	{"delete", "delete guard-db -f clean --yes --confirm-name guard-db", 0},
	{"delete", "delete guard-db -f clean", 2},
	{"log-level", "log-level allow-web --deny info -f clean --yes", 0},
	{"move", "move allow-web 25 -f written --write-back --yes --state-dir st", 0},
	{"undo", "undo -f written --write-back --yes --state-dir st", 0},
	{"redo", "redo -f written --write-back --yes --state-dir st", 0},
	{"redo", "redo -f written --write-back --yes --state-dir st", 1},
	{"confirm", "confirm -f written --write-back --state-dir st", 1},
	{"plan --run", "plan --step 5 --run -f clean --yes", 0},
	{"new --apply", "new default-deny --defaults --apply -f clean", 2},
	{"plan", "plan --step 5 -f clean", 0},
	{"plan", "plan --step 5 -f torn", 2},
	{"plan", "plan --step 5 --run --dry-run -f torn", 2},
	{"new", "new default-deny --defaults -f clean", 0},
	{"drift", "drift -f clean", 0},
	{"drift", "drift -f clean --nb alpha=file:whole.db", 1},
	{"drift", "drift -f clean --nb alpha=file:torn.db", 2},
	{"zones --check", "zones --check -f clean", 0},
	{"zones --check", "zones --check -f torn", 2},
	{"rows", "rows -f clean", 0},
	{"rows", "rows --nb alpha=file:torn.db", 2},
	{"zones", "zones -f clean", 0},
	{"zones", "zones --nb alpha=file:torn.db", 2},
	{"explain", "explain met.txt -f cluster", 0},
	{"explain", "explain met.txt -f refused", 2},
	{"convert", "convert --to cnp -f clean", 0},
	{"convert", "convert --to cnp -f refused", 2},
	{"logs", "logs --log acl.log -f clean", 0},
	{"logs", "logs --why allow-web -f clean", 1},
	{"logs", "logs --log gone.log -f clean", 2},
	{"reconcile", "reconcile -f clean", 2},
	{"observe", "observe -f clean", 2},
	{"options", "options", 0},
	{"version", "version", 0},
	{"completion", "completion bash", 0},
}

// elsewhere are the codes that other tests show.
var elsewhere = map[string]string{
	"probe 0":       "TestProbe",
	"convert 1":     "no conversion is known that differs: TestRandomAntrea and its like of engine/convert would find one",
	"demo 0":        "test/journey",
	"confirm 0":     "TestScripts/confirm",
	"rows 1":        "TestDiffer of sources/nbdb/second",
	"reconcile 0":   "TestServicesEnd",
	"observe 0":     "TestServicesEnd",
	"new --apply 0": "TestNewAsksAndApplies",
}

// The table of docs/command-line.md has every command, and how each ends is so: 0, 1 where the
// table says what that means, and 2.
func TestExitCodes(t *testing.T) {
	table := exitTable(t)
	rowsOf := func(command string) (out []int) {
		for i, row := range table {
			if slices.Contains(row.commands, command) {
				out = append(out, i)
			}
		}
		return out
	}
	b := newBench(t)
	b.file("none.yaml", "[]\n")
	var lines []string
	for _, c := range exitCases {
		if !strings.Contains(c.line, "--write-back") {
			lines = append(lines, c.line)
		}
	}
	ran := b.all(lines)
	shown := map[int]map[int]bool{} // by row
	for _, c := range exitCases {
		code, out, errs := ran[c.line].code, ran[c.line].out, ran[c.line].errs
		if _, ok := ran[c.line]; !ok {
			code, out, errs = b.run(t.Context(), c.line)
		}
		if code != c.code {
			t.Errorf("rung %s: exit %d, want %d\n%s%s", c.line, code, c.code, out, errs)
		}
		of := rowsOf(c.command)
		if len(of) == 0 {
			t.Errorf("the table has no %s", c.command)
		}
		for _, i := range of {
			if shown[i] == nil {
				shown[i] = map[int]bool{}
			}
			shown[i][c.code] = true
			if c.code == command.ExitNo && !table[i].one {
				t.Errorf("rung %s: the table does not say what 1 means", c.line)
			}
		}
	}
	for _, name := range commandNames(t) {
		if len(rowsOf(name)) == 0 {
			t.Errorf("the table has no %s", name)
		}
	}
	for ends := range elsewhere {
		name, no := strings.CutSuffix(ends, " 1")
		if no && !slices.ContainsFunc(rowsOf(name), func(i int) bool { return table[i].one }) {
			t.Errorf("%s can end with 1, which the table does not say", name)
		}
	}
	for i, row := range table {
		has := func(code int, says string) bool {
			return shown[i][code] || slices.ContainsFunc(row.commands, func(c string) bool { return elsewhere[c+says] != "" })
		}
		if row.one && !has(command.ExitNo, " 1") || row.two && row.commands[0] != "reconcile" && !has(command.ExitFailed, " 2") {
			t.Errorf("%s: not every code of the table is shown", strings.Join(row.commands, ", "))
		}
		for _, c := range row.commands {
			if elsewhere[c+" 0"] == "" && !slices.ContainsFunc(exitCases, func(x struct {
				command, line string
				code          int
			}) bool {
				return x.command == c && x.code == command.ExitOK
			}) {
				t.Errorf("%s: nothing shows that it ends with 0", c)
			}
		}
	}
}

// rung preview and the dry run of the same change end with the same code, whatever the input.
func TestPreviewEndsAsItsDryRun(t *testing.T) {
	b := newBench(t)
	var lines []string
	type pair struct{ preview, change string }
	var pairs []pair
	for _, in := range append([]string{"cluster", "clean"}, unwell...) {
		for preview, change := range map[string]string{
			"--move allow-web=25": "move allow-web 25", "--delete guard-db": "delete guard-db", "--change new.yaml": "apply --change new.yaml",
			"--change clean": "apply --change clean", "--change refused/deny.yaml": "apply --change refused/deny.yaml",
		} {
			p := pair{"preview " + preview + " -f " + in, change + " --dry-run -f " + in}
			pairs, lines = append(pairs, p), append(lines, p.preview, p.change)
		}
	}
	ran := b.all(lines)
	for _, p := range pairs {
		if one, other := ran[p.preview], ran[p.change]; one.code != other.code {
			t.Errorf("rung %s: exit %d; rung %s: exit %d\n%s%s", p.preview, one.code, p.change, other.code, other.out, other.errs)
		}
	}
}

// started cancels when a log says so.
type started struct {
	bytes.Buffer
	cancel func()
}

func (s *started) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("started")) {
		s.cancel()
	}
	return s.Buffer.Write(p)
}

// A command that runs until it is told to stop ends with 0.
func TestServicesEnd(t *testing.T) {
	newBench(t)
	for _, service := range [][]string{{"reconcile", "--i-know-that-nobody-else-writes-these-rows"}, {"observe"}} {
		ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
		log := &started{cancel: cancel}
		from := time.Now()
		args := append(service, "-f", "clean", "--nb", "alpha=unix:gone.sock", "--metrics-address", "", "--state-dir", t.TempDir())
		if code := runUntil(ctx, args, strings.NewReader(""), &bytes.Buffer{}, log, nil); code != command.ExitOK || time.Since(from) > wait.Patience {
			t.Errorf("%s: exit %d: %s", service[0], code, log.String())
		}
		cancel()
	}
}
