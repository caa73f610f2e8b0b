package arch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inside says which packages of the module the packages below a folder may
// import, besides those of their own folder. A folder is named with everything
// below it; the longest entry that fits a package is its rule. Tests are not
// judged: they may bring in helpers and neighbours.
var inside = map[string][]string{
	// Leaves: nothing of ours.
	"model/ovn/nb":    {"model/sorted"},
	"model/ovn/match": {},
	"model/words":     {},
	"model/sorted":    {},
	"themes":          {"sources/files", "model/words"},
	"examples":        {},
	"examples-antrea": {},

	// Files read and written, waits: tools of sources, and no sources themselves.
	"sources/files": {},
	"sources/retry": {},

	"model":    {"model"},
	"compiler": {"model"},

	// What network plugins differ in, with their built-in clusters.
	"system": {"model", "examples", "examples-antrea"},

	// A source knows what things are, and no other source.
	"sources": {"model"},

	// The second reader shares no code of reading with the first.
	"sources/nbdb/second": {"model"},

	"reconciler": {"compiler", "model", "sources/retry"},
	"revision":   {"system", "sources/kube", "sources/manifests", "sources/files", "compiler", "model"},

	// Changes, from the ground up.
	"change/guard":   {"change", "revision", "system", "model"},
	"change":         {"revision", "system", "sources/kube", "sources/manifests", "model"},
	"change/effect":  {"change", "change/guard", "revision", "system", "sources/manifests", "model"},
	"change/history": {"change", "change/guard", "sources/files", "sources/manifests", "model"},
	"change/rewrite": {"change", "sources/manifests", "model"},
	"change/write":   {"change", "sources/kube", "sources/manifests", "sources/files", "model"},
	"change/gate":    {"change", "revision", "system", "sources/kube", "sources/manifests", "sources/files", "model"},
	"change/planrun": {"change", "revision", "system", "sources/files", "model"},
	"change/trial":   {"change", "revision", "system", "sources/files", "sources/retry", "model"},

	// The engine and its rooms, none of which imports the engine.
	"engine":          {"change", "revision", "system", "sources", "compiler", "reconciler", "model"},
	"engine/statedir": {"sources/files"},
	"engine/zones":    {"engine/logs", "engine/trace", "reconciler", "compiler", "revision", "system", "sources", "model"},
	"engine/lab":      {"engine/zones", "engine/trace", "revision", "system", "model", "sources/acllog", "sources/nbdb", "sources/sandbox"},
	"engine/trace":    {"revision", "system", "model", "sources/nbdb"},
	"engine/convert":  {"revision", "system", "compiler", "sources/manifests", "model"},
	"engine/logs":     {"revision", "system", "sources/kube", "sources/manifests", "sources/acllog", "sources/retry", "model"},
	"engine/verify":   {"engine/trace", "revision", "system", "sources/manifests/yamltree", "model"},
	"engine/template": {"engine/verify", "revision", "system", "sources/manifests", "model"},

	// Pages: what is told, below the screen and the commands that tell it.
	"pages":      {"pages/page", "engine", "change", "revision", "system", "model", "themes"},
	"pages/page": {"model", "themes"},

	"ui":  {"pages", "engine", "change", "revision", "system", "model", "themes"},
	"cli": {"cli/command", "pages", "engine", "change", "revision", "system", "model", "themes", "sources/files"},
	// What commands share.
	"cli/command": {"pages/page", "themes", "engine", "change", "revision", "system", "model", "sources/files", "sources/kube", "pages/findings"},

	// Wiring.
	".": {"cli", "ui", "pages", "engine", "change", "revision", "system", "sources", "reconciler", "compiler", "model", "themes", "examples", "examples-antrea"},

	// Not part of the product; nothing above names them, so nothing may import them.
	"test":  {".", "cli", "ui", "pages", "engine", "change", "revision", "system", "sources", "reconciler", "compiler", "model", "themes", "examples", "examples-antrea", "bench/workload"},
	"bench": {".", "cli", "ui", "pages", "engine", "change", "revision", "system", "sources", "reconciler", "compiler", "model", "themes", "examples", "examples-antrea", "test"},
}

