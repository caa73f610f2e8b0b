package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/change"
	"rung/change/gate"
	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/difference"
	"rung/revision"
)

func previewAnswer(p *gate.Preview, outcome string) *command.Answer {
	out := difference.NewConsequences(p)
	out.Outcome = outcome
	return &command.Answer{Value: out, NotConsidered: p.NotConsidered, Text: func(wide bool) string { return previewText(p, wide) },
		Markdown: func() string { return previewMarkdown(p) }}
}

// previewText describes a change: the objects, the rows, and what to consider. wide adds the YAML before and
// after, and the equivalent commands.
func previewText(p *gate.Preview, wide bool) string {
	t := difference.PreviewText(p)
	var b strings.Builder
	fmt.Fprintln(&b, p.Title)
	writePreviewPoints(&b, "  ", t.Headline, t.Surplus, t.Errors)
	for _, o := range t.Objects {
		if o.Sign.Text == "" && len(t.Objects) > 1 {
			fmt.Fprintf(&b, "  %s %s\n", o.Name, o.Verb)
		}
		for _, f := range o.Fields {
			fmt.Fprintf(&b, "  %s: %s\n", f.Path, f.Change)
		}
		if o.Text != "" {
			writePreviewPoints(&b, "  ", []difference.PreviewPoint{o.PreviewPoint})
		}
	}
	writeHarm(&b, "  ", t)
	writePreviewPoints(&b, "  ", t.Notes)
	for _, groups := range []difference.GroupTable{t.LoggedFlips, t.Flips, t.Others} {
		for _, g := range groups.Rows {
			fmt.Fprintf(&b, "    %s: %s\n      %s\n", g.What, g.ConnectionsText(), g.DeciderText())
		}
		if groups.More != "" {
			fmt.Fprintf(&b, "    %s (-o json has all)\n", groups.More)
		}
	}
	writePreviewPoints(&b, "  ", t.Counts)
	for i := range p.Rows {
		r := &p.Rows[i]
		fmt.Fprintf(&b, "    %-6s %-11s %s\n", difference.RowVerb[r.Kind], r.Table, command.ShortID(r.ID, wide))
		if r.Kind == model.DiffDifferent {
			for _, f := range difference.ChangedFields(r, wide) {
				fmt.Fprintf(&b, "           %s: %s\n", f.Path, f.Change)
			}
		}
	}
	if p.Conflict != nil {
		fmt.Fprintf(&b, "changed meanwhile:\n%s", p.Conflict.Diff)
	}
	if !wide {
		return b.String()
	}
	for _, o := range p.Objects {
		b.WriteString(o.Diff)
	}
	return b.String() + words.Between("# the same with kubectl:\n", p.Script, "")
}

// writePreviewPoints writes points, each on a line after a prefix, with its code or else its sign.
func writePreviewPoints(b *strings.Builder, before string, lists ...[]difference.PreviewPoint) {
	for _, p := range slices.Concat(lists...) {
		line := p.CodedText()
		if p.Code == "" {
			line = strings.TrimSpace(p.Sign.Text + " " + line)
		}
		fmt.Fprintln(b, before+words.CleanLine(line))
	}
}

// writeHarm writes the guard rails, what to type for them, and what else may harm.
func writeHarm(b *strings.Builder, before string, t *difference.PreviewParts) {
	for _, g := range t.Guards {
		fmt.Fprintln(b, before+words.Barred+" guard rail "+g.CodedText())
	}
	if t.ToType != "" {
		fmt.Fprintln(b, before+"  "+t.ToType)
	}
	writePreviewPoints(b, before, t.Harm)
}

