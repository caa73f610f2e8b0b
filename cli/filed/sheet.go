package filed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/change/audit"
	"rung/change/gate"
	"rung/cli/ask"
	"rung/cli/command"
	"rung/engine/verify"
	"rung/model"
	"rung/model/signs"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/activity"
	"rung/pages/cluster"
	"rung/pages/drift"
	"rung/pages/findings"
	"rung/pages/ladder"
	"rung/pages/matrix"
	"rung/pages/page"
	"rung/pages/page/role"
	"rung/pages/policy"
	"rung/pages/zones"
	"rung/revision"
	"rung/revision/connections"
	"rung/revision/finding"
	"rung/revision/omitted"
	"rung/system"
	"rung/themes"
)

// reportBuilder makes a report of a revision.
type reportBuilder struct {
	app        *command.App
	ctx        context.Context
	rev        *revision.Revision
	now        time.Time // of the judgements
	at         time.Time // that the report gives as its own
	changes    []audit.Change
	notices    []string // what of the history could not be read, and the like
	statements *ask.Expectations

	out     reportOut
	omits   []model.Omission
	rows    []model.Omission // of them, those that could change how rows stand
	no      bool             // findings, expectations or rows say so
	failed  bool             // some statements could not be asked
	summary []page.Line
	lines   []*ladder.Line
}

// mostMapped is how many namespaces a map has at most: more are told by rung matrix.
const mostMapped = 300

// sheet tells the pages, the omissions before everything that they could change.
func (b *reportBuilder) sheet() (*page.Sheet, error) {
	r := b.rev
	b.rows = omitted.OmissionsOfRows(r, r.Zones)
	b.omits = omitted.MergeOmissions(b.rows, omitted.OmissionsOfAnswers(r, true))
	opt := ladder.LadderOptions{Now: b.now}
	b.lines = slices.DeleteFunc(ladder.LadderLines(r, opt), func(l *ladder.Line) bool { return !l.IsPrinted() })
	ladderPart := page.Section{Key: "ladder", Title: "Ladder", Lines: []page.Line{plainLine(orderText(r))},
		Grids: []page.Grid{page.GridOf(ladder.LadderTable(r, opt), b.lines, false)}}
	rules := b.rulesPart()
	var parts []page.Section
	for _, part := range []func() (page.Section, error){b.matrixPart, b.expectationsPart, b.findingsPart, b.rowsPart} {
		x, err := part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, x)
		if len(parts) == 1 { // the map is read at a glance: it goes first
			parts = append(parts, ladderPart, rules)
		}
	}
	parts = append(parts, b.changesPart(), b.inputPart())
	b.out.Ladder = b.ladderFacts()
	b.out.Title, b.out.At = titleOf(r), page.Stamp{Time: b.at}
	s := &page.Sheet{Title: b.out.Title, About: b.about()}
	summary := page.Section{Key: "summary", Title: "Summary", Lines: b.summary}
	if n := len(omitted.UnjudgedOmissions(b.omits)); n > 0 {
		text := " not wholly judged: " + words.Count(n, "thing") + " could change what this report says"
		if allowed := n - len(omitted.UnjudgedOmissions(b.omits, b.app.Flags.AllowUnjudged...)); allowed > 0 {
			text += ", " + words.Thousands(allowed) + " of them allowed by --allow-unjudged"
		}
		summary.Lines = append([]page.Line{{warnSign, {Text: text + "; see Not considered"}}}, b.summary...)
	}
	b.out.Summary = page.MapList(summary.Lines, page.Line.String)
	s.Sections = append([]page.Section{summary, b.omittedPart()}, parts...)
	return s, nil
}

func plainLine(text string) page.Line { return page.Line{{Text: text, Role: themes.Dim}} }

// addSummary adds a sentence to the summary, with a sign.
func (b *reportBuilder) addSummary(sign page.Span, text string) {
	b.summary = append(b.summary, page.Line{sign, {Text: " " + text}})
}

var (
	goodSign  = page.Span{Text: signs.Yes, Role: themes.OK}
	badSign   = page.Span{Text: signs.Failed, Role: themes.Error}
	warnSign  = page.Span{Text: signs.Warned, Role: themes.Warn}
	notedSign = page.Span{Text: signs.Noted, Role: themes.Dim}
)