// apart are folders whose parts must not import each other although they
// share an entry above. A part that is a leaf of the table is a tool of the others.
var apart = []string{"sources"}

// acquainted are exceptions to apart. The sandbox plays the programs of OVN: it
// is a client of its own zones, speaks their protocol, and writes the log lines
// ovn-controller would write. What the API server sends is read as manifests are.
// One piece of code serves for each of these.
var acquainted = map[string][]string{"sandbox": {"nbdb", "acllog"}, "kube": {"manifests"}}

// parts are the folders of ui that views are made of; all others are views. preview is
// one as well, and the question that a change is asked by: edit and plan contain it.
var parts = []string{"action", "detail", "nav", "preview", "view", "widget"}

// outside says which packages of others a folder must not import. Programs below
// it, such as generators, are not meant.
var outside = []struct {
	dirs   []string // the folders the rule is for
	except []string // folders below them it is not for
	forbid []string // import paths, each with everything below it
	allow  []string // exceptions to forbid
	why    string
}{
	{
		dirs:   []string{"model", "compiler"},
		forbid: []string{"os", "io/fs", "net", "syscall", "log", "runtime", "unsafe", "plugin", "C", "golang.org/x/sys", "math/rand"},
		allow:  []string{"net/netip", "net/url"},
		why:    "model and compiler do no I/O and give the same answer every time",
	},
	{
		dirs:   []string{"model", "compiler"},
		forbid: []string{"k8s.io/client-go", "k8s.io/klog/v2", "github.com/fsnotify/fsnotify", "github.com/spf13/cobra"},
		why:    "model and compiler know no client",
	},
	{
		dirs:   []string{"ui"},
		except: []string{"ui/terminal"}, // it is about the process, not about facts
		forbid: []string{"os", "io/fs", "io/ioutil", "net", "syscall", "log", "golang.org/x/sys", "k8s.io/client-go", "github.com/fsnotify/fsnotify"},
		allow:  []string{"net/netip", "net/url"},
		why:    "views do no I/O: the engine hands them facts and takes actions",
	},
	{
		dirs:   []string{"."},
		except: []string{"ui", "themes", "test", "bench"},
		forbid: []string{"charm.land/lipgloss/v2", "charm.land/bubbles/v2", "github.com/charmbracelet/x/cellbuf", "github.com/charmbracelet/ultraviolet"},
		why:    "only ui and themes know what a screen looks like",
	},
	{
		dirs:   []string{"."},
		except: []string{"ui", "test", "bench"},
		forbid: []string{"charm.land/bubbletea/v2"},
		why:    "only ui runs the screen",
	},
	{
		dirs:   []string{"pages"},
		forbid: []string{"os", "io/fs", "net", "syscall", "log", "golang.org/x/sys", "k8s.io/client-go", "github.com/fsnotify/fsnotify", "github.com/charmbracelet", "charm.land"},
		allow:  []string{"net/netip", "net/url"},
		why:    "a page is facts and words: no I/O, no terminal",
	},
	{
		dirs:   []string{"themes"},
		forbid: []string{"net", "os/exec", "k8s.io", "sigs.k8s.io/network-policy-api"},
		why:    "a theme is data",
	},
	{
		dirs:   []string{"reconciler"},
		forbid: []string{"os", "net", "syscall", "github.com/spf13/cobra", "github.com/fsnotify/fsnotify"},
		allow:  []string{"net/netip"},
		why:    "the reconciler reaches the world through the interfaces it declares",
	},
	{
		dirs:   []string{"."},
		except: []string{"cli"},
		forbid: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"},
		why:    "only cli parses command lines",
	},
	{
		dirs:   []string{"."},
		except: []string{"test", "sources/nbdb/second"},
		forbid: []string{"github.com/ovn-kubernetes/libovsdb", "github.com/cenkalti/rpc2"},
		why:    "libovsdb judges: in tests, and as the second reader; the product does without it (docs/libovsdb.md)",
	},
	{
		dirs:   []string{"."},
		except: []string{"test"},
		forbid: []string{"testing", "github.com/google/go-cmp", "go.uber.org/goleak", "github.com/rogpeppe/go-internal", "github.com/creack/pty", "github.com/charmbracelet/x/vt"},
		why:    "helpers of tests stay out of the product",
	},
}

