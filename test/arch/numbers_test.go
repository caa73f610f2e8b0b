package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// painters are the folders that write for people; cli/command has the texts of Go's own templates.
var painters = []string{"ui", "pages", "cli", "revision", "model/lint", "model/antrea", "engine/logs"}

// counted are names of what is counted, in printed code; the numbers of ports, priorities, lines and
// rules are none of these.
var counted = []string{"n", "of", "left", "more", "missing", "extra", "total", "all", "count", "rows", "pods", "zones", "policies", "acls", "hits", "pairs",
	"dropped", "read", "pending", "waiting", "attempts", "times", "ready", "failing", "silent", "gone", "against", "insync", "done", "current", "ops",
	"empty", "shared", "logs", "rate", "unproven", "passed", "unknown", "tries", "followed", "failed"}

// Whatever is counted is written by model/words, which groups its digits: "1,320 of 1,322". A printing verb
// would write 1320 beside it.
func TestNumbersAreGrouped(t *testing.T) {
	for _, f := range source(t) {
		for _, complaint := range judgeNumbers(f) {
			t.Error(complaint)
		}
	}
}

// judgeNumbers names every count that a file prints for people without its commas.
func judgeNumbers(f file) (out []string) {
	if f.test() || f.generated() || !under(f.dir, painters...) || under(f.dir, "cli/command") {
		return nil
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		for _, a := range printedNumbers(call) {
			if isCounted(a) {
				out = append(out, fmt.Sprintf("%s:%d prints a count without words.Thousands or words.Count", f.path, f.fset.Position(a.Pos()).Line))
			}
		}
		return true
	})
	return out
}

var numberVerb = regexp.MustCompile(`%[-+0-9.*]*d`)

// printedNumbers are the arguments of a call that stand for a %d in its text for people; a text without
// a space or a slash is the name of something.
func printedNumbers(call *ast.CallExpr) (out []ast.Expr) {
	for i, a := range call.Args {
		format := constantText(a)
		if !numberVerb.MatchString(format) {
			continue
		}
		if !strings.ContainsAny(format, " /") {
			return nil
		}
		verbs := strings.Split(strings.ReplaceAll(format, "%%", ""), "%")[1:]
		next := i + 1
		for _, verb := range verbs {
			next += strings.Count(verb[:strings.IndexFunc(verb+"x", isLetter)], "*")
			if next >= len(call.Args) {
				return out
			}
			if strings.HasPrefix(strings.TrimLeft(verb, "-+0123456789.*"), "d") {
				out = append(out, call.Args[next])
			}
			next++
		}
		return out
	}
	return nil
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// constantText is the text of a literal, or of several with names between them.
func constantText(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			return x.Value
		}
	case *ast.BinaryExpr:
		return constantText(x.X) + constantText(x.Y)
	}
	return ""
}

// isCounted says whether an expression is a count, by the name it ends with.
func isCounted(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "len" {
			return true
		}
		if id, ok := x.Fun.(*ast.Ident); ok && slices.Contains([]string{"int", "int64"}, id.Name) {
			return isCounted(x.Args[0])
		}
		return isCounted(x.Fun)
	case *ast.SelectorExpr:
		return isCounted(x.Sel)
	case *ast.BinaryExpr:
		return isCounted(x.X) || isCounted(x.Y)
	case *ast.ParenExpr:
		return isCounted(x.X)
	case *ast.StarExpr:
		return isCounted(x.X)
	case *ast.Ident:
		return slices.Contains(counted, strings.ToLower(x.Name))
	}
	return false
}

func TestJudgeNumbers(t *testing.T) {
	for _, c := range []struct {
		code string
		want int
	}{
		{`fmt.Sprintf("%d of %s", len(x), words.Count(n, "zone"))`, 1},
		{`fmt.Sprintf("%s of %d", a, x.Rows)`, 1},
		{`fmt.Sprintf("100%% of %-4d rows", n-1)`, 1},
		{`s.Add(signs.Differs+" %d missing, %d extra", len(a), d.Extra)`, 2},
		{`fmt.Sprintf("port %d, priority %d", p.Port, x.Priority)`, 0},
		{`fmt.Sprintf("rule.%d", len(x))`, 0},
		{`words.Count(len(x), "row")`, 0},
	} {
		f, err := parse("ui/x/a.go", []byte("package x\n\nfunc f() { _ = "+c.code+" }\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := judgeNumbers(f); len(got) != c.want {
			t.Errorf("%s: %v, want %d", c.code, got, c.want)
		}
	}
}
