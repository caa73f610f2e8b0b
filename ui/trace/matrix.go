package trace

import (
	"context"
	"errors"
	"slices"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// matrixPage is the view.
type matrixPage struct {
	focus       string // the one namespace shown, or empty for all
	network     string // network shown, or empty for the default one
	ports       verdict.Ports
	portProblem string // why the page's port is invalid

	askedBasis revision.RevisionBasis // inputs of the present or running matrix
	matrixWork view.LatestWork
	next       time.Time // earliest time of the next question

	m *revision.Matrix // nil until the first

	// services and outside add these as destinations: reached.
	services, outside bool
	destinations      []*revision.MatrixEnd

	swapped bool // rows are destinations
	open    [2]map[string]bool
	only    verdict.Verdict
	filter  widget.LineFilter
	allRows int // rows before filtering

	rows, cols       []*revision.MatrixEnd
	numbers          map[string]int // of columns, by name
	cursor           cursorPlace
	top, firstColumn int // first row and column in sight
	h                int // rows in sight
	header           int // lines above the rows
	fits             fittedWidths
}

// cursorPlace is the place of the cursor: a row, and a column, or -1 for the row's name.
type cursorPlace struct{ row, col int }

// NewMatrix makes the view.
func NewMatrix(p nav.Page) view.View {
	v := &matrixPage{open: [2]map[string]bool{{}, {}}, cursor: cursorPlace{0, -1}, network: p.Network}
	if p.Key.Kind == model.KindNamespace {
		v.focus = p.Key.Name
	}
	var err error
	if v.ports, err = trace.ParsePorts(p.ID); err != nil {
		v.portProblem = err.Error()
	}
	return v
}

// matrixAnswer is a computed matrix.
type matrixAnswer struct {
	rev     *revision.Revision
	m       *revision.Matrix
	reached []*revision.MatrixEnd
	took    time.Duration
}

// Sync computes the matrix when due.
func (v *matrixPage) Sync(env *view.Env) {
	if v.portProblem == "" && v.isDue(env) {
		v.askMatrix(env)
	}
}

// isDue reports whether to compute the matrix again now.
func (v *matrixPage) isDue(env *view.Env) bool {
	return !v.matrixWork.IsUnderWay() && !env.Now.Before(v.next) && v.askedBasis != env.Rev.Basis()
}

// HasNews reports whether to compute the matrix again.
func (v *matrixPage) HasNews(env *view.Env) bool { return v.portProblem == "" && v.isDue(env) }

// WorkingSince returns when computing the matrix began.
func (v *matrixPage) WorkingSince() time.Time { return v.matrixWork.BeganAt() }

// askMatrix computes the matrix in a goroutine: on a large cluster it takes a while.
func (v *matrixPage) askMatrix(env *view.Env) {
	v.askedBasis = env.Rev.Basis()
	whole, network, ports, clock, services, outside := env.Rev, v.network, v.ports, env.Console.Now, v.services, v.outside
	view.BeginWork(&v.matrixWork, env, "computing the matrix", func(ctx context.Context) (matrixAnswer, error) {
		began := clock()
		r, err := view.RevisionOn(whole, network)
		if err != nil {
			return matrixAnswer{}, err
		}
		m, err := revision.FindMatrix(r, ctx, ports)
		var reached []*revision.MatrixEnd
		if err == nil && services {
			reached, err = m.ServiceEnds(ctx)
		}
		if err == nil && outside {
			reached = slices.Concat(reached, m.OutsideEnds())
		}
		return matrixAnswer{r, m, reached, clock().Sub(began)}, err
	})
}

// ReceiveResult takes a matrix.
func (v *matrixPage) ReceiveResult(env *view.Env, msg any) {
	a, err, ok := view.TakeResult[matrixAnswer](&v.matrixWork, msg)
	if !ok {
		return
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			v.portProblem = err.Error()
		}
		return
	}
	v.next = env.Now.Add(pauseFactor * a.took)
	v.m, v.destinations = a.m, a.reached
	v.arrangeAxes()
}

