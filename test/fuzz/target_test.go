package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// write makes a small module with the given files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFind(t *testing.T) {
	root := write(t, map[string]string{
		"go.mod":               "module x\n",
		"b/b_test.go":          "package b\nimport \"testing\"\nfunc FuzzTwo(f *testing.F) {}\nfunc FuzzOne(f *testing.F) {}\nfunc TestX(t *testing.T) {}\nfunc Fuzzy(n int) {}\n",
		"b/b.go":               "package b\nimport \"testing\"\nfunc FuzzNot(f *testing.F) {}\n",
		"a/c/c_test.go":        "package c\nimport \"testing\"\nfunc FuzzThree(f *testing.F) {}\n",
		"testdata/x_test.go":   "package x\nimport \"testing\"\nfunc FuzzData(f *testing.F) {}\n",
		"nested/go.mod":        "module y\n",
		"nested/nest_test.go":  "package y\nimport \"testing\"\nfunc FuzzOther(f *testing.F) {}\n",
		".hidden/hide_test.go": "package z\nimport \"testing\"\nfunc FuzzHidden(f *testing.F) {}\n",
	})
	got, err := find(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []target{{"a/c", "FuzzThree"}, {"b", "FuzzOne"}, {"b", "FuzzTwo"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(target{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestJudge(t *testing.T) {
	progress := "fuzz: elapsed: 0s, execs: 0 (0/sec), new interesting: 0 (total: 0)\nfuzz: elapsed: 3s, execs: 7509 (2503/sec), new interesting: 10 (total: 10)\n"
	deadline := progress + "--- FAIL: FuzzX (30.01s)\n    context deadline exceeded\nFAIL\nexit status 1\nFAIL\tx/y\t30.021s\n"
	crash := progress + "--- FAIL: FuzzX (1.01s)\n    --- FAIL: FuzzX (0.00s)\n        x_test.go:9: context deadline exceeded is what it says\n    \n    Failing input written to testdata/fuzz/FuzzX/1\nFAIL\n"
	failed := errors.New("exit status 1")
	const counts = "execs: 7509 (2503/sec), new interesting: 10 (total: 10)"
	for _, c := range []struct {
		name            string
		output          string
		err             error
		wrote, fullTime bool
		verdict         verdict
		note            string
	}{
		{"passes", progress + "PASS\n", nil, false, true, pass, counts},
		{"matches nothing", "testing: warning: no fuzz tests to fuzz\nPASS\n", nil, false, false, fail, "did not run"},
		{"crashes", crash, failed, true, true, fail, counts},
		{"crashes without an input", crash, failed, false, true, fail, counts},
		{"deadline race", deadline, failed, false, true, pass, counts + " (ended by the deadline race of go test)"},
		{"deadline race and an input", deadline, failed, true, true, fail, counts},
		{"deadline too early", deadline, failed, false, false, fail, counts},
		{"does not compile", "x.go:1: syntax error\n", failed, false, true, fail, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := judge(c.output, c.err, c.wrote, c.fullTime)
			if got.verdict != c.verdict || got.note != c.note {
				t.Errorf("got %s %q, want %s %q", got.verdict, got.note, c.verdict, c.note)
			}
		})
	}
}

// The real go test, for a moment: one target that holds and one that fails.
func TestFuzzForReal(t *testing.T) {
	root := write(t, map[string]string{
		"go.mod": "module fuzzed\n\ngo 1.26\n",
		"f_test.go": `package fuzzed
import "testing"
func FuzzHolds(f *testing.F) { f.Fuzz(func(t *testing.T, n int) {}) }
func FuzzBreaks(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, n int) { if n != 1 { t.Error("not one") } }) }
`})
	t.Chdir(root)
	if err := run(context.Background(), time.Second, 2, "FuzzHolds", false); err != nil {
		t.Errorf("a target that holds: %v", err)
	}
	err := run(context.Background(), 10*time.Second, 1, "FuzzBreaks", false)
	if err == nil || !strings.Contains(err.Error(), "1 of 1 targets failed") {
		t.Errorf("a target that breaks: %v", err)
	}
	if err := run(context.Background(), time.Second, 2, "Nothing", false); err == nil {
		t.Error("no target is not an error")
	}
	if err := run(context.Background(), time.Second, 2, "(", false); err == nil {
		t.Error("a bad expression is not an error")
	}
	if err := run(context.Background(), time.Second, 0, "", true); err == nil {
		t.Error("no jobs are not an error")
	}
	// Both at once: the one that fails takes nothing from the other.
	err = run(context.Background(), 2*time.Second, 2, "", false)
	if err == nil || !strings.Contains(err.Error(), "1 of 2 targets failed") {
		t.Errorf("one that holds and one that breaks: %v", err)
	}
}
