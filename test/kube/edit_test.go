package kube_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/term"
	"rung/test/wait"
)

// grace is how long a question takes no keys after it appeared.
const grace = 170 * time.Millisecond

// editor is a shell script that changes the file $1.
func editor(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "editor")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\nset -e\n"+body+"\n"), 0o755))
	return path
}

// editing opens the console with an editor, its cursor on a policy.
func editing(t *testing.T, c *cluster.Cluster, policy, editor string) *term.Driver {
	t.Helper()
	d := term.Start(t, term.Options{Path: install.Binary(t), Args: on(c, cluster.Admin, "--write"), Env: []string{"EDITOR=" + editor}, Width: 120, Height: 34})
	d.WaitFor(policy)
	at := func(f *term.Frame, what func(line string) bool) int {
		for y := range f.Height {
			if what(f.Line(y)) {
				return y
			}
		}
		return -1
	}
	cursor := func(line string) bool { return strings.HasPrefix(line, "▸") }
	wanted := func(line string) bool { return strings.Contains(line, policy) }
	selected := func(f *term.Frame) bool {
		return at(f, func(line string) bool { return cursor(line) && wanted(line) }) >= 0
	}
	for range 40 {
		before := d.Frame()
		if selected(before) {
			return d
		}
		key, was := "j", at(before, cursor)
		if was > at(before, wanted) {
			key = "k"
		}
		// The next key goes when this one is done, however long that takes: one that is
		// still on its way would move the cursor past the policy.
		d.Press(key).WaitUntil("moves the cursor", func(f *term.Frame) bool { return at(f, cursor) != was })
	}
	d.WaitUntil("has the cursor on "+policy, selected)
	return d
}

// An edit in the console: a person's editor, the preview, a yes, and the server
// has it, with what others own as it was. Undo takes it back.
func TestEdit(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	small(t, c)
	for _, m := range makers {
		t.Run(m.name, func(t *testing.T) {
			name := "edit-" + m.name
			m.make(t, c, anp(name, 50, "tenant=blue", "in Deny tenant=red"))
			before := live(t, c, "anp", name)
			d := editing(t, c, name, editor(t, `sed -i 's/priority: 50/priority: 51/; s/name: r0/name: renamed/' "$1"`))
			d.Press("e").WaitFor("50 → 51")
			confirm(d, name, m.owner != "")
			wait.Within(t, patience, "the server has the edit", func() bool {
				o := live(t, c, "anp", name)
				return o.Spec.Priority == 51 && o.Spec.Ingress[0].Name == "renamed"
			})
			after := live(t, c, "anp", name)
			if after.Metadata.Annotations[lastApplied] != before.Metadata.Annotations[lastApplied] || after.Metadata.UID != before.Metadata.UID {
				t.Errorf("the edit touched %v", after.Metadata)
			}
			if after.managers()["rung"] == "" {
				t.Errorf("managers %v", after.managers())
			}
			d.Press("U").WaitFor("51 → 50")
			confirm(d, name, m.owner != "")
			wait.Within(t, patience, "it is taken back", func() bool {
				o := live(t, c, "anp", name)
				return o.Spec.Priority == 50 && o.Spec.Ingress[0].Name == "r0"
			})
			_, err := c.Kubectl(t.Context(), cluster.Admin, "", "delete", "anp", name)
			must(t, err)
		})
	}
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// confirm applies a preview: with y, or by typing the name where a guard rail
// wants it.
func confirm(d *term.Driver, name string, guarded bool) {
	d.WaitFor("nothing is written yet")
	d.Press("a")
	if guarded {
		d.WaitFor("Type " + name)
		time.Sleep(grace)
		d.Type(name).Press("enter")
		return
	}
	d.WaitMatch(`\[ n no \]|Type ` + name)
	time.Sleep(grace)
	if strings.Contains(d.Screen(), "Type "+name) {
		d.Type(name).Press("enter")
		return
	}
	d.Press("y")
}

// Somebody else is quicker: while the editor is open kubectl changes another
// field. Nothing is overwritten; the difference is shown and the two are put
// together.
func TestEditOvertaken(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	small(t, c)
	// The editor waits until the test has changed the policy.
	gate := filepath.Join(t.TempDir(), "go")
	d := editing(t, c, "guard-blue", editor(t, `sed -i 's/priority: 20/priority: 28/' "$1"; while [ ! -e `+gate+` ]; do sleep 0.05; done`))
	d.Press("e")
	time.Sleep(300 * time.Millisecond) // the editor has the terminal
	_, err := c.Kubectl(t.Context(), cluster.Admin, "", "patch", "anp", "guard-blue", "--type=json",
		"-p", `[{"op":"replace","path":"/spec/egress/0/name","value":"theirs"}]`)
	must(t, err)
	must(t, os.WriteFile(gate, nil, 0o600))
	d.WaitFor("The policy was changed meanwhile", "can be merged", "theirs")
	if o := live(t, c, "anp", "guard-blue"); o.Spec.Priority != 20 || o.Spec.Egress[0].Name != "theirs" {
		t.Fatalf("something was written: %+v", o.Spec)
	}
	d.Press("u").WaitFor("20 → 28")
	confirm(d, "guard-blue", false)
	wait.Within(t, patience, "both changes are there", func() bool {
		o := live(t, c, "anp", "guard-blue")
		return o.Spec.Priority == 28 && o.Spec.Egress[0].Name == "theirs"
	})
}
