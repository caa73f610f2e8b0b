package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/matrix"
	"rung/revision"
)

// Levels of --unfold.
const (
	unfoldWorkloads = "workloads"
	unfoldPods      = "pods"
)

const mostCells = 1_000_000

type matrixAsk struct {
	protocol, focus, only, unfold string
	port                          int
	outside, services             bool
}

func MatrixCommand(a *command.App) *cobra.Command {
	var ask matrixAsk
	cmd := command.NetworkCommand(a, &cobra.Command{
		Use:   "matrix",
		Short: "Show which namespaces, workloads and pods reach which",
		Long: `Show which namespaces reach which, by the policies: for every pair of their pods, on one
port or on every port of every protocol. --unfold goes down to workloads (pods that
differ only in their names) or pods. --focus shows the connections of one namespace with
the others, both ways; --only shows cells with at least one connection that is deny,
allow, undefined, unknown or "not applicable", including mixed cells.

Mixed means that pods differ or, without --port, ports. A single undefined or unknown pair
makes its cell undefined or unknown. A pair to which no policy applies is "not applicable".

--outside adds columns for addresses outside: each block that policies distinguish, without
smaller blocks that have their own column. --services adds columns for Services: each is
asked at its own ports, or at --port, for connections to its endpoints; a Service without
endpoints is "not applicable".

-o csv has a line for each pair of ends, -o json also an example of each, in the form that
rung trace --cases reads.`,
		Example: `  rung matrix -f examples/
  rung matrix --port 8080 --focus blue --unfold workloads -f examples/
  rung matrix --port 443 --outside -f examples/
  rung matrix --port 53/udp --services -f examples/
  rung matrix --port 53/udp --only deny -o csv --context staging`,
		Args:        command.TakesArgs(0),
		Annotations: command.FormAnnotations(command.MarkdownForm, command.CSVForm),
	}, func([]string, bool) command.Query {
		return command.Query{Answer: func(ctx context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			ports, err := trace.NewPorts(ask.protocol, ask.port)
			if err != nil {
				return nil, fmt.Errorf("--protocol and --port: %w", err)
			}
			if err := ask.checkFlags(); err != nil {
				return nil, err
			}
			m, err := revision.FindMatrix(r, ctx, ports)
			if err != nil {
				return nil, err
			}
			t, err := newMatrixTable(ctx, m, ask)
			if err != nil {
				return nil, err
			}
			unjudged, err := t.matrixOmissions(ctx, r)
			if err != nil {
				return nil, err
			}
			t.not, t.unread = command.NotCounted(unjudged), r.UnreadPods()
			out := &matrixOut{Protocol: string(m.Ports.Protocol), Port: int(m.Ports.Port), Focus: ask.focus, Only: ask.only,
				Ends: []matrixEndOut{}}
			ans := &command.Answer{Text: t.matrixText, Markdown: t.markdownTable, CSV: t.csvLines, NotConsidered: unjudged}
			if !a.PrintsValues() {
				return ans, nil
			}
			cells := t.shownCells(out)
			ans.Items = &command.LongList{Head: out, Key: "cells", N: len(cells), Item: func(i int) any { return t.newCellOut(&cells[i]) }}
			return ans, nil
		}}
	})
	f := cmd.Flags()
	addPortFlags(cmd, &ask.port, "destination `PORT`, or with its protocol, as in 53/udp; default every port",
		&ask.protocol, "`PROTOCOL`: TCP, UDP, SCTP or ICMP (default TCP with --port)")
	f.StringVar(&ask.focus, "focus", "", "only the connections of this `NAMESPACE`")
	f.StringVar(&ask.only, "only", "", "only cells with a connection of this `VERDICT`, mixed cells too: deny, mixed, undefined, "+
		"unknown, allow")
	f.StringVar(&ask.unfold, "unfold", "", "`LEVEL` down to which namespaces unfold: workloads or pods (default workloads if no "+
		"pod exists yet)")
	f.BoolVar(&ask.outside, "outside", false, "show the addresses outside as columns, too")
	f.BoolVar(&ask.services, "services", false, "show the Services as columns, too")
	verdicts := model.MapList(revision.CellVerdicts, func(v verdict.Verdict) string { return string(v) })
	command.CompleteFlag(cmd, "only", command.FixedWords(verdicts...))
	command.CompleteFlag(cmd, "unfold", command.FixedWords(unfoldWorkloads, unfoldPods))
	return cmd
}

func (q *matrixAsk) checkFlags() error {
	switch {
	case q.only != "" && !slices.Contains(revision.CellVerdicts, verdict.Verdict(q.only)):
		return fmt.Errorf("--only %s: use deny, mixed, undefined, unknown, allow or \"not applicable\"", q.only)
	case q.unfold != "" && q.unfold != unfoldWorkloads && q.unfold != unfoldPods:
		return fmt.Errorf("--unfold %s: use workloads or pods", q.unfold)
	}
	return nil
}

