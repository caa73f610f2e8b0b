package matrix

import (
	"fmt"
	"html"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/layout"
	"gonum.org/v1/gonum/graph/simple"

	"rung/model/words"
)

// edge holds the allowed connections from one end to another.
type edge struct {
	from, to string
	label    string
	doubtful bool // mixed or undefined
}

// joinEdges joins passages by their ends, in order. names are the connected ends, each once.
func joinEdges(all []*AllowedConnection) (names []string, edges []*edge) {
	at := map[[2]string]*edge{}
	known := map[string]bool{}
	for _, p := range all {
		for _, name := range []string{p.From, p.To} {
			if !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
		e := at[[2]string{p.From, p.To}]
		if e == nil {
			e = &edge{from: p.From, to: p.To}
			at[[2]string{p.From, p.To}] = e
			edges = append(edges, e)
		} else {
			e.label += ", "
		}
		e.label += p.PortsText()
		e.doubtful = e.doubtful || p.Verdict != "allow"
	}
	slices.Sort(names)
	return names, edges
}

// Dot returns connections as a Graphviz graph, with a cluster for each namespace.
func Dot(all []*AllowedConnection) string {
	names, edges := joinEdges(all)
	quote := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	var b strings.Builder
	b.WriteString("digraph connections {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", " +
		"fontsize=10];\n")
	spaces := map[string][]string{}
	outside := map[string]bool{}
	for _, p := range all {
		for _, e := range []struct {
			name, space string
		}{{p.From, p.FromEnd.Namespace}, {p.To, p.ToEnd.Namespace}} {
			if e.space == "" {
				outside[e.name] = true
			} else if !slices.Contains(spaces[e.space], e.name) {
				spaces[e.space] = append(spaces[e.space], e.name)
			}
		}
	}
	for i, s := range slices.Sorted(maps.Keys(spaces)) {
		slices.Sort(spaces[s])
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s;\n", i, quote(s))
		for _, name := range spaces[s] {
			fmt.Fprintf(&b, "    %s [label=%s];\n", quote(name), quote(strings.TrimPrefix(name, s+"/")))
		}
		b.WriteString("  }\n")
	}
	for _, name := range names {
		if outside[name] {
			fmt.Fprintf(&b, "  %s [shape=ellipse];\n", quote(name))
		}
	}
	for _, e := range edges {
		style := words.Choose(e.doubtful, ", style=dashed", "")
		fmt.Fprintf(&b, "  %s -> %s [label=%s%s];\n", quote(e.from), quote(e.to), quote(e.label), style)
	}
	b.WriteString("}\n")
	return b.String()
}

// The sizes in the picture, in pixels.
const (
	nodeHeight   = 26
	nodeDistance = 190 // approximate distance between node centres
	margin       = 40
)

// SVG draws connections as a picture, with connected nodes near each other. Equal connections give equal
// pictures.
func SVG(all []*AllowedConnection) string {
	names, edges := joinEdges(all)
	x, y, width, height := placeNodes(names, edges)
	at := map[string]int{}
	for i, n := range names {
		at[n] = i
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" font-family="sans-serif" font-size="12">`+"\n", width,
		height)
	b.WriteString(`<defs><marker id="to" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">` +
		`<path d="M0,0 L8,4 L0,8 z" fill="#667"/></marker></defs>` + "\n")
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" fill="white"/>`+"\n", width, height)
	for _, e := range edges {
		dash := words.Choose(e.doubtful, ` stroke-dasharray="5 3"`, "")
		title := "<title>" + html.EscapeString(e.from+" → "+e.to+": "+e.label) + "</title>"
		i, j := at[e.from], at[e.to]
		if i == j {
			fmt.Fprintf(&b, `<path d="M%.1f,%.1f c-18,-34 18,-34 4,0" fill="none" stroke="#667"%s marker-end="url(#to)">%s</path>`+"\n", x[i]-4,
				y[i]-nodeHeight/2, dash, title)
			continue
		}
		x1, y1 := borderPoint(names[i], x[i], y[i], x[j], y[j])
		x2, y2 := borderPoint(names[j], x[j], y[j], x[i], y[i])
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#667"%s marker-end="url(#to)">%s</line>`+"\n", x1, y1, x2, y2,
			dash, title)
	}
	for i, n := range names {
		w := nodeWidth(n)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" rx="4" fill="#eef3fa" stroke="#357"/>`+
			`<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`+"\n",
			x[i]-w/2, y[i]-nodeHeight/2, w, nodeHeight, x[i], y[i]+4, html.EscapeString(shortNode(n)))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// shortNode shortens a name to fit its box; the titles of its lines have the full name.
func shortNode(name string) string {
	if r := []rune(name); len(r) > 30 {
		return string(r[:14]) + "…" + string(r[len(r)-15:])
	}
	return name
}

func nodeWidth(name string) float64 { return float64(len([]rune(shortNode(name))))*6.8 + 16 }

// borderPoint returns where the line from a node's centre to another point leaves the node's box.
func borderPoint(name string, x, y, tx, ty float64) (float64, float64) {
	dx, dy := tx-x, ty-y
	scale := math.Inf(1)
	if dx != 0 {
		scale = nodeWidth(name) / 2 / math.Abs(dx)
	}
	if dy != 0 {
		scale = min(scale, nodeHeight/2/math.Abs(dy))
	}
	if math.IsInf(scale, 1) {
		return x, y
	}
	return x + dx*min(scale, 1), y + dy*min(scale, 1)
}

// orderedGraph is a graph with ordered nodes: gonum's own graphs are maps, so every picture would differ.
type orderedGraph struct{ near [][]graph.Node }

func newOrderedGraph(names []string, edges []*edge) *orderedGraph {
	g := &orderedGraph{near: make([][]graph.Node, len(names))}
	at := map[string]int64{}
	for i, n := range names {
		at[n] = int64(i)
	}
	for _, e := range edges {
		i, j := at[e.from], at[e.to]
		if i != j && !g.HasEdgeBetween(i, j) {
			g.near[i], g.near[j] = append(g.near[i], simple.Node(j)), append(g.near[j], simple.Node(i))
		}
	}
	return g
}

// Node, Nodes, From, HasEdgeBetween and Edge implement graph.Graph.
func (g *orderedGraph) Node(id int64) graph.Node {
	if id < 0 || id >= int64(len(g.near)) {
		return nil
	}
	return simple.Node(id)
}

func (g *orderedGraph) Nodes() graph.Nodes {
	all := make([]graph.Node, len(g.near))
	for i := range all {
		all[i] = simple.Node(i)
	}
	return iterator.NewOrderedNodes(all)
}

func (g *orderedGraph) From(id int64) graph.Nodes { return iterator.NewOrderedNodes(g.near[id]) }

func (g *orderedGraph) HasEdgeBetween(i, j int64) bool {
	return slices.Contains(g.near[i], graph.Node(simple.Node(j)))
}

func (g *orderedGraph) Edge(i, j int64) graph.Edge {
	if !g.HasEdgeBetween(i, j) {
		return nil
	}
	return simple.Edge{F: simple.Node(i), T: simple.Node(j)}
}

// placeNodes returns the centres of nodes, with connected nodes near each other. It scales gonum's layout to a
// picture whose size grows with the number of nodes.
func placeNodes(names []string, edges []*edge) (x, y []float64, width, height float64) {
	g := newOrderedGraph(names, edges)
	spring := layout.EadesR2{Repulsion: 1, Rate: 0.02, Updates: 200, Theta: 0.2, Src: rand.NewPCG(1, 1)}
	o := layout.NewOptimizerR2(g, spring.Update)
	for o.Update() {
	}
	side := nodeDistance * math.Sqrt(float64(max(1, len(names))))
	width, height = side*1.4+2*margin, side*0.8+2*margin
	x, y = make([]float64, len(names)), make([]float64, len(names))
	spread := func(of []float64, get func(i int) float64, size float64) {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range of {
			of[i] = get(i)
			if math.IsNaN(of[i]) || math.IsInf(of[i], 0) {
				of[i] = float64(i) // nodes without a position are in a row
			}
			lo, hi = min(lo, of[i]), max(hi, of[i])
		}
		for i := range of {
			if hi > lo {
				of[i] = margin + nodeDistance/2 + (of[i]-lo)/(hi-lo)*max(0, size-2*margin-nodeDistance)
			} else {
				of[i] = size / 2
			}
		}
	}
	spread(x, func(i int) float64 { return o.Coord2(int64(i)).X }, width)
	spread(y, func(i int) float64 { return o.Coord2(int64(i)).Y }, height)
	return x, y, width, height
}
