package cli

import (
	"net/netip"

	"rung/engine/trace"
	"rung/model/verdict"
	"rung/revision"
)

// matrixOut is a matrix in JSON, without its cells.
type matrixOut struct {
	// Protocol is empty and Port is 0 if every port counts.
	Protocol string         `json:"protocol"`
	Port     int            `json:"port"`
	Focus    string         `json:"focus,omitempty"`
	Only     string         `json:"only,omitempty"`
	Ends     []matrixEndOut `json:"ends"`
}

type matrixEndOut struct {
	Name string `json:"name"`
	// "namespace", "workload", "pod", "service" or, for addresses outside, "network".
	Kind      string         `json:"kind"`
	Namespace string         `json:"namespace,omitempty"`
	Workload  string         `json:"workload,omitempty"`
	Pod       string         `json:"pod,omitempty"`
	Service   string         `json:"service,omitempty"`
	Network   string         `json:"network,omitempty"`
	Except    []netip.Prefix `json:"except,omitempty"` // of Network
	Pods      int            `json:"pods"`
}

func newMatrixEndOut(e *revision.MatrixEnd) matrixEndOut {
	out := matrixEndOut{Name: e.Name(), Kind: "namespace", Namespace: e.Namespace, Workload: e.Workload, Pod: e.Pod, Except: e.Except,
		Pods: e.Pods()}
	switch {
	case e.Network.IsValid():
		out.Kind, out.Network = "network", e.Network.String()
	case e.Service.Name != "":
		out.Kind, out.Namespace, out.Service = "service", e.Service.Namespace, e.Service.Name
	case e.Pod != "":
		out.Kind = "pod"
	case e.Workload != "":
		out.Kind = "workload"
	}
	return out
}

type matrixCellOut struct {
	From    string          `json:"from"`
	To      string          `json:"to"`
	Verdict verdict.Verdict `json:"verdict"`
	Pairs   int             `json:"pairs"`
	revision.MatrixCell
	// A connection with the cell's verdict; a denied one for a mixed cell.
	Example *trace.Question `json:"example,omitempty"`
}

// shownCell is a shown cell, with the indexes of its ends.
type shownCell struct {
	from, to int32
	cell     revision.MatrixCell
}

// shownCells returns the shown cells and adds their ends to out.
func (t *matrixTable) shownCells(out *matrixOut) (cells []shownCell) {
	seen := map[*revision.MatrixEnd]int32{}
	end := func(e *revision.MatrixEnd) int32 {
		at, is := seen[e]
		if !is {
			at = int32(len(out.Ends))
			seen[e] = at
			out.Ends = append(out.Ends, newMatrixEndOut(e))
			t.shown, t.names = append(t.shown, e), append(t.names, e.Name())
		}
		return at
	}
	cells = make([]shownCell, 0, len(t.rows)*len(t.cols))
	t.visitCells(func(from, to *revision.MatrixEnd, c revision.MatrixCell) {
		a := end(from)
		cells = append(cells, shownCell{a, end(to), c})
	})
	return cells
}

func (t *matrixTable) newCellOut(s *shownCell) *matrixCellOut {
	out := &matrixCellOut{From: t.names[s.from], To: t.names[s.to], Verdict: s.cell.Verdict(), Pairs: s.cell.CountPairs(), MatrixCell: s.cell}
	if q, ok := t.m.ExampleOfCell(t.shown[s.from], t.shown[s.to]); ok {
		out.Example = new(trace.NewQuestion(q))
	}
	return out
}
