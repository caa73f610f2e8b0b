package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"testing"

	"rung/model/words"
)

// TestSignsComeFromTheTable: a sign that says how something is, or marks a place, is written
// nowhere but in the table of signs, so that it cannot get a second meaning unseen.
func TestSignsComeFromTheTable(t *testing.T) {
	for _, f := range source(t) {
		if !f.test() && !under(f.dir, "test", "bench", "model/words") {
			for _, wrong := range judgeSigns(f) {
				t.Error(wrong)
			}
		}
	}
}

func judgeSigns(f file) (out []string) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING && lit.Kind != token.CHAR {
			return true
		}
		for _, s := range words.Signs {
			if s.Kind <= words.Mark && s.Text[0] >= 0x80 && strings.Contains(lit.Value, s.Text) {
				out = append(out, fmt.Sprintf("%s: %s writes %s itself: take signs.%s (%s), or a sign of its own", f.path, lit.Value, s.Text, s.Name, s.Meaning))
			}
		}
		return true
	})
	return out
}

func TestJudgeSigns(t *testing.T) {
	for text, want := range map[string]int{
		`"■ failed"`: 1, `'●'`: 1, `"2 · 3 … → ─"`: 0, `signs.Failed + " failed"`: 0,
	} {
		f, err := parse("ui/a.go", []byte("package ui\n\nvar x = "+text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := judgeSigns(f); len(got) != want {
			t.Errorf("%s: %q, want %d", text, got, want)
		}
	}
}

// TestSignsAreTold: docs/themes.md has every sign of the table with its form and its meaning.
func TestSignsAreTold(t *testing.T) {
	text := readDocument(t, "docs/themes.md")
	for _, s := range words.Signs {
		plain := "`" + s.ASCII + "`"
		if s.ASCII == "`" {
			plain = "`` ` ``"
		}
		if row := fmt.Sprintf("| `%s` | %s | %s |", s.Text, plain, s.Meaning); s.Kind <= words.Code && !strings.Contains(text, row) {
			t.Errorf("docs/themes.md lacks %s", row)
		}
	}
}
