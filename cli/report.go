package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/change/gate"
	"rung/change/history"
	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/ladder"
	"rung/pages/page"
	"rung/pages/policy"
	"rung/pages/rows"
	"rung/revision"
	"rung/system"
	"rung/themes"
)

type reportAsk struct {
	save, atTime string
	expectations []string
	settle       time.Duration
	at           time.Time // parsed atTime, or zero
}

func ReportCommand(a *command.App) *cobra.Command {
	var asked reportAsk
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Write one file for an audit: ladder, rules, matrix, findings, drift",
		Long: `Write one file for an audit or the review of an incident: the omissions, the matrix of
namespaces, the ladder and every rule, expectations with their proof, findings by cause,
differences of the rows in each zone, the changes made, and digests of the input.

-o html is one file for a browser: it uses no network, sorts and searches without a
server, and prints. -o markdown is for a ticket. --save writes the file whole or not at
all, in the form of its extension.

Rows are compared if there are databases: a cluster's, those of --nb, or those of a
must-gather. The same input gives the same file except for its date: --at-time sets it.`,
		Example: `  rung report -o html -f examples/ > report.html
  rung report --save report.html --expectations examples/expectations.yaml -f examples/
  rung report -o markdown --context staging`,
		Args:        command.TakesArgs(0),
		Annotations: command.FormAnnotations(command.MarkdownForm, command.HTMLForm),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			return asked.checkFlags(a, cmd.Flags().Changed("output"), cmd.Flags().Changed("save"))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runReport(cmd.Context(), a, &asked) },
	}
	f := cmd.Flags()
	f.StringVar(&asked.save, "save", "", "write the report to this `FILE`: .html, .md, .json, .yaml or .txt, unless -o says otherwise")
	f.StringVar(&asked.atTime, "at-time", "", "`TIME` of the report, as 2026-11-27T09:00:00Z (default now)")
	f.StringArrayVar(&asked.expectations, "expectations", nil, "`FILE` of statements to check, as for rung verify (repeatable)")
	f.DurationVar(&asked.settle, "settle", model.SettleTime, "`TIME` that a difference of rows may take to settle")
	command.CompleteFlag(cmd, "save", command.FileCompleter())
	command.CompleteFlag(cmd, "expectations", command.FileCompleter("yaml", "yml", "json"))
	return cmd
}

var formsOfNames = map[string]string{".html": command.HTMLForm, ".htm": command.HTMLForm, ".md": command.MarkdownForm, ".json": "json",
	".yaml": "yaml", ".yml": "yaml", ".txt": "wide"}

// checkFlags checks the flags; formGiven says whether -o was given, saves whether --save was.
func (q *reportAsk) checkFlags(a *command.App, formGiven, saves bool) (err error) {
	if saves && q.save == "" {
		return errors.New("--save needs the name of a file")
	}
	if q.atTime != "" {
		if q.at, err = time.Parse(time.RFC3339, q.atTime); err != nil {
			return fmt.Errorf("--at-time %s: want a time with its zone, as 2026-11-27T09:00:00Z", q.atTime)
		}
	}
	if q.save != "" && !formGiven {
		form := formsOfNames[strings.ToLower(filepath.Ext(q.save))]
		if form == "" {
			return fmt.Errorf("--save %s: unknown form; end the name with .html or .md, or give -o", q.save)
		}
		a.Flags.Output = form
	}
	return nil
}

// zonesTime limits the time to read zones.
const zonesTime = 30 * time.Second

func runReport(ctx context.Context, a *command.App, asked *reportAsk) error {
	statements, err := ReadExpectations(ctx, a, asked.expectations)
	if err != nil {
		return err
	}
	a.Flags.Quiet, a.Flags.ForReport = true, true // the report lists what could not be read
	return a.WithEngine(ctx, true, func(*revision.Revision) bool { return true }, func(e *engine.Engine, r *revision.Revision) error {
		if r.System.HasFeature(system.Rows) && (len(r.Zones) > 0 || r.Mode.Name == revision.ClusterMode) {
			// Zones not read by then become omissions. Differences get time to settle.
			read, settled := command.ZonesSettled(), time.Now().Add(asked.settle)
			wait, cancel := context.WithTimeout(ctx, max(zonesTime, asked.settle))
			defer cancel()
			_ = e.WaitFor(wait, func(r *revision.Revision) bool {
				return read(r) && (time.Now().After(settled) || !rows.IsMoving(r.Zones, rows.ListDrift(r, r.Zones, e.Now(), asked.settle)))
			}, time.Now().Add(command.Patience), time.Now().Add(command.LastPatience), settled)
		}
		unread := e.ReadChanges() // the report says if they are missing
		r = e.Revision()
		now := e.Now()
		b := &reportBuilder{app: a, ctx: ctx, rev: r, now: now, at: cmp.Or(asked.at, now).UTC(), changes: e.Changes(), notices: e.Notices(),
			unread: unread, statements: statements}
		ans, err := b.answer()
		if err != nil {
			return err
		}
		if asked.save != "" {
			return a.SaveAnswer(ans, asked.save)
		}
		return a.ConcludeAnswer(ans)
	})
}

