package files_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/sources/files"
	"rung/sources/manifests"
	"rung/test/faultfs"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "(not there)"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func linkCount(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func merge(base, a, b []byte) ([]byte, bool) {
	m, ok := manifests.MergeTexts(string(base), string(a), string(b))
	return []byte(m), ok
}

const before, after = "one\ntwo\nthree\nfour\n", "one\nTWO\nthree\nfour\n"

// writers are the ways of writing a file; new says that it is not there before.
var writers = []struct {
	name string
	new  bool
	do   func(fsys files.FS, path string) error
}{
	{"create", true, func(fsys files.FS, path string) error {
		return files.CreateFile(fsys, path, []byte(after), 0o644)
	}},
	{"replace", false, func(fsys files.FS, path string) error { return files.ReplaceFile(fsys, path, []byte(after)) }},
	{"save", false, func(fsys files.FS, path string) error { return files.SaveFile(fsys, path, []byte(after)) }},
	{"save a new one", true, func(fsys files.FS, path string) error { return files.SaveFile(fsys, path, []byte(after)) }},
	{"swap", false, func(fsys files.FS, path string) error {
		return files.SwapText(fsys, path, []byte(before), []byte(after), merge)
	}},
	{"append", false, func(fsys files.FS, path string) error {
		f, err := files.OpenLocked(fsys, path)
		if err != nil {
			return err
		}
		_, err = files.AppendLines(f, []byte("five\n"))
		return errors.Join(err, f.Close())
	}},
}

// A file that another has is not waited for.
func TestTryLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "lock")
	held, err := files.TryLocked(files.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := files.TryLocked(files.OS, path); !errors.Is(err, files.ErrLocked) {
		t.Fatalf("%v, %v", f, err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := files.TryLocked(files.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
}

// Whatever fails, a file is as it was or as it should be, an error says which,
// and nothing else stays in the folder.
func TestEveryOperationFails(t *testing.T) {
	unsupported := func(kinds string) func(faultfs.Op) error {
		return func(op faultfs.Op) error {
			if strings.Contains(kinds, op.Kind) {
				return errors.ErrUnsupported
			}
			return nil
		}
	}
	systems := map[string]func(faultfs.Op) error{
		"all": func(faultfs.Op) error { return nil }, "no exchange": unsupported("exchange writing"),
		"no exchange, no links, no locks": unsupported("exchange writing link lock"),
	}
	for system, can := range systems {
		for _, w := range writers {
			old, want := before, after
			if w.new {
				old = "(not there)"
			}
			if w.name == "append" {
				want = before + "five\n"
			}
			t.Run(system+" "+w.name, func(t *testing.T) {
				setup := func() (dir, path string) {
					dir = t.TempDir()
					path = filepath.Join(dir, "a.yaml")
					if !w.new {
						write(t, path, before)
					}
					return dir, path
				}
				whole := &faultfs.FS{Before: can}
				dir, path := setup()
				if err := w.do(whole, path); err != nil || read(t, path) != want || len(linkCount(t, dir)) != 1 {
					t.Fatalf("without a fault: %v %q %v", err, read(t, path), linkCount(t, dir))
				}
				for n := 1; n <= whole.Ops(); n++ {
					for _, fault := range []error{faultfs.ErrFull, faultfs.ErrIO, fs.ErrPermission} {
						var failed faultfs.Op
						dir, path := setup()
						err := w.do(&faultfs.FS{Before: func(op faultfs.Op) error {
							if op.N == n {
								failed = op
								return fault
							}
							return can(op)
						}}, path)
						got := read(t, path)
						about := fmt.Sprintf("%s of %s fails (operation %d): %v", failed.Kind, filepath.Base(failed.Path), n, err)
						// The end of what was written already: its close is known to be
						// late, the others do not touch the file.
						if err != nil && got != old && (failed.Kind != "close" || got != want) {
							t.Errorf("%s\nand the file holds %q", about, got)
						}
						if err == nil && got != want {
							t.Errorf("%s\nand the file holds %q", about, got)
						}
						for _, name := range linkCount(t, dir) {
							if name != "a.yaml" && failed.Kind != "remove" {
								t.Errorf("%s\nand %s stays behind", about, name)
							}
						}
					}
				}
				for room := 0; room < len(want); room++ {
					dir, path := setup()
					err := w.do(&faultfs.FS{Before: can, Full: true, Room: room}, path)
					fits := w.name == "append" && room >= len("five\n") // it adds, the others write the whole
					if text := read(t, path); (err == nil) != fits || !fits && text != old || fits && text != want {
						t.Errorf("with room for %d bytes: %v %q", room, err, read(t, path))
					}
					if rest := linkCount(t, dir); len(rest) > 1 || w.new && len(rest) > 0 {
						t.Errorf("with room for %d bytes stays behind: %v", room, rest)
					}
				}
				// A kill in the middle of a write, or between two operations.
				for n := 1; n <= whole.Ops(); n++ {
					_, path := setup()
					dead := &faultfs.FS{Tear: func(op faultfs.Op, bytes int) int {
						if op.N == n {
							return bytes / 2
						}
						return -1
					}}
					dead.Before = func(op faultfs.Op) error {
						if op.N == n && op.Kind != "write" {
							dead.Kill()
							return faultfs.ErrDead
						}
						return can(op)
					}
					err := w.do(dead, path)
					text := read(t, path)
					if w.name == "append" && strings.HasPrefix(text, before) {
						text = old // the next one begins on a line of its own
					}
					if text != old && text != want || err == nil && text != want && w.name != "append" {
						t.Errorf("killed at operation %d: %v %q", n, err, text)
					}
				}
			})
		}
	}
}

// Another program writes in the window between the last look and the exchange.
func TestSwapLosesNothing(t *testing.T) {
	add := func(text string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(text); err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
		}
	}
	replace := func(text string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			write(t, path+".new", text)
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name   string
		at     []func(t *testing.T, path string) // before the first trade, the second, …
		want   error
		file   string
		kept   string // what must stand in FILE.orig
		system string // what it cannot do
	}{
		{"an append", []func(*testing.T, string){add("theirs\n")}, files.ErrChanged, before + "theirs\n", "", ""},
		{"an append, no exchange", []func(*testing.T, string){add("theirs\n")}, files.ErrChanged, before + "theirs\n", "", "exchange"},
		{"another file by a rename", []func(*testing.T, string){replace("theirs\n")}, files.ErrChanged, "theirs\n", "", ""},
		{"a link in its place", []func(*testing.T, string){func(t *testing.T, path string) {
			write(t, path+"-target", "theirs\n")
			if err := errors.Join(os.Remove(path), os.Symlink(path+"-target", path)); err != nil {
				t.Fatal(err)
			}
		}}, files.ErrChanged, "theirs\n", "", ""},
		{"the file goes", []func(*testing.T, string){func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}}, fs.ErrNotExist, "(not there)", "", ""},
		{"the new text is edited too, elsewhere", []func(*testing.T, string){
			func(t *testing.T, path string) { write(t, path, "ONE\ntwo\nthree\nfour\n") }, add("theirs\n"),
		}, files.ErrChanged, "ONE\ntwo\nthree\nfour\ntheirs\n", "", ""},
		{"the new text is edited too, at the same place", []func(*testing.T, string){add("theirs\n"), add("more\n")},
			files.ErrChanged, before + "theirs\n", after + "more\n", ""},
		{"the new text is edited too, at the same place, no exchange", []func(*testing.T, string){add("theirs\n"), add("more\n")},
			files.ErrChanged, before + "theirs\n", after + "more\n", "exchange"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.yaml")
			write(t, path, before)
			write(t, path+".orig", "somebody's\n") // stays
			at := c.at
			disk := &faultfs.FS{}
			disk.Before = func(op faultfs.Op) error {
				if op.Kind == "exchange" && c.system == "exchange" {
					return errors.ErrUnsupported
				}
				trade := op.Kind == "exchange" || op.Kind == "link" && c.system == "exchange"
				if trade && len(at) > 0 {
					now := at[0]
					at = at[1:]
					now(t, path)
				}
				return nil
			}
			err := files.SwapText(disk, path, []byte(before), []byte(after), merge)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(c.file, read(t, path)); diff != "" {
				t.Errorf("the file (-want +got)\n%s", diff)
			}
			if read(t, path+".orig") != "somebody's\n" {
				t.Error("a .orig that was there is gone")
			}
			for _, name := range linkCount(t, dir) {
				switch name {
				case "a.yaml", "a.yaml.orig", "a.yaml-target":
				case "a.yaml.orig-2":
					if c.kept == "" || read(t, path+".orig-2") != c.kept || !strings.Contains(err.Error(), path+".orig-2") {
						t.Errorf("kept %q: %v", read(t, path+".orig-2"), err)
					}
					c.kept = ""
				default:
					t.Errorf("left behind: %s", name)
				}
			}
			if c.kept != "" {
				t.Error("nothing was kept aside")
			}
		})
	}
}

