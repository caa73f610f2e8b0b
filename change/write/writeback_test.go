package write

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/change/rewrite"
	"rung/model"
	"rung/sources/manifests"
	"rung/test/faultfs"
	"rung/test/given"
)

// disk is manifests in a folder and a Files that has read them once, as Watch
// would.
type disk struct {
	t     *testing.T
	dir   string
	files *Files
	read  map[model.Key]*model.Policy
}

func newDisk(t *testing.T, files map[string]string, paths ...string) *disk {
	t.Helper()
	d := &disk{t: t, dir: t.TempDir()}
	for name, text := range files {
		d.write(name, text)
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for i, p := range paths {
		paths[i] = filepath.Join(d.dir, p)
	}
	d.files = NewFiles(FileOptions{Paths: paths})
	d.look()
	return d
}

// look reads everything, as Watch does when it is told of a change.
func (d *disk) look() {
	d.t.Helper()
	res, err := manifests.Read(context.Background(), d.files.readOptions)
	if err != nil {
		d.t.Fatal(err)
	}
	d.files.noteRead(manifests.Update{Upsert: res.Objects, Files: res.Files})
	d.read = map[model.Key]*model.Policy{}
	for _, o := range res.Objects {
		if p := model.AsPolicy(o); p != nil && p.Kind != model.KindNamespace {
			d.read[p.Key] = p
		}
	}
}

func (d *disk) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o640); err != nil {
		d.t.Fatal(err)
	}
}

