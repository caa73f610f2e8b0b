package view_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/test/uitest"
	"rung/ui/nav"
)

// The question begins with what the cursor is on; a few letters find an end, and what is
// missing is gone to.
func TestAskTrace(t *testing.T) {
	control := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	pod := model.Key{Kind: model.KindPod, Namespace: "blue", Name: "api-d0"}
	for _, tc := range []struct {
		name  string
		page  nav.Page
		keys  []string
		typed string
		want  string // the crumb
	}{
		{"pod", nav.ToPod(pod), nil, "red web-f0|8080", "trace blue/api-d0 → red/web-f0 tcp 8080"},
		{"rule with all but a port", nav.ToRule(control, model.Egress, 3), nil, "||9090", "tcp 9090"},
		{"address", nav.ToPod(pod), nil, "203.0.113.9|443", "trace blue/api-d0 → 203.0.113.9 tcp 443"},
		{"service", nav.ToPod(pod), nil, "kube-dns|53", "trace blue/api-d0 → service kube-system/kube-dns tcp 53"},
		{"service as kubectl's users write it", nav.ToPod(pod), nil, "svc/kube-dns -n kube-system|53/udp",
			"trace blue/api-d0 → service kube-system/kube-dns udp 53"},
		{"letters that stand apart", nav.ToPod(pod), nil, "rdwbf0|80", "→ red/web-f0 tcp 80"},
		{"by address", nav.ToPod(pod), nil, "10.244.1.11|80", "→ 10.244.1.11 tcp 80"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := uitest.DemoFacts(t)
			s := uitest.OpenScreen(t, p, tc.page)
			s.Press("t")
			s.Want("trace a connection")
			for i, part := range strings.Split(tc.typed, "|") {
				if !strings.Contains(s.PlainFrame(), "trace a connection") {
					t.Fatalf("the question is gone before %q:\n%s", part, s.PlainFrame())
				}
				if part == "" && i < 2 {
					continue // it is filled
				}
				s.Type(part)
				s.Press("enter")
			}
			s.WantNot("trace a connection")
			s.Want(tc.want)
		})
	}
}

// The ports of a Service are offered, and taken with their protocol.
func TestAskTraceOffersPorts(t *testing.T) {
	pod := model.Key{Kind: model.KindPod, Namespace: "blue", Name: "api-d0"}
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.ToPod(pod))
	s.Press("t")
	s.Type("svc/kube-dsn")
	s.Want("did you mean")
	s.Press("backspace", "backspace")
	s.Type("ns")
	s.Press("enter")
	s.Want(" 53/udp dns")
	s.Press("down", "enter")
	s.Want("→ service kube-system/kube-dns udp 53")
}

// TestAskTraceGoesToAFilledEnd: after an end that was typed comes the other one, also if it has a text already.
func TestAskTraceGoesToAFilledEnd(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Ladder))
	s.Press("t")
	for _, text := range []string{"blue/api-d0", "red/web-f0", "8080"} {
		s.Type(text)
		s.Press("enter")
	}
	s.Want("trace blue/api-d0 → red/web-f0 tcp 8080")
}

// T on a pod asks the same question, and its trace begins with asking OVN; so in a log
// without a line.
func TestAskOVNTrace(t *testing.T) {
	pod := model.Key{Kind: model.KindPod, Namespace: "blue", Name: "api-d0"}
	p := uitest.DemoFacts(t)
	s := uitest.OpenScreen(t, p, nav.ToPod(pod))
	s.Press("T")
	s.Want("needs the sandbox on OVN")
	p.Mode.OVN = "25.03.0"
	s = uitest.OpenScreen(t, p, nav.ToPod(pod))
	s.Press("T")
	s.Want("ask OVN about a connection", "From      blue/api-d0", "▸To")
	s.Type("red web-f0")
	s.Press("enter")
	s.Want("enter asks")
	s.Type("8080")
	s.Press("enter")
	s.Want("trace blue/api-d0 → red/web-f0 tcp 8080", "OVN: ovn-trace cannot run here")
	s.Press("esc", "t")
	s.Type("red web-f0")
	s.Press("enter")
	s.Type("8080")
	s.Press("enter")
	s.Want("trace blue/api-d0 → red/web-f0 tcp 8080")

	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Logs))
	s.Press("T")
	s.Want("ask OVN about a connection")

	// Down goes on from the marked end, and typing replaces an end that was taken.
	s = uitest.OpenScreen(t, p, nav.NewPage(nav.Zones))
	s.Press("t")
	s.Type("api")
	first := s.Line("▸blue/api-d0")
	s.Press("down")
	if s.Line("▸blue/api-d1") == "" || first == "" {
		t.Errorf("down does not go to the second end:\n%s", s.PlainFrame())
	}
	s.Press("enter", "shift+tab")
	s.Type("red/web-f0")
	s.Want("From      red/web-f0")
}

func TestAskTraceSaysWhatIsWrong(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.NewPage(nav.Zones))
	s.Press("t", "enter")
	s.Want("type a few letters of a name")
	s.Type("zzzz")
	s.Want("no such pod, node or Service")
	s.Press("enter")
	s.Want("want a pod (NAMESPACE/NAME)")
	s.Press("ctrl+u")
	s.Type("kube-dns")
	s.WantNot("service/kube-system/kube-dns") // begins no connections
	s.Press("ctrl+u", "down", "enter")
	s.Want("From      blue/api-d0")
	s.Type("red web-f0")
	s.Press("enter")
	s.Type("x")
	s.Want("must be a port (1–65535)")
	s.Press("tab")
	s.Type("u53") // digits are the port, wherever they are typed
	s.Press("enter")
	s.Want("trace blue/api-d0 → red/web-f0 udp 53")
	s.Press("t", "esc")
	s.Want("trace blue/api-d0 → red/web-f0 udp 53")
	// A protocol behind the port is that of the question.
	s.Press("t", "shift+tab")
	s.Type("s")
	s.Press("shift+tab")
	s.Type("53/udp")
	s.Press("enter")
	s.Want("trace blue/api-d0 → red/web-f0 udp 53")
	for _, size := range [][2]int{{40, 10}, {80, 24}, {200, 60}} {
		s.Press("t")
		s.Resize(size[0], size[1])
		s.WantFits()
		s.Press("esc")
	}
}
