package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/test/term"
)

// demo opens the console on the built-in cluster. Zones served by Rung itself
// look the same on every machine.
var demo = []string{"demo", "--lag", "0", "--sandbox-ovsdb", "builtin"}

// inSync waits for the ladder with the rows of every zone written: it names a state only where one differs.
func inSync(t *term.Terminal) error {
	_, err := t.WaitUntil("shows every policy in sync", func(f *term.Frame) bool {
		screen := f.Text()
		has := func(text string) bool { return strings.Contains(screen, text) }
		return has("cluster-control") && has("experimental") &&
			!slices.ContainsFunc([]string{"starting", "behind", "settling", "waiting", "unknown"}, has)
	}, 0)
	return err
}

// cursor is the line under the cursor.
func cursor(f *term.Frame) string {
	for y := range f.Height {
		if line := f.Line(y); strings.HasPrefix(line, "▸") {
			return fmt.Sprint(y, line)
		}
	}
	return ""
}

// down moves the cursor down to the line that shows a text.
func down(text string) step {
	return func(t *term.Terminal) error {
		for range 60 {
			was := cursor(t.Frame())
			if strings.Contains(was, text) {
				return nil
			}
			if err := t.Press("j"); err != nil {
				return err
			}
			if _, err := t.WaitUntil("moves the cursor", func(f *term.Frame) bool { return cursor(f) != was }, 0); err != nil {
				return err
			}
		}
		return fmt.Errorf("the cursor never comes to %q:\n%s", text, t.Frame().Boxed())
	}
}

// question waits until a question is there and takes keys: it takes none in its
// first moments, since what was typed before was not meant for it.
func question(text string) step {
	return func(t *term.Terminal) error {
		if err := wait(text)(t); err != nil {
			return err
		}
		time.Sleep(300 * time.Millisecond)
		return nil
	}
}

// scenes are the pictures, in the order of the README. Here and nowhere else
// stands what they show; scene and step are explained in scene.go.
var scenes = []scene{
	minute,
	{
		name: "ladder", width: 160, height: 29,
		args:  demo,
		steps: []step{inSync, down("allow-metrics"), still(400 * time.Millisecond)},
	},
	{
		name: "ladder-light", width: 160, height: 29, light: true,
		args:  demo,
		steps: []step{inSync, down("allow-metrics"), still(400 * time.Millisecond)},
	},
	{
		name: "tier2", width: 132, height: 38,
		args:  demo,
		steps: []step{inSync, down("tier 2"), press("enter"), wait("EF yellow", "NP web-to-vault"), still(400 * time.Millisecond)},
	},
	{
		name: "policy", width: 120, height: 26,
		args: demo,
		steps: []step{
			inSync, down("cluster-control"), press("enter"), wait("subject", "egress 5", "in sync"), still(400 * time.Millisecond),
		},
	},
	{
		name: "rule", width: 120, height: 36,
		args: demo,
		steps: []step{
			inSync, down("cluster-control"), press("enter"), wait("egress 0  Allow"),
			down("egress 0  Allow"), press("enter"), wait("as desired in", "allow-to-dns", "zone ovn-"),
			still(400 * time.Millisecond),
		},
	},
	{
		name: "pod", width: 120, height: 30,
		args: demo,
		steps: []step{
			inSync, press(":"), typed("api-d0"), wait("pod blue/api-d0"), press("enter"),
			wait("multi-tenant-isolation"), still(400 * time.Millisecond),
		},
	},
	{
		name: "preview", width: 120, height: 30,
		args: demo,
		steps: []step{
			inSync, down("blue-asks-green"), press("m", "4", "2"), wait("50 → 42"), press("enter"),
			wait("nothing is written yet", "25000 → 25800", "opens 14 pairs"), still(400 * time.Millisecond),
		},
	},
	{
		name: "logs", width: 120, height: 32,
		args: append(demo, "--traffic", "30"),
		steps: []step{
			inSync, press("4"), wait("✓ ", "✗ "), still(3 * time.Second), wait("✓ ", "✗ "),
		},
	},
	{
		name: "probe", width: 132, height: 24, ovn: true,
		args: []string{"demo", "--lag", "0"},
		steps: []step{
			inSync, press(":"), typed("web-g1"), wait("pod blue/web-g1"), press("enter"), wait("deny-other-tenants"),
			press("P"), question("probe a connection"), typed("red/web-f0"), press("enter"), typed("8080"), press("enter"),
			wait("✗ dropped", "rows and policies agree", "SYN ", "findings ■"), still(400 * time.Millisecond),
		},
	},
	{
		name: "flows", width: 132, height: 34, ovn: true,
		args: []string{"demo", "--lag", "0"},
		steps: []step{
			inSync, down("cluster-control"), press("enter"), wait("egress 5  Deny"), down("egress 5  Deny"), press("enter"),
			wait("default-deny", "as written"), press("G"), wait("✓ 2 flows on"), press("G"), wait("ls_in_acl_after_lb_eval", "connection as denied", "findings ■"),
			still(400 * time.Millisecond),
		},
	},
	{
		name: "plan", width: 120, height: 30,
		args: demo,
		steps: []step{
			inSync, press("A"), wait("now → planned", "30 → 10", "10 steps"), still(400 * time.Millisecond),
		},
	},
}
