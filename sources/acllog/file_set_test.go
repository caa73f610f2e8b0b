package acllog

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"rung/model/logline"
	"rung/test/wait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func put(t *testing.T, dir, name, text string, age int) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	b := []byte(text)
	if strings.HasSuffix(name, ".gz") {
		b = zip(t, b)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Duration(age) * time.Minute)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func openSet(t *testing.T, in io.Reader, paths ...string) *Set {
	t.Helper()
	s, err := Open(context.Background(), paths, in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// lines are those that come now, by file.
func (s *Set) lines(t *testing.T) (out []string) {
	for _, f := range s.Files() {
		for _, line := range all(t, f) {
			out = append(out, filepath.Base(f.path)+": "+line)
		}
	}
	return out
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "ovn/acl.log", "3\n", 1)
	put(t, dir, "ovn/acl.log.1", "2\n", 2)
	put(t, dir, "ovn/acl.log.2.gz", "1\n", 3)
	put(t, dir, "ovn/core.1234", "no log\n", 3)
	put(t, dir, "namespaces/ns/pods/web-0/c/c/logs/current.log", "of another pod\n", 3)
	s := openSet(t, nil, dir)
	want := []string{"acl.log.2.gz: 1", "acl.log.1: 2", "acl.log: 3"}
	if diff := gocmp.Diff(want, s.lines(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A rotation of all of it is nothing new; a log of another name is.
	for _, names := range [][2]string{{"acl.log.2.gz", "acl.log.3.gz"}, {"acl.log.1", "acl.log.2"}, {"acl.log", "acl.log.1"}} {
		if err := os.Rename(filepath.Join(dir, "ovn", names[0]), filepath.Join(dir, "ovn", names[1])); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "ovn/acl.log", "4\n", 0)
	put(t, dir, "ovn/other.log", "5\n", 0)
	s.ScanNew()
	for _, f := range s.Files() {
		f.PollChanges()
	}
	s.ScanNew()
	if diff := gocmp.Diff([]string{"acl.log: 4", "other.log: 5"}, s.lines(t)); diff != "" {
		t.Errorf("after a rotation (-want +got):\n%s", diff)
	}
	if n := len(s.ScanNew()); n != 0 {
		t.Errorf("%d new files", n)
	}
}

// A log that is renamed to a name of no form is not read again under it.
func TestFolderRenamedAnyhow(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "acl.log", "1\n", 1)
	s := openSet(t, nil, dir)
	s.lines(t)
	if err := os.Rename(filepath.Join(dir, "acl.log"), filepath.Join(dir, "old.log")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "acl.log", "2\n", 0)
	put(t, dir, "copy.log", "1\n", 0)
	s.ScanNew()
	s.Files()[0].PollChanges()
	s.ScanNew()
	if diff := gocmp.Diff([]string{"acl.log: 2"}, s.lines(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGlobAndErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.log", "a\n", 1)
	put(t, dir, "b.log", "b\n", 0)
	put(t, dir, "x[1].log", "literal\n", 0)
	s := openSet(t, nil, filepath.Join(dir, "[ab].log"), filepath.Join(dir, "a.log"), filepath.Join(dir, "x[1].log"))
	if diff := gocmp.Diff([]string{"a.log: a", "b.log: b", "x[1].log: literal"}, sorted(s.lines(t))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"):    "none: ",
		filepath.Join(dir, "none*"):   "no log files in",
		t.TempDir():                   "no log files in",
		filepath.Join(dir, "[") + "*": "syntax error in pattern",
	} {
		_, err := Open(context.Background(), []string{path}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "; check --log") {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	put(t, dir, "broken.log.gz", "c\n", 0)
	whole, err := os.ReadFile(filepath.Join(dir, "broken.log.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.log.gz"), whole[:len(whole)-6], 0o600); err != nil {
		t.Fatal(err)
	}
	s = openSet(t, nil, filepath.Join(dir, "broken.log.gz"))
	s.lines(t)
	if st := s.States(time.Now())[0]; st.State != logline.StreamFailed || !strings.Contains(st.Error, io.ErrUnexpectedEOF.Error()) {
		t.Errorf("a file that is cut: %+v", st)
	}
}

func sorted(s []string) []string { slices.Sort(s); return s }

func TestStandardInput(t *testing.T) {
	in, out := io.Pipe()
	s := openSet(t, in, "-")
	f := s.Files()[0]
	for _, text := range []string{"a\nb", "c\n"} {
		if _, err := out.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	wait.Within(t, wait.Patience, "two lines", func() bool {
		got = append(got, all(t, f)...)
		return len(got) == 2
	})
	if f.IsOver() {
		t.Error("over while it is open")
	}
	if _, err := out.Write([]byte("rest")); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
	wait.Within(t, wait.Patience, "the rest", func() bool {
		got = append(got, all(t, f)...)
		return f.IsOver()
	})
	if diff := gocmp.Diff([]string{"a", "bc", "rest"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if st := f.State(time.Now()); st.State != logline.StreamEnded || st.Behind != 0 {
		t.Errorf("%+v", st)
	}
}

func TestBase(t *testing.T) {
	for path, want := range map[string]string{
		"/v/acl.log": "/v/acl.log", "/v/acl.log.1": "/v/acl.log", "/v/acl.log.12.gz": "/v/acl.log",
		"/v/acl.log-20240609": "/v/acl.log", "/v/acl.log-20240609-1717900000.gz": "/v/acl.log", "/v/acl-20240609.log": "/v/acl.log",
		"/v/0.log.20240609-190010.gz": "/v/0.log", "/v/0.log": "/v/0.log", "/v/acl.log.gz": "/v/acl.log",
		"/v/ip-10-0-1-2.log": "/v/ip-10-0-1-2.log", "/v/123": "/v/123", "/v/acl.log-2024-06-09": "/v/acl.log", "/v/acl-1-2-3-4-5.log": "/v/acl-1-2-3-4-5.log", "/v/.1": "/v/.1", "/v/node-2": "/v/node-2",
	} {
		if got := filepath.ToSlash(logName(filepath.FromSlash(path))); got != want {
			t.Errorf("base(%s) = %s, want %s", path, got, want)
		}
	}
}

func TestPlaceOf(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "mg/namespaces/ovn/pods/ovnkube-node-x/ovnkube-node-x.yaml", "metadata:\n  name: x\nspec:\n  nodeName: worker-1\n  containers: []\n", 0)
	for path, want := range map[string]LinePlace{
		"acl.log": {},
		dir + "/mg/namespaces/ovn/pods/ovnkube-node-x/ovn-controller/ovn-controller/logs/current.log": {"worker-1", "ovn", "ovnkube-node-x", "ovn-controller"},
		"/var/log/pods/ovn_ovnkube-node-y_0123/ovn-controller/0.log":                                  {"", "ovn", "ovnkube-node-y", "ovn-controller"},
		"/var/log/containers/ovnkube-node-y_ovn_ovn-acl-logging-0123abc.log":                          {"", "ovn", "ovnkube-node-y", "ovn-acl-logging"},
		"dump/nodes/worker-2/acl-audit-log.log":                                                       {Node: "worker-2"},
		"nodes/acl.log":                                                                               {},
	} {
		if got := ParsePlace(filepath.FromSlash(path)); got != want {
			t.Errorf("PlaceOf(%s) = %+v, want %+v", path, got, want)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"a/acl.log.1.gz", "pods/a_b_c/d/0.log", "/var/log/containers/a_b_c-d.log", "-20240609.log", "..", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if b := logName(path); cmp.Compare(len(b), len(path)) > 0 {
			t.Errorf("base(%q) = %q", path, b)
		}
		if !fs.ValidPath(path) { // nothing outside
			return
		}
		ParsePlace(path)
	})
}
