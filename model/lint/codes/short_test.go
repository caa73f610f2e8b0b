package codes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// Every code of a finding has words of its own, short enough for a column.
func TestShort(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := 0
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if !v.Names[0].IsExported() {
				continue
			}
			code, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes++
			if worth(code) == len(shorts) {
				t.Errorf("%s has no short words", code)
			}
			if n := len(Short(code)); n > 12 {
				t.Errorf("%s in %d letters: %s", code, n, Short(code))
			}
		}
	}
	if codes < 20 || codes != len(shorts) {
		t.Errorf("%d codes, %d with short words", codes, len(shorts))
	}
	if got := Short("unknown-field"); got != "unknown field" {
		t.Errorf("a code of what could not be read: %q", got)
	}
	if Worth("unknown-field", PriorityConflict) >= 0 || Worth(DNSNotAllowed, PrimaryUDN) >= 0 || Worth(CIDR, CIDR) != 0 {
		t.Error("what could not be read is not worth most")
	}
}