// A file that keeps changing is not fought for.
func TestSwapGivesUp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	write(t, path, before)
	lines := 0
	disk := &faultfs.FS{Before: func(op faultfs.Op) error {
		if op.Kind == "exchange" {
			lines++
			write(t, path, read(t, path)+fmt.Sprintf("line %d\n", lines))
		}
		return nil
	}}
	err := files.SwapText(disk, path, []byte(before), []byte(after), merge)
	if !errors.Is(err, files.ErrChanged) {
		t.Error(err)
	}
	all := ""
	for _, name := range linkCount(t, dir) {
		all += read(t, filepath.Join(dir, name))
	}
	for i := 1; i <= lines; i++ {
		if !strings.Contains(all, fmt.Sprintf("line %d\n", i)) {
			t.Errorf("line %d is lost; left are %v", i, linkCount(t, dir))
		}
	}
}

func TestWithdraw(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	write(t, path, after)
	if err := files.WithdrawFile(files.OS, path, []byte(before)); !errors.Is(err, files.ErrChanged) || read(t, path) != after {
		t.Errorf("%v %q", err, read(t, path))
	}
	if err := files.WithdrawFile(files.OS, path, []byte(after)); err != nil || len(linkCount(t, dir)) != 0 {
		t.Errorf("%v %v", err, linkCount(t, dir))
	}
}

func TestCreateNeverOverwrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	disk := &faultfs.FS{Before: func(op faultfs.Op) error {
		if op.Kind == "place" {
			write(t, path, "theirs\n") // at the last moment
		}
		return nil
	}}
	if err := files.CreateFile(disk, path, []byte(after), 0o644); !errors.Is(err, fs.ErrExist) || read(t, path) != "theirs\n" {
		t.Errorf("%v %q", err, read(t, path))
	}
}

func TestFolder(t *testing.T) {
	mine := func(name string) bool { return name == "mine" }
	dir := filepath.Join(t.TempDir(), "state")
	if note, err := files.CheckFolder(files.OS, dir, mine); note != "" || err != nil || read(t, dir) != "(not there)" {
		t.Errorf("one that is not there: %q %v", note, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "mine"), "")
	if note, err := files.CheckFolder(files.OS, dir, mine); note != "" || err != nil {
		t.Errorf("one that is private: %q %v", note, err)
	}
}
