package ui_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// A name that is not the one asked for leaves the question as it is, says which it is,
// and can be mended; nothing typed is lost.
func TestMistypedName(t *testing.T) {
	g := uitest.NewGated(t, nil)
	s := uitest.OpenWith(t, g.Fake, ui.Options{Page: nav.NewPage(nav.Ladder)})
	s.Press("D", "a")
	s.Type("break-glas")
	s.Press("enter")
	s.Want("the name is break-glass", "> break-glas ", "Type break-glass to confirm")
	s.Press("x", "enter")
	s.Want("the name is break-glass")
	if g.Engine.Revision().Cluster.Policy(model.Key{Kind: model.KindANP, Name: "break-glass"}) == nil {
		t.Fatal("deleted by another name")
	}
	for _, size := range [][2]int{{80, 24}, {40, 10}} {
		s.Resize(size[0], size[1])
		s.Want("the name is break-glass")
		s.WantFits()
	}
	s.Press("backspace")
	s.WantNot("the name is")
	s.Press("s", "enter")
	if g.Engine.Revision().Cluster.Policy(model.Key{Kind: model.KindANP, Name: "break-glass"}) != nil {
		t.Fatalf("not deleted by its name\n%s", s.PlainFrame())
	}
}

// A number that cannot be stays in its prompt with the reason.
func TestPromptKeepsWhatIsWrong(t *testing.T) {
	s := uitest.OpenWith(t, uitest.NewGated(t, nil).Fake, ui.Options{Page: nav.ToPolicy(model.Key{Kind: model.KindANP, Name: "cluster-control"})})
	for _, wrong := range []string{"4x", "1001", "-1", ""} {
		s.Press("m", "ctrl+u")
		s.Type(wrong)
		s.Press("enter")
		s.Want("a number from 0 to 1000", "> "+wrong)
		s.Press("esc")
	}
	s.Press("v", "F")
	s.Type("no such text")
	s.Press("enter")
	s.Want(`■ "no such text" is not in the text`, "> no such text")
}

// What is higher than the screen is counted and can be read: nothing of it is cut off.
func TestHighDialog(t *testing.T) {
	s := uitest.OpenWith(t, uitest.NewGated(t, nil).Fake, ui.Options{Page: nav.NewPage(nav.Ladder)})
	s.Press("j", "j", "D", "a")
	s.Resize(40, 10)
	s.Want("more · pgup", "Type cluster-control", " > ")
	all := []string{s.PlainFrame()}
	for range 16 {
		s.Press("pgup")
		s.WantFits()
		all = append(all, s.PlainFrame())
	}
	s.Want("Writes 1 policy", "more · pgdown")
	s.WantNot("pgup")
	if _, ok := s.TextBeforeCursor(); ok {
		t.Errorf("a cursor where the line is not in sight:\n%s", s.PlainFrame())
	}
	s.Type("b")
	s.Want("> b")
	if !strings.Contains(strings.Join(all, ""), "opens 3") {
		t.Errorf("a line was never in sight:\n%s", strings.Join(all, "\n"))
	}
}

// What cannot be done is in parentheses: in the hints, the palette, help and questions.
func TestDisabledIsMarked(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Mode.Writes, p.Mode.WhyNot = false, "started with --readonly"
	s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
	s.Want("(m move)", "s stage")
	s.WantNot("(s stage)")
	s.Press(":")
	s.Type("new here")
	s.Want("(n)", "not now: started with --readonly")
	s.Press("esc", "?")
	s.Want("(n)", "not now: started with --readonly")
}

