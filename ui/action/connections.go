package action

import (
	"rung/engine/trace"
	"rung/model"
	"rung/system"
	"rung/ui/nav"
)

// Actions of the page of a trace.
const (
	TraceAsk ID = "trace.ask"
	TraceAll ID = "trace.all"
	TraceOVN ID = "trace.ovn"

	LadderNetwork ID = "ladder.network"
	TraceNetwork  ID = "trace.network"
	MatrixNetwork ID = "matrix.network"
)

var traceActions = []Action{
	{ID: TraceAsk, Keys: []string{"t"}, Title: "other ends", Footer: 20,
		Help: "trace another connection: choose both ends, protocol and port"},
	{ID: TraceOVN, Needs: system.Rows, Keys: []string{"T"}, Title: "ask OVN", Footer: 25, Disabled: asksOVN,
		Help: "run ovn-trace in the zones of the connection: shows the rules the packet meets in OVN, next to the rows' answer"},
	networkFrom(TraceNetwork, 28, "judge the connection on another network"),
	{ID: TraceAll, Keys: []string{"w"}, Title: "all tried", Footer: 30, Help: "show also policies that do not apply to these pods, or hide " +
		"them"},
}

// traceFrom makes the trace action of a page from whose lines a trace can start. The palette has GoTrace for
// it.
func traceFrom(id ID, footer int, help string) Action {
	return Action{ID: id, Keys: []string{"t"}, Title: "trace", Footer: footer, Hidden: true, Help: help}
}

// networkFrom makes the action that shows a page on another network.
func networkFrom(id ID, footer int, help string) Action {
	return Action{ID: id, Keys: []string{"H"}, Title: "network", Also: []string{"networks", "on"}, Footer: footer, Networks: true, Help: help +
		": choose one by its pods and topology; esc goes back"}
}

// ovnFrom makes the action that runs ovn-trace for the connection of a page.
func ovnFrom(id ID, help string) Action {
	return Action{ID: id, Keys: []string{"T"}, Title: "ask OVN", Needs: system.Rows, Hidden: true, Disabled: asksOVN, Help: help}
}

// asksOVN disables ovn-trace if the sandbox has no OVN. On a cluster the pods themselves report errors when
// asked.
func asksOVN(c Context) string {
	if c.Mode.Sandbox {
		return NeedsOVN(c)
	}
	return ""
}

// Actions of the page of a probe.
const (
	ProbeAgain ID = "probe.again"
	ProbeAsk   ID = "probe.ask"
)

var probeActions = []Action{
	{ID: ProbeAgain, Keys: []string{"ctrl+r"}, Title: "send again", Footer: 20, Disabled: NeedsOVN, Help: "send the same connection again"},
	{ID: ProbeAsk, Keys: []string{"P"}, Title: "other ends", Footer: 30, Disabled: NeedsOVN,
		Help: "probe another connection: choose both ends, protocol and port"},
}

// NeedsOVN disables an action that sends packets into the sandbox if that is not possible.
func NeedsOVN(c Context) string {
	if err := trace.CheckPossible(c.Mode); err != nil {
		return err.Error()
	}
	return ""
}

// canOfferProbe reports whether hints offer a probe: if possible, on pages and lines with a connection or a
// rule.
func canOfferProbe(c Context) bool {
	return NeedsOVN(c) == "" && (c.Page.Kind == nav.Logs || c.Page.Kind == nav.Rule || c.Page.Kind == nav.Trace || c.Page.Kind == nav.Pod ||
		c.Selected.Key.Kind == model.KindPod || c.Selected.Dir != "")
}

// Actions of the page of a matrix.
const (
	MatrixFold  ID = "matrix.fold"
	MatrixTrace ID = "matrix.trace"
	MatrixPort  ID = "matrix.port"
	MatrixOnly  ID = "matrix.only"
	MatrixSwap  ID = "matrix.swap"

	MatrixServices ID = "matrix.services"
	MatrixOutside  ID = "matrix.outside"
)

var matrixActions = []Action{
	{ID: MatrixFold, Keys: []string{"space"}, Title: "unfold", Footer: 15, Help: "unfold the row under the cursor: a namespace to its " +
		"workloads, a workload to its pods; or fold it"},
	{ID: MatrixPort, Keys: []string{"#"}, Title: "port", Footer: 20, Help: "ask about one port (80, 53/udp, icmp) or about every port"},
	{ID: MatrixOnly, Keys: []string{"V"}, Title: "show only", Footer: 30, Help: "show only denied cells, then mixed, undefined, unknown " +
		"ones, then all"},
	{ID: MatrixSwap, Keys: []string{"tab"}, Title: "swap", Footer: 40, Help: "swap rows and columns: rows are then destinations; " +
		"unfolded ends stay unfolded"},
	{ID: MatrixServices, Keys: []string{"I"}, Title: "Services", Help: "show Services as columns, each at its own ports or at the " +
		"matrix's port, or hide them"},
	{ID: MatrixOutside, Keys: []string{"X"}, Title: "outside", Help: "show outside addresses as columns, one for each block that policies " +
		"distinguish, or hide them"},
	networkFrom(MatrixNetwork, 22, "show the pods of another network"),
	traceFrom(MatrixTrace, 25, "trace a connection of the cell under the cursor: an example to begin with"),
}
