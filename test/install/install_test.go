package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServer(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a-server")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, c := range []struct {
		name, server, require string
		want                  string // how the test ends
	}{
		{"found", "a-server", "", "path " + path},
		{"found and required", "a-server", "1", "path " + path},
		{"missing", "no-server", "", "skip no-server is not installed: this test did not run"},
		{"missing and required", "no-server", "1", "fatal no-server is not installed and RUNG_REQUIRE_SERVERS=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(RequireVar, c.require)
			rec := &recorder{TB: t}
			if got := rec.run(func() { rec.got = "path " + Server(rec, c.server) }); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestOVN(t *testing.T) {
	find := func(_ context.Context, place string) (string, error) {
		if place == "there" {
			return "found", nil
		}
		return "", errors.New("missing ovn-northd")
	}
	for _, c := range []struct{ place, require, want string }{
		{"there", "1", "got found"},
		{"", "", "skip missing ovn-northd: this test did not run (RUNG_OVN names a folder)"},
		{"", "1", "fatal missing ovn-northd, and RUNG_REQUIRE_SERVERS=1"},
	} {
		t.Setenv(OVNVar, c.place)
		t.Setenv(RequireVar, c.require)
		rec := &recorder{TB: t}
		if got := rec.run(func() { rec.got = "got " + OVN(rec, find) }); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestMarks(t *testing.T) {
	for name, mark := range map[string]func(testing.TB){TimingVar: func(tb testing.TB) { Timing(tb) }, SoakVar: Soak, LintVar: Generated} {
		t.Setenv(name, "1")
		rec := &recorder{TB: t}
		if got := rec.run(func() { mark(rec) }); got != "" {
			t.Errorf("with %s=1: %q", name, got)
		}
		t.Setenv(name, "")
		if got := rec.run(func() { mark(rec) }); !strings.HasPrefix(got, "skip ") || !strings.Contains(got, name) {
			t.Errorf("without %s: %q", name, got)
		}
	}
}

func TestBinaryOfTheCaller(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rung")
	t.Setenv(BinaryVar, path)
	if _, err := binary(); err == nil || !strings.Contains(err.Error(), BinaryVar) {
		t.Errorf("a missing file gives %v", err)
	}
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := binary(); err != nil || got != path {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestRoot(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "test", "install", "doc.go")); err != nil {
		t.Error(err)
	}
}

// recorder is a test that notes how it ends.
type recorder struct {
	testing.TB
	got string
}

func (r *recorder) run(f func()) string {
	r.got = ""
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		f()
	}()
	<-done
	return r.got
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) { r.end("fatal ", format, args) }
func (r *recorder) Skipf(format string, args ...any)  { r.end("skip ", format, args) }

func (r *recorder) end(how, format string, args []any) {
	r.got = how + fmt.Sprintf(format, args...)
	panic("the test ends here")
}
