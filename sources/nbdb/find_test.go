package nbdb

import (
	"archive/tar"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// archiveOf packs files as a must-gather does.
func archiveOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for n := range files {
			if !yield(n) {
				return
			}
		}
	}) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(files[name])), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return compress(t, b.Bytes())
}

// tree writes files below a folder.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFind(t *testing.T) {
	db := func(zone string) string { return smallFile([]string{global(zone)}) }
	archive := string(archiveOf(t, map[string]string{
		"ovnk_database_store/ovnkube-node-c_nbdb": db("node-c"),
		"ovnk_database_store/ovnkube-node-c_sbdb": "OVSDB JSON ",
		"ovnk_database_store/ovnkube-node-b_nbdb": db("node-b"), // unpacked as well
		"ovnk_database_store/ovnkube-node-x_nbdb": "cp: cannot copy",
	}))
	root := tree(t, map[string]string{
		"q/network_logs/ovnk_database_store/ovnkube-node-a_nbdb": db("node-a"),
		"q/network_logs/ovnk_database_store/ovnkube-node-b_nbdb": db("node-b"),
		"q/network_logs/ovnk_database_store/ovnkube-node-a_sbdb": "OVSDB JSON ",
		"q/network_logs/ovnk_database_store/ovnkube-node-d_nbdb": "error: unable to upgrade connection",
		"q/network_logs/ovnk_database_store.tar.gz":              archive,
		"q/network_logs/leader_nbdb.gz":                          string(compress(t, []byte(db("")))),
		"q/network_logs/leader_ovnnb_status":                     "Role: leader",
		"q/other.tar.gz":                                         archive,
		"q/host/ovnnb_db.db":                                     db("node-e"),
		"q/.git/ovnnb_db.db":                                     db("hidden"),
		"q/namespaces/x/nbdb/current.log":                        "OVSDB JSON ",
	})
	got, err := FindDatabases(t.Context(), []string{root, filepath.Join(root, "q/host/ovnnb_db.db"), "-", root + "/none"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], root+"/q/")
	}
	want := []string{
		"host/ovnnb_db.db",
		"network_logs/leader_nbdb.gz",
		"network_logs/ovnk_database_store.tar.gz!ovnk_database_store/ovnkube-node-c_nbdb",
		"network_logs/ovnk_database_store/ovnkube-node-a_nbdb",
		"network_logs/ovnk_database_store/ovnkube-node-b_nbdb",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	// The folder by a link to it, and by where one is.
	link := filepath.Join(t.TempDir(), "must-gather")
	if err := os.Symlink(filepath.Join(root, "q/host"), link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(root, "q/host"))
	for dir, want := range map[string]string{link: filepath.Join(link, "ovnnb_db.db"), ".": "ovnnb_db.db"} {
		if got, err := FindDatabases(t.Context(), []string{dir}); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, %v", dir, got, err)
		}
	}
}

// TestArchiveBomb: a member that looks compressed is not taken into memory whole
// before anybody counts.
func TestArchiveBomb(t *testing.T) {
	const a = "ovnk_database_store/a_nbdb"
	path := save(t, "ovnk_database_store.tar.gz", archiveOf(t, map[string]string{a: "\x1f\x8b" + strings.Repeat("\x00", 8<<20)}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ReadFile(t.Context(), path+"!"+a, Options{Archives: NewArchives(), Limits: Limits{Record: 64 << 10}})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 2<<20 {
		t.Errorf("%d bytes were taken for a member of which 64 KiB may be kept", took)
	}
}

func TestArchive(t *testing.T) {
	const a, b = "ovnk_database_store/a_nbdb", "ovnk_database_store/b_nbdb"
	text := archiveOf(t, map[string]string{a: smallFile([]string{global("node-a")}), b: smallFile([]string{global("node-b")}), "other": "x"})
	path := save(t, "ovnk_database_store.tar.gz", text)
	kept := NewArchives()
	for _, archives := range []*Archives{nil, kept} {
		for member, zone := range map[string]string{a: "node-a", b: "node-b"} {
			r, err := ReadFile(t.Context(), path+"!"+member, Options{Archives: archives})
			if err != nil || r.DB.Global().Name != zone {
				t.Errorf("%s: %v, %v", member, r, err)
			}
		}
		if _, err := ReadFile(t.Context(), path+"!none_nbdb", Options{Archives: archives}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("no such member: %v", err)
		}
		if _, err := ReadFile(t.Context(), path+"!other", Options{Archives: archives}); !errors.Is(err, ErrNotDatabase) {
			t.Errorf("another file: %v", err)
		}
	}
	if _, err := ReadFile(t.Context(), path+"!"+a, Options{Archives: kept, Limits: Limits{Expanded: 10}}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a small limit: %v", err)
	}
	if err := os.WriteFile(path, text[:len(text)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(t.Context(), path+"!"+b, Options{Archives: kept}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("cut: %v", err)
	}
	next, _ := follow(t, ZoneConfig{Name: "node-b", Path: path + "!" + b, Options: Options{Archives: kept}})
	next()
	if u := next(); u.Conn != model.ConnLost {
		t.Errorf("a zone in it: %+v", u)
	}
	// In one step: what is being written is read as well.
	if err := errors.Join(os.WriteFile(path+".new", text, 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
	if u := next(); u.Conn != model.ConnReadOnly || u.DB.Global().Name != "node-b" {
		t.Errorf("a zone in it, whole again: %+v", u)
	}
}
