package arch

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// prose is a text file of the module: Go, documents, test data.
type prose struct {
	path string // slash-separated, from the module's root
	text string // without the marks of line comments, so that a citation may go over lines
}

// textKinds are the names of files whose text may cite a document.
var textKinds = []string{".go", ".md", ".txt", ".txtar", ".rows", ".yaml", ".yml", ".sh", "Makefile"}

// commentMarks are what a line of a comment begins with.
var commentMarks = map[string]*regexp.Regexp{
	".go": regexp.MustCompile(`(?m)^[ \t]*// ?`),
	"":    regexp.MustCompile(`(?m)^# `),
}

// documents reads every text file of the repository, nested modules and test
// data among them.
func documents(t *testing.T) []prose {
	t.Helper()
	root := root(t)
	var out []prose
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.ContainsFunc(textKinds, func(kind string) bool { return strings.HasSuffix(name, kind) }) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		out = append(out, newProse(filepath.ToSlash(rel), string(text)))
		return nil
	})
	if err != nil {
		t.Fatalf("reading the documents: %v", err)
	}
	return out
}

func newProse(name, text string) prose {
	switch ext := path.Ext(name); ext {
	case ".md":
	case ".go":
		text = commentMarks[".go"].ReplaceAllString(text, "")
	default:
		text = commentMarks[""].ReplaceAllString(text, "")
	}
	return prose{name, text}
}

// line is the number of the line at an offset.
func (p prose) line(offset int) int { return 1 + strings.Count(p.text[:offset], "\n") }

// find is where the pattern matches, in a text with any of the words, without
// which it cannot.
func (p prose) find(pattern *regexp.Regexp, words ...string) [][]int {
	if !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(p.text, w) }) {
		return nil
	}
	return pattern.FindAllStringIndex(p.text, -1)
}

// markdown says whether the file is a document, whose headings can be cited.
func (p prose) markdown() bool { return path.Ext(p.path) == ".md" }

// A citation is "name.md#anchor", and ", #anchor" or " and #anchor" for more of
// the same document. In a document, "(#anchor)" is of the document itself.
var (
	citation = regexp.MustCompile(`[\w:./-]*\w\.md(?:#[\w-]+)(?:(?:,|\s+and)\s+#[\w-]+)*`)
	ownLink  = regexp.MustCompile(`\]\(#([\w-]+)\)`)
	anchorID = regexp.MustCompile(`<a id="([\w-]+)">`)
)

func TestCitedAnchorsExist(t *testing.T) {
	files := documents(t)
	for _, complaint := range judgeCitations(files) {
		t.Error(complaint)
	}
	found := 0
	for _, f := range files {
		found += strings.Count(f.text, ".md#")
	}
	if found == 0 {
		t.Error("no citation found: the check holds for nothing")
	}
}

// judgeCitations names every cited anchor that is not there.
func judgeCitations(files []prose) []string {
	anchors := map[string]map[string]bool{}
	there := map[string]bool{}
	for _, f := range files {
		there[f.path] = true
		if f.markdown() {
			anchors[f.path] = anchorsOf(f.text)
		}
	}
	var out []string
	complain := func(f prose, offset int, what string, args ...any) {
		out = append(out, fmt.Sprintf("%s:%d %s", f.path, f.line(offset), fmt.Sprintf(what, args...)))
	}
	for _, f := range files {
		for _, at := range f.find(citation, ".md#") {
			doc, rest, _ := strings.Cut(f.text[at[0]:at[1]], "#")
			if strings.Contains(doc, "://") || under(f.path, "test/arch") {
				continue
			}
			target := cited(there, f.path, doc)
			if target == "" {
				complain(f, at[0], "cites %s, which is not in the repository", doc)
				continue
			}
			for anchor := range strings.SplitSeq(rest, "#") {
				anchor = strings.TrimSuffix(strings.TrimRight(anchor, ", \n"), "\nand")
				anchor = strings.TrimRight(strings.TrimSuffix(anchor, " and"), ", \n")
				if !anchors[target][anchor] {
					complain(f, at[0], "cites %s#%s, and %s has no such anchor", doc, anchor, target)
				}
			}
		}
		if !f.markdown() {
			continue
		}
		for _, at := range ownLink.FindAllStringSubmatchIndex(f.text, -1) {
			if anchor := f.text[at[2]:at[3]]; !anchors[f.path][anchor] {
				complain(f, at[0], "links to #%s, and has no such anchor", anchor)
			}
		}
	}
	return out
}

// cited is the document that a file means by a name: beside the file, in docs, or
// from the root; "" when there is none.
func cited(there map[string]bool, from, name string) string {
	for _, p := range []string{path.Join(path.Dir(from), name), path.Join("docs", name), path.Clean(name)} {
		if there[p] {
			return p
		}
	}
	return ""
}

// anchorsOf are the anchors of a document as GitHub makes them: of its headings,
// and the ones it names itself.
func anchorsOf(text string) map[string]bool {
	out := map[string]bool{}
	seen := map[string]int{}
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if code {
			continue
		}
		for _, m := range anchorID.FindAllStringSubmatch(line, -1) {
			out[m[1]] = true
		}
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		a := slug(strings.TrimSpace(title))
		if n := seen[a]; n > 0 {
			out[fmt.Sprintf("%s-%d", a, n)] = true
		} else {
			out[a] = true
		}
		seen[a]++
	}
	return out
}

// slug is a heading's anchor: lower case, spaces as hyphens, no punctuation.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

func TestJudgeCitations(t *testing.T) {
	doc := newProse("docs/rows.md", "# Rows\n\n## Default deny\n\n<a id=\"odd\"></a>text, see [there](#default-deny)\n\n"+
		"```\n## Code\n```\n\n## Again\n\n## Again\n")
	for _, c := range []struct {
		name, path, text string
		want             []string
	}{
		{"there", "a/a.go", "// a is a row (rows.md#default-deny).\n", nil},
		{"from the root", "a/a.go", "// a is a row (docs/rows.md#odd).\n", nil},
		{"one of two headings", "a/a.go", "// rows.md#again and #again-1\n", nil},
		{"wrong anchor", "a/a.go", "package a\n\n// a is a row (rows.md#deny).\n",
			[]string{"a/a.go:3 cites rows.md#deny, and docs/rows.md has no such anchor"}},
		{"second anchor wrong, on the next line", "a/a.go", "// a is a row (rows.md#odd,\n// #deny).\n",
			[]string{"a/a.go:1 cites rows.md#deny, and docs/rows.md has no such anchor"}},
		{"third anchor wrong", "a/a.go", "// rows.md#odd, #rows and\n\t// #code.\n",
			[]string{"a/a.go:1 cites rows.md#code, and docs/rows.md has no such anchor"}},
		{"document not there", "a/a.go", "// a is a row (plan.md#deny).\n",
			[]string{"a/a.go:1 cites plan.md, which is not in the repository"}},
		{"of others", "a/a.go", "// https://example.org/rows.md#deny\n", nil},
		{"test data", "a/testdata/a.txt", "x\n# rows.md#deny\n",
			[]string{"a/testdata/a.txt:2 cites rows.md#deny, and docs/rows.md has no such anchor"}},
		{"link between documents", "docs/a.md", "see [rows](rows.md#deny)\n",
			[]string{"docs/a.md:1 cites rows.md#deny, and docs/rows.md has no such anchor"}},
		{"link within", "docs/a.md", "# A\n\nsee [a](#a), [b](#b)\n", []string{"docs/a.md:3 links to #b, and has no such anchor"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, judgeCitations([]prose{doc, newProse(c.path, c.text)})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
