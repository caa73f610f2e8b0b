package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// crowd writes a cluster with n policies at the priorities from 20 on.
func crowd(t *testing.T, n int) (dir, policies string) {
	t.Helper()
	dir = cluster(t)
	policies = filepath.Join(dir, "policies.yaml")
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: policy-%02d} # number %d
spec:
  priority: %d
  subject: {namespaces: {matchLabels: {tenant: blue}}}
---
`, i, i, 20+i)
	}
	if err := os.WriteFile(policies, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, policies
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A plan that is interrupted says how far it came; a later run goes on with it,
// or takes it back.
func TestPlanInterrupted(t *testing.T) {
	noLeaks(t)
	const n = 25
	dir, policies := crowd(t, n)
	state := t.TempDir()
	args := func(more ...string) []string {
		return append([]string{"plan", "-f", dir, "--write-back", "--yes", "--state-dir", state}, more...)
	}
	before := read(t, policies)
	interrupted := func() {
		t.Helper()
		r := start(t, args("--run", "--step", "2", "--start", "30")...)
		r.until(&r.errs, "\n2 of 25 done\n")
		if code := r.end(); code != exit2 {
			t.Fatalf("exit %d: it was not interrupted\n%s", code, r.errs.String())
		}
		last := r.errs.String()
		last = last[strings.LastIndex(strings.TrimSpace(last), "\n")+1:]
		var done int
		if _, err := fmt.Sscanf(last, "rung: the plan stopped with %d of 25 done: interrupted; go on with rung plan --resume, or back with --back", &done); err != nil || done < 2 {
			t.Fatalf("%q: %v", last, err)
		}
		if now := read(t, policies); now == before || strings.Count(now, "priority: 30\n") != strings.Count(before, "priority: 30\n") {
			t.Fatalf("the files are not on the way:\n%s", now)
		}
	}
	ends := func(text string, more ...string) {
		t.Helper()
		r := start(t, args(more...)...)
		if code := r.wait(); code != exitOK || !strings.Contains(r.errs.String(), text) {
			t.Fatalf("rung %v: exit %d\n%s%s", more, code, r.out.String(), r.errs.String())
		}
	}

	interrupted()
	// Another plan does not start over it.
	r := start(t, args("--run", "--step", "3")...)
	if code := r.wait(); code != exit2 || !strings.Contains(r.errs.String(), "another plan is stopped") {
		t.Errorf("exit %d: %s", code, r.errs.String())
	}
	ends(" of 25 done: interrupted\n", "--back")
	if now := read(t, policies); now != before {
		t.Fatalf("taken back, the files are not what they were:\n%s", now)
	}
	interrupted()
	ends("\n25 of 25 done\n", "--resume")
	now := read(t, policies)
	for i := range n {
		if want := fmt.Sprintf("# number %d\nspec:\n  priority: %d\n", i, 30+2*i); !strings.Contains(now, want) {
			t.Errorf("no %q", want)
		}
	}
}
