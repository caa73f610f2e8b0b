package ask

import (
	"net/netip"

	"rung/engine/trace"
	"rung/revision/connections"
)

// matrixOut is a matrix in JSON.
type matrixOut struct {
	// Protocol and Port are empty and 0 where every port counts.
	Protocol string          `json:"protocol"`
	Port     int             `json:"port"`
	Focus    string          `json:"focus,omitempty"`
	Only     string          `json:"only,omitempty"`
	Ends     []matrixEndOut  `json:"ends"`
	Cells    []matrixCellOut `json:"cells"`
}

type matrixEndOut struct {
	Name string `json:"name"`
	// Kind is "namespace", "workload", "pod", "service" or, of addresses outside, "network".
	Kind      string         `json:"kind"`
	Namespace string         `json:"namespace,omitempty"`
	Workload  string         `json:"workload,omitempty"`
	Pod       string         `json:"pod,omitempty"`
	Service   string         `json:"service,omitempty"`
	Network   string         `json:"network,omitempty"`
	Except    []netip.Prefix `json:"except,omitempty"` // of Network
	Pods      int            `json:"pods"`
}

func matrixEndOf(e *connections.MatrixEnd) matrixEndOut {
	out := matrixEndOut{Name: e.Name(), Kind: "namespace", Namespace: e.Namespace, Workload: e.Workload, Pod: e.Pod, Except: e.Except, Pods: e.Pods()}
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
	From          string `json:"from"`
	To            string `json:"to"`
	Verdict       string `json:"verdict"`
	Pairs         int    `json:"pairs"`
	Allow         int    `json:"allow"`
	Deny          int    `json:"deny"`
	ByPort        int    `json:"by_port"`
	Undefined     int    `json:"undefined"`
	Unknown       int    `json:"unknown"`
	NotApplicable int    `json:"not_applicable"`
	// Example is a connection of which the verdict is true, of a mixed cell a denied one.
	Example *trace.Question `json:"example,omitempty"`
}

func (t *matrixTable) jsonOut() *matrixOut {
	out := &matrixOut{Protocol: string(t.m.Ports.Protocol), Port: int(t.m.Ports.Port), Focus: t.ask.focus, Only: t.ask.only,
		Ends: []matrixEndOut{}, Cells: []matrixCellOut{}}
	seen := map[*connections.MatrixEnd]bool{}
	end := func(e *connections.MatrixEnd) {
		if !seen[e] {
			seen[e] = true
			out.Ends = append(out.Ends, matrixEndOf(e))
		}
	}
	t.visitCells(func(from, to *connections.MatrixEnd, c connections.MatrixCell) {
		end(from)
		end(to)
		cell := matrixCellOut{From: from.Name(), To: to.Name(), Verdict: string(c.Verdict()), Pairs: c.CountPairs(), Allow: c.Allow, Deny: c.Deny,
			ByPort: c.ByPort, Undefined: c.Undefined, Unknown: c.Unknown, NotApplicable: c.NotApplicable}
		if q, ok := t.m.ExampleOfCell(from, to); ok {
			example := trace.QuestionOf(q)
			cell.Example = &example
		}
		out.Cells = append(out.Cells, cell)
	})
	return out
}
