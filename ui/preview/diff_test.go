package preview_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"rung/model"
	"rung/revision"
	"rung/test/made"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// TestMain fails when a goroutine is left over.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reads reads "before": the demo without two of its policies, and with a policy and a workload
// besides; and "after", the demo. Anything else fails.
func reads(t *testing.T) func(context.Context, string) (*revision.Revision, error) {
	return func(ctx context.Context, input string) (*revision.Revision, error) {
		p := uitest.DemoFacts(t)
		p.Mode = revision.Mode{Name: revision.FilesMode, Title: input}
		switch input {
		case "after":
			return revision.New(*p, nil), nil
		case "before":
		default:
			return nil, fmt.Errorf("no such \x1b[31mfile as %s", input)
		}
		gate := made.ANP("old-gate", 1, "tenant=green", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("10.0.32.0/19")))})
		pod := made.Pod("legacy/cron-0", "app=cron", "10.244.9.9")
		pod.NodeName = "ovn-worker"
		p.Cluster, _ = p.Cluster.Upsert([]model.Object{gate, made.NS("legacy", "kubernetes.io/metadata.name=legacy"), pod},
			[]model.Key{{Kind: model.KindANP, Name: "blue-tenant"}, {Kind: model.KindNP, Namespace: "blue", Name: "allow-web"}})
		return revision.New(*p, nil), ctx.Err()
	}
}

// open shows a page of the demo, beside which inputs are read.
func openDiff(t *testing.T, before, after string) *uitest.Screen {
	t.Helper()
	return uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Page: nav.ToDiff(before, after), ReadInput: reads(t)})
}

func TestGoldens(t *testing.T) {
	s := openDiff(t, "before", "")
	s.Golden("connections")
	s.ResizeAll()
	s.Press("tab")
	s.Golden("policies")
	s.Press("tab")
	s.Golden("findings")
	s.Press("tab")
	s.Golden("guards")
	s.Press("tab")
	s.Golden("omitted")
	s.ResizeAll()
	s = openDiff(t, "", "")
	s.Golden("usage")
	s.ResizeAll()
}

// A connection leads to its trace, a policy to its page, a finding to its rule; where only the
// other side has them, or the console shows neither side, enter says so.
func TestLeadsOn(t *testing.T) {
	s := openDiff(t, "before", "")
	s.Press("enter")
	s.Want("› trace ")
	s.Press("esc", "/")
	s.Type("legacy")
	s.Press("enter", "enter")
	s.Want("the connection is only in before: an end no longer exists")
	s.WantNot("› trace ")
	s.Press("esc", "tab")
	for s.Line("▸") != "" && !strings.Contains(s.Line("▸"), "old-gate") {
		s.Press("j")
	}
	s.Press("enter")
	s.Want("ANP old-gate is only in before")
	s.Press("/")
	s.Type("blue-tenant")
	s.Press("enter", "enter")
	s.Want("diff before › blue-tenant")
	s.Press("esc", "esc", "tab", "enter")
	s.Want("diff before › ")
	s = openDiff(t, "before", "after")
	s.Want("opens")
	s.Press("enter")
	s.Want("the console shows demo, not after")
	s.Press("tab", "g", "enter")
	s.Want("the console shows demo, not after")
}

// The palette takes one input or two as they are typed; :diff alone says how, and asks.
func TestPalette(t *testing.T) {
	s := uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{Page: nav.NewPage(nav.Ladder), ReadInput: reads(t)})
	s.Press(":")
	s.Type("diff before")
	s.Want("compare it with what is shown here")
	s.Press("enter")
	s.Want("Ladder › diff before", "Connections: ")
	s.Press("esc", ":")
	s.Type("diff after 'after'")
	s.Press("enter")
	s.Want("diff after after", "nothing differs")
	s.Press("esc", ":")
	s.Type("diff a b c")
	s.Want("not now: diff takes one input or two")
	s.Press("esc", ":")
	s.Type("diff")
	s.Press("enter")
	s.Want("Ladder › diff", ":diff BEFORE AFTER")
	s.Press("e")
	s.Want("Compare")
	s.Type("No-Such")
	s.Press("enter")
	s.Want("diff No-Such", "■ no such", "file as No-Such")
	s.WantNot("\x1b[31mfile")
	s.Press("tab", "enter", "ctrl+r")
	s.Want("■ no such", "file as No-Such")
	s.ResizeAll()
	// Where nothing can be read, that is said.
	s = uitest.OpenScreen(t, uitest.DemoFacts(t), nav.ToDiff("before", ""))
	s.Want("■ before: no other input can be read here")
}

// What a change of the cluster makes of the answer is compared in its time; the other input is not
// read again for it.
func TestFollows(t *testing.T) {
	n, read := 0, reads(t)
	f := uitest.NewFake(uitest.DemoFacts(t))
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.ToDiff("after", ""), ReadInput: func(ctx context.Context, input string) (*revision.Revision, error) {
		n++
		return read(ctx, input)
	}})
	s.Want("nothing differs")
	p := uitest.DemoFacts(t)
	p.Cluster, _ = p.Cluster.Upsert(nil, []model.Key{{Kind: model.KindANP, Name: "blue-tenant"}})
	f.Set(p)
	s.Refresh()
	s.Want("nothing differs", "as of 14:05:00")
	f.Advance(11e9)
	f.Set(p)
	s.Refresh()
	s.Want("Policies: 1 gone")
	if n != 1 {
		t.Errorf("the other input was read %d times", n)
	}
	s.Press("ctrl+r")
	if n != 2 {
		t.Errorf("ctrl+r read it %d times", n-1)
	}
}

// A console that had not read everything is compared again at once when it has, though its objects
// are the same.
func TestComparesWhenRead(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Loaded, p.Sources = false, []model.SourceState{{Name: "manifests", Conn: model.ConnSynced}}
	f := uitest.NewFake(p)
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.ToDiff("before", ""), ReadInput: reads(t)})
	s.Want("Connections: not compared")
	whole := *p
	whole.Loaded = true
	f.Set(&whole)
	s.Refresh()
	s.WantNot("not compared")
	s.Want("Connections: ")
}
