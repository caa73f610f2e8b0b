package manifests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/sources/files"
	"rung/test/wait"
)

var fast = watchTimes{debounce: 20 * time.Millisecond, maxWait: 500 * time.Millisecond, settle: 120 * time.Millisecond,
	poll: time.Minute, pollFast: 50 * time.Millisecond}

// anp is a policy's text.
func anp(name string, priority int) string {
	return anpHead + fmt.Sprintf("metadata:\n  name: %s\nspec:\n  priority: %d\n  subject:\n    namespaces: {}\n", name, priority)
}

// follow runs a watch and keeps what it said.
type follow struct {
	t       *testing.T
	updates chan Update
	state   map[model.Key]model.Object
	broken  []model.Broken
	files   []FileState
}

func startWatch(t *testing.T, o Options) *follow {
	t.Helper()
	f := &follow{t: t, updates: make(chan Update, 100), state: map[model.Key]model.Object{}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- watchWith(ctx, o, func(u Update) { f.updates <- u }, fast) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("watch ended with %v", err)
		}
	})
	return f
}

// until takes updates until cond holds.
func (f *follow) until(what string, cond func() bool) {
	f.t.Helper()
	deadline := time.After(wait.Patience)
	for !cond() {
		select {
		case u := <-f.updates:
			for _, k := range u.Remove {
				delete(f.state, k)
			}
			for _, o := range u.Upsert {
				f.state[o.ObjectKey()] = o
			}
			f.broken, f.files = u.Broken, u.Files
		case <-deadline:
			f.t.Fatalf("never: %s\nhave %s\nbroken %v", what, f.text(), f.broken)
		}
	}
}

// text lists the policies with their priorities and the codes of what is broken.
func (f *follow) text() string {
	var parts []string
	for _, o := range f.state {
		if p, ok := o.(*model.Policy); ok {
			parts = append(parts, fmt.Sprintf("%s=%d", p.Name, p.Priority))
		}
	}
	slices.Sort(parts)
	for _, b := range f.broken {
		parts = append(parts, b.Code)
	}
	return strings.Join(parts, " ")
}

func (f *follow) want(s string) {
	f.t.Helper()
	f.until(s, func() bool { return f.text() == s })
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// briefly takes the file of a policy away for less time than it takes until the file
// counts as gone, and writes it again with another priority: the policy must never be
// away. A machine too busy to be that quick tries again; it returns the priority.
func (f *follow) briefly(path, name string, priority int, away func() error) int {
	f.t.Helper()
	for try := range 50 {
		began := time.Now()
		if err := away(); err != nil {
			f.t.Fatal(err)
		}
		time.Sleep(2 * fast.debounce)
		write(f.t, path, anp(name, priority+try))
		quick := time.Since(began) < fast.settle
		back := fmt.Sprintf("%s=%d", name, priority+try)
		f.until(back+" without ever being away", func() bool {
			if quick && !strings.Contains(f.text(), name+"=") {
				f.t.Fatal("the object was lost for a moment")
			}
			return strings.Contains(f.text(), back)
		})
		if quick {
			return priority + try
		}
	}
	f.t.Fatal("too busy a machine: a file was always away for longer than it takes to be gone")
	return 0
}

func TestWatchFolder(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "sub", "b.yaml")
	write(t, a, anp("a", 1)+"---\n"+anp("a2", 2))
	f := startWatch(t, Options{Paths: []string{dir}})
	f.want("a2=2 a=1")
	kept := f.state[model.Key{Kind: model.KindANP, Name: "a2"}]

	write(t, a, anp("a", 10)+"---\n"+anp("a2", 2))
	f.want("a2=2 a=10")
	if f.state[kept.ObjectKey()] != kept {
		t.Error("an object that did not change was made anew")
	}

	// A new folder with a file in it.
	if err := os.Mkdir(filepath.Dir(b), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, b, anp("b", 3))
	f.want("a2=2 a=10 b=3")

	// An editor replaces the file.
	write(t, filepath.Join(dir, ".a.tmp"), anp("a", 11)+"---\n"+anp("a2", 2))
	if err := os.Rename(filepath.Join(dir, ".a.tmp"), a); err != nil {
		t.Fatal(err)
	}
	f.want("a2=2 a=11 b=3")

	// A document that breaks keeps what it was, the other one is read.
	write(t, a, anp("a", 12)+"---\n"+strings.Replace(anp("a2", 2), "spec:", "spec: [", 1))
	f.want("a2=2 a=12 b=3 yaml kept")
	write(t, a, anp("a", 12)+"---\n"+anp("a2", 2000))
	f.want("a2=2 a=12 b=3 schema kept")
	write(t, a, anp("a", 12)+"---\n"+anp("a2", 7))
	f.want("a2=7 a=12 b=3")

	// A document taken out takes its object with it.
	write(t, a, anp("a", 12))
	f.want("a=12 b=3")

	// A file that is away for a moment loses nothing; one that is gone does, and
	// it is said until something else changes.
	last := f.briefly(b, "b", 4, func() error { return os.Remove(b) })
	f.want(fmt.Sprintf("a=12 b=%d", last))
	if err := os.Remove(b); err != nil {
		t.Fatal(err)
	}
	f.want("a=12 file-gone")
	time.Sleep(3 * fast.settle)
	write(t, a, anp("a", 13))
	f.want("a=13")
	write(t, b, anp("b", 5))
	f.want("a=13 b=5")
}

