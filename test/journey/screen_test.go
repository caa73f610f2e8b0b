//go:build unix

package journey_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/test/term"
)

// TestPaletteAndHelp: everything can be found and run by name.
func TestPaletteAndHelp(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "0"}}).ready()

	c.press(":").sees("policy")
	c.Type("quarant")
	c.sees("anp quarantine").press("enter").at("quarantine").press("esc").at("Ladder")
	c.press("ctrl+p")
	c.Type("pod blue/web-g0")
	c.sees("pod blue/web-g0").press("enter").at("pod blue/web-g0").press("esc").at("Ladder")
	c.press(":")
	c.Type("zone ovn-worker2")
	c.press("enter").at("rows").sees("ovn-worker2").press("esc").at("Ladder")
	c.press(":")
	c.Type("theme")
	c.sees("theme ").press("esc").misses("change the colours").at("Ladder")

	c.press("?").sees("unfold")
	c.Type("activity")
	c.sees("go to the activity").press("enter").at("activity").press("esc").at("Ladder")
	c.press("?")
	c.Type("no such thing at all")
	c.press("enter", "esc", "esc")
	c.at("Ladder").quits()
}

// TestFilterSortWide: filters of every kind, sorting, and all columns in full;
// the selected line stays the same through all of it.
func TestFilterSortWide(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "0"}}).ready()
	only := func(filter string, here, gone []string) {
		t.Helper()
		c.press("/")
		c.Type(filter)
		c.press("enter").sees(append([]string{"filter: " + filter}, here...)...)
		c.misses(gone...)
		c.press("esc").misses("filter:")
	}
	only("tenant", []string{"blue-tenant", "yellow-tenant", "multi-tenant"}, []string{"break-glass", "allow-metrics"})
	only("^.*(glass|metrics)", []string{"break-glass", "allow-metrics"}, []string{"blue-tenant", "experimental"})
	only("!tenant", []string{"break-glass", "cluster-contr"}, []string{"blue-tenant", "red-tenant"})
	only("-f qrntn", []string{"quarantine"}, []string{"blue-tenant", "break-glass"})
	only("(unclosed", nil, nil)
	// While a filter is typed the list follows, and Esc leaves it.
	c.press("/")
	c.Type("green")
	c.misses("├ red-tenant", "─ break-glass").press("esc").sees("red-tenant", "break-glass")

	c.pick("└ quarantine")
	only("ns: team=red|glass", []string{"quarantine", "break-glass"}, []string{"green-tenant", "experimental"})
	c.until("still has the cursor on quarantine", func(f *frame) bool { return strings.HasPrefix(selection(f), "60 └ quarantine") })

	// Sorted by policy: natural order of names, bands gone or not.
	c.press(">", ">")
	above(c, "allow-metrics", "yellow-tenant")
	c.press("S")
	above(c, "yellow-tenant", "allow-metrics")
	c.press("<", "<")
	above(c, "yellow-tenant", "allow-metrics") // the natural order again: 40 before 60
	c.sees("┊ 30 free")
	c.until("still has the cursor on quarantine", func(f *frame) bool { return strings.Contains(selection(f), "quarantine") })

	// Wide: nothing is cut, and the rest is at the right.
	c.sees("tenant in (blue,…").press("w").sees("tenant in (blue,green,red,yellow)")
	c.press("right", "right", "right", "right").misses("SUBJECT").sees("POLICY").press("left", "left", "left", "left").sees("SUBJECT")
	c.press("w").sees("tenant in (blue,…")

	// Spread out slot by slot, and back.
	c.press("z").misses("┊ 30 free").press("z").sees("┊ 30 free")
	c.quits()
}

// above waits until one text stands above another.
func above(c *console, upper, lower string) {
	c.t.Helper()
	c.until(upper+" stands above "+lower, func(f *frame) bool {
		_, up, ok := f.Find(upper)
		_, low, also := f.Find(lower)
		return ok && also && up < low
	})
}

// TestCopy: what is under the cursor goes to the clipboard through the terminal.
func TestCopy(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "0"}}).ready()
	copied := func(what string, fits func(string) bool) {
		t.Helper()
		c.until("copies "+what, func(f *frame) bool { return fits(f.Clipboard) })
		c.sees("copied ")
	}
	c.pick("cluster-contr").does("y", "copy", "name", "YAML")
	c.answers("YAML", "n")
	copied("the name", func(s string) bool { return s == "cluster-control" })
	c.does("y", "YAML").answers("YAML", "down", "down", "enter")
	copied("the YAML", func(s string) bool {
		return strings.Contains(s, "kind: AdminNetworkPolicy") && strings.Contains(s, "name: cluster-control")
	})
	c.press("enter").at("cluster-control").pick("egress 5").press("enter").at("egress 5")
	c.does("y", "ovn-nbctl command for this ACL").answers("ovn-nbctl command for this ACL", "m")
	copied("the match", func(s string) bool { return strings.HasPrefix(s, "inport == @a") && !strings.Contains(s, "…") })
	c.does("y", "ovn-nbctl command for this ACL").answers("ovn-nbctl command for this ACL", "v")
	copied("the command", func(s string) bool { return strings.HasPrefix(s, "ovn-nbctl --db=unix:"+c.db+"/") })
	c.quits()
}

// TestConfig: keys, theme and start page come from a file; what is wrong in it is
// said and hurts nothing.
func TestConfig(t *testing.T) {
	t.Parallel()
	home := short(t)
	dir := filepath.Join(home, "config", "rung")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "config.yaml"), "keys:\n  app.help: [f5]\n  ladder.plan: [n]\n  no.such: [x]\nmouse: false\nstart: zones\n")
	c := open(t, setup{home: home, args: []string{"--traffic", "0"}})
	c.at("zones")
	c.sees("2 problems in the configuration", "keys.no.such:", "no such action").sees(`"n" is wanted by ladder.plan and ladder.new`)
	c.answers("2 problems in the configuration", "enter").press("f5").sees("keys on this page").press("esc").misses("keys on this page")
	c.press("1").at("Ladder")
	c.quits()
}

// TestMouse: wheel and click move the cursor and open; M gives the mouse back.
func TestMouse(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "0"}}).ready()
	_, y, ok := c.Frame().Find("└ quarantine")
	if !ok {
		t.Fatal("no quarantine")
	}
	c.Click(term.MouseLeft, 12, y)
	c.until("has the cursor where the click was", func(f *frame) bool { return strings.Contains(selection(f), "└ quarantine") })
	c.Click(term.MouseLeft, 12, y)
	c.at("quarantine").press("esc").at("Ladder")
	c.Click(term.MouseWheelUp, 12, y)
	c.until("moved up by the wheel", func(f *frame) bool { return !strings.Contains(selection(f), "└ quarantine") })
	c.does("M", "mouse off").does("M", "mouse on")
	c.quits()
}
