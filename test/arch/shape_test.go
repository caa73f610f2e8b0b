package arch

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// maxLines is where a file becomes a place to ask whether it is two things.
const maxLines = 450

// long lists the files that may be longer than maxLines, each with its reason.
// Generated files need no entry.
var long = map[string]string{}

func TestFilesStayShort(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range source(t) {
		if f.test() || f.generated() || f.lines <= maxLines {
			continue
		}
		seen[f.path] = true
		if long[f.path] == "" {
			t.Errorf("%s has %d lines, more than %d: split it, or give the reason in the list", f.path, f.lines, maxLines)
		}
	}
	for name := range long {
		if !seen[name] {
			t.Errorf("%s is on the list of long files and is not long: take it off", name)
		}
	}
}

// Every package says in doc.go what it is for. main.go may say it itself.
func TestEveryPackageHasADoc(t *testing.T) {
	documented := map[string]bool{}
	var dirs []string
	for _, f := range source(t) {
		if !slices.Contains(dirs, f.dir) {
			dirs = append(dirs, f.dir)
		}
		name := filepath.Base(f.path)
		if name != "doc.go" && (name != "main.go" || f.ast.Name.Name != "main") {
			continue
		}
		if f.ast.Doc == nil {
			continue
		}
		text := f.ast.Doc.Text()
		if f.ast.Name.Name != "main" && !strings.HasPrefix(text, "Package "+f.ast.Name.Name+" ") {
			t.Errorf("%s: the comment should begin with \"Package %s …\"", f.path, f.ast.Name.Name)
		}
		documented[f.dir] = true
	}
	for _, dir := range dirs {
		if !documented[dir] {
			t.Errorf("package %s has no doc.go with a package comment: purpose, invariants, who may import it", dir)
		}
	}
}

// go-runewidth 0.0.25 to 0.0.27 builds its tables when the program starts: up
// to 130 ms before the first frame. A careless tidy brings it back.
func TestRunewidthIsQuickToStart(t *testing.T) {
	const name = "github.com/mattn/go-runewidth v0.0."
	mod, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mod)) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), name)
		if !ok {
			continue
		}
		patch, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			t.Fatalf("version of go-runewidth: %v", err)
		}
		if patch < 28 {
			t.Errorf("go-runewidth v0.0.%d: ask for v0.0.28 or newer", patch)
		}
		return
	}
	t.Error("go.mod does not pin go-runewidth: the version chosen by others may be the slow one")
}

// What is done before the condition of an if is easily read over. Only an
// error may be assigned there; a new variable may be made there, whose scope
// is the if.
func TestConditionsAssignOnlyErrors(t *testing.T) {
	for _, f := range source(t) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			condition, ok := n.(*ast.IfStmt)
			if !ok || condition.Init == nil {
				return true
			}
			assigned, ok := condition.Init.(*ast.AssignStmt)
			if ok && (assigned.Tok == token.DEFINE || slices.ContainsFunc(assigned.Lhs, isError)) {
				return true
			}
			t.Errorf("%s:%d: an if that does something else first: a line of its own says it better", f.path, f.fset.Position(n.Pos()).Line)
			return true
		})
	}
}

// isError reports whether a variable has the name of an error.
func isError(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && strings.Contains(strings.ToLower(id.Name), "err")
}