// matrixTable is a matrix with the ends to show.
type matrixTable struct {
	m          *revision.Matrix
	ask        matrixAsk
	only       verdict.Verdict
	self       *revision.MatrixEnd // with --focus
	rows, cols []*revision.MatrixEnd
	reached    []*revision.MatrixEnd // columns that are destinations only
	not        string                // omissions, for the first line
	unread     *revision.Unread      // unread objects that pods depend on, nil if none
	// For JSON: the ends shown, and their names.
	shown []*revision.MatrixEnd
	names []string
}

func newMatrixTable(ctx context.Context, m *revision.Matrix, ask matrixAsk) (*matrixTable, error) {
	t := &matrixTable{m: m, ask: ask, only: verdict.Verdict(ask.only)}
	if ask.unfold == "" && ask.focus == "" && !slices.ContainsFunc(m.Namespaces, func(ns *revision.MatrixEnd) bool { return !ns.IsFuture() }) {
		ask.unfold = unfoldWorkloads // a repository has only workloads to show
	}
	var ends []*revision.MatrixEnd
	for _, ns := range m.Namespaces {
		switch ask.unfold {
		case unfoldWorkloads:
			ends = append(ends, ns.Parts...)
		case unfoldPods:
			for _, w := range ns.Parts {
				if w.Pod != "" {
					ends = append(ends, w)
				}
				ends = append(ends, w.Parts...)
			}
		default:
			ends = append(ends, ns)
		}
	}
	if ask.services {
		var err error
		if t.reached, err = m.ServiceEnds(ctx); err != nil {
			return nil, fmt.Errorf("asking the Services: %w", err)
		}
	}
	if ask.outside {
		t.reached = slices.Concat(t.reached, m.OutsideEnds())
	}
	to := slices.Concat(ends, t.reached)
	if ask.focus != "" {
		t.self = m.Namespace(ask.focus)
		if t.self == nil {
			names := model.MapList(m.Namespaces, func(end *revision.MatrixEnd) string { return end.Namespace })
			return nil, fmt.Errorf("--focus %s: no such namespace with pods%s", ask.focus, words.DidYouMean(ask.focus, names))
		}
		t.rows = slices.DeleteFunc(to, func(e *revision.MatrixEnd) bool {
			return t.only != "" && !m.Cell(t.self, e).Has(t.only) && !m.Cell(e, t.self).Has(t.only)
		})
		return t, nil
	}
	if n := len(ends) * len(to); n > mostCells {
		return nil, fmt.Errorf("--unfold %s: %s make %s cells; use --focus NAMESPACE", ask.unfold, words.Count(len(to), "end"),
			words.Thousands(n))
	}
	t.rows, t.cols = m.FilterByVerdict(ends, to, t.only)
	return t, nil
}

func (t *matrixTable) visitCells(visit func(from, to *revision.MatrixEnd, c revision.MatrixCell)) {
	one := func(from, to *revision.MatrixEnd) {
		if c := t.m.Cell(from, to); c.CountPairs() > 0 && (t.only == "" || c.Has(t.only)) {
			visit(from, to, c)
		}
	}
	if t.self != nil {
		for _, e := range t.rows {
			one(t.self, e)
		}
		for _, e := range t.rows {
			if e != t.self && !e.IsDestinationOnly() {
				one(e, t.self)
			}
		}
		return
	}
	for _, from := range t.rows {
		for _, to := range t.cols {
			one(from, to)
		}
	}
}

// cellSign returns the sign of a cell in a table, empty if the cell is not shown.
func (t *matrixTable) cellSign(from, to *revision.MatrixEnd) string {
	if from.IsDestinationOnly() {
		return "" // never a source
	}
	c := t.m.Cell(from, to)
	if t.only != "" && !c.Has(t.only) {
		return ""
	}
	return strings.TrimSpace(matrix.CellSign(c.Verdict()).Text)
}

// cellSigns returns the signs of a row.
func (t *matrixTable) cellSigns(from *revision.MatrixEnd) []string {
	return model.MapList(t.cols, func(to *revision.MatrixEnd) string { return t.cellSign(from, to) })
}

func (t *matrixTable) aboutText() string {
	return matrix.AboutLine(t.m, matrix.Selection{Focus: t.ask.focus, Only: t.only, Reached: t.reached, Unread: t.unread}).String()
}

