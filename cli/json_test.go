package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"rung/cli/command"
)

var recordJSON = flag.Bool("record-json", false, "write the answers of the commands into testdata/json: see TestJSONAsRecorded")

// recordedCommand is a command line whose JSON is recorded in testdata/json/NAME.json. It is
// called with -o json in a folder with copies of cluster, examples and antrea and the files of
// testdata/json/input.txtar. Words are separated by spaces; $alpha and $beta are the databases
// of a sandbox that runs the folder cluster.
type recordedCommand struct {
	name, line string
	before     []string // commands called first, in the same folder
}

var recordedCommands = []recordedCommand{
	{name: "ladder", line: "ladder -f examples"},
	{name: "ladder-antrea", line: "ladder -f antrea"},
	{name: "ladder-rows", line: "ladder -f cluster --nb beta=$beta"},
	{name: "ladder-stage", line: "ladder -f cluster --stage to-lport"},
	{name: "ladder-2016", line: "ladder -f legacy.yaml --legacy-isolation"},
	{name: "policy", line: "policy cluster-control -f examples"},
	{name: "get-kind", line: "get anp -f cluster"},
	{name: "policy-baseline", line: "policy BANP/default -f examples"},
	{name: "policy-network", line: "policy blue/web-only -f cluster"},
	{name: "policy-antrea", line: "policy ANNP/default/test-annp -f antrea"},
	{name: "policy-rows", line: "policy guard-db -f cluster"},
	{name: "pod", line: "pod blue/web-0 -f cluster"},
	{name: "namespace", line: "namespace blue -f cluster"},
	{name: "pod-list", line: "pod -f cluster -n blue"},
	{name: "ladder-labels", line: "ladder -f cluster --field-selector spec.priority=30"},
	{name: "pod-antrea", line: "pod x/a -f antrea"},
	{name: "trace", line: "trace --from green/web-0 --to blue/db-0 --port 5432 --by both -f cluster"},
	{name: "trace-rows", line: "trace --from green/web-0 --to blue/db-0 --port 5432 --by rows -f cluster"},
	{name: "trace-policies", line: "trace --from blue/web-0 --to green/web-0 --port 80 --by policies -f cluster"},
	{name: "trace-service", line: "trace a/p b/dns 80 -f dual"},
	{name: "trace-cases", line: "trace --cases cases.json -f cluster"},
	{name: "trace-antrea", line: "trace --cases antrea.json -f antrea"},
	{name: "trace-as-if", line: "trace --from shop/web-0 --to blue/db-0 --port 5432 --as-if shop:tenant=red --as-if shop/web-0:app=web -f cluster"},
	{name: "trace-2016", line: "trace -f legacy.yaml --legacy-isolation --from mon/prom-0 --to shop/web-0 --port 80 --by both"},
	{name: "matrix", line: "matrix -f examples --port 443"},
	{name: "matrix-focus", line: "matrix -f cluster -f net.yaml -f service.yaml --outside --services --focus green"},
	{name: "matrix-pods", line: "matrix -f cluster --unfold pods"},
	{name: "connections", line: "connections -f examples --focus blue"},
	{name: "connections-exposure", line: "connections -f cluster --exposure"},
	{name: "diff", line: "diff cluster examples"},
	{name: "verify", line: "verify examples/expectations.yaml -f examples"},
	{name: "verify-rows", line: "verify false.yaml true.yaml -f cluster --by both"},
	{name: "verify-mistakes", line: "verify mistakes.yaml true.yaml -f cluster"},
	{name: "verify-write", line: "verify --write --namespaces blue -f cluster"},
	{name: "lint", line: "lint -f examples"},
	{name: "report", line: "report -f examples --expectations examples/expectations.yaml"},
	{name: "report-rows", line: "report -f cluster --nb beta=$beta --settle 0s"},
	{name: "lint-antrea", line: "lint -f antrea"},
	{name: "convert", line: "convert --to anp convert/pods.yaml convert/inexact.yaml"},
	{name: "convert-antrea", line: "convert --to anp convert/pods.yaml convert/antrea.yaml"},
	{name: "convert-2016", line: "convert --to networkpolicy legacy.yaml"},
	{name: "zones", line: "zones -f cluster"},
	{name: "zones-nb", line: "zones --nb $beta"},
	{name: "zones-check", line: "zones --check -f cluster --second-reader"},
	{name: "zones-conditions", line: "zones --conditions -f cluster"},
	{name: "zones-dialect", line: "zones --dialect -f cluster"},
	{name: "drift", line: "drift -f other --nb beta=$beta --settle 0s"},
	{name: "drift-none", line: "drift -f cluster --nb beta=$beta"},
	{name: "rows", line: "rows -f cluster --zone beta"},
	{name: "rows-policy", line: "rows allow-web -f cluster --zone alpha"},
	{name: "compile", line: "compile -f cluster"},
	{name: "compile-policy", line: "compile cluster-control -f examples --zone ovn-worker"},
	{name: "can", line: "can -f cluster"},
	{name: "activity", line: "activity -f legacy.yaml"}, // one node: two zones are written in any order
	{name: "logs", line: "logs -f cluster --log pods.log --log node-a"},
	{name: "logs-antrea", line: "logs -f antrea --log np.log"},
	{name: "logs-aggregate", line: "logs -f cluster --log pods.log --aggregate"},
	{name: "logs-why", line: "logs -f cluster -f watch.yaml --log node-b --why watch"},
	{name: "logs-propose", line: "logs -f cluster --log pods.log --filter verdict:drop --propose from-log=5"},
	{name: "explain", line: "explain trace.txt -f cluster"},
	{name: "preview", line: "preview --change lockout.yaml --delete allow-web --move guard-db=33 -f cluster"},
	{name: "preview-demo", line: "preview --move cluster-control=36 -f examples"},
	{name: "preview-prune", line: "preview --change one --prune -f cluster"},
	{name: "preview-antrea", line: "preview -f antrea --change to-services.yaml"},
	{name: "new", line: "new"},
	{name: "new-set", line: "new tenant-isolation --answer tenants=blue,green,red,yellow --defaults -f examples"},
	{name: "new-dry-run", line: "new tenant-isolation --answer tenants=blue,green --defaults -f examples --dry-run"},
	{name: "apply-dry-run", line: "apply --change edited.yaml -f cluster --dry-run"},
	{name: "apply-refused", line: "apply --change deny-all.yaml -f cluster --yes"},
	{name: "apply", line: "apply --change new.yaml -f cluster --write-back --yes"},
	{name: "move-dry-run", line: "move allow-web 25 -f cluster --write-back --dry-run"},
	{name: "move", line: "move allow-web 25 -f cluster --write-back --yes"},
	{name: "move-trial", line: "move allow-web 25 -f cluster --write-back --yes --confirm 1s"},
	{name: "log-level", line: "log-level guard-db --deny alert -f cluster --write-back --yes"},
	{name: "log-level-for", line: "log-level guard-db allow-web --deny info --allow info --for 15m -f cluster --write-back --yes"},
	{name: "log-level-sessions", line: "log-level --sessions -f cluster --write-back",
		before: []string{"log-level guard-db allow-web --deny info --allow info --for 15m -f cluster --write-back --yes"}},
	{name: "log-level-end", line: "log-level --end -f cluster --write-back --yes",
		before: []string{"log-level guard-db --deny info --for 15m -f cluster --write-back --yes"}},
	{name: "delete", line: "delete too-low -f cluster --write-back --yes --confirm-name too-low"},
	{name: "plan", line: "plan -f examples"},
	{name: "plan-space", line: "plan -f cluster --step 5 --start 40"},
	{name: "plan-insert", line: "plan -f cluster --insert allow-web,guard-db"},
	{name: "plan-run", line: "plan -f cluster --step 5 --start 10 --run --yes --write-back"},
	{name: "undo-list", line: "undo --list -f cluster --write-back",
		before: []string{"move allow-web 25 -f cluster --write-back --yes", "undo -f cluster --write-back --yes",
			"move allow-web 26 -f cluster --write-back --yes"}},
	{name: "undo", line: "undo -f cluster --write-back --yes",
		before: []string{"move allow-web 25 -f cluster --write-back --yes"}},
	{name: "undo-plan", line: "undo -f cluster --write-back --dry-run",
		before: []string{"plan -f cluster --step 5 --start 10 --run --yes --write-back"}},
	{name: "redo", line: "redo -f cluster --write-back --yes",
		before: []string{"move allow-web 25 -f cluster --write-back --yes", "undo -f cluster --write-back --yes"}},
	{name: "options", line: "options"},
	{name: "version", line: "version"},
}

