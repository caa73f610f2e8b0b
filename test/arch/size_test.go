package arch

import (
	"bytes"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// typeMethods is the most methods of a type.
const typeMethods = 47

// stillTooMany are types with more than typeMethods methods, with what they may not grow
// beyond. They are to be divided; a limit here is only ever lowered.
var stillTooMany = map[string]int{"model/lint.linter": 52}

// house is how large the program is, without tests and what serves them. Every number is only
// ever lowered, but for a page or command that is new: lines and edges grew for the page of a namespace, lines
// for rung observe.
var house = map[string]int{
	"lines":                         183_700,
	"packages":                      81,
	"import edges":                  687,
	"packages with one importer":    16,
	"words of docs/architecture.md": 1900,
}

func isProgram(f file) bool {
	return !f.test() && !strings.HasPrefix(f.dir, "test") && !strings.HasPrefix(f.dir, "bench")
}

// TestLinesFit: no line of the program is longer than a screen that shows two files side by side. A directive is one line.
func TestLinesFit(t *testing.T) {
	const columns = 140
	for _, f := range source(t) {
		if !isProgram(f) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root(t), f.path))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > columns && !strings.HasPrefix(line, "//go:") {
				t.Errorf("%s:%d has %d columns, more than %d", f.path, i+1, n, columns)
			}
		}
	}
}

func TestHouse(t *testing.T) {
	lines, edges, importers := map[string]int{}, map[[2]string]bool{}, map[string]int{}
	total := 0
	for _, f := range source(t) {
		if !isProgram(f) {
			continue
		}
		lines[f.dir] += f.lines
		total += f.lines
		for _, path := range f.imports() {
			to, ours := strings.CutPrefix(path, "rung/")
			if edge := [2]string{f.dir, to}; ours && !edges[edge] {
				edges[edge] = true
				importers[to]++
			}
		}
	}
	one := 0
	for dir := range lines {
		if importers[dir] == 1 {
			one++
		}
	}
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	is := map[string]int{"lines": total, "packages": len(lines), "import edges": len(edges), "packages with one importer": one,
		"words of docs/architecture.md": len(bytes.Fields(text))}
	for what, limit := range house {
		if is[what] > limit {
			t.Errorf("%d %s, more than %d: make something smaller", is[what], what, limit)
		}
		t.Logf("%d %s", is[what], what)
	}
}

func TestTypesStaySmall(t *testing.T) {
	methods := map[string]int{}
	for _, f := range source(t) {
		if !isProgram(f) || f.generated() {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[f.dir+"."+receiver(fn.Recv.List[0].Type)]++
			}
		}
	}
	for name, n := range methods {
		limit := typeMethods
		if l, ok := stillTooMany[name]; ok {
			limit = l
			if n <= typeMethods {
				t.Errorf("%s has %d methods: take it off the list of types with too many", name, n)
			}
		}
		if n > limit {
			t.Errorf("type %s has %d methods, more than %d", name, n, limit)
		}
	}
}
