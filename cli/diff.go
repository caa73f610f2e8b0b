package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/difference"
	"rung/revision"
)

var failConditions = []string{"opens", "closes", "guards", "findings", "findings=error", "findings=warning"}

func DiffCommand(a *command.App) *cobra.Command {
	var failOn []string
	cmd := &cobra.Command{
		Use:   "diff BEFORE AFTER",
		Short: "Show what changes from one state to another: policies, connections, findings",
		Long: `Show the differences between two inputs of any kind: files, folders, - for standard input,
git:REV[:PATH], dumps, must-gathers, or context:NAME for a cluster.

Policies that were added, removed, moved or changed are listed rule by rule. Connections are
listed by workload, or by address block outside if policies distinguish blocks, with their
ports: connections that open (allowed now, not before), close, get another verdict, or are
decided by another rule. Then come findings of only one side, and the guard rails that the
step would hit.

Exit 1 if a condition of --fail-on holds, whatever else was left out: opens, closes, findings
(of any severity, or findings=error, findings=warning), guards. Exit 2 if none holds and
something was not judged. Otherwise exit 0, whatever differs.`,
		Example: `  rung diff git:origin/main:policies policies
  rung diff git:HEAD~1 . --fail-on opens,findings=error
  rung diff examples/ new/ -o markdown
  rung diff policies context:staging`,
		Args:        command.TakesArgs(0, "BEFORE", "AFTER"),
		Annotations: command.FormAnnotations(append([]string{command.MarkdownForm, command.CSVForm}, command.Forms...)...),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		fails, err := parseFailOn(failOn)
		if err != nil {
			return err
		}
		if len(a.Flags.Files) > 0 {
			return fmt.Errorf("-f %s: rung diff takes both sides as arguments", a.Flags.Files[0])
		}
		ans, err := diffAnswer(cmd.Context(), a, [2]string(args), fails)
		if err != nil {
			return err
		}
		return a.ConcludeAnswer(ans)
	}
	cmd.Flags().StringSliceVar(&failOn, "fail-on", nil, "exit 1 if one of `CONDITIONS` holds: opens, closes, findings[=SEVERITY], guards")
	command.CompleteFlag(cmd, "fail-on", command.FixedWords(failConditions...))
	return cmd
}

type failOnFlags struct {
	opens, closes, guards bool
	findings              []model.Severity
}

func parseFailOn(conditions []string) (f failOnFlags, err error) {
	all := []model.Severity{model.SeverityError, model.SeverityWarning, model.SeverityInfo}
	for _, c := range conditions {
		name, severity, has := strings.Cut(strings.TrimSpace(c), "=")
		least := slices.Index(all, model.Severity(severity))
		switch {
		case name == "opens" && !has:
			f.opens = true
		case name == "closes" && !has:
			f.closes = true
		case name == "guards" && !has:
			f.guards = true
		case name == "findings" && !has:
			f.findings = all
		case name == "findings" && least >= 0:
			f.findings = all[:least+1]
		default:
			return f, fmt.Errorf("--fail-on %s: use opens, closes, guards, findings, findings=error or findings=warning", c)
		}
	}
	return f, nil
}

func (f *failOnFlags) isMet(d *difference.Facts) bool {
	return f.opens && d.Count(revision.Opens) > 0 || f.closes && d.Count(revision.Closes) > 0 || f.guards && len(d.Guards) > 0 ||
		slices.ContainsFunc(d.Findings.New, func(x difference.Finding) bool { return slices.Contains(f.findings, x.Severity) })
}

func diffAnswer(ctx context.Context, a *command.App, names [2]string, fails failOnFlags) (ans *command.Answer, err error) {
	var sides [2]*command.App
	for i, name := range names {
		if sides[i], err = command.ForInput(a, name); err != nil {
			return nil, err
		}
		sides[i].Flags.Quiet = true // the answer lists broken objects
	}
	if names[0] == "-" && names[1] == "-" {
		return nil, fmt.Errorf("standard input can be one side only")
	}
	err = sides[0].WithObjects(ctx, func(_ *engine.Engine, before *revision.Revision) error {
		return sides[1].WithObjects(ctx, func(e *engine.Engine, after *revision.Revision) error {
			f, err := difference.Compare(ctx, before, after, names, engine.ProtectedNamespaces(e))
			if err != nil {
				return err
			}
			ans = command.TableAnswer(a, f, difference.Connections, f.Connections)
			ans.FailOn, ans.NotConsidered = fails.isMet(f), f.NotConsidered
			ans.Text = func(wide bool) string { return differenceText(a, f, command.NotCounted(f.NotConsidered), wide) }
			ans.Markdown = func() string { return commentText(f, command.MarkdownOmitted(a.OmissionsOut(f.NotConsidered))) }
			ans.Objects = f.Connections
			ans.Report, ans.Summary = func() *command.Report { return differenceReport(f, &fails) }, strings.Join(f.Summary(), "; ")
			return nil
		})
	})
	return ans, err
}