func (d *disk) text(name string) string {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "(not there)"
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

func (d *disk) names() []string {
	d.t.Helper()
	var out []string
	all, err := os.ReadDir(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range all {
		out = append(out, e.Name())
	}
	return out
}

// put makes changes and keeps the objects as the engine would until the files
// are read again: with the place they had.
func (d *disk) put(changes ...change.ObjectChange) error {
	d.t.Helper()
	err := d.files.Write(context.Background(), changes)
	if err == nil {
		for _, c := range changes {
			delete(d.read, c.Key)
			if c.New != nil {
				d.read[c.Key] = c.New
			}
		}
	}
	return err
}

func (d *disk) create(text string) change.ObjectChange {
	d.t.Helper()
	p := parsed(d.t, text)
	return change.ObjectChange{Key: p.Key, New: rewrite.NextVersion(nil, p)}
}

// to is a change of the policy to another text.
func (d *disk) to(name, text string) change.ObjectChange {
	d.t.Helper()
	old := d.read[given.ANPKey(name)]
	if old == nil {
		d.t.Fatalf("no policy %s", name)
	}
	return change.ObjectChange{Key: old.Key, Old: old, New: rewrite.NextVersion(old, parsed(d.t, text))}
}

func (d *disk) delete(name string) change.ObjectChange {
	d.t.Helper()
	return change.ObjectChange{Key: given.ANPKey(name), Old: d.read[given.ANPKey(name)]}
}

func parsed(t testing.TB, text string) *model.Policy {
	t.Helper()
	p, broken := manifests.ParsePolicy([]byte(text))
	if p == nil {
		t.Fatal(broken)
	}
	return p
}

func two() string {
	return "# first\n" + given.ANP("one", 1, "", "in deny *") + "---\n# second\n" + given.ANP("two", 2, "", "in deny *")
}

func TestWriteBack(t *testing.T) {
	ctx := context.Background()
	t.Run("a change touches its document alone", func(t *testing.T) {
		d := newDisk(t, map[string]string{"a.yaml": two()})
		if err := d.put(d.to("two", given.ANP("two", 7, "", "in deny *"))); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Replace(two(), "priority: 2", "priority: 7", 1), d.text("a.yaml")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if info, _ := os.Stat(filepath.Join(d.dir, "a.yaml")); info.Mode().Perm() != 0o640 && runtime.GOOS != "windows" {
			t.Errorf("mode %v", info.Mode())
		}
	})
	t.Run("by hand the very text is kept", func(t *testing.T) {
		d := newDisk(t, map[string]string{"a.yaml": two()})
		c := d.to("two", "# second, and why\n"+given.ANP("two", 7, "", "in deny *"))
		c.ByHand = true
		if err := d.put(c); err != nil {
			t.Fatal(err)
		}
		if got := d.text("a.yaml"); !strings.Contains(got, "# second, and why\n") || !strings.Contains(got, "# first\n") {
			t.Error(got)
		}
	})
	t.Run("one after the other, before anything is read again", func(t *testing.T) {
		d := newDisk(t, map[string]string{"a.yaml": two()})
		for _, c := range []func() change.ObjectChange{
			func() change.ObjectChange { return d.create(given.ANP("three", 3, "", "in deny *")) },
			func() change.ObjectChange { return d.delete("one") },                                       // the others move up
			func() change.ObjectChange { return d.to("two", given.ANP("two", 8, "", "in deny *")) },     // its document is another now
			func() change.ObjectChange { return d.to("three", given.ANP("three", 9, "", "in deny *")) }, // never read at all
			func() change.ObjectChange { return d.create(given.ANP("one", 1, "", "in deny *")) },
			func() change.ObjectChange { return d.delete("three") },
			func() change.ObjectChange { return d.create(given.ANP("three", 5, "", "in deny *")) }, // into the file it had
		} {
			if err := d.put(c()); err != nil {
				t.Fatal(err)
			}
		}
		d.look()
		got := map[string]int32{}
		for k, p := range d.read {
			got[k.Name] = p.Priority
		}
		if diff := cmp.Diff(map[string]int32{"one": 1, "two": 8, "three": 5}, got); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, d.text("a.yaml"))
		}
		if diff := cmp.Diff([]string{"a.yaml", "anp-one.yaml", "anp-three.yaml"}, d.names()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := d.put(d.delete("three")); err != nil {
			t.Errorf("after reading: %v", err)
		}
	})
	t.Run("a new object at the end of a single file", func(t *testing.T) {
		d := newDisk(t, map[string]string{"a.yaml": two(), "b.yaml": "# more\n"}, "b.yaml", "a.yaml")
		if err := d.put(d.create(given.ANP("three", 3, "", "in deny *"))); err != nil {
			t.Fatal(err)
		}
		if got := d.text("a.yaml"); !strings.HasPrefix(got, two()+"---\n") || !strings.Contains(got, "name: three") {
			t.Errorf("the last that was given gets it: %s", got)
		}
	})
	t.Run("a file of that name that is not read is left alone", func(t *testing.T) {
		d := newDisk(t, map[string]string{"a.yaml": two()})
		d.write("anp-three.yaml", "mine\n") // came since
		if err := d.put(d.create(given.ANP("three", 3, "", "in deny *"))); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"a.yaml", "anp-three-2.yaml", "anp-three.yaml"}, d.names()); diff != "" || d.text("anp-three.yaml") != "mine\n" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("standard input, nothing to write to", func(t *testing.T) {
		f := NewFiles(FileOptions{Paths: []string{"-"}})
		p := parsed(t, given.ANP("one", 1, "", "in deny *"))
		if err := f.Write(ctx, []change.ObjectChange{{Key: p.Key, New: p}}); !errors.Is(err, manifests.ErrNotWritable) {
			t.Error(err)
		}
		nowhere := rewrite.NextVersion(nil, p)
		if err := f.Write(ctx, []change.ObjectChange{{Key: p.Key, Old: nowhere}}); !errors.Is(err, manifests.ErrNotWritable) {
			t.Error(err)
		}
		f.noteRead(manifests.Update{Files: []manifests.FileState{{Path: "-"}}})
		p.Origin.File = "-"
		if err := f.Write(ctx, []change.ObjectChange{{Key: p.Key, Old: p}}); !errors.Is(err, manifests.ErrNotWritable) {
			t.Error(err)
		}
	})
	t.Run("a file that changed or vanished since", func(t *testing.T) {
		d := newDisk(t, map[string]string{"a.yaml": two()})
		d.write("a.yaml", two()+"# and more\n")
		if err := d.put(d.delete("one")); !errors.Is(err, manifests.ErrChanged) {
			t.Error(err)
		}
		d.look()
		c := d.delete("one")
		if err := os.Remove(filepath.Join(d.dir, "a.yaml")); err != nil {
			t.Fatal(err)
		}
		if err := d.put(c); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
}

// TestWriteBackRollback: of several files all are written or none.
func TestWriteBackRollback(t *testing.T) {
	world := func() *disk {
		d := newDisk(t, map[string]string{"a.yaml": two(), "b.yaml": "# b\n" + given.ANP("three", 3, "", "in deny *"), "c.yaml": given.ANP("four", 4, "", "in deny *")})
		d.write("c.yaml", given.ANP("four", 5, "", "in deny *")) // somebody else's change: this file cannot be written
		return d
	}
	changes := func(d *disk) []change.ObjectChange {
		return []change.ObjectChange{d.to("one", given.ANP("one", 9, "", "in deny *")), d.delete("three"), d.create(given.ANP("five", 5, "", "in deny *")), d.delete("four")}
	}
	d := world()
	a, b := d.text("a.yaml"), d.text("b.yaml")
	if err := d.put(changes(d)...); !errors.Is(err, manifests.ErrChanged) {
		t.Fatal(err)
	}
	if d.text("a.yaml") != a || d.text("b.yaml") != b || d.text("anp-five.yaml") != "(not there)" {
		t.Errorf("not as it was:\n%s%s%v", d.text("a.yaml"), d.text("b.yaml"), d.names())
	}
	if info, _ := os.Stat(filepath.Join(d.dir, "a.yaml")); info.Mode().Perm() != 0o640 && runtime.GOOS != "windows" {
		t.Errorf("mode %v", info.Mode())
	}
	// What was put back can be written at once.
	if err := d.put(d.to("one", given.ANP("one", 9, "", "in deny *")), d.delete("three"), d.create(given.ANP("five", 5, "", "in deny *"))); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"a.yaml", "anp-five.yaml", "b.yaml", "c.yaml"}, d.names()); diff != "" {
		t.Error(diff)
	}

	// A file that changed after it was written is not put back over that.
	d = world()
	stamp, err := d.files.knownFile(filepath.Join(d.dir, "a.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, back, err := d.files.writeFile(&fileJob{path: stamp.Path, file: stamp, edits: []manifests.Edit{editFor(d.delete("one"), d.read[given.ANPKey("one")].Origin)}})
	if err != nil {
		t.Fatal(err)
	}
	d.write("a.yaml", "# mine\n")
	if err := back(); !errors.Is(err, manifests.ErrChanged) || d.text("a.yaml") != "# mine\n" {
		t.Errorf("%v: %s", err, d.text("a.yaml"))
	}
}

// A policy that was made here is found in its file although nobody has taken in yet
// what was read there.
func TestWriteBackBetweenReadAndTakenIn(t *testing.T) {
	d := newDisk(t, map[string]string{"policies.yaml": two()})
	made := d.create(given.ANP("three", 3, "", "in deny *"))
	if err := d.put(made); err != nil {
		t.Fatal(err)
	}
	d.look()
	moved := change.ObjectChange{Key: made.Key, Old: made.New, New: rewrite.NextVersion(made.New, parsed(t, given.ANP("three", 30, "", "in deny *")))}
	if err := d.put(moved); err != nil {
		t.Fatal(err)
	}
	d.look()
	if p := d.read[made.Key]; p == nil || p.Priority != 30 {
		t.Errorf("%+v", p)
	}
}

// TestFileNames: any name of an object makes a name for a file in the folder.
func TestFileNames(t *testing.T) {
	long := strings.Repeat("x", 253)
	for _, tt := range []struct {
		key  model.Key
		want string
	}{
		{given.ANPKey("one"), "anp-one"},
		{model.Key{Kind: model.KindBANP, Name: "default"}, "banp-default"},
		{model.Key{Kind: model.KindNP, Namespace: "blue", Name: "web"}, "np-blue-web"},
		{given.ANPKey("../../etc/passwd"), "anp-..-..-etc-passwd"},
		{given.ANPKey(`a\b:c` + "\x00"), "anp-a-b-c-"},
		{given.ANPKey(long), "anp-" + long[:116] + "-"},
	} {
		got := fileName(tt.key)
		if !strings.HasPrefix(got, tt.want) || len(got) > 140 || len(tt.want) < 100 && got != tt.want {
			t.Errorf("%q: %q", tt.key.Name, got)
		}
	}
	if fileName(given.ANPKey(long)) == fileName(given.ANPKey(long[:252]+"y")) {
		t.Error("two long names make one file")
	}
}

// Two new objects whose files would have one name come into two files.
func TestWriteBackOfLikeNames(t *testing.T) {
	d := newDisk(t, map[string]string{"a.yaml": two()})
	np := func(namespace, name string) change.ObjectChange {
		return d.create("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: " + name + ", namespace: " + namespace + "}\nspec: {podSelector: {}}\n")
	}
	one, other := np("a-b", "c"), np("a", "b-c")
	if err := d.put(one, other); err != nil {
		t.Fatal(err)
	}
	d.look()
	for _, k := range []model.PolicyKey{one.Key, other.Key} {
		if d.read[k] == nil {
			t.Errorf("%s is in no file of %v", k.Label(), d.names())
		}
	}
}

// A process that is killed at any operation on its disk while it writes files leaves all of
// them whole, the record of the change unless none or all was written, and nothing beside
// them once the next one swept.
func TestFilesKilledAtAnyMoment(t *testing.T) {
	left := 0
	for at := 1; ; at++ {
		d := newDisk(t, map[string]string{"a.yaml": given.ANP("a", 1, "", "in deny *"), "b.yaml": given.ANP("b", 2, "", "in deny *") + "---\n" + given.ANP("kept", 3, "", "in deny *")})
		disk := &faultfs.FS{}
		d.files.disk = disk
		changes := []change.ObjectChange{d.to("a", given.ANP("a", 11, "", "in deny *")), d.delete("b"), d.create(given.ANP("c", 13, "", "in deny *"))}
		disk.Before = func(op faultfs.Op) error {
			if op.N == at {
				disk.Kill()
			}
			return nil
		}
		err := d.files.Write(context.Background(), changes)
		all, _ := os.ReadDir(d.dir)
		for _, e := range all {
			if strings.Contains(e.Name(), ".rung-") {
				left++
			} else if info, err := e.Info(); err != nil || info.Size() == 0 {
				t.Errorf("killed at %d: %s is empty", at, e.Name())
			}
		}
		NewFiles(FileOptions{Paths: []string{d.dir}}).SweepLeftovers(time.Now())
		all, _ = os.ReadDir(d.dir)
		for _, e := range all {
			if strings.Contains(e.Name(), ".rung-") {
				t.Errorf("killed at %d: %s stays", at, e.Name())
			}
		}
		if err == nil {
			break
		}
	}
	if left == 0 {
		t.Error("no kill left anything: nothing was tried")
	}
}
