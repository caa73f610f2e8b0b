//go:build unix

package journey_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rung/test/install"
)

// TestFindings: from the ladder to the findings, down to one, to its rule and back; from
// the palette; and from a policy to its own.
func TestFindings(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 34}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			t.Parallel()
			c := open(t, setup{args: []string{"--traffic", "0"}, w: size[0], h: size[1]}).ready()
			c.press("f").at("findings").sees("5 errors · 17 warnings under their cause", "▷ 10 rules never apply", "denies everything between all pods", "↳ move it below the rules that allow, or make it the baseline")
			c.pick("egress 5", "DNS over TCP").sees("↳ allow TCP too: long answers need it")
			line := c.selected()
			c.press("enter").at(`cluster-control egress 5 "default-deny"`).sees("What the 38 pods").press("esc").at("findings")
			if got := c.selected(); got != line {
				t.Errorf("back from the rule the cursor is on %q, not on %q", got, line)
			}
			c.press("o").at("cluster-control").does("f", "[findings ■3 ▲6 ", "(closed-to-all)")
			c.press("esc").at("findings").press("/")
			c.Type("experimental")
			c.press("enter").sees("6 of 68 match", "priority 120 is above 99").press("enter").at("experimental")
			c.press("esc", "esc").at("findings").press("esc").at("Ladder").press(":")
			c.Type("findings")
			c.press("enter").at("findings").press("V").sees("errors only").misses("warnings ─")
			c.quits()
		})
	}
}

// prints is what a command prints as JSON about the same files.
func prints(t *testing.T, into any, args ...string) {
	t.Helper()
	dir := short(t)
	cmd := exec.Command(install.Binary(t), append(args, "-o", "json", "--sandbox-dir", filepath.Join(dir, "db"), "--sandbox-ovsdb", "builtin")...)
	cmd.Env = append(cmd.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "KUBECONFIG=")
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && (!errors.As(err, &ended) || ended.ExitCode() != 1 && ended.ExitCode() != 2) { // 1: the answer is no; 2: the demo has a refused policy
		t.Fatalf("%v: %v", args, err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// numbers are all numbers that an expression finds on the screen, as text.
func (c *console) number(pattern string) []string {
	c.t.Helper()
	re := regexp.MustCompile(pattern)
	var m []string
	c.until("has "+pattern, func(f *frame) bool {
		m = re.FindStringSubmatch(f.Text())
		return m != nil
	})
	return m[1:]
}

// TestNumbersAgree: what the console counts is what the command line counts of the same
// files: findings, pods of a subject, what is in sync, free priorities, rows of a change.
func TestNumbersAgree(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	var lint []struct{ Severity, Policy, Cause string }
	prints(t, &lint, "lint", "-f", dir)
	by, under, of := map[string]int{}, map[string]int{}, map[string]map[string]int{}
	for _, f := range lint {
		if f.Cause == "" {
			by[f.Severity]++
		} else {
			under[f.Severity]++
		}
		if of[f.Policy] == nil {
			of[f.Policy] = map[string]int{}
		}
		of[f.Policy][f.Severity]++
	}
	var zones []struct {
		Name     string
		Policies map[string]int
	}
	prints(t, &zones, "zones", "-f", dir)
	var policy struct {
		Pods      []string
		PodsApart []string `json:"pods_on_primary_udn"`
		Findings  []any
	}
	prints(t, &policy, "policy", "cluster-control", "-f", dir)
	var board struct {
		Free []struct{ From, To int }
	}
	prints(t, &board, "plan", "-f", dir)
	free := 0
	for _, g := range board.Free {
		free += g.To - g.From + 1
	}
	var move struct {
		Notes []string
		Rows  []struct{ Change, Table string }
	}
	prints(t, &move, "move", "cluster-control", "42", "--dry-run", "-f", dir)

	c := open(t, setup{files: []string{dir}, args: []string{"--traffic", "0"}, w: 160, h: 45}).ready()
	same := func(what string, got []string, want ...any) {
		t.Helper()
		wanted := make([]string, len(want))
		for i := range want {
			wanted[i] = fmt.Sprint(want[i])
		}
		if a, b := strings.Join(got, " "), strings.Join(wanted, " "); a != b {
			t.Errorf("%s: %s on the screen, %s on the command line\n%s", what, a, b, c.Frame().Boxed())
		}
	}
	same("findings in the header", c.number(`findings ■(\d+) ▲(\d+) ◇(\d+)`), by["error"], by["warning"], by["info"])
	same("free on the ladder", []string{fmt.Sprint(sum(regexp.MustCompile(`┊ (\d+) free`).FindAllStringSubmatch(c.Frame().Text(), -1)))}, free)
	control := of["AdminNetworkPolicy/cluster-control"]
	same("pods on the ladder", c.number(`─ cluster-control .* (\d+) +12 D:alert `), len(policy.Pods))
	c.press("f").at("findings")
	same("findings on their page", c.number(`── (\d+) errors · (\d+) warnings under their cause ─(?s:.*)── (\d+) warnings ─`), by["error"], under["warning"], by["warning"])
	same("lines of the page", c.number(`(\d+) lines`), len(lint)-under["error"]-under["warning"]-under["info"]) // folded under their cause
	c.press("esc").at("Ladder").pick("cluster-control").press("enter").at("cluster-control")
	all := len(policy.Pods) + len(policy.PodsApart)
	same("pods of the policy", c.number(`→ (\d+) of (\d+) pods: (\d+) on a user-defined network`), len(policy.Pods), all, len(policy.PodsApart))
	same("tabs of the policy", c.number(`\] +pods (\d+) of (\d+) .*findings ■(\d+) ▲(\d+) ◇(\d+)`), len(policy.Pods), all, control["error"], control["warning"], control["info"])
	same("findings of the policy", []string{fmt.Sprint(len(policy.Findings))}, control["warning"]+control["info"]+control["error"])
	c.press("m").answers("Move ANP cluster-control", "ctrl+u")
	c.Type("42")
	c.press("enter").sees("Move ANP cluster-control from 34 to 42")
	changed := 0
	for _, r := range move.Rows {
		if r.Change == "change" && r.Table == "ACL" {
			changed++
		}
	}
	same("rows of a move", c.number(`ACLs +(\d+) changed`), changed)
	applies := ""
	for _, n := range move.Notes {
		if strings.HasPrefix(n, "applies to") {
			applies = n
		}
	}
	same("pods of a move", c.number(`(applies to \d+ of \d+ pods)`), strings.SplitN(applies, ":", 2)[0])
	c.press("esc").at("cluster-control").press("3").at("zones")
	for _, z := range zones {
		same("in sync in "+z.Name, c.number(regexp.QuoteMeta(z.Name)+` .* (\d+)/(\d+), (\d+) not enforced`), z.Policies["in sync"], z.Policies["in sync"], z.Policies["not enforced"])
	}
	c.press("6").at("plan")
	same("free in the plan", c.number(`(\d+) of 100 [a-z]+ free`), free)
	c.quits()
}

func sum(found [][]string) (n int) {
	for _, m := range found {
		var x int
		_, _ = fmt.Sscan(m[1], &x)
		n += x
	}
	return n
}
