package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/cli/command"
	"rung/engine/lab"
	"rung/sources/sandbox"
	"rung/test/install"
)

// On real OVN --ovn puts the rule that ovn-trace met beside the rows', as a table, for many
// cases a line each, and as JSON.
func TestTraceOVN(t *testing.T) {
	install.OVN(t, sandbox.FindTools)
	at := lab.OVNAuto
	if dir := os.Getenv(install.OVNVar); dir != "" {
		at = dir
	}
	ask := func(stdin string, more ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		args := append([]string{"trace", "--ovn", "--sandbox-ovn", at, "-f", "testdata/cluster", "--state-dir", t.TempDir()}, more...)
		if code := runUntil(context.Background(), args, strings.NewReader(stdin), &out, &errs, nil); code != command.ExitOK {
			t.Fatalf("exit %d: %s%s", code, out.String(), errs.String())
		}
		return out.String()
	}
	const want = `
ovn-trace: deny, as the rows say

STAGE                ZONE   OVN                                                            ROWS
from-lport-after-lb  alpha  allow · no rule matched, after ANP pass-green egress 0 "pass"  the same
to-lport             beta   deny · ANP guard-db ingress 0 "deny-rest"                      the same
`
	got := ask("", "--from", "green/web-0", "--to", "blue/db-0", "--port", "5432")
	_, table, _ := strings.Cut(got, "\novn-trace: ")
	if diff := cmp.Diff(want, "\novn-trace: "+table); diff != "" {
		t.Errorf("%s\n%s", diff, got)
	}
	const cases = `[{"from": "green/web-0", "to": "blue/db-0", "port": 5432}, {"from": "green/web-0", "to": "239.1.1.1", "protocol": "UDP", "port": 53}]`
	const lines = "green/web-0 → blue/db-0 tcp 5432: deny · OVN agrees\n" +
		"green/web-0 → 239.1.1.1 udp 53: allow · OVN: not asked: ovn-trace cannot be asked about a multicast group\n" +
		"\nassuming no EgressFirewalls exist: the input has none\n" +
		"assuming AdminNetworkPolicy too-low (testdata/cluster/policies.yaml:53) left no rows from an earlier priority\n"
	if diff := cmp.Diff(lines, ask(cases, "--cases", "-")); diff != "" {
		t.Error(diff)
	}
	var out struct {
		OVN struct {
			Verdict, Agreement string
			Ways               []struct {
				Zones []struct {
					Zone    string
					Command []string
					Stages  []struct {
						Verdict   string
						FoundBy   string `json:"found_by"`
						DecidedBy []struct {
							Policy string
							Rule   int
						} `json:"decided_by"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(ask("", "--from", "green/web-0", "--to", "blue/db-0", "--port", "5432", "-o", "json")), &out); err != nil {
		t.Fatal(err)
	}
	zone := out.OVN.Ways[0].Zones[1]
	last := zone.Stages[len(zone.Stages)-1]
	if out.OVN.Verdict != "deny" || out.OVN.Agreement != "agree" || zone.Command[0] != "ovn-trace" || last.FoundBy != "row" ||
		last.DecidedBy[0].Policy != "AdminNetworkPolicy/guard-db" || last.DecidedBy[0].Rule != 0 {
		t.Errorf("%+v", out)
	}
}
