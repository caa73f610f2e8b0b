package arch

import (
	"fmt"
	"go/ast"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// calls are names of other packages that a folder must not use.
var calls = []struct {
	dirs   []string // "." is the whole module
	except []string
	pkg    string // import path
	names  []string
	why    string
}{
	{
		dirs:  []string{"model", "compiler"},
		pkg:   "time",
		names: []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
		why:   "model and compiler know no clock: the time is handed in",
	},
	{
		dirs:   []string{"."},
		except: []string{"themes", "test"},
		pkg:    "charm.land/lipgloss/v2",
		names:  []string{"NewStyle", "Color", "ANSIColor", "RGBColor", "NoColor", "LightDark"},
		why:    "styles and colours come from the theme",
	},
	{
		dirs:  []string{"engine", "change", "revision", "reconciler", "ui", "cli"},
		pkg:   "time",
		names: []string{"AfterFunc", "After", "Tick"},
		why:   "a timer ends with whoever started it: it has an owner that stops it",
	},
	{
		dirs:  []string{"cli", "engine", "change", "revision", "ui", "themes"},
		pkg:   "os",
		names: []string{"Open", "OpenFile", "ReadFile"},
		why:   "a file may be a FIFO that never answers: sources/files opens it until a context ends",
	},
	{
		dirs:   []string{"."},
		except: []string{"test", "bench"},
		pkg:    "os",
		names:  []string{"Exit"},
		why:    "an error is returned; main turns it into an exit code",
	},
	{
		dirs:   []string{"."},
		except: []string{"test", "bench"},
		pkg:    "log",
		names:  []string{"Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln"},
		why:    "an error is returned",
	},
}

func TestForbiddenCalls(t *testing.T) {
	for _, f := range source(t) {
		for _, complaint := range judgeCalls(f) {
			t.Error(complaint)
		}
	}
}

// judgeCalls names every use of a forbidden name in the file. A program may exit.
func judgeCalls(f file) []string {
	if f.test() {
		return nil
	}
	names := map[string]string{} // local name → import path
	for _, spec := range f.ast.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		local := packageName(imp)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		names[local] = imp
	}
	var out []string
	ast.Inspect(f.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok || names[id.Name] == "" {
			return true
		}
		for _, rule := range calls {
			if names[id.Name] != rule.pkg || !inTree(f.dir, rule.dirs) || under(f.dir, rule.except...) {
				continue
			}
			if rule.pkg == "os" && f.ast.Name.Name == "main" {
				continue
			}
			for _, name := range rule.names {
				if sel.Sel.Name == name {
					out = append(out, fmt.Sprintf("%s:%d uses %s.%s: %s",
						f.path, f.fset.Position(sel.Pos()).Line, packageName(rule.pkg), name, rule.why))
				}
			}
		}
		return true
	})
	return out
}

// packageName guesses the name of a package from its import path: the last
// element, or the one before a major version.
func packageName(imp string) string {
	base := path.Base(imp)
	if _, err := strconv.Atoi(strings.TrimPrefix(base, "v")); err == nil && strings.HasPrefix(base, "v") {
		base = path.Base(path.Dir(imp))
	}
	return base
}

func TestJudgeCalls(t *testing.T) {
	for _, c := range []struct {
		name, path, src string
		want            []string
	}{
		{
			"clock in the compiler", "compiler/a.go",
			"package a\nimport \"time\"\nvar t = time.Now()\n",
			[]string{"compiler/a.go:3 uses time.Now: model and compiler know no clock: the time is handed in"},
		},
		{
			"clock handed on as a value", "model/a.go",
			"package a\nimport clock \"time\"\nvar now = clock.Now\n",
			[]string{"model/a.go:3 uses time.Now: model and compiler know no clock: the time is handed in"},
		},
		{"types of time", "model/a.go", "package a\nimport \"time\"\nvar d time.Duration = 3 * time.Second\n", nil},
		{"clock elsewhere", "engine/a.go", "package a\nimport \"time\"\nvar t = time.Now()\n", nil},
		{
			"style in a view", "ui/ladder/a.go",
			"package a\nimport \"charm.land/lipgloss/v2\"\nvar s = lipgloss.NewStyle()\n",
			[]string{"ui/ladder/a.go:3 uses lipgloss.NewStyle: styles and colours come from the theme"},
		},
		{"style in a theme", "themes/a.go", "package a\nimport \"charm.land/lipgloss/v2\"\nvar s = lipgloss.NewStyle()\n", nil},
		{"width in a view", "ui/a.go", "package a\nimport \"charm.land/lipgloss/v2\"\nvar s = lipgloss.Width(\"x\")\n", nil},
		{
			"exit in a library", "engine/a.go",
			"package a\nimport \"os\"\nfunc f() { os.Exit(1) }\n",
			[]string{"engine/a.go:3 uses os.Exit: an error is returned; main turns it into an exit code"},
		},
		{"exit in a generator", "ui/action/gen/main.go", "package main\nimport \"os\"\nfunc main() { os.Exit(1) }\n", nil},
		{"exit in main", "main.go", "package main\nimport \"os\"\nfunc main() { os.Exit(1) }\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := parse(c.path, []byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, judgeCalls(f)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
