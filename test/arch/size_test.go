package arch

import (
	"go/ast"
	"strings"
	"testing"
)

// What one person can hold: lines of a package without its tests, methods of a type.
const (
	packageLines = 3500
	typeMethods  = 47
)

// smaller are packages with a limit of their own: the rooms in which others come together.
var smaller = map[string]int{"revision": 2800, // with what is unread, which every page and command asks
	// The gate asks for room for history and audit before it writes, and names who is in the way.
	"change/gate": 2560, "change": 2500, "cli": 2500, "engine": 2500,
	// One client of the API server: its requests share how refusals and conflicts are told.
	"sources/kube": 3800,
	// Every owner of rows is compiled here; the options that a ConfigMap gives are decided where they are compiled with.
	"compiler": 3600,
	// One file for each kind of finding, and one for each form of line.
	"model/lint": 3900, "engine/logs": 3550}

// stillTooMany are types with more than typeMethods methods, with what they may not grow
// beyond. They are to be divided; a limit here is only ever lowered.
var stillTooMany = map[string]int{"model/lint.linter": 53}

func TestPackagesStaySmall(t *testing.T) {
	lines, methods := map[string]int{}, map[string]int{}
	for _, f := range source(t) {
		if f.test() || f.generated() || strings.HasPrefix(f.dir, "test") || strings.HasPrefix(f.dir, "bench") {
			continue
		}
		lines[f.dir] += f.lines
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[f.dir+"."+receiver(fn.Recv.List[0].Type)]++
			}
		}
	}
	for dir, n := range lines {
		limit := packageLines
		if l, ok := smaller[dir]; ok {
			limit = l
		}
		if n > limit {
			t.Errorf("package %s has %d lines without tests, more than %d: divide it", dir, n, limit)
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
