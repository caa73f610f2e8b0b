//go:build unix

package journey_test

import (
	"image/color"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"rung/test/term"
)

// step is one line followed on the way down.
type step struct {
	pick  []string // words of the line
	crumb string   // the page it leads to
	shows []string // what must be on that page
}

// down goes from the ladder to a pod and back. between runs at the bottom.
func (c *console) down(between func()) {
	c.t.Helper()
	steps := []step{
		{[]string{"cluster-contr"}, "cluster-control", []string{"priority 34", "12 ACLs", "default-deny"}},
		{[]string{"egress 3"}, "egress 3", []string{"OVN priority 26597"}},
		{[]string{"ACL", "Egress:3:None"}, "ACL cluster-control Egress:3:None", []string{"_uuid", "owner ANP cluster-control egress 3"}},
		{[]string{" ip4.dst == $a"}, "address set", []string{"_uuid", "8 addresses", "10.244.1.20"}},
		{[]string{"pod open/"}, "pod open/", []string{"POD IS", "Running"}},
	}
	type left struct{ crumb, line string }
	var way []left
	for _, s := range steps {
		c.pick(s.pick...)
		way = append(way, left{crumbs(c.Frame()), c.selected()})
		c.press("enter").at(s.crumb).sees(s.shows...)
	}
	if between != nil {
		between()
	}
	for i := len(way) - 1; i >= 0; i-- {
		key := "esc"
		c.press(key)
		want := way[i]
		c.until("is back on "+strings.TrimSpace(want.crumb), func(f *frame) bool { return name(crumbs(f)) == name(want.crumb) })
		if got := c.selected(); identity(got) != identity(want.line) {
			c.t.Errorf("back on %q the cursor is on %q, not on %q as before", name(want.crumb), got, want.line)
		}
	}
	// And forward again, to the page that Esc came from.
	c.press("alt+right").at("cluster-control").press("esc").at("Ladder")
}

// name is the way of a crumb line, without what else stands there.
func name(crumb string) string {
	crumb, _, _ = strings.Cut(strings.TrimSpace(crumb), "  ")
	return crumb
}

// identity is what of a line does not change with the columns' widths.
func identity(line string) string {
	f := strings.Fields(line)
	return strings.Join(f[:min(3, len(f))], " ")
}

// TestDownAndBack: policy, rule, ACL, address set, pod, and back by Esc to the
// same line at every level, though the ladder has grown meanwhile.
func TestDownAndBack(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	c := open(t, setup{files: []string{dir}, args: []string{"--traffic", "0"}}).ready()
	c.down(func() {
		write(t, filepath.Join(dir, "40-early.yaml"), policyText("early-bird", 3)+"---\n"+policyText("late-bird", 97))
		c.sees("ANP 12")
	})
	c.sees("early-bird", "late-bird")
	c.quits()
}

// TestDownAndBackAnywhere: the same way on a small screen, with few colours or
// none, with plain characters, and on a terminal of which nothing is known.
func TestDownAndBackAnywhere(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name  string
		setup setup
		fits  func(color.Color) bool
	}{
		{"80x24 without colour", setup{w: 80, h: 24, colour: term.NoColor}, none},
		{"16 colours, built-in server", setup{w: 100, h: 30, colour: term.ANSI16, args: []string{"--sandbox-ovsdb", "builtin"}}, basic},
		{"dumb", setup{w: 80, h: 24, colour: term.NoColor, env: []string{"TERM=dumb", "NO_COLOR="}}, none},
		{"200x60, light, plain characters", setup{w: 200, h: 60, light: true, args: []string{"--ascii"}}, whatever},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			x.setup.args = append(x.setup.args, "--traffic", "0")
			c := open(t, x.setup).ready()
			c.colours(x.fits)
			c.down(func() { c.colours(x.fits) })
			c.quits()
		})
	}
}

func none(c color.Color) bool { return c == nil }

func whatever(color.Color) bool { return true }

func basic(c color.Color) bool {
	_, ok := c.(ansi.BasicColor)
	return ok || c == nil
}

// colours looks whether every cell has colours that fit.
func (c *console) colours(fits func(color.Color) bool) {
	c.t.Helper()
	f := c.Frame()
	for y := range f.Height {
		for x := range f.Width {
			if s := f.Cell(x, y).Style; !fits(s.Fg) || !fits(s.Bg) {
				c.t.Fatalf("cell %d,%d has the colours %v on %v\n%s", x, y, s.Fg, s.Bg, f.Boxed())
			}
		}
	}
	if y := cursor(f); y < 0 {
		c.t.Errorf("the cursor is not to be seen without colours\n%s", f.Boxed())
	}
}
