package cluster_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// Everything that was said is there, whole, with its time and where it arose; enter goes there.
func TestMessages(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	const long = "writing /home/somebody/policies/production-frontend/cluster-control.yaml: the file was changed by somebody else while the change was being written, and is left as it is"
	f.WritesErr = errors.New(long)
	s := uitest.OpenWith(t, f, ui.Options{})
	s.Press("U")
	s.Want("■ undo: nothing to undo")
	f.Advance(2 * time.Second)
	s.Press("3")
	s.WantNot("nothing to undo") // it was seen, and is not about this page
	s.Press("W")
	s.Want("■ writing /home/somebody", "…  :messages")
	f.Advance(100 * time.Millisecond)
	s.Press("j")
	s.Want("■ writing /home/somebody")
	s.Press("5", "y")
	f.Advance(time.Second)
	s.Press(":")
	s.Type("messages")
	s.Press("enter")
	s.WantNot(":messages")
	s.Want("left as it is", "on zones", "■ undo: nothing to undo", "on Ladder", "14:05:00")
	s.Golden("messages")
	s.ResizeAll()
	s.Resize(80, 24)
	if text := strings.Join(strings.Fields(s.PlainFrame()), " "); !strings.Contains(text, long) {
		t.Errorf("the message is not whole:\n%s", text)
	}
	for !strings.Contains(s.Line("▸"), "undo: nothing") {
		s.Press("j")
	}
	s.Press("y")
	s.Want("copied message")
	s.Press("enter")
	s.WantNot("› messages")
}

func TestNoMessages(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Messages))
	s.Want("no messages yet")
	s.ResizeAll()
	s.Press("enter", "j", "G")
}