// matrixOmissions returns the omissions of the matrix, including one if nothing was judged.
func (t *matrixTable) matrixOmissions(ctx context.Context, r *revision.Revision) ([]model.Omission, error) {
	out := revision.OmissionsOfAnswers(r, false)
	judged, unknown, whole := 0, 0, t
	if t.only != "" { // hidden cells were judged too
		ask := t.ask
		ask.only = ""
		all, err := newMatrixTable(ctx, t.m, ask)
		if err != nil {
			return nil, err
		}
		whole = all
	}
	whole.visitCells(func(_, _ *revision.MatrixEnd, c revision.MatrixCell) {
		judged += c.CountPairs() - c.NotApplicable
		unknown += c.Unknown
	})
	return append(out, matrix.Unjudged(r, t.m, judged, unknown)...), nil
}

// matrixText returns the matrix with the numbers of the rows over the columns; wide has a line in words for
// each cell.
func (t *matrixTable) matrixText(wide bool) string {
	head := t.aboutText() + "\n"
	if len(t.rows) == 0 {
		if t.only != "" && t.not != "" {
			return head + "nothing that was judged is " + revision.CellLegend(t.only) + "; not judged: " + t.not + "\n"
		}
		none := "no pods"
		if t.unread != nil {
			none = t.unread.Text()
		}
		return head + "nothing here is " + cmp.Or(revision.CellLegend(t.only), "to be shown: "+none) + "\n"
	}
	table := &command.TextTable{}
	switch {
	case wide:
		table.Head = []string{"FROM", "TO", "VERDICT"}
		t.visitCells(func(from, to *revision.MatrixEnd, c revision.MatrixCell) {
			table.AddRow(from.Name(), to.Name(), c.Text())
		})
		return head + table.String() + t.exceptLines("")
	case t.self != nil:
		table.Head = []string{"NAME", "FROM IT", "TO IT"}
		word := func(from, to *revision.MatrixEnd) string {
			if sign := t.cellSign(from, to); sign != "" {
				return sign + " " + revision.CellLegend(t.m.Cell(from, to).Verdict())
			}
			return ""
		}
		for _, e := range t.rows {
			table.AddRow(e.Name(), word(t.self, e), word(e, t.self))
		}
		return head + table.String() + t.exceptLines("")
	}
	numbers := map[*revision.MatrixEnd]string{}
	table.Head = []string{"#", "FROM"}
	for i, e := range t.cols {
		numbers[e] = strconv.Itoa(i + 1)
		table.Head = append(table.Head, numbers[e])
	}
	for _, from := range t.rows {
		table.AddRow(append([]string{numbers[from], from.Name()}, t.cellSigns(from)...)...)
	}
	text := head + matrix.LegendLine().String() + "\n\n" + table.String()
	if !slices.Equal(t.rows, t.cols) { // name the columns without a row
		var more string
		for _, e := range t.cols {
			if !slices.Contains(t.rows, e) {
				more += "to " + numbers[e] + ": " + words.Escape(e.Text()) + "\n"
			}
		}
		if more != "" {
			text += "\n" + more
		}
	}
	return text
}

func (t *matrixTable) markdownTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n%s\n\n", command.MarkdownText(t.aboutText()), matrix.LegendLine())
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head := []string{"from \\ to"}
	cells := t.cellSigns
	if t.self != nil {
		head = []string{"", "from " + command.MarkdownText(t.ask.focus), "to " + command.MarkdownText(t.ask.focus)}
		cells = func(e *revision.MatrixEnd) []string { return []string{t.cellSign(t.self, e), t.cellSign(e, t.self)} }
	}
	for _, e := range t.cols {
		head = append(head, command.MarkdownText(e.Name()))
	}
	line(head)
	b.WriteString("|---" + strings.Repeat("|:-:", len(head)-1) + "|\n")
	for _, e := range t.rows {
		line(append([]string{command.MarkdownText(e.Name())}, cells(e)...))
	}
	return b.String() + t.exceptLines("- ")
}

// exceptLines says which networks are excluded from those around them.
func (t *matrixTable) exceptLines(prefix string) string {
	var lines []string
	for _, e := range slices.Concat(t.rows, t.cols) {
		if len(e.Except) > 0 && !slices.Contains(lines, prefix+e.Text()) {
			lines = append(lines, prefix+e.Text())
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}

// csvLines returns a line for each cell.
func (t *matrixTable) csvLines() string {
	var lines [][]string
	t.visitCells(func(from, to *revision.MatrixEnd, c revision.MatrixCell) {
		row := []string{from.Name(), to.Name(), string(c.Verdict())}
		for _, n := range []int{c.CountPairs(), c.Allow, c.Deny, c.ByPort, c.ByEndpoint, c.Undefined, c.Unknown, c.NotApplicable} {
			row = append(row, strconv.Itoa(n))
		}
		lines = append(lines, row)
	})
	return command.CSVText([]string{"from", "to", "verdict", "pairs", "allow", "deny", "by_port", "by_endpoint", "undefined", "unknown",
		"not_applicable"}, lines)
}
