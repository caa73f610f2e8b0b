//go:build unix

package journey_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rung/sources/sandbox"
	"rung/test/install"
)

// onOVN are the arguments that put the sandbox on real OVN, and what the header then says.
func onOVN(t *testing.T) (args []string, says string) {
	t.Helper()
	tools := install.OVN(t, sandbox.FindTools)
	place := os.Getenv(install.OVNVar)
	if place == "" {
		place = "auto"
	}
	return []string{"--sandbox-ovn", place, "--traffic", "60"}, saysOVN(tools.Version)
}

// saysOVN is how the header names a version: "real OVN 25.03".
func saysOVN(version string) string {
	return "real OVN " + strings.Join(strings.SplitN(version, ".", 3)[:2], ".")
}

// TestRealOVN: on real OVN the header says so, short where there is little room, and what
// OVN dropped is in the log.
func TestRealOVN(t *testing.T) {
	args, short := onOVN(t)
	t.Parallel()
	narrow := open(t, setup{demo: true, args: append([]string{"--lag", "0"}, args...), w: 80, h: 24}).ready().sees(short)
	narrow.press("4").at("logs").sees("dropped by")
	narrow.Close()
	long := short + ", packets injected by Rung"
	c := open(t, setup{args: args, w: 160, h: 44}).ready().sees(long)
	c.press("4").at("logs").sees("by rule, "+long, "dropped by cluster-control")
}

// dropped is a line of the log of a packet between pods that a rule of cluster-control
// dropped at its source, up to its rule.
var dropped = regexp.MustCompile(`(\S+/\S+) → (\S+) +tcp (8080) +✗ cluster-control eg(\d+)`)

// TestDroppedPacketOnRealOVN: a dropped packet's line leads to its rule, that to its row, and
// both show the logical flows, before and behind Esc. Probed, it is dropped by that rule; an
// Allow inserted above it, written in the console, lets the same connection through, there
// and back.
func TestDroppedPacketOnRealOVN(t *testing.T) {
	args, _ := onOVN(t)
	t.Parallel()
	c := open(t, setup{args: args, w: 120, h: 34,
		editor: `cat >"$1" <<'YAML'
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: way-out}
spec:
  priority: 32
  subject: {namespaces: {}}
  ingress: [{name: all-in, action: Allow, from: [{namespaces: {}}]}]
  egress: [{name: all-out, action: Allow, to: [{namespaces: {}}]}]
YAML`}).ready()
	c.press("4").at("logs")
	c.until("shows a packet that was dropped", func(f *frame) bool { return dropped.MatchString(f.Text()) })
	c.press("space").sees("paused").pickBy("k", "tcp 8080", "✗ cluster-control eg") // between pods
	line := c.selected()
	m := dropped.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("the line names no pods or no rule: %q", line)
	}
	rule := "cluster-control egress " + m[4]

	c.press("enter").at(rule).sees("as desired")
	c.press("G").sees("✓ 2 flows on ") // read meanwhile: they come below the cursor
	c.press("G").sees("✓ 2 flows on ", "ls_in_acl_after_lb_eval", "mark the connection as denied")
	c.pick("ACL", "Egress:"+m[4]+":None as desired").press("enter").at("ACL").sees("_uuid", "action", "drop")
	c.press("G").sees("ls_in_acl_after_lb_eval", "mark the connection as denied")
	c.press("esc").at(rule).press("esc").at("logs")
	if got := c.selected(); got != line {
		t.Errorf("back on %q, not on %q", got, line)
	}

	c.press("P").answers("probe a connection", "enter").at("probe ")
	c.sees("✗ dropped", "by ANP "+rule+` "default-deny"`, "rows and policies agree", "SYN ")
	asked := lastCrumb(c.Frame())
	c.pick("packets", "Deny", rule).press("enter").at(rule).press("esc").at("probe ")
	c.pick("row", "logged as").press("enter").at("ACL").sees("_uuid").press("esc").at("probe ")

	c.press("1").at("Ladder").pick("┊ 3 free", "31–33").press("n").sees("way-out", "nothing is written yet")
	c.press("a").types("Type way-out to confirm", "way-out")
	c.at("Ladder").pick("32 ─ way-out")
	c.press("4").at("logs").press("space").sees("paused").press("/")
	c.Type("src:" + m[1] + " port:8080") // the lines are from before
	c.press("enter").sees("filter: src:").pickBy("k", m[1]+" → "+m[2], "tcp 8080", "cluster-control eg")
	c.press("P").answers("probe a connection", "enter").at(asked)
	c.sees("✓ delivered", `by ANP way-out egress 0 "all-out"`, "rows and policies agree", "SYN-ACK", "ACK ")
	c.press("ctrl+r").sees("✓ delivered")
}

// lastCrumb is where one is.
func lastCrumb(f *frame) string {
	line := crumbs(f)
	if i := strings.LastIndex(line, " › "); i >= 0 {
		line = line[i+len(" › "):]
	}
	crumb, _, _ := strings.Cut(line, "  ")
	return crumb
}

// TestOVNInPath: --sandbox-ovn auto takes the OVN in PATH. One that is too old is not
// taken, and the activity says why; given as a folder it is refused in one line.
func TestOVNInPath(t *testing.T) {
	tools := install.OVN(t, sandbox.FindTools)
	t.Parallel()
	bin := install.OVNPath(t, tools.CommandContext)
	env := []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	c := open(t, setup{demo: true, args: []string{"--lag", "0", "--sandbox-ovn", "auto", "--traffic", "60"}, env: env, w: 80, h: 24}).ready().sees(saysOVN(tools.Version))
	c.press("4").at("logs").sees("dropped by")
	c.Close()

	install.Script(t, filepath.Join(bin, "ovn-northd"), `echo "ovn-northd 23.03.1"; echo "Open vSwitch Library 3.1.2"`)
	const why = "OVN 23.06 or newer is needed: this is 23.03.1"
	c = open(t, setup{demo: true, args: []string{"--lag", "0", "--sandbox-ovn", "auto"}, env: env, w: 160, h: 30}).ready().sees("simulated traffic")
	c.press("5").at("activity").press("/")
	c.Type("without")
	c.press("enter").sees("runs without OVN: " + why)
	c.Close()

	cmd := exec.CommandContext(t.Context(), install.Binary(t), "demo", "--sandbox-ovn", filepath.Dir(bin))
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), why) {
		t.Errorf("%v, %q", err, out)
	}
}
