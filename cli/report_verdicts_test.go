package cli

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"rung/cli/command"
	"rung/test/uitest"
	"rung/test/wait"
)

// bench is a folder with copies of testdata/cluster, each with something of its own wrong, in
// which commands are run.
type bench struct{ t *testing.T }

// unwell are the inputs that no command may call well, by their folders.
var unwell = []string{"empty", "kinds", "refused", "torn", "damaged"}

func newBench(t *testing.T) *bench {
	t.Helper()
	source, err := filepath.Abs("testdata/cluster")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := os.ReadFile("../sources/sandbox/ovn-nb.ovsschema")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/script/explain.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, traced, _ := strings.Cut(string(script), "\n-- trace.txt --\n")
	traced, _, _ = strings.Cut(traced, "\n-- ")
	t.Chdir(t.TempDir())
	b := &bench{t}
	for _, dir := range []string{"cluster", "clean", "refused", "torn", "damaged", "pending", "foreign", "written"} {
		if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
	}
	const anp = "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\n"
	for _, dir := range []string{"clean", "refused", "torn", "damaged", "pending", "foreign", "written"} {
		b.edit(dir+"/policies.yaml", func(text string) string { return text[:strings.LastIndex(text, "---")] }) // too-low
	}
	b.file("empty/readme.txt", "no manifest")
	b.file("kinds/a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: blue}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: blue}}\n")
	b.file("refused/deny.yaml", anp+"metadata: {name: refused}\nspec: {priority: 1, subject: {namespaces: {}}, ingres: []}\n")
	b.edit("torn/netpol.yaml", func(text string) string { return text[:len(text)*2/3] })
	b.file("pending/late.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: late, namespace: blue, labels: {app: web}}, spec: {containers: [{name: c, image: i}]}, status: {phase: Pending}}\n")
	b.file("foreign/other.yaml", "{apiVersion: crd.projectcalico.org/v1, kind: GlobalNetworkPolicy, metadata: {name: other}, spec: {}}\n")
	b.file("new.yaml", anp+"metadata: {name: fresh}\nspec: {priority: 50, subject: {namespaces: {}}}\n")
	b.file("holds.yaml", "- {expect: allow, from: green/web-0, to: blue/web-0, port: 8080}\n")
	b.file("fails.yaml", "- {expect: deny, from: green/web-0, to: blue/web-0, port: 8080}\n")
	b.file("met.txt", traced)
	b.file("acl.log", "2026-11-03T10:00:01.000Z|00001|acl_log(ovn_pinctrl0)|INFO|name=\"ANP:guard-db:Ingress:0\", verdict=drop, severity=info, direction=to-lport: tcp,vlan_tci=0x0000,dl_src=0a:58:0a:f4:00:04,dl_dst=0a:58:0a:f4:01:04,nw_src=10.244.0.4,nw_dst=10.244.1.4,nw_tos=0,nw_ecn=0,nw_ttl=63,tp_src=40000,tp_dst=5432,tcp_flags=syn\n")
	var compact bytes.Buffer
	if err := json.Compact(&compact, schema); err != nil {
		t.Fatal(err)
	}
	record := func(text string) string {
		text += "\n"
		return fmt.Sprintf("OVSDB JSON %d %x\n%s", len(text), sha1.Sum([]byte(text)), text)
	}
	whole := record(compact.String()) + record(`{"NB_Global":{"11111111-1111-1111-1111-111111111111":{"name":"alpha"}},"_date":1700000000000}`)
	b.file("whole.db", whole)
	b.file("torn.db", whole+"OVSDB JSON 20")
	return b
}

func (b *bench) file(name, text string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) edit(name string, by func(string) string) {
	b.t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		b.t.Fatal(err)
	}
	b.file(name, by(string(text)))
}

