package cli

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/cli/command"
	"rung/engine/verify"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/activity"
	"rung/pages/cluster"
	"rung/pages/findings"
	"rung/pages/matrix"
	"rung/pages/page"
	"rung/pages/rows"
	"rung/revision"
	"rung/system"
	"rung/themes"
)

// mostMatrixTime limits the time for the matrix; in a large cluster the matrix of any port needs a command of
// its own.
const mostMatrixTime = 10 * time.Second

// policiesAlone says what the verdicts are based on.
var policiesAlone = plainLine("By the policies. For differences of the rows see Rows of the zones.")

// matrixPart shows which namespaces can reach which, on any port.
func (b *reportBuilder) matrixPart() (page.Section, error) {
	x := page.Section{Key: "matrix", Title: "Matrix", Lines: []page.Line{policiesAlone}}
	b.out.Matrix = []matrixLineOut{}
	ctx, cancel := context.WithTimeout(b.ctx, mostMatrixTime)
	defer cancel()
	m, err := revision.FindMatrix(b.rev, ctx, verdict.Ports{})
	switch {
	case err != nil && b.ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		b.leaveOut(&x, fmt.Sprintf("the matrix was not worked out within %s; rung matrix --port N takes less", mostMatrixTime))
		return x, nil
	case err != nil:
		return x, fmt.Errorf("working out the matrix: %w", err)
	}
	x.Lines = append(x.Lines, matrix.AboutLine(m, matrix.Selection{Unread: b.rev.UnreadPods()}))
	judged, unknown := 0, 0
	for _, from := range m.Namespaces {
		for _, to := range m.Namespaces {
			c := m.Cell(from, to)
			judged, unknown = judged+c.CountPairs()-c.NotApplicable, unknown+c.Unknown
		}
	}
	b.omits = revision.MergeOmissions(b.omits, matrix.Unjudged(b.rev, m, judged, unknown))
	if len(m.Namespaces) == 0 {
		return x, nil
	}
	drawn := matrix.NewMap(m, m.Namespaces)
	for i, from := range drawn.Rows {
		line := matrixLineOut{From: from, To: map[string][]string{}}
		for j, to := range drawn.Rows {
			if k := drawn.At(i, j); k != nil {
				line.To[k.Key] = append(line.To[k.Key], to)
			}
		}
		b.out.Matrix = append(b.out.Matrix, line)
	}
	if len(m.Namespaces) > maxMapNamespaces {
		text := fmt.Sprintf("no map of %s: the limit is %d; -o json has it", words.Count(len(m.Namespaces), "namespace"), maxMapNamespaces)
		x.Lines = append(x.Lines, page.Line{notedSign, {Text: " " + text}})
		b.addSummary(notedSign, text)
		return x, nil
	}
	x.Map = drawn
	return x, nil
}

// leaveOut notes, in a section and as an omission, that a part of the report is missing.
func (b *reportBuilder) leaveOut(x *page.Section, why string) {
	x.Lines = append(x.Lines, page.Line{warnSign, {Text: " " + why}})
	b.omits = append(b.omits, model.Omission{Code: model.OmittedPart, Why: why})
}

// expectationsPart judges the given statements.
func (b *reportBuilder) expectationsPart() (page.Section, error) {
	x := page.Section{Key: "expectations", Title: "Expectations"}
	if b.statements.IsEmpty() {
		x.Lines = []page.Line{plainLine("None were given: --expectations names files of statements that must hold.")}
		return x, nil
	}
	out, omits, err := JudgeExpectations(b.ctx, b.app, b.rev, b.statements, verify.Options{Compiled: len(b.rev.Zones) == 0, Now: b.now})
	if err != nil {
		return x, err
	}
	b.out.Verify = out
	b.omits = revision.MergeOmissions(b.omits, omits)
	sign := goodSign
	switch {
	case out.Failed > 0:
		sign, b.no = badSign, true
	case !out.OK:
		sign = warnSign
	}
	b.addSummary(sign, out.SummaryText())
	b.failed = len(out.Problems) > 0
	for _, p := range out.Problems {
		x.Lines = append(x.Lines, page.Line{badSign, {Text: " " + p.String()}})
	}
	x.Lines = append(x.Lines, policiesAlone)
	g := page.NewGrid(StatementTable, model.MapList(out.Statements, func(s StatementFacts) *StatementFacts { return &s }), true)
	x.Grids = []page.Grid{g}
	return x, nil
}