// differenceText returns a difference as text. The argument not says what was not compared.
func differenceText(a *command.App, f *difference.Facts, not string, wide bool) string {
	width := command.TerminalWidth(a.Raw)
	if f.IsEmpty() {
		if not != "" {
			return "nothing differs in what was compared; not compared: " + not + "\n"
		}
		return "nothing differs\n"
	}
	var b strings.Builder
	for _, line := range f.Summary() {
		b.WriteString(line + "\n")
	}
	section := func(some bool, text string) {
		if some {
			b.WriteString("\n" + text)
		}
	}
	section(len(f.Policies) > 0, command.TableText(difference.Policies, f.PolicyLines(), wide, width))
	connections := words.Choose(wide, f.Connections, difference.GroupConnections(f.Connections))
	section(len(f.Connections) > 0, command.TableText(difference.Connections, connections, wide, width))
	if len(connections) < len(f.Connections) {
		b.WriteString("-o wide lists every pair of workloads\n")
	}
	most := 10
	if wide {
		most = 1 << 20
	}
	for _, line := range f.WorkloadLines(most, "-o wide has all") {
		section(true, line+"\n")
	}
	found := f.FindingLines()
	section(len(found) > 0, command.TableText(difference.Findings, found, wide, width))
	guards := model.MapList(f.Guards, func(g difference.Guard) *difference.Guard { return &g })
	section(len(guards) > 0, command.TableText(difference.Guards, guards, wide, width))
	return b.String()
}

// differenceReport returns the results for a pipeline: connections that open and close, new findings, guard
// rails.
func differenceReport(f *difference.Facts, fails *failOnFlags) *command.Report {
	out := &command.Report{Command: "diff", Rules: []command.Rule{
		{Code: "opens", Title: "a connection opens", Meaning: "A connection is allowed that was not before.",
			Help: "Look at its trace: rung trace."},
		{Code: "closes", Title: "a connection closes", Meaning: "A connection is no longer allowed.", Help: "Look at its trace: rung trace."},
		{Code: "guard", Title: "a guard rail is hit", Meaning: "The console would ask to confirm this step.",
			Help: "docs/command-line.md#changes lists the guard rails."},
	}}
	level := func(fails bool, otherwise command.Level) command.Level {
		if fails {
			return command.Error
		}
		return otherwise
	}
	for _, c := range f.Connections {
		if c.Change != string(revision.Opens) && c.Change != string(revision.Closes) {
			continue
		}
		r := command.Result{Code: c.Change, Level: level(c.Change == "opens" && fails.opens || c.Change == "closes" && fails.closes,
			command.Warning),
			Message: c.Sentence(), Key: c.From + " " + c.To + " " + c.PortsText(), Detail: "for example " + c.Example.String()}
		if len(c.ByAfter) > 0 {
			r.Message += ", now by " + strings.Join(c.ByAfter, "; ")
		}
		at := f.OriginOfDecider(c)
		r.File, r.Line, r.Object = at.File, at.Line, c.From
		out.Results = append(out.Results, r)
	}
	out.AddFindings(model.MapList(f.Findings.New, func(x difference.Finding) model.Finding { return *x.Original }))
	for _, g := range f.Guards {
		out.Results = append(out.Results, command.Result{Code: "guard", Level: level(fails.guards, command.Warning), Message: g.Code + ": " +
			g.Message, Object: g.Policy, Key: g.Code})
	}
	return out
}

// maxCommentRunes is the most characters of a comment; GitHub's limit is 65,536.
const maxCommentRunes = 60_000

// commentText returns a difference as a comment of a pull request: three lines, and folded details. Lines that
// do not fit are counted. below is the text after it.
func commentText(f *difference.Facts, below string) string {
	var b strings.Builder
	b.WriteString("### Network policies: " + command.MarkdownText(f.Before) + " → " + command.MarkdownText(f.After) + "\n\n")
	if f.IsEmpty() {
		return b.String() + "Nothing differs.\n"
	}
	for _, line := range f.Summary() {
		what, rest, _ := strings.Cut(line, ": ")
		b.WriteString("- **" + what + ":** " + command.MarkdownText(rest) + "\n")
	}
	fold := func(title string, n int, table func(n int) string) {
		if n == 0 {
			return
		}
		head, tail := fmt.Sprintf("\n<details><summary>%s (%s)</summary>\n\n", title, words.Thousands(n)), "\n</details>\n"
		room := maxCommentRunes - utf8.RuneCountInString(b.String()+below+head+tail) - 200
		shown := n
		for text := table(shown); shown > 0 && utf8.RuneCountInString(text) > room; text = table(shown) {
			shown = min(shown*9/10, shown*max(room, 0)/utf8.RuneCountInString(text))
		}
		b.WriteString(head)
		if shown > 0 {
			b.WriteString(table(shown))
		}
		if shown < n {
			b.WriteString(fmt.Sprintf("\nand %s more: `rung diff … -o json` has all\n", words.Thousands(n-shown)))
		}
		b.WriteString(tail)
	}
	fold("Connections", len(f.Connections), func(n int) string { return command.MarkdownTable(difference.Connections, f.Connections[:n]) })
	lines := f.PolicyLines()
	fold("Policies, rule by rule", len(lines), func(n int) string { return command.MarkdownTable(difference.Policies, lines[:n]) })
	found := f.FindingLines()
	fold("Findings", len(found), func(n int) string { return command.MarkdownTable(difference.Findings, found[:n]) })
	fold("Guard rails", len(f.Guards), func(n int) string {
		return strings.Join(model.MapList(f.Guards[:n], func(g difference.Guard) string {
			return "- " + command.MarkdownText(g.Code+": "+g.Key.Label()+": "+g.Message)
		}), "\n") + "\n"
	})
	return b.String()
}
