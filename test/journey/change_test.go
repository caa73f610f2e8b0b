//go:build unix

package journey_test

import (
	"strings"
	"testing"
)

// TestNewMoveDelete: a new policy in a gap, carried along the ladder, deleted by
// its name, and brought back.
func TestNewMoveDelete(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "0"},
		editor: `sed -i.old -e 's/name: new-policy/name: night-shift/' -e 's/CHANGE-ME/blue/' "$1"`}).ready()
	if rows := c.rows("night-shift"); len(rows) > 0 {
		t.Fatalf("there are rows already: %v", rows)
	}

	c.pick("┊ 3 free", "31–33").press("n").sees("night-shift", "nothing is written yet", "1 added")
	c.does("a", "[ n no ]").answers("[ n no ]", "tab").sees("[ y yes ]").press("enter")
	born := c.follows("night-shift", "there", func(rows map[string]acl) bool { return len(rows) == 3 })
	for id, row := range born {
		if row.Priority != 30000-100*32 || row.Action != "allow-related" {
			t.Errorf("%s: %+v, want a row of priority 32", id, row)
		}
	}
	c.at("Ladder").pick("32 ─ night-shift").sees("1 free   31", "1 free   33")

	// Carried, and put back.
	c.does("m", "moving night-shift", "(unchanged)").press("j", "j").sees("32 → 34", "= with cluster-control")
	c.does("esc", "night-shift stays at 32")
	// Carried, and put down.
	c.does("m", "moving night-shift").press("j", "j", "j", "pgdown").sees("32 → 45", "free").press("k").sees("32 → 44")
	c.does("enter", "spec.priority", "32 → 44", "nothing is written yet")
	c.does("a", "[ n no ]").answers("[ n no ]", "y") // no guard rail: what it denies and opens stands there
	moved := c.follows("night-shift", "at 44", func(rows map[string]acl) bool { return moved(born, rows, -1200) })
	if diff := same(born, moved); diff != "" {
		t.Error("after the move " + diff)
	}
	c.at("Ladder").until("has the cursor on the moved policy", func(f *frame) bool { return strings.HasPrefix(selection(f), "44 ─ night-shift") })

	// Deleted by name only.
	c.press("D").sees("Delete ANP night-shift", "1 removed").does("a", "Type night-shift to confirm")
	c.types("Type night-shift", "night-shift")
	c.follows("night-shift", "gone", func(rows map[string]acl) bool { return len(rows) == 0 })
	c.at("Ladder").misses("44 ─ night-shift")
	// And back: the same policy, new rows.
	c.press("U").sees("nothing is written yet", "1 added").does("a", "[ n no ]").answers("[ n no ]", "y")
	c.follows("night-shift", "back", func(rows map[string]acl) bool { return len(rows) == 3 })
	c.at("Ladder").sees("44 ─ night-shift")

	// Everything that was done stands in the activity, newest first or last.
	c.press("5").at("activity").sees("night-shift")
	c.quits()
}

// TestDenyToEverywhere: a Deny to every address without an Allow for DNS names the DNS pods
// that it cuts off, and wants its name typed.
func TestDenyToEverywhere(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "0"}, editor: `cat > "$1" <<'EOF'
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: lockout}
spec:
  priority: 32
  subject: {namespaces: {}}
  egress:
  - {action: Deny, to: [{networks: [0.0.0.0/0]}]}
EOF
:`}).ready()
	c.press("n").sees("lockout", "cuts cluster DNS: 6 pods can no longer reach", "kube-system/coredns-5d78c9869d-bx7k1 and", "cuts the API server: ", "nothing is written yet")
	c.does("a", "Type lockout to confirm").types("Type lockout", "lock").sees("the name is lockout").press("esc")
	c.misses("Type lockout").press("esc")
	if rows := c.rows("lockout"); len(rows) > 0 {
		t.Errorf("it was written: %v", rows)
	}
	c.quits()
}

// TestCarryCounts: a policy that is carried along the ladder says at each place what flips
// there, and dropping it shows the same.
func TestCarryCounts(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "0"}}).ready()
	c.pick("cluster-control").does("m", "moving cluster-control").press("j").sees("34 → 35", "no verdict changes")
	c.press("j", "j", "j", "j", "j", "j").sees("34 → 41", " opens ").does("enter", "deny → allow", "pairs across namespaces, denied today, into")
	c.press("esc").at("Ladder")
	c.quits()
}

// TestReadOnly: started read-only, every change is refused with the reason, and W
// cannot allow them.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--readonly", "--traffic", "0"}, editor: "exit 1"}).ready()
	before := c.rows("cluster-control")
	c.sees("READ-ONLY").pick("cluster-contr")
	for _, x := range []struct{ key, title string }{{"n", "new"}, {"m", "move"}, {"e", "edit"}, {"L", "logging"}, {"D", "delete"}, {"U", "undo"}} {
		c.press(x.key)
		c.refused(x.title, "started with --readonly")
	}
	c.does("W", "changes stay off: started with --readonly")
	c.press("enter").at("cluster-control")
	for _, x := range []struct{ key, title string }{{"e", "edit"}, {"m", "move"}, {"D", "delete"}} {
		c.press(x.key)
		c.refused(x.title, "started with --readonly")
	}
	c.press("p").press("6").at("plan").press("enter")
	c.refused("run", "started with --readonly")
	if now := c.rows("cluster-control"); same(before, now) != "" || !moved(before, now, 0) {
		t.Error("rows changed in read-only mode")
	}
	c.quits()
}

// TestWritesToggle: W goes to read-only at once, and back after a question.
func TestWritesToggle(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "0"}}).ready()
	c.sees("writes").does("W", "READ-ONLY", "W to allow changes")
	c.pick("cluster-contr").press("D")
	c.refused("delete", "read-only")
	c.does("W", "Allow changes", "stay read-only").answers("Allow changes", "enter").misses("stay read-only")
	c.press("D")
	c.refused("delete", "read-only")
	c.does("W", "Allow changes").answers("Allow changes", "y").misses("READ-ONLY", "stay read-only")
	c.press("D").sees("Delete ANP cluster-control").press("esc").at("Ladder")
	c.quits()
}

// refused waits until the last line says that an action cannot be done, and
// why.
func (c *console) refused(title, why string) {
	c.t.Helper()
	c.until("refuses "+title, func(f *frame) bool {
		line := strings.ToLower(lastLine(f))
		return strings.HasPrefix(line, "■ "+title) && strings.Contains(line, ": "+why)
	})
}

func lastLine(f *frame) string { return strings.TrimSpace(f.Line(f.Height - 1)) }