// findingsPart lists all findings, with related findings below their common cause.
func (b *reportBuilder) findingsPart() (page.Section, error) {
	x := page.Section{Key: "findings", Title: "Findings"}
	found, err := revision.AllFindings(b.rev, b.ctx)
	if err != nil {
		return x, fmt.Errorf("looking for findings: %w", err)
	}
	found = slices.Concat(found, revision.ZoneFindings(b.rev, b.now))
	all := findings.NewList(found)
	b.out.Findings = all
	n := model.CountFindings(found)
	worst := model.SeverityInfo
	switch {
	case n.Errors > 0:
		worst, b.no = model.SeverityError, true
	case n.Warnings > 0:
		worst = model.SeverityWarning
	}
	text := cmp.Or(findings.CountText(found), b.rev.EmptyText("nothing found"))
	if len(revision.UnjudgedOmissions(b.omits)) > 0 {
		text += ", in what was considered"
	}
	sign := page.SeveritySign(worst)
	if len(found) == 0 {
		sign = goodSign
	}
	b.addSummary(sign, "findings: "+text)
	x.Grids = []page.Grid{page.NewGrid(findings.Table, all, true)}
	return x, nil
}

// rowsPart lists the zones and how their rows differ.
func (b *reportBuilder) rowsPart() (page.Section, error) {
	r := b.rev
	x := page.Section{Key: "rows", Title: "Rows of the zones"}
	b.out.Drift, b.out.Zones = []rows.Facts{}, []*cluster.ZoneFacts{}
	switch {
	case !r.System.HasFeature(system.Rows):
		x.Lines = []page.Line{plainLine(r.System.Title + " enforces the policies here: there are no zones and no rows.")}
		return x, nil
	case len(r.Zones) == 0:
		text := "Rows were not compared: no database was read. A cluster, --nb or a must-gather has some."
		x.Lines = []page.Line{{notedSign, {Text: " " + text}}}
		b.addSummary(notedSign, "rows were not compared: no database was read")
		return x, nil
	}
	all := model.MapList(r.Zones, func(z *model.ZoneState) *cluster.ZoneFacts { return cluster.AllFactsOfZone(r, z, b.now) })
	b.out.Zones, b.out.Drift = all, rows.ListDrift(r, r.Zones, b.now, 0)
	unread := command.UnreadZone(r.Zones)
	compared, not := len(rows.ComparedPolicies(r, r.Zones)), command.NotCounted(b.rows)
	text, sign := rows.NoDriftText(compared, compared, r.Zones, unread == nil, not), goodSign
	driftTable := *rows.Table
	driftTable.Empty = text
	switch {
	case len(b.out.Drift) > 0:
		states := map[model.PolicyState]int{}
		for i := range b.out.Drift {
			states[b.out.Drift[i].State]++
		}
		text, sign, b.no = "rows that are not in sync, by policy and zone: "+words.CountByState(states), badSign, true
	case unread != nil || not != "":
		sign = warnSign
	}
	b.addSummary(sign, text)
	zoneGrid := page.NewGrid(cluster.Table, all, true)
	zoneGrid.Title = "Zones"
	driftGrid := page.NewGrid(&driftTable, rows.ListDriftLines(b.out.Drift), true)
	driftGrid.Title = "Differences"
	x.Grids = []page.Grid{zoneGrid, driftGrid}
	return x, nil
}

