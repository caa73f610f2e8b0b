package licences

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Platforms are those that the program is released for, as GOOS/GOARCH.
var Platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// Module is a linked module with the files that say under which terms.
type Module struct {
	Path, Version string
	SPDX          []string // of its licences
	Licences      []File
	Notices       []File
}

// File is a text of a module, by its name in the module.
type File struct{ Name, Text string }

// linkedPackage is what go list says of a package.
type linkedPackage struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// Linked are the modules of which the program in a folder has packages, in order of their paths.
func Linked(root string) ([]Module, error) {
	found := map[string]map[string]bool{} // module@version → folders with texts
	at := map[string]string{}             // → the module's folder
	for _, platform := range Platforms {
		packages, err := listPackages(root, platform)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if p.Module == nil || p.Module.Main {
				continue
			}
			key := p.Module.Path + "@" + p.Module.Version
			if found[key] == nil {
				found[key] = map[string]bool{}
			}
			at[key] = p.Module.Dir
			// Code that a module took from others has its licence beside it.
			for dir := p.Dir; strings.HasPrefix(dir, p.Module.Dir); dir = filepath.Dir(dir) {
				found[key][dir] = true
			}
		}
	}
	goroot, err := goModule(root)
	if err != nil {
		return nil, err
	}
	out := []Module{goroot}
	for key, dirs := range found {
		path, version, _ := strings.Cut(key, "@")
		m := Module{Path: path, Version: version}
		if err := m.read(at[key], dirs); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	var unknown []error
	for _, m := range out {
		if len(m.SPDX) == 0 {
			unknown = append(unknown, fmt.Errorf("%s %s has no licence that is known", m.Path, m.Version))
		}
	}
	return out, errors.Join(unknown...)
}

// listPackages are the packages that are linked on a platform.
func listPackages(root, platform string) ([]linkedPackage, error) {
	goos, arch, _ := strings.Cut(platform, "/")
	list := exec.Command("go", "list", "-deps", "-json=Dir,Module", ".")
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0", "PWD="+root)
	var said bytes.Buffer
	list.Stderr = &said
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages for %s: %w: %s", platform, err, bytes.TrimSpace(said.Bytes()))
	}
	var out []linkedPackage
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var p linkedPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the packages for %s: %w", platform, err)
		}
		out = append(out, p)
	}
}

// goModule is Go with its library, whose licence asks to be passed on too.
func goModule(root string) (Module, error) {
	env := exec.Command("go", "env", "GOROOT", "GOVERSION")
	env.Dir = root
	text, err := env.Output()
	if err != nil {
		return Module{}, fmt.Errorf("asking go for its folder: %w", err)
	}
	dir, version, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	m := Module{Path: "Go", Version: version}
	return m, m.read(dir, map[string]bool{dir: true})
}

// texts are the names of files with licences and notices.
var (
	licenceName = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|patents)s?([.\-_].*)?$`)
	noticeName  = regexp.MustCompile(`(?i)^notice([.\-_].*)?$`)
)

// read reads the texts in folders of a module, and finds out which licences they are.
func (m *Module) read(root string, dirs map[string]bool) error {
	for dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("looking for licences of %s: %w", m.Path, err)
		}
		for _, e := range entries {
			isNotice := noticeName.MatchString(e.Name())
			if e.IsDir() || filepath.Ext(e.Name()) == ".go" || !isNotice && !licenceName.MatchString(e.Name()) {
				continue
			}
			path := filepath.Join(dir, e.Name())
			text, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("reading a licence of %s: %w", m.Path, err)
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return fmt.Errorf("reading a licence of %s: %w", m.Path, err)
			}
			f := File{filepath.ToSlash(name), string(bytes.TrimSpace(text)) + "\n"}
			if isNotice {
				m.Notices = append(m.Notices, f)
				continue
			}
			m.Licences = append(m.Licences, f)
			ids, err := identify(f.Text)
			if err != nil {
				return fmt.Errorf("%s %s, %s: %w", m.Path, m.Version, f.Name, err)
			}
			m.SPDX = append(m.SPDX, ids...)
		}
	}
	byName := func(a, b File) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(m.Licences, byName)
	slices.SortFunc(m.Notices, byName)
	slices.Sort(m.SPDX)
	m.SPDX = slices.Compact(m.SPDX)
	return nil
}
