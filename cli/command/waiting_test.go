package command

import (
	"testing"

	"rung/model"
	"rung/revision"
	"rung/system"
)

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