// run runs a command line until it ends, or ctx does.
func (b *bench) run(ctx context.Context, line string) (code int, out, errs string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, wait.Patience)
	defer cancel()
	args := append(strings.Fields(line), "--sandbox-ovsdb", "builtin", "--state-dir", filepath.Join(b.t.TempDir(), "state"))
	if strings.Contains(line, "--state-dir") {
		args = args[:len(args)-2]
	}
	if slices.Contains([]string{"version", "options", "completion"}, args[0]) {
		args = strings.Fields(line)
	}
	var o, e bytes.Buffer
	code = runUntil(ctx, args, strings.NewReader(""), &o, &e, nil)
	return code, o.String(), e.String()
}

// ended is how a command line ended.
type ended struct {
	code      int
	out, errs string
}

// all runs command lines that have nothing to do with each other: most of the time they wait
// for their databases.
func (b *bench) all(lines []string) map[string]ended {
	b.t.Helper()
	out, mu := map[string]ended{}, sync.Mutex{}
	var running errgroup.Group
	running.SetLimit(scriptsAtOnce)
	for _, line := range lines {
		running.Go(func() error {
			code, o, e := b.run(b.t.Context(), line)
			mu.Lock()
			defer mu.Unlock()
			out[line] = ended{code, o, e}
			return nil
		})
	}
	_ = running.Wait()
	return out
}

// asked is how each command is run on an input, which takes the place of IN. Those without one
// askAtTerminal nothing of the input; why stands there instead.
var asked = map[string]struct{ line, why string }{
	"activity":    {line: "activity -f IN"},
	"apply":       {line: "apply --change new.yaml -f IN --dry-run"},
	"can":         {line: "can -f IN"},
	"compile":     {line: "compile -f IN"},
	"completion":  {why: "prints a script"},
	"confirm":     {line: "confirm -f IN --write-back"},
	"convert":     {line: "convert --to cnp -f IN"},
	"delete":      {line: "delete pass-green -f IN --dry-run"},
	"demo":        {why: "opens the console, on its own input"},
	"drift":       {line: "drift -f IN"},
	"explain":     {line: "explain met.txt -f IN"},
	"ladder":      {line: "ladder -f IN"},
	"lint":        {line: "lint -f IN"},
	"log-level":   {line: "log-level allow-web --deny info -f IN --dry-run"},
	"logs":        {line: "logs --why guard-db -f IN"},
	"matrix":      {line: "matrix -f IN"},
	"report":      {line: "report -f IN --at-time 2026-11-27T09:00:00Z"},
	"connections": {line: "connections -f IN"},
	"diff":        {line: "diff clean IN"},
	"get":         {line: "get anp guard-db -f IN"},
	"move":        {line: "move allow-web 25 -f IN --dry-run"},
	"namespace":   {line: "namespace blue -f IN"},
	"new":         {line: "new default-deny --defaults --dry-run -f IN"},
	"observe":     {line: "observe -f IN --nb n1=unix:gone.sock --log-format none"},
	"options":     {why: "lists flags"},
	"plan":        {line: "plan --step 5 --run --dry-run -f IN"},
	"pod":         {line: "pod blue/web-0 -f IN"},
	"policy":      {line: "policy guard-db -f IN"},
	"preview":     {line: "preview --move allow-web=25 -f IN"},
	"probe":       {line: "probe green/web-0 blue/web-0 80 -f IN --sandbox-ovn off"},
	"reconcile":   {line: "reconcile -f IN"},
	"redo":        {line: "redo -f IN --write-back --dry-run"},
	"rows":        {line: "rows -f IN"},
	"trace":       {line: "trace green/web-0 blue/web-0 80 -f IN"},
	"undo":        {line: "undo -f IN --write-back --dry-run"},
	"verify":      {line: "verify holds.yaml -f IN"},
	"version":     {why: "prints the version"},
	"zones":       {line: "zones --check -f IN"},
}