// previewMarkdown returns a preview for a review, in the order of previewText.
func previewMarkdown(p *gate.Preview) string {
	t := difference.PreviewText(p)
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", command.MarkdownText(p.Title))
	if p.Blocked != "" {
		fmt.Fprintf(&b, "**%s**\n\n", command.MarkdownText(change.BlockedText(p.Blocked)))
	}
	list := func(title string, points ...difference.PreviewPoint) {
		if len(points) == 0 {
			return
		}
		fmt.Fprintf(&b, "### %s\n\n", title)
		for _, p := range points {
			fmt.Fprintf(&b, "- %s\n", command.MarkdownText(words.CleanLine(p.CodedText())))
		}
		b.WriteByte('\n')
	}
	for _, p := range slices.Concat(t.Headline, t.Surplus) {
		fmt.Fprintf(&b, "**%s**\n\n", command.MarkdownText(p.Text))
	}
	list("Errors in the text", t.Errors...)
	list("Guard rails", t.Guards...)
	if t.ToType != "" {
		fmt.Fprintf(&b, "%s\n\n", command.MarkdownText(t.ToType))
	}
	list("Warnings", t.Harm...)
	list("Notes", t.Notes...)
	connections := func(title string, all ...difference.GroupTable) {
		var rows []difference.GroupLine
		more := ""
		for _, groups := range all {
			rows = append(rows, groups.Rows...)
			if groups.More != "" {
				more += groups.More + " (-o json has all)\n\n"
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(&b, "### %s\n\n", title)
			b.WriteString(command.MarkdownTable(&all[0].Table, rows) + "\n" + more)
		}
	}
	connections("Log lines", t.LoggedFlips)
	connections("Connections", t.Flips, t.Others)
	list("Rows in every zone", t.Counts...)
	for _, o := range p.Objects {
		if o.Diff != "" {
			fence := "```"
			for strings.Contains(o.Diff, fence) {
				fence += "`"
			}
			fmt.Fprintf(&b, "%sdiff\n%s%s\n", fence, o.Diff, fence)
		}
	}
	return b.String()
}

// PreviewCommand shows what a change would do, for a review. It changes nothing and needs no permission to.
func PreviewCommand(a *command.App) *cobra.Command {
	var parts previewParts
	var prune bool
	var confirmed string
	var listen time.Duration
	cmd := &cobra.Command{
		Use:   "preview {--change FILE | --delete POLICY | --move POLICY=PRIORITY}...",
		Short: "Show what a change would do, for a review",
		Long: `Show what a change would do: which connections it denies or opens, who decides then,
and which rows change. Nothing is changed. Exit 1 if a guard rail stops the change, or
if it cannot be made. With --confirm-name, as for the change itself, a guard rail is
shown but does not stop it.

Several changes are made in the given order, and their combined effect is shown.
--change also takes folders: other objects there are skipped with a note. With --prune
policies that are in none of the files are deleted.

With --listen the ACL log is read that long first, on a cluster from 15 minutes ago.
The answer then lists log lines that would get a different verdict.

With -o markdown the answer fits into a pull request.`,
		Example: `  rung new quarantine --defaults -f examples/ > new.yaml
  rung preview --change new.yaml -f examples/
  rung preview --change new.yaml -f examples/ -o markdown
  rung preview --move blue-asks-green=42 --delete allow-metrics --context staging
  rung preview --change examples/ --prune --context staging`,
		Args:        command.TakesArgs(0),
		Annotations: command.FormAnnotations(command.MarkdownForm),
	}
	cmd.Flags().DurationVar(&listen, "listen", 0, "read the ACL log this `TIME` first, such as 10s")
	parts.addFlag(cmd, "change", change.OpApply, "`FILE` or folder with policies to create or update, - for standard "+
		"input; may be repeated, as the next two")
	parts.addFlag(cmd, "delete", change.OpDelete, "`POLICY` to delete")
	parts.addFlag(cmd, "move", change.OpMove, "`POLICY=PRIORITY` to give it, or POLICY=TIER/PRIORITY")
	cmd.Flags().StringVar(&confirmed, "confirm-name", "", "policy `NAME` that a guard rail asks for: the rail is shown, but does not "+
		"stop the change")
	cmd.Flags().BoolVar(&prune, "prune", false, "with --change: delete the policies that are in none of the files")
	command.CompleteFlag(cmd, "move", movesChoices(a))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := parts.readFiles(cmd.Context(), a, prune); err != nil {
			return err
		}
		switch {
		case listen < 0:
			return fmt.Errorf("--listen %s: want a time, such as 10s", listen)
		case listen > 0 && len(a.Flags.NB) > 0 && !a.Flags.Kube.NamesCluster():
			return errors.New("--listen: a database given with --nb has no ACL log; log lines come from a cluster or a sandbox")
		}
		a.Flags.Listen = listen // before the answer
		return a.WithChange(cmd.Context(), func(e *engine.Engine, r *revision.Revision) error {
			m, err := parts.partsMutation(r)
			if err != nil {
				return err
			}
			hearLog(cmd.Context(), a, e, listen)
			p, err := e.Preview(cmd.Context(), m)
			if err != nil {
				return err
			}
			if p.ReadOnly {
				p.Blocked = "" // nothing is to be written
			}
			if err := a.PrintAnswer(previewAnswer(p, "")); err != nil {
				return err
			}
			return stopError(a, p, confirmed)
		})
	}
	return cmd
}

