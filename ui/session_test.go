package ui

import (
	"context"
	"testing"

	"rung/engine"
	"rung/revision"
)

// TestSwitchOneAtATime: two contexts that are opened at once would end in any order.
func TestSwitchOneAtATime(t *testing.T) {
	m := &rootModel{commandQueue: commandQueue{ctx: t.Context()}, rev: &revision.Revision{}}
	m.opt.Switch = func(context.Context, string) (Console, error) { return nil, engine.ErrNoCluster }
	m.switchTo("b")
	asked := len(m.cmds)
	m.switchTo("c")
	if len(m.cmds) != asked || m.status.shownText() == nil || !m.status.shownText().bad {
		t.Errorf("%d contexts are being opened, status %+v", len(m.cmds), m.status)
	}
	m.switchConsole(m.cmds[0]().(switchMsg))
	m.switchTo("c")
	if len(m.cmds) != asked+1 {
		t.Error("another context was not opened after the first")
	}
}