// about says what the report is of, when it was made, and by whom.
func (b *reportBuilder) about() (out []page.Fact) {
	b.out.About = map[string]string{}
	add := func(name, text string) {
		if text != "" {
			b.out.About[name] = text
			out = append(out, page.Fact{Name: name, Text: page.Line{{Text: text}}})
		}
	}
	m := b.rev.Mode
	made := b.at.Format(time.RFC3339)
	if !b.at.Equal(b.now) {
		made += " (given by --at-time)"
	}
	add("made", made)
	add("by", gate.CurrentUser())
	add("with", "rung "+b.app.Version)
	add("source", m.Name+" "+m.Title)
	add("API server", m.Server)
	add("read as", m.User)
	add("precedence", b.rev.System.Title+" ("+b.rev.SystemWhy+")")
	if n := len(b.out.Policies); n > 0 {
		b.out.PoliciesDigest = b.policiesDigest()
		text := b.out.PoliciesDigest + " (SHA-256 of " + words.Count(n, "policy") + " that were read"
		if len(omitted.UnjudgedOmissions(omitted.OmissionsOfObjects(b.rev))) > 0 {
			text += "; what is not considered is not in it"
		}
		add("policies", text+")")
	}
	return out
}

// omittedPart says what could change what the report says; nothing below it may be calmer.
func (b *reportBuilder) omittedPart() page.Section {
	x := page.Section{Key: "not-considered", Title: "Not considered"}
	out := b.app.OmissionsOut(b.omits)
	if len(out) == 0 {
		x.Lines = []page.Line{plainLine("Everything that was read counts, and nothing had to be assumed.")}
		return x
	}
	for _, o := range out {
		sign := warnSign
		if o.Assumed {
			sign = notedSign
		}
		l := page.Line{sign, {Text: " " + o.Text}}
		if o.Allowed {
			l = append(l, page.Span{Text: " (allowed by --allow-unjudged)", Role: themes.Warn})
		}
		if o.Remedy != "" {
			l = append(l, page.Span{Text: " → " + o.Remedy, Role: themes.Dim})
		}
		x.Lines = append(x.Lines, l)
	}
	return x
}

// ladderFacts are the ladder as rung ladder has it in JSON.
func (b *reportBuilder) ladderFacts() any {
	switch r := b.rev; {
	case r.System.Bands != nil:
		return ladder.BandFactsOf(r, func(model.Key) bool { return true })
	case len(r.Zones) == 0:
		return ladder.FactsOf(r.Ladder())
	default:
		return ladder.LiveFactsOf(r, r.Ladder(), b.now)
	}
}

// rulesPart has the rules of every policy, in the order of the ladder.
func (b *reportBuilder) rulesPart() page.Section {
	x := page.Section{Key: "rules", Title: "Rules"}
	b.out.Policies = []digestOut{}
	for _, l := range b.lines {
		p := b.rev.Cluster.Policy(l.Key)
		if p == nil {
			continue
		}
		g := page.GridOf(policy.RuleTable(p, !b.rev.BySelectors(p)), policy.RulesOf(b.rev, p), true)
		g.Title = p.Key.Label() + " · " + p.SubjectText()
		x.Grids = append(x.Grids, g)
		b.out.Policies = append(b.out.Policies, digestOut{Policy: p.Key.String(), Digest: p.Digests().Whole.String(), File: p.Origin.Place()})
	}
	b.addSummary(notedSign, words.Count(len(x.Grids), "policy")+"; pods: "+podsText(b.rev))
	if len(x.Grids) == 0 {
		x.Lines = []page.Line{plainLine("There are no policies.")}
	}
	return x
}

// podsText counts the pods.
func podsText(r *revision.Revision) string {
	if n := r.PodCount(); n.All > 0 {
		return n.String()
	}
	return "none"
}

// orderText says in which order the ladder decides.
func orderText(r *revision.Revision) string {
	if r.System.Bands != nil {
		return "Tiers and policies decide from the top down."
	}
	return "Tier 1 decides first: there lower numbers come before higher ones. In tier 2 the numbers are OVN's own, and higher ones come first. A rule that is not reached decides nothing."
}

// policiesDigest stands for what all policies say, wherever they were read: two reports of the same
// policies have the same one.
func (b *reportBuilder) policiesDigest() string {
	lines := page.MapList(b.out.Policies, func(d digestOut) string { return d.Policy + " " + d.Digest + "\n" })
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}

// mostMatrixTime is how long the matrix may take to be worked out: that of a large cluster on any port is
// a question of its own.
const mostMatrixTime = 20 * time.Second

// policiesAlone says what verdicts are worked out by.
var policiesAlone = plainLine("By the policies. How the rows of the zones differ from them stands under Rows of the zones.")