// Help says every word at every width, and counts what does not fit.
func TestHelpWraps(t *testing.T) {
	s := ladderScreen(t)
	s.Press("?")
	for _, size := range [][2]int{{40, 10}, {40, 24}, {56, 20}, {80, 24}, {120, 34}} {
		s.Resize(size[0], size[1])
		s.Press("pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup")
		s.Want("more · pgdown", "ladder")
		seen := ""
		for range 80 {
			box := ""
			for _, l := range strings.Split(s.PlainFrame(), "\n") {
				if _, in, ok := strings.Cut(l, "│"); ok {
					in, _, _ = strings.Cut(in, "│")
					box += " " + strings.TrimSpace(in)
				}
			}
			if strings.Contains(box, "…") {
				t.Fatalf("%v: cut:\n%s", size, s.PlainFrame())
			}
			seen += box
			s.Press("down")
		}
		words := strings.Join(strings.Fields(seen), " ")
		for _, want := range []string{"sweep, logs", "create a policy in the gap under the cursor, or at the next free priority of its tier"} {
			if !strings.Contains(words, want) {
				t.Errorf("%v: %q is not in help", size, want)
			}
		}
		s.Want("more · pgup")
		s.WantNot("more · pgdown")
	}
}

// The palette knows what other consoles call things, and names before letters.
func TestPaletteNames(t *testing.T) {
	s := ladderScreen(t)
	for _, c := range []struct{ typed, first string }{
		{"q", "quit"}, {"ctx", "contexts"}, {"logs", "logs"}, {"plan", "plan"}, {"help", "help"}, {"anp", "ladder"}, {"acl", "rows"},
		{"banp", "banp default"}, {"np", "np "}, {"pods", "pods"}, {"zones", "zones"}, {"findings", ""},
		{"np web", "np yellow/web-to-vault"}, {"cluster-control", "anp cluster-control"}, {"policy cluster-control", "anp cluster-control"},
		{"api-d0", "pod blue/api-d0"}, {"blue/api-d0", "pod blue/api-d0"}, {"10.244.1.10", "pod blue/api-d0"}, {"ovn-worker2", "zone ovn-worker2"},
		{"default-deny", "rule cluster-control ingress 4"}, {"CLUSTER-CONTROL", "anp cluster-control"},
	} {
		s.Press(":", "ctrl+u")
		s.Type(c.typed)
		if l := s.Line("│▸ "); c.first != "" && !strings.Contains(l, "▸ "+c.first) {
			t.Errorf("%q finds %q first, want %q", c.typed, l, c.first)
		}
		s.Press("esc")
	}
	// A kind without a page of its own lists what there is.
	s.Press(":")
	s.Type("pods")
	s.Press("enter")
	s.Want(":pod blue/api-d0", "ovn-worker · 10.244.1.10", "Succeeded")
	s.WantNot("anp ")
	s.Type("zzz")
	s.Want("no match · esc closes")
	s.Press("enter")
	s.Want("no match · esc closes")
	s.Press("ctrl+u")
	s.Type("np allow-web")
	s.Press("enter")
	s.Want("NetworkPolicy blue/allow-web")
}

// At 40 columns the palette has below the list what has no room in it.
func TestPaletteNarrow(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
	s.Resize(40, 10)
	s.Press(":")
	s.Type("undo")
	s.Want("(U)", "not now: nothing to undo")
	s.Press("ctrl+u")
	s.Type("pod ingress")
	s.Want("ingress-nginx", "10.244.2.4")
	s.WantFits()
}

// What a prompt begins with is replaced by what is typed, and edited by every other key.
func TestPromptBeginsSelected(t *testing.T) {
	s := uitest.OpenWith(t, uitest.NewGated(t, nil).Fake, ui.Options{Page: nav.NewPage(nav.Plan)})
	for _, c := range []struct {
		keys []string
		want string
	}{
		{nil, "> 10 10 "}, {[]string{"5"}, "> 5 "}, {[]string{"backspace", "5"}, "> 10 15 "}, {[]string{"home", "2"}, "> 210 10 "},
	} {
		s.Press("d")
		s.Want("type to replace", "> 10 10 ")
		s.Press(c.keys...)
		s.Want(c.want)
		if len(c.keys) > 0 {
			s.WantNot("type to replace")
		}
		s.WantFits()
		s.Press("esc")
	}
}
