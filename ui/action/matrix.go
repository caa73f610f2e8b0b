package action

// The actions of the page of a matrix.
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
	{ID: MatrixFold, Keys: []string{"space"}, Title: "unfold", Footer: 15, Help: "unfold the row under the cursor: a namespace to its workloads, a workload to its pods; or fold it"},
	{ID: MatrixPort, Keys: []string{"#"}, Title: "port", Footer: 20, Help: "ask about one port (80, 53/udp, icmp) or about every port"},
	{ID: MatrixOnly, Keys: []string{"V"}, Title: "show only", Footer: 30, Help: "show only what is denied, then what is mixed, undefined, unknown; after the last, everything"},
	{ID: MatrixSwap, Keys: []string{"tab"}, Title: "swap", Footer: 40, Help: "swap rows and columns: rows are then where connections go to; what is unfolded stays so"},
	{ID: MatrixServices, Keys: []string{"I"}, Title: "Services", Help: "show the Services as columns, too, each at its own ports or at that of the matrix; or leave them out again"},
	{ID: MatrixOutside, Keys: []string{"X"}, Title: "outside", Help: "show the addresses outside as columns, too: the blocks that policies tell apart; or leave them out again"},
	traceFrom(MatrixTrace, 25, "trace a connection of the cell under the cursor: an example to begin with"),
}