// whole are the commands, with their inputs, whose answer is whole all the same, and why.
var whole = map[string]string{
	"get refused":         "as policy",
	"get damaged":         "as policy",
	"policy refused":      "the page of one policy does not hang on another",
	"logs refused":        "whether one policy logs does not hang on another",
	"log-level refused":   "logging decides nothing",
	"log-level torn":      "logging decides nothing",
	"can damaged":         "it is about the API server and files; rung zones asks zones",
	"compile damaged":     "it compiles policies, and reads no zone",
	"convert damaged":     "it compares policies, and reads no zone",
	"lint damaged":        "it is about policies, and reads no zone",
	"matrix damaged":      "it is about policies, and reads no zone",
	"connections damaged": "it is about policies, and reads no zone",
	"diff damaged":        "it is about policies, and reads no zone",
	"namespace damaged":   "it is about policies, and reads no zone",
	"pod damaged":         "it is about policies, and reads no zone",
	"policy damaged":      "it is about policies, and reads no zone",
	"trace damaged":       "policies are asked, and no zone",
	"verify damaged":      "policies are asked, and no zone",
	"preview damaged":     "its consequences are those of policies",
}

// Every command, run on nothing, on kinds that Rung does not read, with one policy refused, a
// torn file, a damaged database and a pod that is not scheduled: none says yes, but where the
// answer does not hang on that. What each prints is in testdata/unwell.txt.
func TestNoFalseCalm(t *testing.T) {
	golden, err := filepath.Abs("testdata/unwell.txt")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	var lines []string
	lineOf := func(q, in string) string {
		line := strings.ReplaceAll(q, "IN", in)
		if in == "damaged" {
			line += " --nb alpha=file:torn.db"
		}
		return line
	}
	for _, name := range commandNames(t) {
		if q, ok := asked[name]; !ok {
			t.Errorf("%s: say how it is asked, or why it asks nothing of the input", name)
		} else if q.line != "" {
			for _, in := range unwell {
				lines = append(lines, lineOf(q.line, in))
			}
		}
	}
	ran := b.all(lines)
	var got strings.Builder
	for _, name := range commandNames(t) {
		q := asked[name]
		if q.line == "" {
			fmt.Fprintf(&got, "== %s: %s\n", name, q.why)
			continue
		}
		for _, in := range unwell {
			line := lineOf(q.line, in)
			code, out, errs := ran[line].code, ran[line].out, ran[line].errs
			why, fine := whole[name+" "+in]
			if (code == command.ExitOK) != fine {
				t.Errorf("rung %s: exit %d (its answer is whole: %t)\n%s%s", line, code, fine, out, errs)
			}
			if fine {
				why = "  # " + why
			}
			fmt.Fprintf(&got, "== rung %s: exit %d%s\n%s%s", line, code, why, gist(out), quoted("! ", errs))
		}
	}
	uitest.CompareGolden(t, golden, got.String())
}

// commandNames are those of all commands but the hidden ones.
func commandNames(t *testing.T) (out []string) {
	t.Helper()
	root := rootCommand((&command.App{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Printed: map[string]bool{}}), nil)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if !c.Hidden && c.Name() != "help" {
			out = append(out, c.Name())
		}
	}
	slices.Sort(out)
	return out
}

// gist is the first line of an answer, and of the rest what says what it does not count.
func gist(out string) string {
	var lines []string
	for i, line := range strings.Split(strings.TrimRight(out, "\n"), "\n") {
		said := regexp.MustCompile(`ignored|not read|not counting|assuming|judged|unproven|not_considered|unknown|no drift|nothing`).MatchString(line)
		if i == 0 || said {
			lines = append(lines, line)
		}
	}
	return quoted("  ", regexp.MustCompile(`  +`).ReplaceAllString(strings.Join(lines, "\n"), "  ")) // however wide columns are
}

// ofTheRun is what another run prints otherwise.
var ofTheRun = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z|unix:/\S+|\d+ ms|/tmp/\S+`)

func quoted(with, text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return ""
	}
	return with + strings.ReplaceAll(ofTheRun.ReplaceAllString(text, "…"), "\n", "\n"+with) + "\n"
}