// matrixPart says which namespaces reach which, on any port.
func (b *reportBuilder) matrixPart() (page.Section, error) {
	x := page.Section{Key: "matrix", Title: "Matrix", Lines: []page.Line{policiesAlone}}
	b.out.Matrix = []matrixLineOut{}
	ctx, cancel := context.WithTimeout(b.ctx, mostMatrixTime)
	defer cancel()
	m, err := connections.FindMatrix(b.rev, ctx, verdict.Ports{})
	switch {
	case err != nil && b.ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		b.leaveOut(&x, fmt.Sprintf("the matrix was not worked out within %s; rung matrix --port N takes less", mostMatrixTime))
		return x, nil
	case err != nil:
		return x, fmt.Errorf("working out the matrix: %w", err)
	}
	x.Lines = append(x.Lines, matrix.AboutLine(m, matrix.Shown{}))
	judged, unknown := 0, 0
	for _, from := range m.Namespaces {
		for _, to := range m.Namespaces {
			c := m.Cell(from, to)
			judged, unknown = judged+c.CountPairs()-c.NotApplicable, unknown+c.Unknown
		}
	}
	b.omits = omitted.MergeOmissions(b.omits, matrix.Unjudged(m, judged, unknown))
	if len(m.Namespaces) == 0 {
		return x, nil
	}
	drawn := matrix.MapOf(m, m.Namespaces)
	for i, from := range drawn.Rows {
		line := matrixLineOut{From: from, To: map[string][]string{}}
		for j, to := range drawn.Rows {
			if k := drawn.At(i, j); k != nil {
				line.To[k.Key] = append(line.To[k.Key], to)
			}
		}
		b.out.Matrix = append(b.out.Matrix, line)
	}
	if len(m.Namespaces) > mostMapped {
		text := fmt.Sprintf("the map of %s is left out, which is of more than %d; -o json has it", words.Count(len(m.Namespaces), "namespace"), mostMapped)
		x.Lines = append(x.Lines, page.Line{notedSign, {Text: " " + text}})
		b.addSummary(notedSign, text)
		return x, nil
	}
	x.Map = drawn
	return x, nil
}

// leaveOut says in a section, and among what was not considered, that a part of the report is missing.
func (b *reportBuilder) leaveOut(x *page.Section, why string) {
	x.Lines = append(x.Lines, page.Line{warnSign, {Text: " " + why}})
	b.omits = append(b.omits, model.Omission{Code: model.OmittedPart, Why: why})
}

// expectationsPart judges the statements that were given.
func (b *reportBuilder) expectationsPart() (page.Section, error) {
	x := page.Section{Key: "expectations", Title: "Expectations"}
	if b.statements.IsEmpty() {
		x.Lines = []page.Line{plainLine("None were given: --expectations names files of statements that must hold.")}
		return x, nil
	}
	out, omits, err := ask.JudgeExpectations(b.ctx, b.app, b.rev, b.statements, verify.Options{Compiled: len(b.rev.Zones) == 0, Now: b.now})
	if err != nil {
		return x, err
	}
	b.out.Verify = out
	b.omits = omitted.MergeOmissions(b.omits, omits)
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
	g := page.GridOf(ask.StatementTable, page.MapList(out.Statements, func(s ask.StatementFacts) *ask.StatementFacts { return &s }), true)
	x.Grids = []page.Grid{g}
	return x, nil
}

// findingsPart lists everything wrong or dangerous, those of one cause below it.
func (b *reportBuilder) findingsPart() (page.Section, error) {
	x := page.Section{Key: "findings", Title: "Findings"}
	found, err := finding.AllFindings(b.rev, b.ctx)
	if err != nil {
		return x, fmt.Errorf("looking for findings: %w", err)
	}
	found = slices.Concat(found, finding.ZoneFindings(b.rev, b.now))
	all := findings.FindingsOf(found)
	b.out.Findings = all
	n := model.CountFindings(found)
	worst := model.SeverityInfo
	switch {
	case n.Errors > 0:
		worst, b.no = model.SeverityError, true
	case n.Warnings > 0:
		worst = model.SeverityWarning
	}
	text := cmp.Or(findings.CountText(found), "nothing found")
	if len(omitted.UnjudgedOmissions(b.omits)) > 0 {
		text += ", in what was considered"
	}
	sign := role.SeveritySign(worst)
	if len(found) == 0 {
		sign = goodSign
	}
	b.addSummary(sign, "findings: "+text)
	x.Grids = []page.Grid{page.GridOf(findings.Table, all, true)}
	return x, nil
}

// rowsPart lists the zones and how their rows differ.
func (b *reportBuilder) rowsPart() (page.Section, error) {
	r := b.rev
	x := page.Section{Key: "rows", Title: "Rows of the zones"}
	b.out.Drift, b.out.Zones = []drift.Facts{}, []*zones.ZoneFacts{}
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
	all := page.MapList(r.Zones, func(z *model.ZoneState) *zones.ZoneFacts { return zones.AllFactsOfZone(r, z, b.now) })
	b.out.Zones, b.out.Drift = all, drift.FactsOf(r, r.Zones, b.now, 0)
	unread := command.UnreadZone(r.Zones)
	compared, not := len(drift.ComparedPolicies(r, r.Zones)), command.NotCounted(b.rows)
	text, sign := drift.NoDriftText(compared, compared, r.Zones, unread == nil, not), goodSign
	driftTable := *drift.Table
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
	zoneGrid := page.GridOf(zones.Table, all, true)
	zoneGrid.Title = "Zones"
	driftGrid := page.GridOf(&driftTable, drift.LinesOf(b.out.Drift), true)
	driftGrid.Title = "Differences"
	x.Grids = []page.Grid{zoneGrid, driftGrid}
	return x, nil
}