// recordedElsewhere are the records of commands that need OVN itself: TestLabScripts and
// TestProbe compare them.
var recordedElsewhere = []string{"rows-flows", "zones-flows", "probe"}

// withoutJSON are the commands that print none.
var withoutJSON = []string{"demo", "confirm", "reconcile", "observe", "second-reader", "completion", "help"}

// changesByRun lists what may differ from what is recorded: the value then only has to be of
// the same type, and an array has any number of elements but none. A path is NAME of the record, then the
// keys, with * for any element of an array.
var changesByRun = []struct {
	why   string
	paths *regexp.Regexp
}{
	{"times of this run", regexp.MustCompile(`^(logs-aggregate|undo-list|zones-conditions)( .*)? at$`)},
	{"times of this run", regexp.MustCompile(`^zones.* (synced_at|oldest|newest)$`)},
	{"times of this run", regexp.MustCompile(`^log-level-sessions .* (since|until)$`)},
	{"the time of the change before", regexp.MustCompile(`^(undo|redo|undo-plan) \* notes \*$`)},
	{"times, user, version and socket of this run", regexp.MustCompile(`^report\S* \* (at|about (made|by|with)|zones \* (endpoint|synced_at)|drift .* _?uuid)$`)},
	{"how long it took", regexp.MustCompile(` took_ms$`)},
	{"UUIDs of rows", regexp.MustCompile(`^(drift|rows)\b.* _?uuid$`)},
	{"what is written together, and UUIDs of ports", regexp.MustCompile(`^activity \*`)},
	{"the folder of the sandbox's sockets", regexp.MustCompile(`^zones.* endpoint$`)},
	{"user, host and time of a session", regexp.MustCompile(`^log-level-(for|end) .* (diff|new|old)$`)},
	{"user, host, time and number of a session", regexp.MustCompile(`^log-level-(for|end) .* commands \*$`)},
	{"user and host", regexp.MustCompile(`^log-level-sessions .* by$`)},
	{"OVN's version decides its tables, flows and settings", regexp.MustCompile(`^(rows-flows|zones-flows|probe) `)},
	{"the commit and Go that this is built with", regexp.MustCompile(`^version `)},
}

