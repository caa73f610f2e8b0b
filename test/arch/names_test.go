package arch

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// names are the Go names that a document may cite.
type names struct {
	packages map[string]map[string]bool // package name → what it declares, "Type.Member" among it
	anywhere map[string]bool            // "Type.Member" of any package, and every function of tests
	single   map[string]bool            // names and members of any package, alone
}

func namesOf(files []file) names {
	n := names{map[string]map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, f := range files {
		pkg := strings.TrimSuffix(f.ast.Name.Name, "_test")
		declared := n.packages[pkg]
		if declared == nil {
			declared = map[string]bool{}
			n.packages[pkg] = declared
		}
		for _, name := range declarations(f.ast) {
			declared[name] = true
			n.single[name[strings.LastIndexByte(name, '.')+1:]] = true
			if f.test() || strings.Contains(name, ".") {
				n.anywhere[name] = true
			}
		}
	}
	return n
}

// lack says whether a package is ours and does not declare a name.
func (n names) lack(pkg, name string) bool {
	declared := n.packages[pkg]
	return declared != nil && !declared[name]
}

// declarations are the names a file declares: "Name", and "Type.Member" for
// methods, fields and the methods of an interface.
func declarations(f *ast.File) (out []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				out = append(out, d.Name.Name)
			} else {
				out = append(out, receiver(d.Recv.List[0].Type)+"."+d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						out = append(out, name.Name)
					}
				case *ast.TypeSpec:
					out = append(out, spec.Name.Name)
					for _, member := range members(spec.Type) {
						out = append(out, spec.Name.Name+"."+member)
					}
				}
			}
		}
	}
	return out
}

func members(t ast.Expr) (out []string) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return nil
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			out = append(out, name.Name)
		}
	}
	return out
}

// receiver is the name of a method's type, without pointer and type parameters.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// What stands in backticks in a document and is ours: a path, a name of a
// package, a member of a type, a test. An x stands for any name. Links lead to
// files.
var (
	fileLink   = regexp.MustCompile(`\]\(([\w./-]+)(?:#[\w-]+)?\)`)
	anyName    = regexp.MustCompile(`/x\b|^(?:Test|Benchmark|Fuzz)X$`)
	codeSpan   = regexp.MustCompile("`([^`\n]+)`")
	pathSpan   = regexp.MustCompile(`^(?:\./)?([\w.-]+(?:/[\w.*-]+)*/?)$`)
	nameSpan   = regexp.MustCompile(`(?:^|[^\w./-])([a-z]\w*)\.([A-Z]\w*(?:\.[A-Z]\w*)?)`)
	memberSpan = regexp.MustCompile(`^[A-Z]\w*\.[A-Z]\w*$`)
	testSpan   = regexp.MustCompile(`^(?:Test|Benchmark|Fuzz)[A-Z]\w*$`)
)

func TestNamesInDocumentsExist(t *testing.T) {
	known := namesOf(append(source(t), parsed(t, "test/kube/*.go")...)) // a module of its own
	exists := func(pattern string) bool {
		found, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(pattern)))
		return err == nil && len(found) > 0
	}
	cited := 0
	for _, f := range documents(t) {
		if !f.markdown() {
			continue
		}
		cited += len(codeSpan.FindAllString(f.text, -1))
		for _, complaint := range judgeNames(f, known, exists) {
			t.Error(complaint)
		}
	}
	if cited == 0 {
		t.Error("no name found in the documents: the check holds for nothing")
	}
}