// changesPart lists the changes of the history.
func (b *reportBuilder) changesPart() page.Section {
	all := activity.FactsOf(b.changes, nil, b.now)
	b.out.Changes = append([]*activity.Entry{}, all...)
	x := page.Section{Key: "changes", Title: "Changes", Lines: []page.Line{plainLine("Made with Rung, as far as the history of this user on this machine has them. Times are UTC.")}}
	for _, text := range b.notices {
		x.Lines = append(x.Lines, page.Line{warnSign, {Text: " " + text}})
		b.addSummary(warnSign, text)
	}
	// What zones were written for them stands in the history of whoever wrote.
	table := *activity.Table
	table.Columns = slices.DeleteFunc(slices.Clone(table.Columns), func(c page.Column[*activity.Entry]) bool { return c.Key == "operations" })
	table.Empty = "none in the history"
	x.Grids = []page.Grid{page.GridOf(&table, all, true)}
	return x
}

// mostFiles is how many files of the input a report lists.
const mostFiles = 1000

// inputPart says what was read, with digests.
func (b *reportBuilder) inputPart() page.Section {
	x := page.Section{Key: "input", Title: "Input"}
	for _, part := range cluster.FactsOf(b.rev).Tell(cluster.Hints{}, b.now) {
		if part.Title == "no cluster" {
			continue // where it comes from stands above
		}
		g := page.Grid{Title: part.Title, Columns: []page.GridColumn{{Key: "what", Title: "WHAT"}, {Key: "value", Title: "VALUE"}}}
		for _, e := range part.Entries {
			if e.ID == "changes" {
				continue // of this process, which changes nothing
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
	for _, f := range b.statements.Files {
		b.addFile(f)
	}
	files := page.GridOf(fileTable, b.out.Files[:min(len(b.out.Files), mostFiles)], true)
	files.Title = "Files"
	if n := len(b.out.Files) - mostFiles; n > 0 {
		files.Title = fmt.Sprintf("The first %s files; -o json has %s more", words.Thousands(mostFiles), words.Thousands(n))
	}
	policies := page.GridOf(digestTable, b.out.Policies, true)
	policies.Title = "Digests of the policies"
	x.Grids = append(x.Grids, files, policies)
	return x
}

// addFile adds a file that was read, each once.
func (b *reportBuilder) addFile(f model.SourceFile) {
	o := fileOut{Path: f.Path, Size: f.Size}
	if f.Sum != [32]byte{} {
		o.SHA256 = hex.EncodeToString(f.Sum[:])
	}
	if !slices.Contains(b.out.Files, o) {
		b.out.Files = append(b.out.Files, o)
	}
}

var fileTable = &page.Table[fileOut]{
	ID:    func(f fileOut) string { return f.Path },
	Empty: "no files were read",
	Columns: []page.Column[fileOut]{
		{Key: "path", Title: "FILE", Worth: page.Always, Cell: func(f fileOut) page.Cell { return page.Cell{Text: f.Path} }},
		{Key: "bytes", Title: "BYTES", Right: true, Worth: page.Always, Cell: func(f fileOut) page.Cell { return page.Cell{Text: words.Thousands(int(f.Size))} }},
		{Key: "sha256", Title: "SHA-256", Worth: page.Always, Cell: func(f fileOut) page.Cell { return page.Cell{Text: cmp.Or(f.SHA256, page.None.Text), Role: themes.Dim} }},
	},
}

var digestTable = &page.Table[digestOut]{
	ID:    func(d digestOut) string { return d.Policy },
	Empty: "there are no policies",
	Help:  map[string]string{"digest": "the first half of the SHA-256 of what the policy says, wherever it was read: metadata that others add does not count"},
	Columns: []page.Column[digestOut]{
		{Key: "policy", Title: "POLICY", Worth: page.Always, Cell: func(d digestOut) page.Cell { return page.Cell{Text: d.Policy, Role: themes.Accent} }},
		{Key: "digest", Title: "DIGEST", Worth: page.Always, Cell: func(d digestOut) page.Cell { return page.Cell{Text: d.Digest, Role: themes.Dim} }},
		{Key: "file", Title: "FILE", Worth: page.Always, Sparse: true, Cell: func(d digestOut) page.Cell { return page.Cell{Text: d.File, Role: themes.Dim} }},
	},
}