// recordedAnswer is what a command printed as JSON, and its exit code.
type recordedAnswer struct {
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Output  []any  `json:"output"` // one value, or one for each that was printed
}

// TestJSONAsRecorded holds the JSON of every command against what it was before the house was
// rebuilt (commit 6e063527): every key is still there with a value of the same type, and the
// same value but for changesByRun. More keys are compatible; other names, types and values are
// not, since scripts read them.
//
// The files are not to be recorded again: they are what others rely on. For a new command, or
// one whose JSON changes on purpose and with a note in docs/, remove its file and call
//
//	go test ./cli -run TestJSONAsRecorded -record-json
//
// which writes the files that are missing, and no other.
func TestJSONAsRecorded(t *testing.T) {
	noLeaks(t)
	input, err := txtar.ParseFile("testdata/json/input.txtar")
	if err != nil {
		t.Fatal(err)
	}
	records, err := filepath.Abs("testdata/json")
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{"cluster": "testdata/cluster", "examples": "../test/given/troubled", "antrea": "../examples-antrea"}
	for name, dir := range folders {
		if folders[name], err = filepath.Abs(dir); err != nil {
			t.Fatal(err)
		}
	}
	sockets := shortDir(t)
	sandbox := start(t, "rows", "-w", "-f", folders["cluster"], "--sandbox-dir", sockets)
	defer sandbox.end()
	sandbox.until(&sandbox.out, "beta ")
	databases := strings.NewReplacer("$alpha", "unix:"+sockets+"/alpha.sock", "$beta", "unix:"+sockets+"/beta.sock")
	known := map[string]bool{"input.txtar": true}
	for _, name := range recordedElsewhere {
		known[name+".json"] = true
	}
	for _, c := range recordedCommands {
		known[c.name+".json"] = true
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, from := range folders {
				if err := copyManifests(filepath.Join(dir, name), from); err != nil {
					t.Fatal(err)
				}
			}
			if err := txtar.Write(input, dir); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			global := []string{"--state-dir", filepath.Join(dir, "state"), "--sandbox-ovsdb", "builtin", "--sandbox-dir", shortDir(t), "-o", "json"}
			call := func(line string) recordedAnswer {
				var out, errs bytes.Buffer
				args := append(strings.Fields(databases.Replace(line)), global...)
				code := runUntil(t.Context(), args, strings.NewReader(""), &out, &errs, nil)
				values, err := readValues(&out)
				if err != nil || len(values) == 0 {
					t.Fatalf("rung %s: exit %d, %v: %s\n%s", line, code, err, out.String(), errs.String())
				}
				return recordedAnswer{"rung " + line, code, values}
			}
			for _, line := range c.before {
				call(line)
			}
			compareRecorded(t, records, c.name, call(c.line))
		})
	}
	for _, command := range rootCommand((&command.App{}), nil).Commands() {
		has := func(record string) bool {
			return record == command.Name()+".json" || strings.HasPrefix(record, command.Name()+"-")
		}
		if !slices.Contains(withoutJSON, command.Name()) && !slices.ContainsFunc(sortedKeys(known), has) {
			t.Errorf("rung %s has no record", command.Name())
		}
	}
	files, err := os.ReadDir(records)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[f.Name()] {
			t.Errorf("testdata/json/%s is of no command", f.Name())
		}
	}
}

