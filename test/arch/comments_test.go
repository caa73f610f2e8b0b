package arch

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seeName is how a comment sends its reader to something declared elsewhere.
var seeName = regexp.MustCompile(`\bsee ([A-Z]\w*[a-z]\w*)(?:[),;:\n]|\.\s)`)

func TestNamesInCommentsExist(t *testing.T) {
	files := source(t)
	known := namesOf(append(files, parsed(t, "test/kube/*.go")...))
	for _, f := range files {
		for _, complaint := range judgeComments(f, known) {
			t.Error(complaint)
		}
	}
}

// judgeComments names what comments of a file cite, as pkg.Name of a package of ours
// or as "see Name", and nobody declares.
func judgeComments(f file, known names) (out []string) {
	complain := func(c int, what string) { out = append(out, fmt.Sprintf("%s:%d cites %s", f.path, c, what)) }
	for _, c := range f.ast.Comments {
		line, text := f.fset.Position(c.Pos()).Line, c.Text()
		for _, m := range nameSpan.FindAllStringSubmatch(text, -1) {
			if known.lack(m[1], m[2]) {
				complain(line, fmt.Sprintf("%s.%s, which package %s does not declare", m[1], m[2], m[1]))
			}
		}
		for _, m := range seeName.FindAllStringSubmatch(text, -1) {
			if !known.single[m[1]] {
				complain(line, m[1]+", which no package declares")
			}
		}
	}
	return out
}

func TestJudgeComments(t *testing.T) {
	for _, c := range []struct {
		comment string
		want    []string
	}{
		{"// Run is engine.Run (see Config), of engine.Config.Turn; see Turn.", nil},
		{"// Run is engine.Walk\n// over all of them.", []string{"engine/a.go:3 cites engine.Walk, which package engine does not declare"}},
		{"// Run is all of them\n// (see Walk).", []string{"engine/a.go:3 cites Walk, which no package declares"}},
		{"// Run is what it is; see Walk.", []string{"engine/a.go:3 cites Walk, which no package declares"}},
		{"// Run is exec.Cmd; see RFC 7047, and what I see Bob do.", nil},
	} {
		t.Run(c.comment, func(t *testing.T) {
			f, err := parse("engine/a.go", []byte("package engine\n\n"+c.comment+"\nfunc Run() {}\n\ntype Config struct{ Turn int }\n"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, judgeComments(f, namesOf([]file{f}))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// riddle is a comment that says of its object that it is "what …", "that of …" or "those …",
// or a sentence that has such a subject.
var riddle = regexp.MustCompile(`\A\S+ (is|are) (what|who|whose|that of|those)\b|(\.\s|\A)(What|Who|Whose|Those|That of) [a-z]`)

func TestRiddle(t *testing.T) {
	for comment, want := range map[string]bool{
		"row is that of the cursor, nil without.":            true,
		"Warnings are what must be agreed to.":               true,
		"Run runs. What it says is kept.":                    true,
		"Those that end are left out.":                       true,
		"Run returns the row under the cursor.":              false,
		"Run reports whether it is known what became of it.": false,
	} {
		if got := riddle.MatchString(comment); got != want {
			t.Errorf("%q: %v, want %v", comment, got, want)
		}
	}
}

// A doc comment names the object: what is returned, its unit, its errors.
func TestCommentsNameTheirObject(t *testing.T) {
	for _, f := range source(t) {
		if f.test() {
			continue
		}
		for _, c := range f.ast.Comments {
			if at := riddle.FindString(c.Text()); at != "" {
				t.Errorf("%s:%d: %q: say what it is, by a noun", f.path, f.fset.Position(c.Pos()).Line, at)
			}
		}
	}
}
