//go:build unix

package pipelines

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rung/test/install"
	"rung/test/schemas"
)

// repository is a folder in which steps are run, with the programs that they find.
type repository struct {
	t           *testing.T
	dir, bin    string
	good        bool
	environment []string
}

// eachRepository runs a test in a repository that is in order, and in one that is not.
func eachRepository(t *testing.T, test func(t *testing.T, r *repository)) {
	t.Helper()
	for name, good := range map[string]bool{"good": true, "bad": false} {
		t.Run(name, func(t *testing.T) { test(t, newRepository(t, good)) })
	}
}

// manifests are the demo's files in a repository that is in order.
var manifests = []string{"00-nodes.yaml", "01-namespaces.yaml", "02-pods-system.yaml", "03-pods-tenants.yaml", "04-services.yaml", "12-break-glass.yaml", "20-baseline.yaml"}

const (
	holds     = "- {name: tenants are apart, expect: deny, from: {namespace: blue}, to: {namespace: red}}\n"
	holdsNot  = "- {name: tenants meet, expect: allow, from: {namespace: blue}, to: {namespace: red}}\n"
	conflicts = "13-conflict.yaml" // an error of lint
)

func newRepository(t *testing.T, good bool) *repository {
	t.Helper()
	root, err := install.Root()
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{t: t, dir: t.TempDir(), bin: t.TempDir(), good: good}
	example := func(name string) string { return readFile(t, filepath.Join(root, "test", "given", "troubled", name)) }
	for _, name := range manifests {
		r.write("manifests/"+name, example(name))
	}
	// Its pod without an address leaves questions open: another story.
	r.write("manifests/03-pods-tenants.yaml", withoutPod(t, example("03-pods-tenants.yaml"), "web-pending"))
	r.write("expectations.yaml", holds)
	if err := os.Symlink(install.Binary(t), filepath.Join(r.bin, "rung")); err != nil {
		t.Fatal(err)
	}
	// Helm is not installed here: it renders this chart as it is.
	r.program("helm", `test "$1 $2 $3" = "template shop charts/shop"; for f in manifests/*.yaml; do cat "$f"; echo; echo ---; done`)
	// Nor is kubectl: what it renders has the manifests as they are.
	r.program("kubectl", `test "$1 $2" = "kustomize overlays/production"; for f in manifests/*.yaml; do cat "$f"; echo; echo ---; done`)
	// No more is gh: it keeps the comment that it is given.
	r.program("gh", `test "$1 $2" = "pr comment"; while [ "$1" != --body-file ]; do shift; done; cp "$2" posted.md`)
	r.environment = []string{"PATH=" + r.bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}
	r.commitBase()
	if !good {
		r.write("manifests/"+conflicts, example(conflicts))
		r.write("expectations.yaml", holds+holdsNot)
	}
	return r
}

// withoutPod is a file without the document of a pod.
func withoutPod(t *testing.T, text, name string) string {
	t.Helper()
	documents := strings.Split(text, "\n---\n")
	rest := slices.DeleteFunc(slices.Clone(documents), func(d string) bool { return strings.Contains(d, "\n  name: "+name+"\n") })
	if len(rest) != len(documents)-1 {
		t.Fatalf("%d of %d documents are of %s", len(documents)-len(rest), len(documents), name)
	}
	return strings.Join(rest, "\n---\n")
}

// commitBase makes the folder a clone of a repository whose branch main has its files, on a branch of its
// own, as a pipeline of a pull request has it.
func (r *repository) commitBase() {
	r.t.Helper()
	origin := r.t.TempDir()
	r.environment = append(r.environment, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	got := r.sh(`git init -q -b main
git config user.name rung
git config user.email rung@example.com
git add -A
git commit -q -m base
git init -q --bare ` + origin + `
git remote add origin ` + origin + `
git push -q origin main
git checkout -q -b change
`)
	if got.code != 0 {
		r.t.Fatal(got.errors)
	}
}

func (r *repository) program(name, script string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.bin, name), []byte("#!/bin/sh -e\n"+script+"\n"), 0o755); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repository) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600)); err != nil {
		r.t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// result is how a script ended.
type result struct {
	code        int
	out, errors string
}

// sh runs a script as CI systems do: from a file, ended by the first command that fails.
func (r *repository) sh(script string, environment ...string) result {
	r.t.Helper()
	file := filepath.Join(r.t.TempDir(), "step.sh")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.CommandContext(r.t.Context(), "sh", "-e", file)
	var out, errs strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.dir, append(append([]string{}, r.environment...), environment...), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// wantPassed says that a script ended with 0 in the good repository, and in the other with 1.
func (r *repository) wantPassed(got result) {
	r.t.Helper()
	if got.code != map[bool]int{true: 0, false: 1}[r.good] {
		r.t.Errorf("exit %d\n%s\n%s", got.code, got.out, got.errors)
	}
}

// wantReports checks the reports that the steps left, of which there must be these.
func (r *repository) wantReports(names ...string) {
	r.t.Helper()
	for _, name := range names {
		text := readFile(r.t, filepath.Join(r.dir, name))
		var err error
		switch filepath.Ext(name) {
		case ".sarif":
			err = schemas.CheckSARIF(text)
		case ".xml":
			err = schemas.CheckJUnit(text)
		}
		if err != nil {
			r.t.Errorf("%s: %v\n%s", name, err, text)
		}
		if found := strings.Contains(text, "priority-conflict") || strings.Contains(text, "tenants meet"); found == r.good {
			r.t.Errorf("%s says that something is wrong: %v\n%s", name, found, text)
		}
	}
}

// wantNoOther says that a folder has these files and no others.
func (r *repository) wantNoOther(dir string, names ...string) {
	r.t.Helper()
	var got []string
	err := fs.WalkDir(os.DirFS(filepath.Join(r.dir, dir)), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, path)
		}
		return err
	})
	if err != nil || strings.Join(got, " ") != strings.Join(names, " ") {
		r.t.Errorf("%s has %q, want %q: %v", dir, got, names, err)
	}
}
