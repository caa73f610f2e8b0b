package matrix

import (
	"context"
	"errors"
	"slices"
	"time"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/revision/connections"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// page is the view.
type page struct {
	focus string // the one namespace that is meant, empty for all
	ports verdict.Ports
	wrong string // why the page's port cannot be asked

	asked revision.RevisionBasis // what the matrix, or the one under way, was worked out from
	works view.LatestWork
	next  time.Time // when it may be asked again

	m *connections.Matrix // nil until the first

	// services and outside have those as ends, too, where connections go to: reached.
	services, outside bool
	reached           []*connections.MatrixEnd

	swapped bool // rows are where connections go to
	open    [2]map[string]bool
	only    connections.CellVerdict
	filter  widget.Filter
	all     int // rows before the filter

	rows, cols []*connections.MatrixEnd
	numbers    map[string]int // of columns, by name
	at         place
	top, left  int // first row and column in sight
	h          int // rows in sight
	header     int // lines over the rows
	fits       fitted
}

// place is where the cursor is: a row, and a column or with -1 the row's name.
type place struct{ row, col int }

// New makes the view.
func New(p nav.Page) view.View {
	v := &page{open: [2]map[string]bool{{}, {}}, at: place{0, -1}}
	if p.Key.Kind == model.KindNamespace {
		v.focus = p.Key.Name
	}
	var err error
	if v.ports, err = trace.ParsePorts(p.ID); err != nil {
		v.wrong = err.Error()
	}
	return v
}

// answer is a matrix that was worked out.
type answer struct {
	rev     *revision.Revision
	m       *connections.Matrix
	reached []*connections.MatrixEnd
	took    time.Duration
}

// Sync asks for the matrix of what is new.
func (v *page) Sync(env *view.Env) {
	if v.wrong == "" && v.due(env) {
		v.ask(env)
	}
}

// due says whether there is something to ask, and it may be asked.
func (v *page) due(env *view.Env) bool {
	return !v.works.IsUnderWay() && !env.Now.Before(v.next) && v.asked != env.Rev.Basis()
}

// HasNews says whether what changed meanwhile may be asked about now.
func (v *page) HasNews(env *view.Env) bool { return v.wrong == "" && v.due(env) }

// WorkingSince is since when a matrix is worked out.
func (v *page) WorkingSince() time.Time { return v.works.BeganAt() }

// ask works the matrix out, away from the screen: on a large cluster it takes a while.
func (v *page) ask(env *view.Env) {
	v.asked = env.Rev.Basis()
	r, ports, clock, services, outside := env.Rev, v.ports, env.Console.Now, v.services, v.outside
	view.BeginWork(&v.works, env, "working out the matrix", func(ctx context.Context) (answer, error) {
		began := clock()
		m, err := connections.FindMatrix(r, ctx, ports)
		var reached []*connections.MatrixEnd
		if err == nil && services {
			reached, err = m.ServiceEnds(ctx)
		}
		if err == nil && outside {
			reached = slices.Concat(reached, m.OutsideEnds())
		}
		return answer{r, m, reached, clock().Sub(began)}, err
	})
}

// rest is how many times as long as a matrix took is waited until the next: where every pod
// that comes brings a revision, the machine has other work as well.
const rest = 4

// ReceiveResult takes a matrix.
func (v *page) ReceiveResult(env *view.Env, msg any) {
	a, err, ok := view.TakeResult[answer](&v.works, msg)
	if !ok {
		return
	}
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			v.wrong = err.Error()
		}
		return
	}
	v.next = env.Now.Add(rest * a.took)
	v.m, v.reached = a.m, a.reached
	v.arrange()
}

// Do unfolds, asks about other ports, leads on, or walks.
func (v *page) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.MatrixPort:
		v.askPort(env)
	case action.MatrixOnly:
		i := slices.Index(onlyOrder, v.only)
		v.only = onlyOrder[(i+1)%len(onlyOrder)]
		v.arrange()
	case action.MatrixSwap:
		v.swap()
	case action.MatrixServices:
		v.services = !v.services
		v.again(env)
	case action.MatrixOutside:
		v.outside = !v.outside
		v.again(env)
	case action.MatrixFold:
		v.fold()
	case action.MatrixTrace:
		q := trace.Question{}
		if c, ok := v.example(); ok {
			q = trace.QuestionOf(c)
		}
		view.AskTrace(env, q)
	case action.Open:
		env.OpenPage(v.SelectedPage())
	default:
		return v.walk(id)
	}
	return true
}

// onlyOrder is in which order a key shows one verdict only.
var onlyOrder = []connections.CellVerdict{"", connections.CellDeny, connections.CellMixed, connections.CellUndefined, connections.CellUnknown}

