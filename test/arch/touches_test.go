package arch

import (
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// touching are the functions, types and values through which the program reaches out of itself, by
// what they do there. A reader finds each package that names one in docs/security.md.
var touching = map[string]map[string]string{
	"starts": {"os/exec": "Command CommandContext LookPath", "os": "StartProcess", "syscall": "Exec ForkExec"},
	"variable": {"os": "Getenv LookupEnv Environ ExpandEnv Setenv", "github.com/adrg/xdg": "ConfigHome StateHome DataHome CacheHome RuntimeDir",
		"k8s.io/client-go/tools/clientcmd": "RecommendedConfigPathEnvVar"},
	"connects": {"net": "Dial DialTimeout DialUnix Dialer Resolver LookupHost LookupIP LookupAddr", "crypto/tls": "Dial Client Dialer",
		"net/http": "Client Get Post DefaultClient NewRequest", "k8s.io/client-go/rest": "HTTPClientFor", "k8s.io/client-go/tools/remotecommand": "NewSPDYExecutor NewWebSocketExecutor"},
	"listens": {"net": "Listen ListenConfig ListenPacket ListenUnix", "net/http": "Server ListenAndServe"},
	"reads": {"os": "Open ReadFile ReadDir DirFS OpenRoot", "path/filepath": "WalkDir Glob", "syscall": "Open CreateFile",
		"rung/sources/files":           "Open OpenRegular ReadFile ReadRegular ReadPrivate",
		"github.com/fsnotify/fsnotify": "NewWatcher", "k8s.io/client-go/tools/clientcmd": "NewDefaultClientConfigLoadingRules"},
	"writes": {"os": "Create CreateTemp WriteFile OpenFile Mkdir MkdirAll MkdirTemp Rename Remove RemoveAll Chmod Link Symlink Truncate CopyFS",
		"syscall":            "Mkfifo",
		"rung/sources/files": "OS OrSystem AppendLines CreateFile OpenAppend OpenLocked OpenPrivate ReplaceFile SwapText WithdrawFile TryLocked"},
}

// touches are what one package does, and the strings in its code.
type touches struct {
	does    map[string][]string // what it does, with the names that a call has literally, and ""
	strings []string
}

// touchesOf goes through the program's own code. Functions that are only named, to be called by
// somebody else, count as called.
func touchesOf(files []file) map[string]*touches {
	out := map[string]*touches{}
	for _, f := range files {
		if f.test() || f.command() || under(f.dir, "test", "bench") {
			continue
		}
		p := out[f.dir]
		if p == nil {
			p = &touches{does: map[string][]string{}}
			out[f.dir] = p
		}
		imported := map[string]string{}
		for _, spec := range f.ast.Imports {
			name := path.Base(strings.Trim(spec.Path.Value, `"`))
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imported[name] = strings.Trim(spec.Path.Value, `"`)
		}
		kindsOf := func(fn ast.Expr) (kinds []string, name string) {
			switch fn := fn.(type) {
			case *ast.Ident:
				if fn.Name == "getenv" {
					return []string{"variable"}, ""
				}
			case *ast.SelectorExpr:
				x, ok := fn.X.(*ast.Ident)
				for kind, names := range touching {
					if ok && slices.Contains(strings.Fields(names[imported[x.Name]]), fn.Sel.Name) {
						kinds = append(kinds, kind)
					}
				}
				return kinds, fn.Sel.Name
			}
			return nil, ""
		}
		toRead := map[ast.Expr]bool{} // OpenFile that only reads
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); err == nil {
					p.strings = append(p.strings, s)
				}
			case *ast.SelectorExpr:
				kinds, _ := kindsOf(n)
				for _, kind := range kinds {
					if toRead[n] {
						kind = "reads"
					}
					p.does[kind] = append(p.does[kind], "")
				}
			case *ast.CallExpr:
				kinds, name := kindsOf(n.Fun)
				ast.Inspect(n, func(m ast.Node) bool {
					id, ok := m.(*ast.Ident)
					toRead[n.Fun] = toRead[n.Fun] || ok && name == "OpenFile" && id.Name == "O_RDONLY"
					return true
				})
				first := 0
				if strings.HasSuffix(name, "Context") {
					first = 1
				}
				for _, kind := range kinds {
					if lit, ok := argument(n, first).(*ast.BasicLit); ok && (kind == "starts" || kind == "variable") {
						p.does[kind] = append(p.does[kind], strings.Trim(lit.Value, `"`))
					}
				}
			}
			return true
		})
	}
	return out
}

func argument(call *ast.CallExpr, i int) ast.Expr {
	if i < len(call.Args) {
		return call.Args[i]
	}
	return nil
}

// The table of docs/security.md has every package that reaches out of the program, for each thing
// that it does, and every program and variable that is named in a call. What the table names is in
// the code.
func TestTouchesAreTold(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	code := touchesOf(source(t))
	told := map[string][]string{} // names, by what is done and the package
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		kind := strings.TrimPrefix(cells[0], "| ")
		if len(cells) != 5 || touching[kind] == nil {
			continue
		}
		for _, dir := range quotedWords(cells[2]) {
			told[kind+" "+dir] = append(told[kind+" "+dir], append(quotedWords(cells[1]), "")...)
			if code[dir] == nil || code[dir].does[kind] == nil {
				t.Errorf("docs/security.md: %s: %s is in the row of %s and has nothing of it", kind, dir, cells[1])
			}
		}
		for _, name := range quotedWords(cells[1]) {
			bare := strings.TrimRight(strings.TrimLeft(path.Base(name), "-"), "*")
			if !inCode(code, bare) {
				t.Errorf("docs/security.md: %s: nothing in the code is called %s", kind, name)
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(code)) {
		for kind, names := range code[dir].does {
			for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
				if !slices.Contains(told[kind+" "+dir], name) {
					t.Errorf("docs/security.md: no row says: %s %s, by %s", kind, name, dir)
				}
			}
		}
	}
}

func inCode(code map[string]*touches, name string) bool {
	for _, p := range code {
		if slices.ContainsFunc(p.strings, func(s string) bool { return strings.Contains(s, name) }) {
			return true
		}
	}
	return false
}

var quoted = regexp.MustCompile("`([^`]+)`")

func quotedWords(cell string) (out []string) {
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}
