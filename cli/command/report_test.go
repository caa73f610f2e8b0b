package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hostile is text of a policy that would be something else in a form that does not escape it.
const hostile = "100%\r\n::error::x, [click](https://evil.example) <b>&\"'\x1b]]> %0A{0}"

// full is a report with all that one can have.
func full() *Report {
	return &Report{
		Command: "lint", Version: "1.2.3", Folder: "/work/repo", Input: "policies",
		Rules: []Rule{{Code: "open", Title: "opens all", Meaning: "It opens all.", Help: "Close it.", URL: "https://rung.example/findings#open"}},
		Results: []Result{
			{Code: "open", Level: Error, Message: "egress 0: " + hostile, Detail: "for example\na → b", Object: "ANP wall", File: "/work/repo/policies/a b%.yaml", Line: 7, Key: "egress 0"},
			{Code: "open", Level: Warning, Message: "egress 1", Object: "ANP wall", File: "policies/a b%.yaml", Line: 7, Key: "egress 1"},
			{Code: "other", Level: Note, Message: "no file"},
			{Code: "other", Outcome: Passed, Level: Error, Message: "holds", File: "x.yaml", Line: 1},
			{Code: "other", Outcome: Unjudged, Level: Error, Message: "unproven", File: "../x:y.yaml", NotConsidered: []string{"b.yaml could not be read and is ignored"}},
		},
		NotConsidered: []Omission{
			{Code: "unreadable", Level: Error, Text: "b.yaml could not be read and is ignored", File: "b.yaml", Line: 2},
			{Code: "refused", Level: Warning, Text: "c.yaml was rejected and is ignored"},
			{Code: "assumed-setting", Level: Note, Text: "assuming " + hostile},
		},
	}
}

func written(t *testing.T, r *Report, form string) string {
	t.Helper()
	text, err := r.Write(form)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// command is a workflow command as the runner of GitHub Actions takes it apart: the two colons,
// the name, a space, properties between commas, two colons, the message; then it takes back
// what was escaped.
type command struct {
	Name, Message string
	Properties    map[string]string
}

func parseCommand(t *testing.T, line string) command {
	t.Helper()
	rest, ok := strings.CutPrefix(line, "::")
	head, message, ends := strings.Cut(rest, "::")
	if !ok || !ends {
		t.Fatalf("no command: %q", line)
	}
	unescape := strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",").Replace
	name, list, _ := strings.Cut(head, " ")
	c := command{Name: name, Message: strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n").Replace(message), Properties: map[string]string{}}
	for p := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(p, "=")
		if !ok {
			t.Fatalf("no property: %q in %q", p, line)
		}
		c.Properties[key] = unescape(value)
	}
	return c
}

// The documentation of GitHub's workflow commands has these (without endLine and col).
func TestAnnotationsAreAsDocumented(t *testing.T) {
	r := &Report{Results: []Result{
		{Code: "Style", Level: Error, Message: "Missing semicolon", File: "app.js", Line: 1},
		{Code: "Style", Level: Warning, Message: "Missing semicolon", File: "app.js", Line: 1},
		{Code: "Style", Level: Note, Message: "Missing semicolon", File: "app.js", Line: 1},
		{Code: "Heads up", Level: Note, Message: "I need to make you aware of something"},
	}}
	const want = `::error file=app.js,line=1,title=Style::Missing semicolon
::warning file=app.js,line=1,title=Style::Missing semicolon
::notice file=app.js,line=1,title=Style::Missing semicolon
::notice title=Heads up::I need to make you aware of something
`
	if d := cmp.Diff(want, written(t, r, GitHubForm)); d != "" {
		t.Error(d)
	}
}

