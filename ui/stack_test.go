package ui_test

import (
	"strings"
	"testing"

	"rung/change"
	"rung/model"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// crumbs is the line that says where one is.
func crumbs(s *uitest.Screen) string {
	return strings.TrimSpace(strings.Split(strings.Split(s.PlainFrame(), "\n")[1], "   ")[0])
}

func wantCrumbs(t *testing.T, s *uitest.Screen, want string) {
	t.Helper()
	if got := crumbs(s); got != want {
		t.Errorf("at %q, want %q\n%s", got, want, s.PlainFrame())
	}
}

func cursorOn(t *testing.T, s *uitest.Screen, key, what string) {
	t.Helper()
	for range 60 {
		if strings.Contains(s.Line("▸"), what) {
			return
		}
		s.Press(key)
	}
	t.Fatalf("no line with %q:\n%s", what, s.PlainFrame())
}

// Going to a page that is on the way goes back to it, as it was left; what was left can
// be gone forward to.
func TestGoingToAPageOnTheWay(t *testing.T) {
	s := ladderScreen(t)
	cursorOn(t, s, "j", "cluster-control")
	s.Press("enter")
	cursorOn(t, s, "j", "egress 1")
	s.Press("enter")
	s.Resize(160, 40)
	wantCrumbs(t, s, `Ladder › cluster-control › egress 1 "allow-to-kapi-server"`)
	cursorOn(t, s, "j", "egress 2")
	s.Press("enter") // the next rule
	wantCrumbs(t, s, `Ladder › cluster-control › egress 1 › cluster-control egress 2 "allow-to-splunk"`)
	cursorOn(t, s, "j", "egress 1")
	s.Press("enter") // and the previous rule
	wantCrumbs(t, s, `Ladder › cluster-control › egress 1 "allow-to-kapi-server"`)
	if !strings.Contains(s.Line("▸"), "egress 2") {
		t.Errorf("the cursor is not where it was left:\n%s", s.PlainFrame())
	}
	s.Press("alt+right")
	wantCrumbs(t, s, `Ladder › cluster-control › egress 1 › cluster-control egress 2 "allow-to-splunk"`)
	s.Press("alt+right")
	s.Want("no page to go forward to")

	// With a zone, too: the row of a rule leads to the rule that is there, in that zone.
	s.Press("esc")
	cursorOn(t, s, "j", "Egress:1:tcp")
	s.Press("enter", "]", "o")
	wantCrumbs(t, s, `Ladder › cluster-control › egress 1 "allow-to-kapi-server"`)
	s.Want("zone ovn-worker2")
	// What was left by going somewhere new is gone.
	s.Press("l", "esc", "5")
	wantCrumbs(t, s, `Ladder › cluster-control › egress 1 › activity`)
	s.Press("alt+right")
	s.Want("no page to go forward to")
}

// The digits go back like everything else, and rows that a filter narrows are another
// place than all of them.
func TestDigitsGoBack(t *testing.T) {
	s := ladderScreen(t)
	s.Resize(200, 40)
	s.Press("3", "5", "8", "3")
	wantCrumbs(t, s, "Ladder › zones")
	s.Press("alt+right", "alt+right")
	wantCrumbs(t, s, "Ladder › zones › activity › cluster")
	s.Press("1")
	cursorOn(t, s, "j", "cluster-control")
	s.Press("enter", "r")
	wantCrumbs(t, s, "Ladder › cluster-control › rows of cluster-control: ACLs")
	s.Press("V", "2")
	wantCrumbs(t, s, "Ladder › cluster-control › rows of cluster-control: address sets › rows: ACLs")
	s.Press("2")
	wantCrumbs(t, s, "Ladder › cluster-control › rows of cluster-control: address sets › rows: ACLs")
	s.Press("1", "2", "1", "2", "3")
	wantCrumbs(t, s, "Ladder › rows: ACLs › zones")
	s.Press("j", "enter") // the rows of a zone: the page that is there shows it
	wantCrumbs(t, s, "Ladder › rows: ACLs")
	s.Want("zone ovn-worker ")
}

// A preview that was answered is done with: nothing leads forward to it.
func TestNoWayForwardToWhatIsDone(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.ToPolicy(model.PolicyKey{Kind: model.KindANP, Name: "quarantine"})})
	s.Press("D")
	wantCrumbs(t, s, "quarantine › preview: "+string(change.OpDelete)+" quarantine")
	s.Press("esc")
	wantCrumbs(t, s, "quarantine")
	s.Press("alt+right")
	s.Want("no page to go forward to")
}

// A page says by itself what it is about, however narrow: the way before it gives way,
// then the rule's own name, and its own name is cut last, in its middle.
func TestWhereOneIs(t *testing.T) {
	s := ladderScreen(t)
	cursorOn(t, s, "j", "multi-tenant-i")
	s.Press("enter", "enter")
	for _, c := range []struct {
		w    int
		want string
	}{
		{160, `Ladder › multi-tenant-isolation › ingress 0 "deny-other-tenants"`},
		{80, `… › multi-tenant-isolation › ingress 0 "deny-other-tenants"`},
		{60, `… › multi-tenant-isolation ingress 0`},
		{50, `multi-tenant-isolat…ingress 0`},
	} {
		s.Resize(c.w, 24)
		got := strings.TrimSpace(strings.Split(strings.Split(s.PlainFrame(), "\n")[1], "  ")[0])
		if got != c.want {
			t.Errorf("at %d: %q, want %q", c.w, got, c.want)
		}
	}
	s.Resize(80, 24)
	s.Want(`── multi-tenant-isolation ingress 0 "deny-other-tenants" ─`)
}
