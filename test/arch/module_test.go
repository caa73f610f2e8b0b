package arch

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the name in go.mod; every import path of ours begins with it.
const module = "rung"

// file is one parsed Go source file.
type file struct {
	path  string // slash-separated, from the module's root
	dir   string // folder of path, "." for the root
	lines int
	ast   *ast.File
	fset  *token.FileSet
}

// test says whether the file is only compiled into tests.
func (f file) test() bool { return strings.HasSuffix(f.path, "_test.go") }

// command says whether the file is a program and not the product's: a generator
// or a helper, which is run by go and imported by nobody.
func (f file) command() bool { return f.ast.Name.Name == "main" && f.dir != "." }

// generated says whether a tool wrote the file.
func (f file) generated() bool { return ast.IsGenerated(f.ast) }

// imports lists the import paths of the file.
func (f file) imports() []string {
	var out []string
	for _, spec := range f.ast.Imports {
		out = append(out, strings.Trim(spec.Path.Value, `"`))
	}
	return out
}

// parse makes a file from source text.
func parse(name string, src []byte) (file, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return file{}, err
	}
	return file{
		path: name, dir: path.Dir(name), ast: tree, fset: fset,
		lines: bytes.Count(src, []byte("\n")),
	}, nil
}

// source reads every Go file of the module. Folders that hold a module of their
// own, test data and build output are left out.
func source(t *testing.T) []file {
	t.Helper()
	root := root(t)
	var files []file
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && foreign(name, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f, err := parse(filepath.ToSlash(rel), src)
		if err != nil {
			// The compiler says it better; the other files are still judged.
			t.Errorf("does not parse: %v", err)
			return nil
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatalf("reading the source tree: %v", err)
	}
	if len(files) == 0 {
		t.Fatal("no Go file found: the rules below would hold for nothing")
	}
	return files
}

// foreign says whether a folder is not part of the module's source.
func foreign(dir, base string) bool {
	if base == "testdata" || base == "bin" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// root finds the folder of go.mod and checks that the module is ours.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		mod, err := os.Open(filepath.Join(dir, "go.mod"))
		if err == nil {
			defer mod.Close()
			sc := bufio.NewScanner(mod)
			for sc.Scan() {
				if strings.TrimSpace(sc.Text()) == "module "+module {
					return dir
				}
			}
			t.Fatalf("%s is not module %s", mod.Name(), module)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}

// under says whether p is one of the trees or lies below one. "." is the root
// folder alone.
func under(p string, trees ...string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool {
		return p == tree || (tree != "." && strings.HasPrefix(p, tree+"/"))
	})
}