// Whatever a policy says, an annotation is one line, which says it again.
func TestAnnotationsSurviveAnyText(t *testing.T) {
	r := full()
	r.Results[0].Code, r.Results[0].File = "a,b:c", "/work/repo/a,b:c%.yaml"
	lines := strings.Split(strings.TrimSuffix(written(t, r, GitHubForm), "\n"), "\n")
	if len(lines) != len(r.NotConsidered)+4 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	got := parseCommand(t, lines[3])
	want := command{"error", "ANP wall: egress 0: " + hostile + "\n\nfor example\na → b",
		map[string]string{"file": "a,b:c%.yaml", "line": "7", "title": "a,b:c"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if c := parseCommand(t, lines[0]); c.Name != "error" || c.Properties["title"] != notConsidered || c.Properties["line"] != "2" {
		t.Errorf("what was not considered is not first: %q", lines[0])
	}
}

// The documentation of GitLab's code quality has this issue; its fingerprint is the tool's own.
func TestCodeQualityIsAsDocumented(t *testing.T) {
	const documented = `[
  {
    "description": "'unused' is assigned a value but never used.",
    "check_name": "no-unused-vars",
    "fingerprint": "7815696ecbf1c96e6894b779456d330e",
    "severity": "minor",
    "location": {
      "path": "lib/index.js",
      "lines": {
        "begin": 42
      }
    }
  }
]`
	r := &Report{Results: []Result{{Code: "no-unused-vars", Level: Warning, Message: "'unused' is assigned a value but never used.", File: "./lib/index.js", Line: 42}}}
	var want, got []map[string]any
	for text, into := range map[string]*[]map[string]any{documented: &want, written(t, r, GitLabForm): &got} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	if print, _ := got[0]["fingerprint"].(string); len(print) != len("7815696ecbf1c96e6894b779456d330e") {
		t.Errorf("fingerprint %q", print)
	}
	got[0]["fingerprint"] = want[0]["fingerprint"]
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// prints are the fingerprints of a report in GitLab's form and in SARIF.
func prints(t *testing.T, r *Report) (out []string) {
	t.Helper()
	var issues []qualityIssue
	var log sarifLog
	for text, into := range map[string]any{written(t, r, GitLabForm): &issues, written(t, r, SARIFForm): &log} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for i, f := range log.Runs[0].Results {
		print := f.Fingerprints[fingerprintName]
		if print != issues[i].Fingerprint || seen[print] {
			t.Errorf("result %d: fingerprint %s in SARIF, %s for GitLab, seen %v", i, print, issues[i].Fingerprint, seen[print])
		}
		seen[print] = true
		out = append(out, print)
	}
	return out
}

// A result keeps its fingerprint when lines move, a count changes, other results come and go, and the
// file of its object is renamed.
func TestFingerprintsStay(t *testing.T) {
	before := prints(t, full())
	r := full()
	for i := range r.Results {
		r.Results[i].Line += 30
		r.Results[i].Message += " (12 more)"
	}
	r.Results[0].File = "elsewhere.yaml"
	r.Results = append([]Result{{Code: "open", Level: Error, Message: "another", Object: "ANP new"}}, r.Results...)
	if d := cmp.Diff(before, prints(t, r)[1:]); d != "" {
		t.Error(d)
	}
	twice := &Report{Results: []Result{{Code: "a", Object: "b"}, {Code: "a", Object: "b"}}}
	if p := prints(t, twice); p[0] == p[1] {
		t.Error("two results have one fingerprint")
	}
}

func TestPlaces(t *testing.T) {
	r := &Report{Folder: "/work/repo", Input: "policies"}
	for file, want := range map[string][2]string{
		"a.yaml":                    {"a.yaml", "a.yaml"},
		"./a/../b c.yaml":           {"b c.yaml", "b%20c.yaml"},
		"/work/repo/x/ü%.yaml":      {"x/ü%.yaml", "x/%C3%BC%25.yaml"},
		"/elsewhere/[a].yaml":       {"/elsewhere/[a].yaml", "file:///elsewhere/%5Ba%5D.yaml"},
		"../up.yaml":                {"../up.yaml", "../up.yaml"},
		"/work/repository/not.yaml": {"/work/repository/not.yaml", "file:///work/repository/not.yaml"},
		"a:b.yaml":                  {"a:b.yaml", "./a:b.yaml"},
		"git:v1.2:deploy/a b.yaml":  {"deploy/a b.yaml", "deploy/a%20b.yaml"},
		"git:HEAD":                  {".", "."},
		"./git:a:b":                 {"git:a:b", "./git:a:b"},
		"-":                         {"stdin", "stdin"},
		"":                          {"policies", "policies"},
	} {
		if got := [2]string{r.path(file), r.uri(file)}; got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
	if got := (&Report{Input: "-"}).path(""); got != "." {
		t.Errorf("without a file, of standard input: %q", got)
	}
}

func TestEmptyReports(t *testing.T) {
	r := &Report{Command: "lint"}
	if text := written(t, r, GitHubForm); text != "" {
		t.Errorf("GitHub: %q", text)
	}
	if text := written(t, r, GitLabForm); text != "[]\n" {
		t.Errorf("GitLab: %q", text)
	}
	if text := written(t, r, SARIFForm); !strings.Contains(text, `"results": []`) || !strings.Contains(text, `"rules": []`) {
		t.Errorf("SARIF: %s", text)
	}
	if text := written(t, r, JUnitForm); !strings.Contains(text, `tests="1" failures="0" errors="0"`) {
		t.Errorf("JUnit: %s", text)
	}
	if _, err := r.Write("html"); err == nil {
		t.Error("a form that does not exist")
	}
}