// Do unfolds, asks for other ports or ends, opens pages, or moves the cursor.
func (v *matrixPage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.MatrixPort:
		v.askPort(env)
	case action.MatrixOnly:
		i := slices.Index(onlyOrder, v.only)
		v.only = onlyOrder[(i+1)%len(onlyOrder)]
		v.arrangeAxes()
	case action.MatrixSwap:
		v.swapAxes()
	case action.MatrixServices:
		v.services = !v.services
		v.askAgain(env)
	case action.MatrixOutside:
		v.outside = !v.outside
		v.askAgain(env)
	case action.MatrixNetwork:
		view.AskNetwork(env, view.NetworkChoice{Now: v.network, Page: nav.ToMatrix(v.focus, v.portID()).OnNetwork})
	case action.MatrixFold:
		v.foldRow()
	case action.MatrixTrace:
		q := trace.Question{Network: v.network}
		if c, ok := v.cellExample(); ok {
			q = trace.NewQuestion(c)
		}
		view.AskTrace(env, q)
	case action.Open:
		env.OpenPage(v.SelectedPage())
	default:
		return v.walkCursor(id)
	}
	return true
}

// onlyOrder lists the verdicts in the order of the key that filters by them.
var onlyOrder = []verdict.Verdict{"", verdict.Deny, verdict.Mixed, verdict.Undefined, verdict.Unknown}

// WhyNot says why an action is not possible here.
func (v *matrixPage) WhyNot(_ *view.Env, id action.ID) string {
	switch e := v.selectedRow(); {
	case id == action.MatrixSwap && v.focus != "":
		return "both ways are shown"
	case id == action.MatrixFold && e == nil:
		return "no row here"
	case id == action.MatrixFold && e.Pod != "":
		return "this is one pod"
	case id == action.MatrixFold && e.IsDestinationOnly():
		return "it has no parts"
	}
	return ""
}

// OffersAction omits actions that are useless for a single namespace.
func (v *matrixPage) OffersAction(_ *view.Env, id action.ID) bool {
	return id != action.MatrixSwap || v.focus == ""
}

// askPort asks for the port.
func (v *matrixPage) askPort(env *view.Env) {
	env.AskDialog(&view.PromptDialog{Title: "Port of the matrix", Label: "A port (80, 53/udp), icmp, or any for every port:",
		Value: trace.PortsText(v.ports),
		Check: func(text string) string {
			if _, err := trace.ParsePorts(text); err != nil {
				return err.Error()
			}
			return ""
		},
		Done: func(env *view.Env, text string) {
			p, err := trace.ParsePorts(text)
			if err != nil || p == v.ports && v.portProblem == "" {
				return
			}
			v.ports, v.portProblem = p, ""
			v.askAgain(env)
		}})
}

// askAgain computes the matrix with other ends or ports, and stops the running work.
func (v *matrixPage) askAgain(env *view.Env) {
	v.matrixWork.StopWork()
	v.next, v.askedBasis = time.Time{}, revision.RevisionBasis{}
	v.Sync(env)
}

// foldRow unfolds or folds the selected row.
func (v *matrixPage) foldRow() {
	e := v.selectedRow()
	if e == nil || e.Pod != "" || e.IsDestinationOnly() {
		return
	}
	open := v.open[v.rowAxis()]
	open[e.Name()] = !open[e.Name()]
	v.arrangeAxes()
}

// swapAxes swaps rows and columns. The cursor stays on its cell.
func (v *matrixPage) swapAxes() {
	if v.focus != "" || v.m == nil {
		return
	}
	v.swapped = !v.swapped
	if v.cursor.col >= 0 {
		v.rows, v.cols = v.cols, v.rows
		v.cursor = cursorPlace{v.cursor.col, v.cursor.row}
	}
	v.arrangeAxes()
}

