//go:build unix

package journey_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEditAndUndo: the editor changes priority 34 to 36; the preview says so, the
// name is typed, the live rows change in place, the ladder follows, and undo
// takes it all back.
func TestEditAndUndo(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"auto", "builtin"} {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			c := open(t, setup{args: []string{"--sandbox-ovsdb", server}, editor: `sed -i.old 's/priority: 34/priority: 36/' "$1"`}).ready()
			before := c.rows("cluster-control")
			if len(before) != 3*12 {
				t.Fatalf("%d rows of cluster-control in three zones, want 36", len(before))
			}

			c.pick("cluster-control").press("e")
			c.sees("34 → 36", "12 changed", "26595 → 26395", "order against break-glass (30) and blue-tenant (40)", "nothing is written yet")
			if diff := same(before, c.rows("cluster-control")); diff != "" || !moved(before, c.rows("cluster-control"), 0) {
				t.Fatalf("the preview wrote something: %s", diff)
			}
			c.does("a", "[ n no ]").answers("[ n no ]", "y")
			now := c.follows("cluster-control", "200 lower", func(rows map[string]acl) bool { return moved(before, rows, -200) })
			if diff := same(before, now); diff != "" {
				t.Error("after the edit " + diff)
			}
			c.until("shows the policy at 36, in sync and selected", func(f *frame) bool {
				line := selection(f)
				return strings.HasPrefix(line, "36 ─ cluster-control") && !strings.Contains(line, "settling") && !strings.Contains(line, "behind")
			})
			c.sees("3 free   37–39")

			c.does("U", "36 → 34", "12 changed", "26395 → 26595")
			c.does("a", "[ n no ]").answers("[ n no ]", "y")
			now = c.follows("cluster-control", "what they were", func(rows map[string]acl) bool { return moved(before, rows, 0) })
			if diff := same(before, now); diff != "" {
				t.Error("after undo " + diff)
			}
			c.until("shows the policy at 34 again", func(f *frame) bool {
				line := selection(f)
				return strings.HasPrefix(line, "34 ─ cluster-control") && !strings.Contains(line, "settling") && !strings.Contains(line, "behind")
			})
			c.quits()
		})
	}
}

// TestAnswerIsNoByDefault: Esc, Enter and a wrong name leave everything as it
// is.
func TestAnswerIsNoByDefault(t *testing.T) {
	t.Parallel()
	c := open(t, setup{editor: `sed -i.old 's/priority: 4[03]/priority: 45/' "$1"`}).ready()
	before := c.rows("multi-tenant-isolation")
	c.pick("multi-tenant").press("e").sees("43 → 45").does("a", "[ n no ]")
	c.answers("[ n no ]", "enter").sees("nothing was changed")
	c.press("esc").sees("your text is kept in")
	c.pick("cluster-contr").press("e").sees("unchanged: nothing to apply")
	c.press("D").sees("Delete ANP cluster-control").does("a", "Type cluster-control to confirm")
	c.types("Type cluster-control", "cluster-contro")
	c.sees("■ the name is cluster-control").press("esc").sees("nothing was changed").press("esc").at("Ladder")
	if now := c.rows("multi-tenant-isolation"); same(before, now) != "" || !moved(before, now, 0) {
		t.Errorf("rows changed without a yes: %v, were %v", now, before)
	}
	if len(c.rows("cluster-control")) != 36 {
		t.Error("rows went away without a yes")
	}
	c.quits()
}

// TestEditThatDoesNotValidate: the editor opens again with the error on top; what
// cannot be taken is kept in its file.
func TestEditThatDoesNotValidate(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(short(t), "seen")
	c := open(t, setup{env: []string{"SEEN=" + seen}, editor: `
cp "$1" "$SEEN.$n"
case $n in
1) sed -i.old 's/priority: 34/priority: 1001/' "$1" ;;
2) sed -i.old 's/priority: 1001/priority: 33/' "$1" ;;
3) sed -i.old 's/priority: 34/priority: 2002/' "$1" ;;
4) exit 3 ;;
esac`}).ready()
	c.pick("cluster-contr").press("e").sees("34 → 33", "nothing is written yet")
	first, second := read(t, seen+".1"), read(t, seen+".2")
	if !strings.Contains(first, "priority: 34") || strings.Contains(first, "not valid") {
		t.Errorf("the editor began with\n%s", first)
	}
	head, _, _ := strings.Cut(second, "\napiVersion")
	if !strings.HasPrefix(head, "# rung: not valid") || !strings.Contains(head, "spec.priority") || !strings.Contains(head, "1000") {
		t.Errorf("the error does not stand on top:\n%s", second)
	}
	if !strings.Contains(second, "priority: 1001") {
		t.Errorf("the text was lost:\n%s", second)
	}
	c.press("esc").at("Ladder")

	c.pick("cluster-contr").press("e").sees("The editor ended with", "Nothing was written")
	path := kept(t, c.Home(), "priority: 2002")
	c.sees(filepath.Base(path))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the kept text: %v, %v", info.Mode(), err)
	}
	c.press("esc").at("Ladder").sees("34 ─ cluster-contr")
	if !strings.Contains(read(t, path), "priority: 2002") {
		t.Error("the text was not kept")
	}
	c.quits()
}

// kept finds the file of an edit by its text.
func kept(t *testing.T, home, text string) string {
	t.Helper()
	end := time.Now().Add(patience)
	for time.Now().Before(end) {
		names, err := filepath.Glob(filepath.Join(home, "state", "rung", "edit", "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.Contains(read(t, name), text) {
				return name
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("no text with %q was kept", text)
	return ""
}

// TestBrokenFile: e on an object that could not be read opens its file at its line, from the ladder and from the
// page of what is not counted; the mended file is read again.
func TestBrokenFile(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	path := filepath.Join(dir, "70-policies.yaml")
	write(t, path, policyText("fine", 20)+"---\n"+strings.Replace(policyText("mended", 31), "priority:", "prioritee:", 1))
	c := open(t, setup{files: []string{dir}, editor: `
echo "$@" >>` + dir + `.asked
[ "$(wc -l <` + dir + `.asked)" = 1 ] && exit 3
for f; do :; done
sed -i.old 's/prioritee/priority/' "$f"`}).ready()
	c.pick("✗ mended").press("e").sees("The editor ended with exit status 3").press("esc").at("Ladder")
	c.does("!", "mended", "unknown field").pick("mended").press("e").sees("is read again when it has changed").press("esc")
	c.sees("31 ─ mended").quits()
	if asked := read(t, dir+".asked"); strings.Count(asked, path) != 2 {
		t.Errorf("the editor was asked for\n%s", asked)
	}
}
