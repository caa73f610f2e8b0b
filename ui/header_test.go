package ui_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui/nav"
)

// headOf is the first line of the screen.
func headOf(s *uitest.Screen) string {
	head, _, _ := strings.Cut(s.PlainFrame(), "\n")
	return head
}

// The header always says which cluster this is and whether it can be changed, then what runs out,
// then what is counted, with what is not read. The page of the cluster has all of it.
func TestHeaderKeepsWhatMatters(t *testing.T) {
	onCluster := func() *revision.Facts { return uitest.ClusterFacts(t) }
	stopped := &revision.PlanState{Title: "Re-space: step 10, starting at 10", Total: 9, Done: 7, State: revision.PlanStopped}
	trial := &revision.UnconfirmedChange{ID: "1", Title: "Move ANP cluster-control from 34 to 36", Until: uitest.Now.Add(59 * time.Second), IsOwn: true}
	writes := func(f *revision.Facts) *revision.Facts { f.Mode.Writes = true; return f }
	long := func(f *revision.Facts) *revision.Facts {
		f.Mode.Title = "arn:aws:eks:eu-central-1:123456789012:cluster/production-eu-1"
		return f
	}
	lost := func(f *revision.Facts) *revision.Facts {
		f.Sources[0].Conn, f.Sources[0].ReadAt = model.ConnLost, uitest.Now.Add(-3*time.Minute)
		return f
	}
	with := func(f *revision.Facts, u *revision.UnconfirmedChange, p *revision.PlanState) *revision.Facts {
		f.Unconfirmed, f.Plan = u, p
		return f
	}
	for _, x := range []struct {
		name  string
		facts *revision.Facts
		at80  []string
		at40  []string
	}{
		{"read-only", onCluster(), []string{"prod-eu", "READ-ONLY", "W allows changes", "findings ■5"}, []string{"prod-eu", "READ-ONLY"}},
		{"on trial", with(writes(onCluster()), trial, nil), []string{"prod-eu", "WRITES", "reverts in 59s", "Y keeps", "findings ■5"},
			[]string{"prod-eu", "WRITES", "reverts in 59s"}},
		{"a plan that stopped", with(onCluster(), nil, stopped), []string{"prod-eu", "READ-ONLY", "plan 7/9 stopped", "findings ■5"},
			[]string{"prod-eu", "READ-ONLY", "plan 7/9 stopped"}},
		{"both", with(writes(onCluster()), trial, stopped), []string{"prod-eu", "WRITES", "reverts in 59s", "plan 7/9 stopped"},
			[]string{"prod-eu", "WRITES", "reverts in 59s"}},
		{"a long name", with(long(writes(onCluster())), trial, stopped), []string{"arn:a", "…", "eu-1", "WRITES", "reverts in 59s", "plan 7/9 stopped"},
			[]string{"arn:…u-1", "WRITES", "reverts in 59s"}},
		{"a long name, read only", long(onCluster()), []string{"arn:aws:eks:", "-eu-1", "READ-ONLY", "findings ■5"}, []string{"arn:aws", "eu-1", "READ-ONLY"}},
		{"a name of some length", func() *revision.Facts { f := onCluster(); f.Mode.Title = "production-eu-central-1"; return f }(), []string{"-central-1", "READ-ONLY"}, []string{"READ-ONLY"}},
		{"a server that is gone", lost(onCluster()), []string{"prod-eu", "READ-ONLY", "prod-eu lost", "findings ■5"}, []string{"prod-eu", "READ-ONLY"}},
	} {
		s := uitest.OpenScreen(t, x.facts, nav.NewPage(nav.Ladder))
		for w, want := range map[int][]string{80: x.at80, 40: x.at40} {
			s.Resize(w, 24)
			head := headOf(s)
			for _, text := range want {
				if !strings.Contains(head, text) {
					t.Errorf("%s at %d cells lacks %q: %s", x.name, w, text, head)
				}
			}
			if strings.Contains(head, "… 8") {
				t.Errorf("%s at %d cells counts what it leaves out: %s", x.name, w, head)
			}
		}
		s.Resize(200, 60)
		if head := headOf(s); !strings.Contains(head, "!1 not read") {
			t.Errorf("%s: the rejected policy is not counted: %s", x.name, head)
		} else if len(x.facts.Mode.Title) <= 40 && (!strings.Contains(head, x.facts.Mode.Title+"  ") || strings.Contains(head, "…")) {
			t.Errorf("%s: there is room for all: %s", x.name, head)
		}
		s.Press("8")
		for _, text := range []string{x.facts.Mode.Title, "counts        ANP 10 · BANP 1", "pods 41 · rev 481", "■5"} {
			s.Want(text)
		}
		if x.facts.Unconfirmed != nil {
			s.Want("Move ANP cluster-control from 34 to 36: not confirmed: reverts in 59s")
		}
		if x.facts.Plan != nil {
			s.Want("Re-space: step 10, starting at 10: stopped, 7 of 9 done")
		}
	}
	s := uitest.OpenScreen(t, onCluster(), nav.NewPage(nav.Ladder))
	s.Resize(200, 60)
	if head := headOf(s); strings.Contains(head, "…") || !strings.Contains(head, "rev ") {
		t.Errorf("with room for everything the header says that it leaves something out: %s", head)
	}
	s.Resize(24, 8)
	if head := headOf(s); !strings.Contains(head, "prod-eu") || !strings.Contains(head, "READ-ONLY") {
		t.Errorf("the smallest header: %s", head)
	}
	s.Resize(80, 24)
	s.Send(tea.MouseClickMsg{X: 2, Y: 0, Button: tea.MouseLeft})
	s.Want("Ladder › cluster")
	s.Resize(200, 60)
	head, _, _ := strings.Cut(headOf(s), "!1 not read")
	s.Send(tea.MouseClickMsg{X: len([]rune(head)), Y: 0, Button: tea.MouseLeft})
	s.Want("› not counted")
}