// A process that was stopped sees that a file is gone long after it was missed, and
// says so all the same.
func TestGoneAfterAStop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	write(t, path, anp("a", 1))
	var last Update
	w := &watcher{o: Options{Paths: []string{filepath.Dir(path)}, SkipSchema: true}.withDefaults(), tm: watchTimes{settle: 10 * time.Millisecond},
		sink: func(u Update) { last = u }, files: map[string]*watchedFile{}, published: map[model.Key]model.Object{}}
	scan := func() {
		t.Helper()
		if _, err := w.scanFiles(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	scan()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	scan()
	time.Sleep(3 * w.tm.settle)
	scan()
	gone := func(b model.Broken) bool { return b.Code == CodeGone }
	if len(last.Remove) != 1 || !slices.ContainsFunc(last.Broken, gone) {
		t.Errorf("removed %v, broken %v: want the object out, and why", last.Remove, last.Broken)
	}
}

func TestWatchFile(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "new", "a.yaml")
	f := startWatch(t, Options{Paths: []string{a}, SkipSchema: true})
	f.want("file")
	if err := os.Mkdir(filepath.Dir(a), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, a, anp("a", 1))
	f.want("a=1")
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	f.want("file-gone")
	if got := f.broken[0]; !strings.HasSuffix(got.Message, ": 1 object removed") || !got.IsError() {
		t.Errorf("got %v", got)
	}
	write(t, a, anp("a", 2))
	f.want("a=2")

	// An emptied file is not believed at once.
	f.briefly(a, "a", 3, func() error { return os.WriteFile(a, nil, 0o644) })
	write(t, a, "")
	f.want("")

	// What Rung writes itself comes back the same way.
	write(t, a, anp("a", 4))
	f.want("a=4")
	if err := files.SwapText(files.OS, a, []byte(anp("a", 4)), []byte(anp("a", 5)), nil); err != nil {
		t.Fatal(err)
	}
	f.want("a=5")
}

// Gate 1 comes behind the first update when it is asked for.
func TestWatchSkipSchema(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.yaml"), anp("a", 1)+"---\n"+anp("b", 1001))
	f := startWatch(t, Options{Paths: []string{dir}, SkipSchema: true})
	u := <-f.updates
	if len(u.Upsert) != 2 || u.Validated {
		t.Errorf("first update: %d objects, validated %v", len(u.Upsert), u.Validated)
	}
	u = <-f.updates
	if d := cmp.Diff([]model.Key{{Kind: model.KindANP, Name: "b"}}, u.Remove); d != "" || len(u.Broken) != 1 || !u.Validated {
		t.Errorf("second update: %s broken %v validated %v", d, u.Broken, u.Validated)
	}
}

// A mounted ConfigMap changes by a link to a folder.
func TestWatchConfigMap(t *testing.T) {
	dir := t.TempDir()
	mount := func(version, text string) {
		if err := os.Mkdir(filepath.Join(dir, version), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, version, "a.yaml"), text)
		if err := os.Symlink(version, filepath.Join(dir, "..tmp")); err != nil {
			t.Skip("no symbolic links here")
		}
		if err := os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")); err != nil {
			t.Fatal(err)
		}
	}
	mount("..1", anp("a", 1))
	if err := os.Symlink(filepath.Join("..data", "a.yaml"), filepath.Join(dir, "a.yaml")); err != nil {
		t.Skip("no symbolic links here")
	}
	f := startWatch(t, Options{Paths: []string{dir}})
	f.want("a=1")
	mount("..2", anp("a", 2))
	f.want("a=2")
}

func TestWatchStdinAndBuiltIn(t *testing.T) {
	f := startWatch(t, Options{Paths: []string{"-"}, Stdin: strings.NewReader(anp("a", 1))})
	f.want("a=1")
	f = startWatch(t, Options{Paths: []string{"."}, FS: os.DirFS(func() string {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "x.yml"), anp("x", 1))
		return dir
	}())})
	f.want("x=1")
	if f.files[0].Writable {
		t.Error("a built-in file says it can be written to")
	}
}

// A pod without a status is on the network of its namespace as long as that has one, though its own file
// never changes.
func TestWatchNetworkOfNamespace(t *testing.T) {
	dir := t.TempDir()
	namespace := func(labels string) {
		write(t, filepath.Join(dir, "ns.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata: {name: tenant, labels: {"+labels+"}}\n")
	}
	write(t, filepath.Join(dir, "pod.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: tenant}\nspec: {containers: [{name: c, image: i}]}\n")
	namespace("a: b")
	f := startWatch(t, Options{Paths: []string{dir}})
	pod := func() *model.Pod {
		p, _ := f.state[model.Key{Kind: model.KindPod, Namespace: "tenant", Name: "p"}].(*model.Pod)
		return p
	}
	f.until("the pod", func() bool { return pod() != nil })
	first := pod()
	namespace(model.LabelPrimaryUDN + `: ""`)
	f.until("the pod on the network", func() bool { return pod().PrimaryUDN() != "" })
	if first.PrimaryUDN() != "" {
		t.Error("the pod of before was changed")
	}
	namespace("a: b")
	f.until("the pod off the network", func() bool { return pod().PrimaryUDN() == "" })
}