// rowAxis returns the end of connections that the rows are: 0 for sources, 1 for destinations.
func (v *matrixPage) rowAxis() int { return words.Choose(v.swapped, 1, 0) }

// selectedRow returns the selected row, or nil.
func (v *matrixPage) selectedRow() *revision.MatrixEnd {
	if v.cursor.row < 0 || v.cursor.row >= len(v.rows) {
		return nil
	}
	return v.rows[v.cursor.row]
}

// cellEnds returns the two ends of a cell; ok is false outside the matrix.
func (v *matrixPage) cellEnds(at cursorPlace) (from, to *revision.MatrixEnd, ok bool) {
	if v.m == nil || at.row < 0 || at.row >= len(v.rows) || at.col < 0 || at.col >= v.countColumns() {
		return nil, nil, false
	}
	row := v.rows[at.row]
	switch {
	case v.focus != "" && at.col == 0:
		return v.m.Namespace(v.focus), row, true
	case v.focus != "":
		return row, v.m.Namespace(v.focus), true
	case v.swapped:
		return v.cols[at.col], row, true
	}
	return row, v.cols[at.col], true
}

// countColumns returns the number of columns.
func (v *matrixPage) countColumns() int { return words.Choose(v.focus != "", 2, len(v.cols)) }

// cellExample returns an example connection of the selected cell.
func (v *matrixPage) cellExample() (verdict.Connection, bool) {
	from, to, ok := v.cellEnds(v.cursor)
	if !ok {
		return verdict.Connection{}, false
	}
	c, ok := v.m.ExampleOfCell(from, to)
	c.Network = v.network
	return c, ok
}

// SelectedPage returns the trace of the selected cell, or the page of the selected row's namespace or pod.
func (v *matrixPage) SelectedPage() nav.Page {
	if v.cursor.col >= 0 {
		if c, ok := v.cellExample(); ok {
			return nav.ToTrace(trace.NewQuestion(c).String())
		}
		return nav.Page{}
	}
	switch e := v.selectedRow(); {
	case e == nil, e.IsDestinationOnly():
		return nav.Page{}
	case e.Pod != "":
		return nav.ToPod(model.Key{Kind: model.KindPod, Namespace: e.Namespace, Name: e.Pod})
	case e.Namespace == v.focus:
		return nav.Page{}
	default:
		return nav.ToMatrix(e.Namespace, v.portID()).OnNetwork(v.network)
	}
}

// portID returns the port in the form of a page.
func (v *matrixPage) portID() string {
	if v.ports == (verdict.Ports{}) {
		return ""
	}
	return trace.PortsText(v.ports)
}

// Crumb names the port, and the namespace.
func (v *matrixPage) Crumb() string {
	return nav.ToMatrix(v.focus, v.portID()).OnNetwork(v.network).Title()
}

// Copies offers the cell in words and equivalent commands.
func (v *matrixPage) Copies(env *view.Env) []view.CopyItem {
	var out []view.CopyItem
	if from, to, ok := v.cellEnds(v.cursor); ok {
		out = append(out, view.CopyItem{What: "cell", Text: from.Name() + " → " + to.Name() + ", " + trace.PortsText(v.m.Ports) + ": " +
			v.m.Cell(from, to).Text()})
		if c, ok := v.cellExample(); ok {
			out = append(out, view.CopyItem{What: "rung trace command", Text: trace.NewQuestion(c).Command()})
		}
	}
	if v.portProblem == "" {
		out = append(out, view.CopyItem{What: "rung matrix command", Text: v.commandText()})
	}
	return out
}

// StateLine shows that the matrix is being computed.
func (v *matrixPage) StateLine(env *view.Env) widget.Line {
	if !v.matrixWork.IsUnderWay() {
		return nil
	}
	return env.BusyLine(v.matrixWork.BeganAt(), "computing the matrix")
}
