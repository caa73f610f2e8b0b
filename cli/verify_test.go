package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/cli/command"
)

// What the file of expectations states holds in the demo's cluster and in the troubled one, by policies and by the
// rows that they compile to, and -f skips the file with words.
func TestDemoExpectations(t *testing.T) {
	for _, args := range [][]string{{"../examples", "--by", "both"}, {"../test/given/troubled", "--by", "both"}, {"../test/given/troubled", "--as-if"}} {
		dir, args := args[0], args[1:]
		args = append(args, "--allow-unjudged=refused,unscheduled") // 15-broken.yaml, yellow/web-pending: see TestUnproven
		var out, errw bytes.Buffer
		args = append([]string{"verify", dir + "/expectations.yaml", "-f", dir, "--state-dir", t.TempDir()}, args...)
		if code := runUntil(t.Context(), args, strings.NewReader(""), &out, &errw, nil); code != command.ExitOK {
			t.Errorf("%v: exit %d\n%s%s", args, code, &out, &errw)
		}
		if s := errw.String(); strings.Contains(s, "expectations.yaml") || strings.Count(out.String(), "\npass ") < 8 {
			t.Errorf("%s%s", &out, s)
		}
	}
}

// TestDemoFaults: the demo has the faults that it is meant to have, and no other error or warning.
func TestDemoFaults(t *testing.T) {
	var out, errw bytes.Buffer
	runUntil(t.Context(), []string{"lint", "-f", "../examples", "--state-dir", t.TempDir(), "-o",
		`jsonpath={range .items[?(@.severity!="info")]}{.policy} {.code}{"\n"}{end}`}, strings.NewReader(""), &out, &errw, nil)
	want := `AdminNetworkPolicy/allow-metrics priority-conflict
AdminNetworkPolicy/quarantine priority-conflict
AdminNetworkPolicy/experimental priority-unsupported
AdminNetworkPolicy/old-form unknown-field
AdminNetworkPolicy/blue-asks-green rule-never-decides
AdminNetworkPolicy/blue-asks-green rule-never-decides
AdminNetworkPolicy/cluster-control deny-all-networks
AdminNetworkPolicy/cluster-control dns-tcp-not-allowed
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s%s", diff, &errw)
	}
}

// What hangs on the troubled cluster's refused policy is unproven: what stands above it is not.
func TestUnproven(t *testing.T) {
	var out, errw bytes.Buffer
	args := []string{"verify", "../test/given/troubled/expectations.yaml", "-f", "../test/given/troubled", "--state-dir", t.TempDir()}
	if code := runUntil(t.Context(), args, strings.NewReader(""), &out, &errw, nil); code != command.ExitFailed {
		t.Errorf("exit %d, want 2\n%s%s", code, &out, &errw)
	}
	for _, want := range []string{"\npass      tenants do not reach each other ", "\nUNPROVEN  open tenants reach each other ",
		"3 of 8 statements hold; 5 unproven\n", "\nAdminNetworkPolicy old-form (../test/given/troubled/15-broken.yaml:19) was rejected and is ignored: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, &out)
		}
	}
}