// parsed are the Go files that a pattern names, from the module's root.
func parsed(t *testing.T, pattern string) (files []file) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(pattern)))
	if err != nil || len(found) == 0 {
		t.Fatalf("no files %s (%v)", pattern, err)
	}
	for _, name := range found {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parse(filepath.Base(name), src)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// made is the folder of what make builds: its files come and go.
const made = "bin"

// judgeNames names every path and Go name in a document's backticks that is not
// there. A path is judged if it begins with a folder of ours.
func judgeNames(f prose, known names, exists func(pattern string) bool) (out []string) {
	complain := func(offset int, what string, args ...any) {
		out = append(out, fmt.Sprintf("%s:%d names %s", f.path, f.line(offset), fmt.Sprintf(what, args...)))
	}
	for _, at := range codeSpan.FindAllStringSubmatchIndex(f.text, -1) {
		span := strings.TrimSuffix(f.text[at[2]:at[3]], "()")
		if anyName.MatchString(span) {
			continue
		}
		if ours := nameSpan.FindAllStringSubmatch(span, -1); ours != nil {
			for _, m := range ours {
				if known.lack(m[1], m[2]) {
					complain(at[0], "%s.%s, which package %s does not declare", m[1], m[2], m[1])
				}
			}
			continue
		}
		if memberSpan.MatchString(span) || testSpan.MatchString(span) {
			if !known.anywhere[span] {
				complain(at[0], "%s, which no package declares", span)
			}
			continue
		}
		m := pathSpan.FindStringSubmatch(span)
		if m == nil || !strings.Contains(m[1], "/") {
			continue
		}
		top, _, _ := strings.Cut(m[1], "/")
		if top != "" && top != made && exists(top) && !exists(strings.TrimSuffix(m[1], "/")) {
			complain(at[0], "%s, which is not in the repository", m[1])
		}
	}
	for _, at := range fileLink.FindAllStringSubmatchIndex(f.text, -1) {
		if target := f.text[at[2]:at[3]]; !exists(path.Join(path.Dir(f.path), target)) {
			complain(at[0], "%s, which is not in the repository", target)
		}
	}
	return out
}

func TestJudgeNames(t *testing.T) {
	f, err := parse("engine/a.go", []byte("package engine\ntype Config struct{ Turn int }\nfunc (c *Config) Set() {}\n"+
		"type Sink interface{ Put() }\nconst Most = 1\nfunc Run() {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	test, err := parse("engine/a_test.go", []byte("package engine\nfunc TestRun() {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	known := namesOf([]file{f, test})
	exists := func(p string) bool { return p == "engine" || p == "engine/a.go" || p == "engine/a*.go" }
	for _, c := range []struct {
		text string
		want []string
	}{
		{"`engine/a.go`, `engine/a*.go`, `./engine`, `engine/`", nil},
		{"`engine/b.go`", []string{"docs/a.md:1 names engine/b.go, which is not in the repository"}},
		{"x\n`engine/room/`", []string{"docs/a.md:2 names engine/room/, which is not in the repository"}},
		{"`pkg/ovn/b.go`, `/var/run/ovn`, `engine/<kind>.go`, `apps/v1`", nil},
		{"`engine.Run`, `engine.Config.Turn`, `engine.Most`, `engine.Run()`", nil},
		{"`engine.Walk`", []string{"docs/a.md:1 names engine.Walk, which package engine does not declare"}},
		{"`see(engine.Walk{To: engine.Most}, own.engine.Trot, x/engine.Gallop)`", []string{"docs/a.md:1 names engine.Walk, which package engine does not declare"}},
		{"`engine.Config.Hold`", []string{"docs/a.md:1 names engine.Config.Hold, which package engine does not declare"}},
		{"`exec.Cmd`, `engine.yaml`, `status.podIPs`", nil},
		{"`Config.Set`, `Sink.Put`", nil},
		{"`Config.Hold`", []string{"docs/a.md:1 names Config.Hold, which no package declares"}},
		{"`TestRun`, `FuzzX`, `engine/x`", nil},
		{"[a](../engine/a.go), [b](https://example.org/b.go)", nil},
		{"[b](../engine/b.go#room)", []string{"docs/a.md:1 names ../engine/b.go, which is not in the repository"}},
		{"`TestWalk`", []string{"docs/a.md:1 names TestWalk, which no package declares"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			if diff := cmp.Diff(c.want, judgeNames(newProse("docs/a.md", c.text), known, exists)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