// changesPart lists the changes of the history.
func (b *reportBuilder) changesPart() page.Section {
	all := activity.ListEntries(b.changes, nil, b.now)
	b.out.Changes = append([]*activity.Entry{}, all...)
	x := page.Section{Key: "changes", Title: "Changes",
		Lines: []page.Line{plainLine("Made with Rung, according to the history of this user on this machine. Times are in UTC.")}}
	if b.unread != nil {
		b.leaveOut(&x, "changes of other processes: "+b.unread.Error())
	}
	for _, text := range b.notices {
		x.Lines = append(x.Lines, page.Line{warnSign, {Text: " " + text}})
		b.addSummary(warnSign, text)
	}
	// Zones' operations are in the history of the process that wrote them.
	table := *activity.Table
	table.Columns = slices.DeleteFunc(slices.Clone(table.Columns), func(c page.Column[*activity.Entry]) bool { return c.Key == "operations" })
	table.Empty = "none in the history"
	x.Grids = []page.Grid{page.NewGrid(&table, all, true)}
	return x
}

const mostFiles = 1000

// inputPart lists what was read, with digests.
func (b *reportBuilder) inputPart() page.Section {
	x := page.Section{Key: "input", Title: "Input"}
	for _, part := range cluster.NewFacts(b.rev).Sections(cluster.Hints{}, b.now) {
		if part.Title == "no cluster" {
			continue // the head names the source
		}
		g := page.Grid{Title: part.Title, Columns: []page.GridColumn{{Key: "what", Title: "WHAT"}, {Key: "value", Title: "VALUE"}}}
		for _, e := range part.Entries {
			if e.ID == "changes" {
				continue // this process changes nothing
			}
			g.Rows = append(g.Rows, page.GridRow{Cells: []page.Cell{{Sign: e.Sign, Text: e.Name}, {More: e.Value}}})
		}
		x.Grids = append(x.Grids, g)
	}
	b.out.Files = []fileOut{}
	for _, s := range b.rev.Sources {
		for _, f := range s.Files {
			b.addFile(f)
		}
	}
	read := len(b.out.Files)
	for _, f := range b.statements.Files {
		if !slices.ContainsFunc(b.out.Files[:read], func(o fileOut) bool { return o.Path == f.Path }) {
			b.addFile(f) // else it was listed as a manifest
		}
	}
	files := page.NewGrid(fileTable, b.out.Files[:min(len(b.out.Files), mostFiles)], true)
	files.Title = "Files"
	if n := len(b.out.Files) - mostFiles; n > 0 {
		files.Title = fmt.Sprintf("The first %s files; -o json has %s more", words.Thousands(mostFiles), words.Thousands(n))
	}
	policies := page.NewGrid(digestTable, b.out.Policies, true)
	policies.Title = "Digests of the policies"
	x.Grids = append(x.Grids, files, policies)
	return x
}

func (b *reportBuilder) addFile(f model.SourceFile) {
	o := fileOut{Path: f.Path, Size: f.Size}
	if f.Sum != [32]byte{} {
		o.SHA256 = hex.EncodeToString(f.Sum[:])
	}
	b.out.Files = append(b.out.Files, o)
}

var fileTable = &page.Table[fileOut]{
	ID:    func(f fileOut) string { return f.Path },
	Empty: "no files were read",
	Columns: []page.Column[fileOut]{
		{Key: "path", Title: "FILE", Importance: page.Always, Cell: func(f fileOut) page.Cell { return page.Cell{Text: f.Path} }},
		{Key: "bytes", Title: "BYTES", Right: true, Importance: page.Always, Cell: func(f fileOut) page.Cell {
			return page.Cell{Text: words.Thousands(int(f.Size))}
		}},
		{Key: "sha256", Title: "SHA-256", Importance: page.Always, Cell: func(f fileOut) page.Cell {
			return page.Cell{Text: cmp.Or(f.SHA256, page.None.Text), Role: themes.Dim}
		}},
	},
}

