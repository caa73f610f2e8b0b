//go:build unix

package journey_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rung/test/install"
	"rung/test/term"
)

// TestTraceFromTheLog: t on a denied line says who decides now; enter leads to the rule, and
// to its row, and Esc back to the line.
func TestTraceFromTheLog(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "150"}, w: 160, h: 44}).ready()
	c.press("4").at("logs").sees("dropped by cluster-control").press("space").sees("paused")
	c.pickBy("k", "dropped by cluster-control")
	line := c.selected()
	m := ruleIn.FindStringSubmatch(strings.Replace(line, "by cluster-control", "by", 1))
	if m == nil {
		t.Fatalf("the line names no rule: %q", line)
	}
	direction, rule := m[2], m[3]
	c.press("t").at("trace ").sees("denied by ANP cluster-control "+direction+" "+rule, "rows agree in")
	c.pick("✗ decides", "cluster-control "+direction+" "+rule).press("enter").at("cluster-control " + direction + " " + rule)
	c.press("esc").at("trace ").pick("agree: ✗ deny · ANP cluster-control " + direction + " " + rule).press("enter").at("ACL")
	c.sees("_uuid", "drop")
	c.press("esc").at("trace ").press("esc").at("logs")
	if got := c.selected(); got != line {
		t.Errorf("back on %q, not on %q", got, line)
	}

	// The palette takes a question as it is typed, and the page restores like others.
	c.press(":")
	c.Type("trace api-d0 red/web-f0 8080")
	c.press("enter").at("trace blue/api-d0 → red/web-f0 tcp 8080").sees("denied by ANP cluster-control")
	c.press("t").sees("trace a connection").press("tab", "tab")
	c.Type("53")
	c.answers("trace a connection", "enter").at("blue/api-d0 → red/web-f0 tcp 53")
	c.press("esc").at("trace blue/api-d0 → red/web-f0 tcp 8080").press("alt+right").at("blue/api-d0 → red/web-f0 tcp 53")
	c.quits()
}

// TestRowsDisagree: a row altered behind Rung's back makes the trace on the screen say that
// rows disagree, and what it was, and names the row.
func TestRowsDisagree(t *testing.T) {
	t.Parallel()
	server, client := install.Server(t, "ovsdb-server"), install.Server(t, "ovsdb-client")
	path := filepath.Join(short(t), "shut.yaml")
	write(t, path, nodes()+"---\n"+strings.ReplaceAll(policyText("shut", 10), "Allow", "Deny"))
	// Who writes the zones stands still once they are written; who looks is another Rung.
	writer := open(t, setup{files: []string{path}, args: []string{"--traffic", "0", "--sandbox-ovsdb", server}}).ready()
	signal(t, writer.Pid(), syscall.SIGSTOP)
	defer func() { _ = syscall.Kill(writer.Pid(), syscall.SIGCONT) }()
	args := []string{"-f", path}
	for zone, socket := range writer.sockets() {
		args = append(args, "--nb", zone+"=unix:"+socket)
	}
	c := &console{t: t, db: filepath.Join(short(t), "none"), Driver: term.Start(t, term.Options{Path: install.Binary(t), Args: args, Width: 160, Height: 44})}
	c.ready().press(":")
	c.Type("trace blue/pod-0 monitoring/pod-1 9090")
	c.press("enter").at("trace blue/pod-0 → monitoring/pod-1 tcp 9090")
	c.sees(`denied by ANP shut egress 0 "to-monitoring" at blue/pod-0`, "rows agree in node0 and node1")

	run(t, client, "-t", "10", "transact", "unix:"+writer.sockets()["node0"], `["OVN_Northbound",{"op":"update","table":"ACL",`+
		`"where":[["external_ids","includes",["map",[["k8s.ovn.org/name","shut"],["direction","Egress"]]]]],"row":{"action":"allow-related"}}]`)
	c.sees("rows disagree in zone node0, from-lport-after-lb: policies deny, rows allow; ACL AdminNetworkPolicy:shut:Egress:0:",
		"has action allow-related, not drop", "≠ say allow")
	c.pick("rows disagree").press("enter").at("ACL").sees("allow-related")
	c.press("esc").at("trace ").sees("ago: rows agreed before")
	c.quits()
}