// WhyNot says why a key does nothing here.
func (v *page) WhyNot(_ *view.Env, id action.ID) string {
	switch e := v.row(); {
	case id == action.MatrixSwap && v.focus != "":
		return "both ways are shown"
	case id == action.MatrixFold && e == nil:
		return "no row here"
	case id == action.MatrixFold && e.Pod != "":
		return "this is one pod"
	case id == action.MatrixFold && e.OnlyReached():
		return "it has no parts"
	}
	return ""
}

// OffersAction leaves out what a page of one namespace has no use for.
func (v *page) OffersAction(_ *view.Env, id action.ID) bool {
	return id != action.MatrixSwap || v.focus == ""
}

// askPort asks which port is meant.
func (v *page) askPort(env *view.Env) {
	env.AskDialog(&view.PromptDialog{Title: "Port of the matrix", Label: "A port (80, 53/udp), icmp, or any for every port:", Value: trace.PortsText(v.ports),
		Check: func(text string) string {
			if _, err := trace.ParsePorts(text); err != nil {
				return err.Error()
			}
			return ""
		},
		Done: func(env *view.Env, text string) {
			p, err := trace.ParsePorts(text)
			if err != nil || p == v.ports && v.wrong == "" {
				return
			}
			v.ports, v.wrong = p, ""
			v.again(env)
		}})
}

// again asks for other ends or ports: what is worked out is not wanted any more.
func (v *page) again(env *view.Env) {
	v.works.StopWork()
	v.next, v.asked = time.Time{}, revision.RevisionBasis{}
	v.Sync(env)
}

// fold unfolds the row of the cursor, or folds it.
func (v *page) fold() {
	e := v.row()
	if e == nil || e.Pod != "" || e.OnlyReached() {
		return
	}
	open := v.open[v.axis()]
	open[e.Name()] = !open[e.Name()]
	v.arrange()
}

// swap makes columns of rows. The cursor stays on its cell.
func (v *page) swap() {
	if v.focus != "" || v.m == nil {
		return
	}
	v.swapped = !v.swapped
	if v.at.col >= 0 {
		v.rows, v.cols = v.cols, v.rows
		v.at = place{v.at.col, v.at.row}
	}
	v.arrange()
}

// axis is which end of connections the rows are: 0 where they come from.
func (v *page) axis() int {
	if v.swapped {
		return 1
	}
	return 0
}

// row returns the row under the cursor, or nil.
func (v *page) row() *connections.MatrixEnd {
	if v.at.row < 0 || v.at.row >= len(v.rows) {
		return nil
	}
	return v.rows[v.at.row]
}

// ends are the two ends of a cell; ok is false outside of the matrix.
func (v *page) ends(at place) (from, to *connections.MatrixEnd, ok bool) {
	if v.m == nil || at.row < 0 || at.row >= len(v.rows) || at.col < 0 || at.col >= v.columns() {
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

// columns is how many there are.
func (v *page) columns() int {
	if v.focus != "" {
		return 2
	}
	return len(v.cols)
}

// example is a connection of the cell under the cursor.
func (v *page) example() (verdict.Connection, bool) {
	from, to, ok := v.ends(v.at)
	if !ok {
		return verdict.Connection{}, false
	}
	return v.m.ExampleOfCell(from, to)
}

// SelectedPage is the trace that a cell leads to; a row's name leads to its namespace, or pod.
func (v *page) SelectedPage() nav.Page {
	if v.at.col >= 0 {
		if c, ok := v.example(); ok {
			return nav.ToTrace(trace.QuestionOf(c).String())
		}
		return nav.Page{}
	}
	switch e := v.row(); {
	case e == nil, e.OnlyReached():
		return nav.Page{}
	case e.Pod != "":
		return nav.ToPod(model.Key{Kind: model.KindPod, Namespace: e.Namespace, Name: e.Pod})
	case e.Namespace == v.focus:
		return nav.Page{}
	default:
		return nav.ToMatrix(e.Namespace, v.portID())
	}
}

// portID is the port as a page has it.
func (v *page) portID() string {
	if v.ports == (verdict.Ports{}) {
		return ""
	}
	return trace.PortsText(v.ports)
}

// Crumb names the port, and the namespace.
func (v *page) Crumb() string { return nav.ToMatrix(v.focus, v.portID()).Title() }

// Copies are the cell in words and the commands that ask the same.
func (v *page) Copies(env *view.Env) []view.CopyItem {
	var out []view.CopyItem
	if from, to, ok := v.ends(v.at); ok {
		out = append(out, view.CopyItem{What: "cell", Text: v.sentence(from, to)})
		if c, ok := v.m.ExampleOfCell(from, to); ok {
			out = append(out, view.CopyItem{What: "rung trace command", Text: trace.QuestionOf(c).Command()})
		}
	}
	if v.wrong == "" {
		out = append(out, view.CopyItem{What: "rung matrix command", Text: v.command()})
	}
	return out
}

// TellState says that a matrix is worked out.
func (v *page) TellState(env *view.Env) widget.Line {
	if !v.works.IsUnderWay() {
		return nil
	}
	return env.BusyLine(v.works.BeganAt(), "working out the matrix")
}
