package arch

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Citations of what nobody who reads the repository can open: documents by name,
// sections of them by number, tasks. Sections of RFCs and manual pages are fine.
var (
	elsewhere = regexp.MustCompile(`\bcompile-spec\b|\bspec §|\bfield-notes\b|\btui-notes\b|\bdesign\.md\b|\bscreens\.md\b` +
		`|\bsource document|\bseed of \d|\b[Ii]ssue #?\d|\bShows \d|§\s?\d`)
	sectionsOfOthers = regexp.MustCompile(`(?:RFC \d+|ovsdb-server\(7\))(?:,?\s+(?:and\s+)?§[\d.]+)+`)
	document         = regexp.MustCompile(`[\w:./-]*\w\.md\b`)
)

func TestCitesOnlyWhatIsHere(t *testing.T) {
	files := documents(t)
	for _, complaint := range judgeSources(files) {
		t.Error(complaint)
	}
}

// judgeSources names what a comment or document cites and is not in the
// repository: documents that were at hand when something was written.
func judgeSources(files []prose) (out []string) {
	there := map[string]bool{}
	for _, f := range files {
		there[f.path] = true
	}
	for _, f := range files {
		if under(f.path, "test/arch") {
			continue // names them to forbid them
		}
		text := f.text
		if strings.Contains(text, "§") {
			text = sectionsOfOthers.ReplaceAllStringFunc(text, func(s string) string {
				return strings.ReplaceAll(s, "§", "$")
			})
		}
		at := prose{f.path, text}
		for _, i := range at.find(elsewhere, "§", "-spec", "-notes", ".md", "source document", "seed of", "ssue", "Shows") {
			out = append(out, fmt.Sprintf("%s:%d cites %q: cite a section of docs/ovn-kubernetes.md, or say it",
				f.path, at.line(i[0]), text[i[0]:i[1]]))
		}
		if f.markdown() || !strings.HasSuffix(f.path, ".go") || strings.HasSuffix(f.path, "_test.go") {
			continue // links of documents are judged elsewhere; tests make files up
		}
		for _, i := range at.find(document, ".md") {
			name := text[i[0]:i[1]]
			if !strings.Contains(name, "://") && cited(there, f.path, name) == "" {
				out = append(out, fmt.Sprintf("%s:%d names %s, which is not in the repository", f.path, at.line(i[0]), name))
			}
		}
	}
	return out
}

func TestJudgeSources(t *testing.T) {
	doc := newProse("docs/rows.md", "# Rows\n")
	const remedy = ": cite a section of docs/ovn-kubernetes.md, or say it"
	for _, c := range []struct {
		name, path, text string
		want             []string
	}{
		{"a section", "a/a.go", "// a is a row (rows.md#rows).\n", nil},
		{"a document that is not here", "a/a.go", "\n// a is a row (compile-spec 4).\n", []string{`a/a.go:2 cites "compile-spec"` + remedy}},
		{"a number alone", "a/a.go", "// a is a row (§4.1).\n", []string{`a/a.go:1 cites "§4"` + remedy}},
		{"over two lines", "a/a.go", "// a is a row (of spec\n// §4.1).\n", []string{`a/a.go:2 cites "§4"` + remedy}},
		{"test data", "a/testdata/a.txt", "# field-notes\n", []string{`a/testdata/a.txt:1 cites "field-notes"` + remedy}},
		{"a task", "a/a.go", "// Goals of issue 4.\n", []string{`a/a.go:1 cites "issue 4"` + remedy}},
		{"an RFC", "a/a.go", "// select (RFC 7047 §5.2.2), monitor (ovsdb-server(7) §4.1.12 and §4.1.15)\n", nil},
		{"an RFC, then something else", "a/a.go", "// select (RFC 7047 §5.2.2), row (§4)\n", []string{`a/a.go:1 cites "§4"` + remedy}},
		{"a file", "a/a.go", "// see rows.md and notes.md\n", []string{"a/a.go:1 names notes.md, which is not in the repository"}},
		{"a file of others", "a/a.go", "// see https://example.org/notes.md\n", nil},
		{"a file a test makes", "a/a_test.go", "var f = \"notes.md\"\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, judgeSources([]prose{doc, newProse(c.path, c.text)})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