// answer makes the report.
func (b *reportBuilder) answer() (*command.Answer, error) {
	s, err := b.sheet()
	if err != nil {
		return nil, err
	}
	ans := &command.Answer{Value: &b.out, NotConsidered: b.omits, ShowsOmissions: true, No: b.no}
	if b.failed {
		ans.Err = command.ErrPrinted
	}
	ans.Text = func(bool) string { return Text(s) }
	ans.Markdown = func() string { return Markdown(s) }
	ans.Drawing = func(string) string { return HTML(s) }
	return ans, nil
}

// reportOut is the JSON of `rung report` (command-line.md#output), followed by its omissions.
type reportOut struct {
	Title    string            `json:"title"`
	At       model.Stamp       `json:"at"`
	About    map[string]string `json:"about"`
	Summary  []string          `json:"summary"`
	Ladder   any               `json:"ladder"`
	Matrix   []matrixLineOut   `json:"matrix"`
	Verify   *VerifyFacts      `json:"expectations,omitempty"`
	Findings any               `json:"findings"`
	Zones    any               `json:"zones"`
	Drift    []rows.Facts      `json:"drift"`
	Changes  any               `json:"changes"`
	Files    []fileOut         `json:"files"`
	Policies []digestOut       `json:"policies"`
	// Digest over all Policies.
	PoliciesDigest string `json:"policies_sha256,omitempty"`
}

// matrixLineOut lists the destinations of a namespace by verdict.
type matrixLineOut struct {
	From string              `json:"from"`
	To   map[string][]string `json:"to"`
}

type fileOut struct {
	Path   string `json:"path"`
	Size   int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"`
}

type digestOut struct {
	Policy string `json:"policy"`
	Digest string `json:"digest"`
	File   string `json:"file,omitempty"`
}

type reportBuilder struct {
	app        *command.App
	ctx        context.Context
	rev        *revision.Revision
	now        time.Time // time of the judgement
	at         time.Time // time shown as the report's own
	changes    []history.Change
	notices    []string // problems found at the start, such as unreadable lines of the history
	unread     error    // why changes of others were not read
	statements *Expectations

	out     reportOut
	omits   []model.Omission
	rows    []model.Omission // omissions that could change the state of rows
	no      bool             // findings, expectations or rows failed
	failed  bool             // some statements could not be asked
	summary []page.Line
	lines   []*ladder.Line
}

// maxMapNamespaces is the most namespaces of a map; rung matrix shows more.
const maxMapNamespaces = 300

// sheet makes the report's sections. Omissions come before everything that they could change.
func (b *reportBuilder) sheet() (*page.Sheet, error) {
	r := b.rev
	b.rows = revision.OmissionsOfRows(r, r.Zones)
	b.omits = revision.MergeOmissions(b.rows, revision.OmissionsOfAnswers(r, true))
	opt := ladder.LadderOptions{Now: b.now}
	b.lines = slices.DeleteFunc(ladder.LadderLines(r, opt), func(l *ladder.Line) bool { return !l.IsPrinted() })
	order := "Tier 1 decides first, lower numbers before higher ones. Tier 2 has OVN's own numbers, higher ones " +
		"first. A rule that is not reached decides nothing."
	if r.System.Bands != nil {
		order = "Tiers and policies decide from the top down."
	}
	ladderPart := page.Section{Key: "ladder", Title: "Ladder", Lines: []page.Line{plainLine(order)},
		Grids: []page.Grid{page.NewGrid(ladder.LadderTable(r, opt), b.lines, false)}}
	rules := b.rulesPart()
	reached, err := b.matrixPart()
	if err != nil {
		return nil, err
	}
	parts := []page.Section{reached, ladderPart, rules} // first, as the map is understood at a glance
	for _, part := range []func() (page.Section, error){b.expectationsPart, b.findingsPart, b.rowsPart} {
		x, err := part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, x)
	}
	parts = append(parts, b.changesPart(), b.inputPart())
	b.out.Ladder = b.ladderFacts()
	b.out.Title, b.out.At = "Policies of "+cmp.Or(r.Mode.Title, r.Mode.Name), model.Stamp{Time: b.at}
	s := &page.Sheet{Title: b.out.Title, About: b.about()}
	summary := page.Section{Key: "summary", Title: "Summary", Lines: b.summary}
	if n := len(revision.UnjudgedOmissions(b.omits)); n > 0 {
		text := " not fully judged: " + words.Count(n, "thing") + " could change what this report says"
		if allowed := n - len(revision.UnjudgedOmissions(b.omits, b.app.Flags.AllowUnjudged...)); allowed > 0 {
			text += ", " + words.Thousands(allowed) + " of them allowed by --allow-unjudged"
		}
		summary.Lines = append([]page.Line{{warnSign, {Text: text + "; see Not considered"}}}, b.summary...)
	}
	b.out.Summary = model.MapList(summary.Lines, page.Line.String)
	s.Sections = append([]page.Section{summary, b.omittedPart()}, parts...)
	return s, nil
}

