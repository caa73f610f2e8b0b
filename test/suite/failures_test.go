package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What failed is named: a package with its tests, the smallest that failed alone, a
// fuzz target, a package that does not build, a race, a leak and a panic. What does
// not matter is not.
func TestFailures(t *testing.T) {
	for name, k := range map[string]struct {
		out  string
		want []string
	}{
		"tests": {"ok  \trung/a\t0.1s\n--- FAIL: TestScripts (0.01s)\n    --- FAIL: TestScripts/dbfile (3.8s)\n        x.go:1: no\n    --- FAIL: TestScripts/zones (1s)\n" +
			"--- FAIL: TestOther (0s)\nFAIL\nFAIL\trung/cli\t3.8s\nok  \trung/b\t(cached)\nFAIL\n",
			[]string{"rung/cli  TestScripts/dbfile, TestScripts/zones, TestOther"}},
		"build":   {"# rung/a\na.go:1: undefined: x\nFAIL\trung/a [build failed]\nFAIL\n", []string{"rung/a  [build failed]"}},
		"timeout": {"panic: test timed out after 15m0s\nrunning tests:\n\tTestX (1s)\npanic: again\nFAIL\trung/a\t900s\n", []string{"rung/a  panic: test timed out after 15m0s"}},
		"leak":    {"PASS\ngoleak: Errors on successful test run: found\nFAIL\trung/a\t1s\n", []string{"rung/a  goleak: Errors on successful test run: found"}},
		"race":    {"WARNING: DATA RACE\n--- FAIL: TestX (1s)\nFAIL\nFAIL\trung/a\t1s\n", []string{"rung/a  TestX  WARNING: DATA RACE"}},
		"fuzz": {"ok    1/2 ./a FuzzA                    30s  x\nFAIL  2/2 ./b FuzzB                   3s  y\n--- FAIL: FuzzB (1s)\nFAIL\trung/b\t1s\nfuzz: 1 of 2 targets failed\n",
			[]string{"./b  FuzzB", "rung/b  FuzzB"}},
		"cut short": {"--- FAIL: TestX (1s)\n", []string{"TestX"}},
		"no test":   {"a\n\nmake: *** [x] Error 1\n", []string{"a", "make: *** [x] Error 1"}},
	} {
		var whole, bytewise failures
		_, _ = whole.Write([]byte(k.out))
		for i := range len(k.out) {
			_, _ = bytewise.Write([]byte(k.out[i : i+1]))
		}
		for _, f := range []*failures{&whole, &bytewise} {
			if diff := cmp.Diff(k.want, f.list()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}