// hearLog reads the ACL log for a while.
func hearLog(ctx context.Context, a *command.App, e *engine.Engine, d time.Duration) {
	if d == 0 {
		return
	}
	defer func() { _ = a.PrintUnreadLogs(e) }() // it prints the error
	e.Logs().AskForLines()
	over, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-over.Done()
	if text, _ := e.Revision().Mode.TrafficTexts(); text != "" {
		fmt.Fprintln(a.Err, "rung: "+text)
	}
	if e.Logs().LastNumber() == 0 {
		fmt.Fprintln(a.Err, "rung: no log lines; rung ladder shows what logs")
	}
}

// movesChoices completes the policy of --move, up to the "=".
func movesChoices(a *command.App) command.Completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		out, directive := a.CompleteFirst(func(_ *engine.Engine, r *revision.Revision) (out []string) {
			for _, k := range command.ChoicesOfKind(r, model.Kind.CanMove) {
				name, _, _ := strings.Cut(k, "\t")
				out = append(out, name+"=")
			}
			return out
		})(cmd, args, typed)
		return out, directive | cobra.ShellCompDirectiveNoSpace
	}
}

// parseMove parses POLICY=PRIORITY and POLICY=TIER/PRIORITY.
func parseMove(r *revision.Revision, text string) (change.Mutation, error) {
	name, number, _ := strings.Cut(text, "=")
	m := change.Mutation{Op: change.OpMove}
	err := m.ParsePlace(number)
	if err != nil || name == "" {
		return m, errors.New("--move " + text + ": want POLICY=PRIORITY, or POLICY=TIER/PRIORITY")
	}
	m.Policy, err = command.PolicyNamed(r, name)
	return m, err
}

// previewParts are the changes of a preview, in command-line order.
type previewParts []partOfChange

// partOfChange is one change: an operation and its flag's argument. apply holds the files of --change.
type partOfChange struct {
	op    change.Op
	arg   string
	apply change.Mutation
}

func (p *previewParts) addFlag(cmd *cobra.Command, name string, op change.Op, usage string) {
	cmd.Flags().Func(name, usage, func(arg string) error {
		if arg == "" {
			return errors.New("empty value")
		}
		*p = append(*p, partOfChange{op: op, arg: arg})
		return nil
	})
}

// readFiles reads the files. With prune it reads them together: policies in any of them are kept.
func (p *previewParts) readFiles(ctx context.Context, a *command.App, prune bool) error {
	other := func(x partOfChange) bool { return x.op != change.OpApply }
	switch {
	case len(*p) == 0 && prune:
		return errors.New("--prune: give --change with all policies to keep")
	case len(*p) == 0:
		return errors.New("no change given: use --change FILE, --delete POLICY or --move POLICY=PRIORITY")
	case prune && slices.ContainsFunc(*p, other):
		return errors.New("--prune goes with --change only: it deletes policies in none of the files")
	case prune:
		m, err := filesMutation(ctx, a, model.MapList(*p, func(x partOfChange) string { return x.arg }))
		m.Prune = true
		*p = previewParts{{op: change.OpApply, apply: m}}
		return err
	}
	for i := range *p {
		if x := &(*p)[i]; x.op == change.OpApply {
			var err error
			if x.apply, err = filesMutation(ctx, a, []string{x.arg}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *previewParts) partsMutation(r *revision.Revision) (change.Mutation, error) {
	out := change.Mutation{Op: change.OpCombine}
	for _, x := range *p {
		m, err := x.apply, error(nil)
		switch x.op {
		case change.OpDelete:
			m.Op = change.OpDelete
			m.Policy, err = command.PolicyNamed(r, x.arg)
		case change.OpMove:
			m, err = parseMove(r, x.arg)
		}
		if err != nil {
			return m, err
		}
		out.Parts = append(out.Parts, m)
	}
	if len(out.Parts) == 1 {
		return out.Parts[0], nil
	}
	return out, nil
}
