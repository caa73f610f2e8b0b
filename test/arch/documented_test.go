package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readDocument is the text of a document.
func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocumentsAreLinked: the README leads to every document.
func TestDocumentsAreLinked(t *testing.T) {
	readme := readDocument(t, "README.md")
	for _, f := range documents(t) {
		if path.Dir(f.path) == "docs" && f.markdown() && !strings.Contains(readme, "]("+f.path) {
			t.Errorf("README.md has no link to %s", f.path)
		}
	}
}

// Tests and benchmarks as documents name them.
var (
	benchmarkCell = regexp.MustCompile("`\\./([\\w/]+)` (\\w+)")
	benchmarkMake = regexp.MustCompile(`make bench PKG=\./([\w/]+) BENCH=(\w+)`)
	testMake      = regexp.MustCompile(`make test PKG=\./([\w/]+) TESTFLAGS='-run ([^ ']+)`)
	goTest        = regexp.MustCompile(`go test ((?:\./[\w/]+ )+)([^\n\x60]*(?:\\\n[^\n\x60]*)?)`)
	goTestFlag    = regexp.MustCompile(`-(run|bench) (?:'([^']+)'|(\S+))`)
)

// TestMeasurementsAreThere: each folder that a document measures or tests in has a benchmark or
// test of that name.
func TestMeasurementsAreThere(t *testing.T) {
	funcs := map[string][]string{} // by folder
	for _, f := range source(t) {
		if f.test() {
			funcs[f.dir] = append(funcs[f.dir], declarations(f.ast)...)
		}
	}
	found := 0
	has := func(f prose, dirs []string, kind, pattern string) {
		found++
		pattern, _, _ = strings.Cut(strings.Trim(pattern, "'"), "/")
		want, err := regexp.Compile(pattern)
		if err != nil {
			t.Errorf("%s: %q: %v", f.path, pattern, err)
			return
		}
		for _, dir := range dirs {
			if !slices.ContainsFunc(funcs[dir], func(name string) bool { return strings.HasPrefix(name, kind) && want.MatchString(name) }) {
				t.Errorf("%s: %s has no %s that %q means", f.path, dir, strings.ToLower(kind), pattern)
			}
		}
	}
	for _, f := range documents(t) {
		if !f.markdown() {
			continue
		}
		if f.path == "docs/performance.md" {
			for _, m := range benchmarkCell.FindAllStringSubmatch(f.text, -1) {
				has(f, []string{m[1]}, "Benchmark", "^Benchmark"+m[2]+"$")
			}
		}
		for _, m := range benchmarkMake.FindAllStringSubmatch(f.text, -1) {
			has(f, []string{m[1]}, "Benchmark", m[2])
		}
		for _, m := range testMake.FindAllStringSubmatch(f.text, -1) {
			has(f, []string{m[1]}, "Test", m[2])
		}
		for _, m := range goTest.FindAllStringSubmatch(f.text, -1) {
			var dirs []string
			for _, dir := range strings.Fields(m[1]) {
				dirs = append(dirs, strings.TrimPrefix(dir, "./"))
			}
			for _, flag := range goTestFlag.FindAllStringSubmatch(m[2], -1) {
				pattern := flag[2] + flag[3]
				if flag[1] == "bench" {
					has(f, dirs, "Benchmark", pattern)
				} else if pattern != "^$" {
					has(f, dirs, "Test", pattern)
				}
			}
		}
	}
	if found < 15 {
		t.Errorf("only %d benchmarks and tests found in documents: the check holds for little", found)
	}
}

// notThere are what the README says is not there yet, and the test or helper that shows it:
// whoever changes that changes the README.
var notThere = map[string]struct{ file, name string }{
	"ClusterNetworkPolicy": {"compiler/cnp_test.go", "TestCNP"},
	"ovnkube-node pods":    {"test/kube/ovnpods_test.go", "ovnPods"},
}

