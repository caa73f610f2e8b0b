package action

import (
	"rung/engine/probe"
	"rung/model"
	"rung/ui/nav"
)

// The actions of the page of a probe.
const (
	ProbeAgain ID = "probe.again"
	ProbeAsk   ID = "probe.ask"
)

var probeActions = []Action{
	{ID: ProbeAgain, Keys: []string{"ctrl+r"}, Title: "send again", Footer: 20, Disabled: OnOVN, Help: "put the same connection in again"},
	{ID: ProbeAsk, Keys: []string{"P"}, Title: "other ends", Footer: 30, Disabled: OnOVN,
		Help: "probe another connection: choose both ends, protocol and port"},
}

// OnOVN disables an action that puts packets into the sandbox.
func OnOVN(c Context) string {
	if err := probe.Possible(c.Mode); err != nil {
		return err.Error()
	}
	return ""
}

// probed says whether hints offer a probe: where one is possible, beside what it can
// begin from.
func probed(c Context) bool {
	return OnOVN(c) == "" && (c.Page.Kind == nav.Logs || c.Page.Kind == nav.Rule || c.Page.Kind == nav.Trace || c.Page.Kind == nav.Pod ||
		c.Selected.Key.Kind == model.KindPod || c.Selected.Dir != "")
}