// compareRecorded holds an answer against the file of its name, and writes it where it is missing
// and asked for.
func compareRecorded(t *testing.T, records, name string, got recordedAnswer) {
	t.Helper()
	path := filepath.Join(records, name+".json")
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && *recordJSON {
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		err = enc.Encode(got)
		raw = text.Bytes()
		err = errors.Join(err, os.WriteFile(path, raw, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	want := recordedAnswer{}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if got.Command != want.Command || got.Exit != want.Exit {
		t.Errorf("%s: exit %d, recorded: %s: exit %d", got.Command, got.Exit, want.Command, want.Exit)
	}
	for _, d := range incompatible(name, want.Output, got.Output) {
		t.Error(d)
	}
}

// copyManifests copies the YAML files of a folder, not of those in it.
func copyManifests(to, from string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.yaml"))
	err = errors.Join(err, os.Mkdir(to, 0o700))
	for _, f := range files {
		text, readErr := os.ReadFile(f)
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(to, filepath.Base(f)), text, 0o600))
	}
	return err
}

// readValues reads JSON values until the end.
func readValues(r io.Reader) (values []any, _ error) {
	d := json.NewDecoder(r)
	d.UseNumber()
	for {
		var v any
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			return values, nil
		case err != nil:
			return nil, err
		}
		values = append(values, v)
	}
}

// incompatible compares a value with what is recorded, and says where it is not compatible.
func incompatible(path string, want, got any) []string {
	wantType, gotType := jsonType(want), jsonType(got)
	if wantType != gotType {
		return []string{fmt.Sprintf("%s: %s, recorded: %s", path, gotType, wantType)}
	}
	var all []string
	switch want := want.(type) {
	case map[string]any:
		got := got.(map[string]any)
		for _, key := range sortedKeys(want) {
			if value, ok := got[key]; !ok {
				all = append(all, fmt.Sprintf("%s: no key %s", path, key))
			} else {
				all = append(all, incompatible(path+" "+key, want[key], value)...)
			}
		}
	case []any:
		got := got.([]any)
		if len(got) != len(want) && (len(got) == 0 || !mayChange(path)) {
			all = append(all, fmt.Sprintf("%s: %d elements, recorded: %d", path, len(got), len(want)))
		}
		for i := range min(len(got), len(want)) {
			all = append(all, incompatible(path+" *", want[i], got[i])...)
		}
	default:
		if got != want && !mayChange(path) {
			all = append(all, fmt.Sprintf("%s: %v, recorded: %v", path, got, want))
		}
	}
	return all
}

func jsonType(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// mayChange reports whether changesByRun has a path.
func mayChange(path string) bool {
	for _, c := range changesByRun {
		if c.paths.MatchString(path) {
			return true
		}
	}
	return false
}

// A key of another name, a value of another type, another value and an element more or fewer
// are seen; keys that are new, and other values of what changes by run, are compatible.
func TestIncompatible(t *testing.T) {
	const recorded = `{"at":"2026-01-01T00:00:00Z","rules":[{"name":"one","n":1,"of":null,"on":true}]}`
	for _, c := range []struct{ got, want string }{
		{recorded, ""},
		{`{"at":"2026-01-02T00:00:00Z","rules":[{"name":"one","n":1,"of":null,"on":true}]}`, ""},
		{`{"at":"2026-01-01T00:00:00Z","more":{},"rules":[{"name":"one","n":1,"of":null,"on":true,"off":1}]}`, ""},
		{`{"at":5,"rules":[{"name":"one","n":1,"of":null,"on":true}]}`, "undo-list at: number, recorded: string"},
		{`{"at":"","rules":[{"title":"one","n":1,"of":null,"on":true}]}`, "undo-list rules *: no key name"},
		{`{"at":"","rules":[{"name":"two","n":1,"of":null,"on":true}]}`, "undo-list rules * name: two, recorded: one"},
		{`{"at":"","rules":[{"name":"one","n":"1","of":null,"on":true}]}`, "undo-list rules * n: string, recorded: number"},
		{`{"at":"","rules":[{"name":"one","n":2,"of":null,"on":true}]}`, "undo-list rules * n: 2, recorded: 1"},
		{`{"at":"","rules":[{"name":"one","n":1,"of":{},"on":true}]}`, "undo-list rules * of: object, recorded: null"},
		{`{"at":"","rules":[{"name":"one","n":1,"of":null,"on":false}]}`, "undo-list rules * on: false, recorded: true"},
		{`{"at":"","rules":[]}`, "undo-list rules: 0 elements, recorded: 1"},
		{`{"at":"","rules":{}}`, "undo-list rules: object, recorded: array"},
	} {
		want, err := readValues(strings.NewReader(recorded))
		got, gotErr := readValues(strings.NewReader(c.got))
		if err = errors.Join(err, gotErr); err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(incompatible("undo-list", want[0], got[0]), "; "); said != c.want {
			t.Errorf("%s: %q, want %q", c.got, said, c.want)
		}
	}
}