func plainLine(text string) page.Line { return page.Line{{Text: text, Role: themes.Dim}} }

// addSummary adds a sentence with a sign to the summary.
func (b *reportBuilder) addSummary(sign page.Span, text string) {
	b.summary = append(b.summary, page.Line{sign, {Text: " " + text}})
}

var (
	goodSign  = page.Span{Text: words.Yes, Role: themes.OK}
	badSign   = page.Span{Text: words.Failed, Role: themes.Error}
	warnSign  = page.Span{Text: words.Warned, Role: themes.Warn}
	notedSign = page.Span{Text: words.Noted, Role: themes.Dim}
)

// about returns the subject, time and author of the report.
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
	if !b.at.Equal(b.now) { // else it is the time of judgement
		made += " (given by --at-time)"
	}
	add("made", made)
	add("by", gate.CurrentUser())
	add("with", "rung "+b.app.Version)
	if known := engine.KnownReleases(); b.rev.System.HasFeature(system.Rows) {
		add("judged as", "OVN-Kubernetes, "+known.OVNKubernetes)
		add("APIs known", "network-policy-api "+strings.Join(known.NetworkPolicyAPI, ", "))
	}
	add("source", m.Name+" "+m.Title)
	add("API server", m.Server)
	add("read as", m.User)
	add("precedence", b.rev.System.Title+" ("+b.rev.SystemWhy+")")
	if n := len(b.out.Policies); n > 0 {
		// Reports of the same policies have the same digest, wherever they were read.
		lines := model.MapList(b.out.Policies, func(d digestOut) string { return d.Policy + " " + d.Digest + "\n" })
		slices.Sort(lines)
		sum := sha256.Sum256([]byte(strings.Join(lines, "")))
		b.out.PoliciesDigest = hex.EncodeToString(sum[:])
		text := b.out.PoliciesDigest + " (SHA-256 of " + words.Count(n, "policy") + " that were read"
		if len(revision.UnjudgedOmissions(revision.OmissionsOfObjects(b.rev))) > 0 {
			text += "; without omitted ones"
		}
		add("policies", text+")")
	}
	return out
}

// omittedPart lists what could change the report, before the results it could change.
func (b *reportBuilder) omittedPart() page.Section {
	x := page.Section{Key: "not-considered", Title: "Not considered"}
	out := b.app.OmissionsOut(b.omits)
	if len(out) == 0 {
		x.Lines = []page.Line{plainLine("Nothing was left out or assumed.")}
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

// ladderFacts returns the ladder as the JSON of rung ladder.
func (b *reportBuilder) ladderFacts() any {
	switch r := b.rev; {
	case r.System.Bands != nil:
		return ladder.NewBandFacts(r, func(model.Key) bool { return true })
	case len(r.Zones) == 0:
		return ladder.NewFacts(r.Ladder())
	default:
		return ladder.NewLiveFacts(r, r.Ladder(), b.now)
	}
}

// rulesPart lists the rules of every policy, in ladder order.
func (b *reportBuilder) rulesPart() page.Section {
	x := page.Section{Key: "rules", Title: "Rules"}
	b.out.Policies = []digestOut{}
	for _, l := range b.lines {
		p := b.rev.Cluster.Policy(l.Key)
		if p == nil {
			continue
		}
		g := page.NewGrid(policy.RuleTable(p, !b.rev.BySelectors(p)), policy.ListRules(b.rev, p), true)
		g.Title = p.Key.Label() + " · " + p.SubjectText()
		x.Grids = append(x.Grids, g)
		b.out.Policies = append(b.out.Policies, digestOut{Policy: p.Key.String(), Digest: p.Digests().Whole.String(), File: p.Origin.Place()})
	}
	pods := b.rev.EmptyText("none", model.KindPod)
	if n := b.rev.PodCount(); n.All > 0 {
		pods = n.String()
	}
	b.addSummary(notedSign, words.Count(len(x.Grids), "policy")+"; pods: "+pods)
	if len(x.Grids) == 0 {
		x.Lines = []page.Line{plainLine("There are no policies.")}
	}
	return x
}