// tolerated are single files that may import what the rule for their folder
// forbids.
var tolerated = map[string]struct {
	imports []string
	why     string
}{
	"ui/view/env.go":    {[]string{"os/exec"}, "a view hands the terminal to a program as Bubble Tea takes it: an exec.Cmd"},
	"ui/edit/editor.go": {[]string{"os", "os/exec"}, "finds the user's editor and makes the command that Bubble Tea runs"},
}

func TestImportDirection(t *testing.T) {
	for _, f := range source(t) {
		for _, complaint := range judgeImports(f) {
			t.Error(complaint)
		}
	}
}

// judgeImports names every import of the file that the tables forbid.
func judgeImports(f file) []string {
	if f.test() {
		return nil
	}
	var out []string
	for _, imp := range f.imports() {
		if own, ok := ours(imp); ok {
			if why := judgeOwn(f.dir, own); why != "" {
				out = append(out, fmt.Sprintf("%s imports %s: %s", f.path, imp, why))
			}
			continue
		}
		for _, rule := range outside {
			if f.command() || !inTree(f.dir, rule.dirs) || under(f.dir, rule.except...) {
				continue
			}
			if under(imp, rule.forbid...) && !under(imp, rule.allow...) && !slices.Contains(tolerated[f.path].imports, imp) {
				out = append(out, fmt.Sprintf("%s imports %s: %s", f.path, imp, rule.why))
			}
		}
	}
	return out
}

// optional are rooms that hang on the core by narrow interfaces, and who may import them: what
// wires an engine, and the pages and commands that are about nothing else. The core builds
// without them.
var optional = map[string][]string{
	"sources/sandbox":     {"engine/lab"},
	"sources/nbdb/second": {"engine/zones"},
	"engine/lab":          {"cli"},
	"engine/verify":       {"engine/template", "pages", "ui", "cli"},
	"engine/convert":      {"pages", "ui", "cli"},
	"engine/template":     {"pages", "ui", "cli"},
}

func TestRoomsAreOptional(t *testing.T) {
	for _, f := range source(t) {
		if f.test() || under(f.dir, "test", "bench", "screenshots") {
			continue
		}
		for _, imp := range f.imports() {
			own, ok := ours(imp)
			if !ok {
				continue
			}
			for room, by := range optional {
				if under(own, room) && !under(f.dir, room) && !under(f.dir, by...) {
					t.Errorf("%s imports %s, an optional room: only %s may", f.path, imp, strings.Join(by, ", "))
				}
			}
		}
	}
}

// inTree is under, where "." means the whole module.
func inTree(dir string, trees []string) bool {
	for _, tree := range trees {
		if tree == "." || under(dir, tree) {
			return true
		}
	}
	return false
}

// ours turns an import path of the module into a folder.
func ours(imp string) (string, bool) {
	if imp == module {
		return ".", true
	}
	return strings.CutPrefix(imp, module+"/")
}

// judgeOwn says why the package in dir may not import the one in target, or "".
func judgeOwn(dir, target string) string {
	entry, ok := entryFor(dir)
	if !ok {
		return fmt.Sprintf("folder %s has no entry in the table: say who may import whom", dir)
	}
	for _, top := range apart {
		a, b := part(dir, top), part(target, top)
		if a != "" && b != "" && a != b && !slices.Contains(acquainted[a], b) && !leaf(target) {
			return fmt.Sprintf("the packages of %s do not know each other", top)
		}
	}
	if a, b := part(dir, "ui"), part(target, "ui"); a != "" && b != "" && a != b && !slices.Contains(parts, b) {
		return "a view never imports a view"
	}
	if a, b := part(dir, "pages"), part(target, "pages"); a != "" && b != "" && a != b && b != "page" {
		return "a page never imports a page"
	}
	if under(target, entry) || under(target, inside[entry]...) {
		return ""
	}
	if len(inside[entry]) == 0 {
		return fmt.Sprintf("%s is a leaf", entry)
	}
	return fmt.Sprintf("%s may import %s", entry, strings.Join(inside[entry], ", "))
}

// leaf says whether a folder has an entry of its own and imports nothing of ours.
func leaf(dir string) bool {
	may, ok := inside[dir]
	return ok && len(may) == 0
}