// TestNotThereYet: the list of the README has what is shown not to be there, and nothing else.
func TestNotThereYet(t *testing.T) {
	_, list, ok := strings.Cut(readDocument(t, "README.md"), "**Not there yet:**\n")
	if !ok {
		t.Fatal("README.md has no list of what is not there yet")
	}
	told := map[string]bool{}
	for item := range strings.SplitSeq(strings.TrimSpace(list), "\n- **") {
		item = strings.TrimPrefix(item, "- **")
		name, _, _ := strings.Cut(item, "**")
		told[strings.TrimSuffix(name, ".")] = true
		if strings.Contains(item, "\n\n") {
			break
		}
	}
	for name := range told {
		shown, ok := notThere[name]
		if !ok {
			t.Errorf("README.md says that %q is not there yet, and nothing shows it", name)
			continue
		}
		if !regexp.MustCompile(`(?m)^func ` + shown.name + `\(`).MatchString(readDocument(t, shown.file)) {
			t.Errorf("%s has no %s any more: is %q there now?", shown.file, shown.name, name)
		}
	}
	for name := range notThere {
		if !told[name] {
			t.Errorf("README.md does not say that %q is not there yet", name)
		}
	}
}

var generates = regexp.MustCompile(`go generate \./([a-z][a-z/]*)`)

// TestGeneratedFilesHaveAGenerator: a package that documents or code call generated has a directive, so that
// go generate does not end without a word and without a file.
func TestGeneratedFilesHaveAGenerator(t *testing.T) {
	directives := map[string]bool{}
	named := map[string]string{}
	name := func(place, text string) {
		for _, m := range generates.FindAllStringSubmatch(text, -1) {
			named[strings.TrimSuffix(m[1], "/")] = place
		}
	}
	for _, f := range source(t) {
		text, err := os.ReadFile(filepath.Join(root(t), f.path))
		if err != nil {
			t.Fatal(err)
		}
		if f.path != "test/arch/told_test.go" {
			name(f.path, string(text))
		}
		if bytes.Contains(text, []byte("\n//go:generate ")) {
			directives[f.dir] = true
		}
	}
	for _, doc := range []string{"CONTRIBUTING.md", "docs/keys.md", "docs/findings.md"} {
		name(doc, readDocument(t, doc))
	}
	for dir, place := range named {
		if !directives[dir] {
			t.Errorf("%s says go generate ./%s, and no file there has a //go:generate", place, dir)
		}
	}
	if len(named) < 3 {
		t.Errorf("%v are named, want at least three", named)
	}
}

// TestGuardRailsAreTold: the table of guard rails has the code of each.
func TestGuardRailsAreTold(t *testing.T) {
	text := readDocument(t, "docs/command-line.md")
	codes := 0
	for _, f := range source(t) {
		if f.path != "change/guard/guard.go" && f.path != "change/gate/server.go" && f.path != "change/gate/preview_effect.go" {
			continue
		}
		for _, decl := range f.ast.Decls {
			consts, ok := decl.(*ast.GenDecl)
			if !ok || consts.Tok != token.CONST {
				continue
			}
			for _, spec := range consts.Specs {
				value, ok := spec.(*ast.ValueSpec)
				if !ok || len(value.Values) != 1 || f.path != "change/guard/guard.go" && !strings.HasPrefix(value.Names[0].Name, "Guard") {
					continue
				}
				literal, ok := value.Values[0].(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					continue
				}
				code, _ := strconv.Unquote(literal.Value)
				codes++
				if !strings.Contains(text, "`"+code+"`") {
					t.Errorf("docs/command-line.md has no guard rail %q", code)
				}
			}
		}
	}
	if codes < 13 {
		t.Errorf("only %d codes of guard rails found", codes)
	}
}

// TestContributingsExampleRuns: the journey that CONTRIBUTING.md shows is one that runs.
func TestContributingsExampleRuns(t *testing.T) {
	_, shown, _ := strings.Cut(readDocument(t, "CONTRIBUTING.md"), "```go\n")
	shown, _, _ = strings.Cut(shown, "```")
	runs := readDocument(t, "test/journey/contributing_test.go")
	for line := range strings.Lines(shown) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.Contains(runs, fmt.Sprintf("\t%s\n", line)) {
			t.Errorf("CONTRIBUTING.md shows %q, which test/journey/contributing_test.go does not run", line)
		}
	}
}
