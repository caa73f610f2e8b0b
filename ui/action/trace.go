package action

import "rung/system"

// The actions of the page of a trace.
const (
	TraceAsk ID = "trace.ask"
	TraceAll ID = "trace.all"
	TraceOVN ID = "trace.ovn"
)

var traceActions = []Action{
	{ID: TraceAsk, Keys: []string{"t"}, Title: "other ends", Footer: 20, Help: "trace another connection: choose both ends, protocol and port"},
	{ID: TraceOVN, Needs: system.Rows, Keys: []string{"T"}, Title: "ask OVN", Footer: 25, Disabled: asksOVN, Help: "run ovn-trace in the zones of the connection: the rules that the packet meets in OVN, beside what the rows say"},
	{ID: TraceAll, Keys: []string{"w"}, Title: "all tried", Footer: 30, Help: "show policies that are not about these pods, too, or only those that are"},
}

// traceFrom is the action of a page whose lines a trace can begin from. The palette has
// GoTrace, which does the same.
func traceFrom(id ID, footer int, help string) Action {
	return Action{ID: id, Keys: []string{"t"}, Title: "trace", Footer: footer, Hidden: true, Help: help}
}

// ovnFrom is the same with ovn-trace.
func ovnFrom(id ID, help string) Action {
	return Action{ID: id, Keys: []string{"T"}, Title: "ask OVN", Needs: system.Rows, Hidden: true, Disabled: asksOVN, Help: help}
}

// asksOVN disables what runs ovn-trace where the sandbox has no OVN. Why a cluster cannot
// run it, its pods say when they are asked.
func asksOVN(c Context) string {
	if c.Mode.Sandbox {
		return OnOVN(c)
	}
	return ""
}