// entryFor finds the longest entry of the table that fits dir.
func entryFor(dir string) (string, bool) {
	best, found := "", false
	for entry := range inside {
		if under(dir, entry) && len(entry) >= len(best) {
			best, found = entry, true
		}
	}
	return best, found
}

// part is the first step of dir below top, or "".
func part(dir, top string) string {
	rest, ok := strings.CutPrefix(dir, top+"/")
	if !ok {
		return ""
	}
	first, _, _ := strings.Cut(rest, "/")
	return first
}

// The rules must be able to fail: each case is a file that breaks one, or that
// only looks as if it did.
func TestJudgeImports(t *testing.T) {
	for _, c := range []struct {
		path, imp string
		want      []string
	}{
		{"model/ovn/nb/rows.go", "rung/model", []string{"model/ovn/nb/rows.go imports rung/model: model/ovn/nb may import model/sorted"}},
		{"model/words/text.go", "rung/model", []string{"model/words/text.go imports rung/model: model/words is a leaf"}},
		{"model/policy.go", "rung/model/ovn/nb", nil},
		{"model/verdict.go", "rung/model/ovn/match", nil},
		{"model/policy.go", "rung/compiler", []string{"model/policy.go imports rung/compiler: model may import model"}},
		{"compiler/acl.go", "rung/sources/nbdb", []string{"compiler/acl.go imports rung/sources/nbdb: compiler may import model"}},
		{"sources/kube/pods.go", "rung/sources/nbdb", []string{"sources/kube/pods.go imports rung/sources/nbdb: the packages of sources do not know each other"}},
		{"sources/sandbox/zone.go", "rung/sources/nbdb", nil},
		{"sources/nbdb/tls.go", "rung/sources/files", nil},
		{"sources/files/open.go", "rung/sources/nbdb", []string{"sources/files/open.go imports rung/sources/nbdb: the packages of sources do not know each other"}},
		{"sources/files/open.go", "rung/model", []string{"sources/files/open.go imports rung/model: sources/files is a leaf"}},
		{"sources/kube/pods.go", "rung/engine", []string{"sources/kube/pods.go imports rung/engine: sources may import model"}},
		{"reconciler/loop.go", "rung/compiler", nil},
		{"reconciler/loop.go", "rung/sources/nbdb", []string{"reconciler/loop.go imports rung/sources/nbdb: reconciler may import compiler, model, sources/retry"}},
		{"engine/engine.go", "rung/sources/nbdb", nil},
		{"engine/engine.go", "rung/ui", []string{"engine/engine.go imports rung/ui: engine may import change, revision, system, sources, compiler, reconciler, model"}},
		{"ui/ladder/view.go", "rung/ui/widget", nil},
		{"ui/ladder/view.go", "rung/ui/rows", []string{"ui/ladder/view.go imports rung/ui/rows: a view never imports a view"}},
		{"ui/widget/table.go", "rung/ui/rows", []string{"ui/widget/table.go imports rung/ui/rows: a view never imports a view"}},
		{"ui/ladder/plan_do.go", "rung/ui/preview", nil},
		{"ui/views.go", "rung/ui/rows", nil},
		{"revision/summary.go", "rung/revision", nil},
		{"revision/summary.go", "rung/change/gate", []string{"revision/summary.go imports rung/change/gate: revision may import system, sources/kube, sources/manifests, sources/files, compiler, model"}},
		{"change/gate/gate.go", "rung/engine", []string{"change/gate/gate.go imports rung/engine: change/gate may import change, revision, system, sources/kube, sources/manifests, sources/files, model"}},
		{"ui/ladder/view.go", "rung/compiler", []string{"ui/ladder/view.go imports rung/compiler: ui may import pages, engine, change, revision, system, model, themes"}},
		{"cli/ladder.go", "rung/ui", []string{"cli/ladder.go imports rung/ui: cli may import cli/command, pages, engine, change, revision, system, model, themes, sources/files"}},
		{"pages/cluster/zones.go", "rung/revision", nil},
		{"pages/cluster/zones.go", "rung/pages/page", nil},
		{"pages/cluster/zones.go", "rung/pages/findings", []string{"pages/cluster/zones.go imports rung/pages/findings: a page never imports a page"}},
		{"pages/cluster/zones.go", "rung/ui/widget", []string{"pages/cluster/zones.go imports rung/ui/widget: pages may import pages/page, engine, change, revision, system, model, themes"}},
		{"pages/cluster/zones.go", "rung/cli", []string{"pages/cluster/zones.go imports rung/cli: pages may import pages/page, engine, change, revision, system, model, themes"}},
		{"pages/page/page.go", "rung/engine", []string{"pages/page/page.go imports rung/engine: pages/page may import model, themes"}},
		{"main.go", "rung/ui", nil},
		{"main.go", "rung/test/term", []string{"main.go imports rung/test/term: . may import cli, ui, pages, engine, change, revision, system, sources, reconciler, compiler, model, themes, examples, examples-antrea"}},
		{"cellar/x.go", "rung/model", []string{"cellar/x.go imports rung/model: folder cellar has no entry in the table: say who may import whom"}},
		{"engine/engine_test.go", "rung/ui", nil},

		{"compiler/acl.go", "os/exec", []string{"compiler/acl.go imports os/exec: model and compiler do no I/O and give the same answer every time"}},
		{"compiler/acl.go", "net", []string{"compiler/acl.go imports net: model and compiler do no I/O and give the same answer every time"}},
		{"compiler/acl.go", "net/netip", nil},
		{"model/objects.go", "k8s.io/client-go/kubernetes", []string{"model/objects.go imports k8s.io/client-go/kubernetes: model and compiler know no client"}},
		{"model/objects.go", "k8s.io/api/core/v1", nil},
		{"ui/edit/edit.go", "os/exec", []string{"ui/edit/edit.go imports os/exec: views do no I/O: the engine hands them facts and takes actions"}},
		{"ui/action/gen/main.go", "os", nil},
		{"ui/action/gen/main.go", "rung/compiler", []string{"ui/action/gen/main.go imports rung/compiler: ui may import pages, engine, change, revision, system, model, themes"}},
		{"engine/engine.go", "charm.land/bubbletea/v2", []string{"engine/engine.go imports charm.land/bubbletea/v2: only ui runs the screen"}},
		{"cli/table.go", "charm.land/lipgloss/v2/table", []string{"cli/table.go imports charm.land/lipgloss/v2/table: only ui and themes know what a screen looks like"}},
		{"ui/root.go", "charm.land/bubbletea/v2", nil},
		{"engine/flags.go", "github.com/spf13/cobra", []string{"engine/flags.go imports github.com/spf13/cobra: only cli parses command lines"}},
		{"sources/nbdb/schema.go", "github.com/ovn-kubernetes/libovsdb/ovsdb", []string{"sources/nbdb/schema.go imports github.com/ovn-kubernetes/libovsdb/ovsdb: libovsdb judges: in tests, and as the second reader; the product does without it (docs/libovsdb.md)"}},
		{"sources/nbdb/schema_test.go", "github.com/ovn-kubernetes/libovsdb/ovsdb", nil},
		{"sources/nbdb/second/child.go", "rung/sources/nbdb/second", nil},
		{"sources/nbdb/second/dial.go", "github.com/ovn-kubernetes/libovsdb/client", nil},
		{"sources/nbdb/second/read.go", "rung/sources/nbdb", []string{"sources/nbdb/second/read.go imports rung/sources/nbdb: sources/nbdb/second may import model"}},
		{"test/libovsdb/doc.go", "github.com/ovn-kubernetes/libovsdb/model", nil},
		{"bench/zones.go", "github.com/ovn-kubernetes/libovsdb/client", []string{"bench/zones.go imports github.com/ovn-kubernetes/libovsdb/client: libovsdb judges: in tests, and as the second reader; the product does without it (docs/libovsdb.md)"}},
		{"engine/fake.go", "testing", []string{"engine/fake.go imports testing: helpers of tests stay out of the product"}},
	} {
		t.Run(c.path+" "+c.imp, func(t *testing.T) {
			name := "x"
			if strings.Contains(c.path, "/gen/") {
				name = "main"
			}
			f, err := parse(c.path, []byte("package "+name+"\nimport _ \""+c.imp+"\"\n"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, judgeImports(f)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