var digestTable = &page.Table[digestOut]{
	ID:    func(d digestOut) string { return d.Policy },
	Empty: "there are no policies",
	Help: map[string]string{"digest": "the first half of the SHA-256 of what the policy says, wherever it was read: metadata that others " +
		"add does not count"},
	Columns: []page.Column[digestOut]{
		{Key: "policy", Title: "POLICY", Importance: page.Always, Cell: func(d digestOut) page.Cell {
			return page.Cell{Text: d.Policy, Role: themes.Accent}
		}},
		{Key: "digest", Title: "DIGEST", Importance: page.Always, Cell: func(d digestOut) page.Cell {
			return page.Cell{Text: d.Digest, Role: themes.Dim}
		}},
		{Key: "file", Title: "FILE", Importance: page.Always, Sparse: true, Cell: func(d digestOut) page.Cell {
			return page.Cell{Text: d.File, Role: themes.Dim}
		}},
	},
}

// Text renders a sheet for a terminal.
func Text(s *page.Sheet) string {
	var b strings.Builder
	b.WriteString(s.Title + "\n")
	about := &command.TextTable{Head: []string{"", ""}}
	for _, f := range s.About {
		about.AddRow(f.Name, f.Text.String())
	}
	b.WriteString(strings.TrimLeft(about.String(), "\n"))
	for i := range s.Sections {
		x := &s.Sections[i]
		b.WriteString("\n" + strings.ToUpper(x.Title) + "\n")
		for _, l := range x.Lines {
			b.WriteString(l.String() + "\n")
		}
		for _, g := range sectionGrids(x) {
			if g.Title != "" {
				b.WriteString("\n" + g.Title + "\n")
			}
			if len(g.Rows) == 0 {
				b.WriteString(g.Empty + "\n")
				continue
			}
			t := &command.TextTable{Head: model.MapList(g.Columns, func(c page.GridColumn) string { return c.Title })}
			for j := range g.Rows {
				cells := cellTexts(&g.Rows[j])
				if g.Rows[j].Under {
					cells[0] = "  " + cells[0]
				}
				t.AddRow(cells...)
			}
			b.WriteString(t.String())
		}
	}
	return b.String()
}

// sectionGrids returns the grids of a section, its map converted to one.
func sectionGrids(x *page.Section) []page.Grid {
	if x.Map == nil {
		return x.Grids
	}
	return append([]page.Grid{MapAsTable(x.Map)}, x.Grids...)
}

func cellTexts(r *page.GridRow) []string {
	return model.MapList(r.Cells, func(c page.Cell) string { return c.String() })
}

// Markdown renders a sheet for a review or a ticket.
func Markdown(s *page.Sheet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", command.MarkdownText(s.Title))
	for _, f := range s.About {
		fmt.Fprintf(&b, "- **%s:** %s\n", command.MarkdownText(f.Name), command.MarkdownText(f.Text.String()))
	}
	for i := range s.Sections {
		x := &s.Sections[i]
		fmt.Fprintf(&b, "\n## %s\n", command.MarkdownText(x.Title))
		for _, l := range x.Lines {
			b.WriteString("\n" + command.MarkdownCell(l.String()) + "\n")
		}
		for _, g := range sectionGrids(x) {
			markdownGrid(&b, &g)
		}
	}
	return b.String()
}

func markdownGrid(b *strings.Builder, g *page.Grid) {
	if g.Title != "" {
		fmt.Fprintf(b, "\n### %s\n", command.MarkdownText(g.Title))
	}
	if len(g.Rows) == 0 {
		b.WriteString("\n" + command.MarkdownText(g.Empty) + "\n")
		return
	}
	var rows [][]string
	for i := range g.Rows {
		cells := cellTexts(&g.Rows[i])
		if g.Rows[i].Under {
			cells[0] = "└ " + cells[0]
		}
		rows = append(rows, cells)
	}
	b.WriteString("\n" + command.MarkdownRows(model.MapList(g.Columns, func(c page.GridColumn) string { return c.Title }),
		model.MapList(g.Columns, func(c page.GridColumn) bool { return c.Right }), rows))
}
