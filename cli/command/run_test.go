package command

import (
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/system"
)

// A one-shot command answers when the rows were read and judged by the objects as
// they are; before, its answer would be "settling".
func TestSettledWaitsForTheJudgement(t *testing.T) {
	zone := func(change func(*model.ZoneState)) *revision.Revision {
		z := &model.ZoneState{Name: "alpha", Conn: model.ConnSynced, SyncedAt: time.Now(), DB: &nb.DB{}}
		change(z)
		return revision.New(revision.Facts{Zones: []*model.ZoneState{z}}, nil)
	}
	for name, test := range map[string]struct {
		revision *revision.Revision
		want     bool
	}{
		"judged":         {zone(func(*model.ZoneState) {}), true},
		"judging":        {zone(func(z *model.ZoneState) { z.Judging = true }), false},
		"never read":     {zone(func(z *model.ZoneState) { z.Conn, z.SyncedAt = model.ConnDialling, time.Time{} }), false},
		"cannot be read": {zone(func(z *model.ZoneState) { z.Conn, z.SyncedAt = model.ConnDenied, time.Time{} }), true},
		"no zone yet":    {&revision.Revision{}, false},
	} {
		if got := ZonesSettled()(test.revision); got != test.want {
			t.Errorf("%s: settled is %t, want %t", name, got, test.want)
		}
	}
}

// What is waited for is named by the kinds that are still being read, once others were.
func TestWaitingForText(t *testing.T) {
	facts := revision.Facts{System: system.SystemByName("ovn-kubernetes"), Mode: revision.Mode{Name: revision.ClusterMode, Server: "https://a"}, Sources: []model.SourceState{{Name: "lab", Conn: model.ConnDialling,
		Resources: []model.SourceResource{{Name: "pods", Kind: model.KindPod, Conn: model.ConnDialling}, {Name: "nodes", Kind: model.KindNode, Conn: model.ConnDialling}}}}}
	text := func() string { return waitingForText(&revision.Revision{Facts: facts}) }
	if got, want := text(), "the API server https://a"; got != want {
		t.Errorf("at first: %q, want %q", got, want)
	}
	nodes := &facts.Sources[0].Resources[1]
	nodes.Conn, nodes.Count, nodes.WasRead = model.ConnSynced, 3, true
	if got, want := text(), "Pods of the API server https://a"; got != want {
		t.Errorf("with nodes: %q, want %q", got, want)
	}
}
