package ui

import (
	"context"
	"testing"

	"rung/engine"
	"rung/revision"
	"rung/themes"
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

// A context has the theme that the configuration gives it, unless a flag or the user says another.
func TestThemeOfContext(t *testing.T) {
	const text = "theme: dark\ncontexts: {prod: {theme: mono}}"
	for _, tt := range []struct {
		flag, mode, context string
		chosen              string
		want                string
	}{
		{"", revision.ClusterMode, "prod", "", "mono"},
		{"", revision.ClusterMode, "staging", "", "dark"},
		{"", "files", "prod", "", "dark"}, // a folder may be called so
		{"light", revision.ClusterMode, "prod", "", "light"},
		{"", revision.ClusterMode, "prod", "light", "light"},
	} {
		m := &rootModel{rev: &revision.Revision{Facts: revision.Facts{Mode: revision.Mode{Name: tt.mode, Title: tt.context}}}}
		m.opt.Themes, m.opt.Config = themes.BuiltinThemes(), ParseFile("rung.yaml", []byte(text))
		m.opt.OverrideBy(tt.flag, "", false, false)
		if tt.chosen != "" {
			m.takeChosen(&ChosenItem{Theme: tt.chosen})
		}
		m.enterContext(&m.opt, m.rev.Mode)
		if m.theme != tt.want {
			t.Errorf("%+v: theme %q", tt, m.theme)
		}
	}
}
