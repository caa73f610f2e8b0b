package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/cli/command"
)

// crowd writes a cluster with n policies at the priorities from 20 on.
func crowd(t *testing.T, n int) (dir, policies string) {
	t.Helper()
	dir = clusterCopy(t)
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
		if code := r.end(); code != command.ExitFailed {
			t.Fatalf("exit %d: it was not interrupted\n%s", code, r.errs.String())
		}
		last := r.errs.String()
		last = last[strings.LastIndex(strings.TrimSpace(last), "\n")+1:]
		var done int
		if _, err := fmt.Sscanf(last, "rung: the plan stopped at %d of 25: interrupted; rung plan --resume continues", &done); err != nil || done < 2 {
			t.Fatalf("%q: %v", last, err)
		}
		if now := read(t, policies); now == before || strings.Count(now, "priority: 30\n") != strings.Count(before, "priority: 30\n") {
			t.Fatalf("the files are not on the way:\n%s", now)
		}
	}
	ends := func(text string, more ...string) {
		t.Helper()
		r := start(t, args(more...)...)
		if code := r.wait(); code != command.ExitOK || !strings.Contains(r.errs.String(), text) {
			t.Fatalf("rung %v: exit %d\n%s%s", more, code, r.out.String(), r.errs.String())
		}
	}

	interrupted()
	// Another plan does not start over it.
	r := start(t, args("--run", "--step", "3")...)
	if code := r.wait(); code != command.ExitFailed || !strings.Contains(r.errs.String(), "refused: another plan stopped at ") {
		t.Errorf("exit %d: %s", code, r.errs.String())
	}
	// It is listed step by step, and what would be done about it is shown before.
	shows := func(want string, more ...string) string {
		t.Helper()
		r := start(t, args(more...)...)
		code, out := r.wait(), r.out.String()
		if code != command.ExitOK || !strings.Contains(out, want) {
			t.Fatalf("rung %v: exit %d, no %q\n%s%s", more, code, want, out, r.errs.String())
		}
		return out
	}
	const title = "Re-space: step 2, starting at 30"
	if out := shows(title + ": stopped, "); !strings.Contains(out, " of 25 done, ") || !strings.Contains(out, "): interrupted") || !strings.Contains(out, "rung plan --resume continues, --back rolls back, --keep leaves the policies as they are") ||
		!strings.Contains(out, "✓  1     policy-24  44    78  done\n") || !strings.Contains(out, "   25    policy-00  20    30  to come\n") {
		t.Errorf("the plan is not listed:\n%s", out)
	}
	if out := shows(`"plan": {`, "-o", "json"); !strings.Contains(out, `"state": "stopped"`) || strings.Count(out, `"state": "done"`) < 2 {
		t.Errorf("in JSON:\n%s", out)
	}
	// Also where it cannot be run, since nothing is written back.
	r = start(t, "plan", "-f", dir, "--state-dir", state)
	if code, out := r.wait(), r.out.String(); code != command.ExitOK || !strings.Contains(out, "\n"+title+": stopped, ") ||
		!strings.Contains(out, " not (since ") || !strings.HasSuffix(out, "\nrung plan --write-back with --resume, --back or --keep\n") {
		t.Errorf("exit %d, the plan in the state folder is not told:\n%s", code, out)
	}
	shows("Continue: "+title+"\n\nSTEP  POLICY", "--resume", "--dry-run")
	if out := shows("Roll back: "+title, "--back", "--dry-run"); !strings.Contains(out, "policy-24  78    44  rolls step 1 back\n") {
		t.Errorf("the way back:\n%s", out)
	}
	if out := shows(`"outcome": "done"`, "--back", "-o", "json"); !strings.Contains(out, `"title": "Roll back: `+title) {
		t.Errorf("rolled back:\n%s", out)
	}
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
	// Each of them is one change, whether it came to its end or was kept as it was.
	undone := func() {
		t.Helper()
		r := start(t, "undo", "-f", dir, "--write-back", "--yes", "--state-dir", state)
		if code := r.wait(); code != command.ExitOK || read(t, policies) != before {
			t.Fatalf("exit %d\n%s%s", code, r.errs.String(), read(t, policies))
		}
	}
	undone()
	interrupted()
	if out := shows(`"outcome": "kept"`, "--keep", "-o", "json"); strings.Count(out, `"outcome"`) != 1 {
		t.Errorf("not one outcome:\n%s", out)
	}
	r = start(t, "plan", "-f", dir, "--state-dir", state)
	if code, out := r.wait(), r.out.String(); code != command.ExitOK || strings.Contains(out, "a plan is") {
		t.Errorf("exit %d, a plan is told that was ended:\n%s", code, out)
	}
	undone()
	ends("\n25 of 25 done\n", "--run", "--step", "2", "--start", "30")
}
