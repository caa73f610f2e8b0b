package cli

import (
	"fmt"
	"slices"
	"strings"

	"rung/change"
	"rung/change/gate"
	"rung/cli/command"
	"rung/model"
	"rung/model/words"
	"rung/pages/difference"
)

func previewAnswer(p *gate.Preview, outcome string) *command.Answer {
	out := difference.ConsequencesOf(p)
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
	writePreviewPoints(&b, "  ", t.Surplus, t.Errors)
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
	writePreviewPoints(&b, "  ", t.Effect, t.Log)
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
			for _, f := range difference.FieldsOf(r, wide) {
				fmt.Fprintf(&b, "           %s: %s\n", f.Path, f.Change)
			}
		}
	}
	writePreviewPoints(&b, "  ", t.Findings, t.Hints, t.Notes)
	writeGuards(&b, "  ", t.Guards)
	if p.Conflict != nil {
		fmt.Fprintf(&b, "changed meanwhile:\n%s", p.Conflict.Diff)
	}
	if !wide {
		return b.String()
	}
	for _, o := range p.Objects {
		b.WriteString(o.Diff)
	}
	for _, c := range p.Commands {
		fmt.Fprintln(&b, "$ "+c)
	}
	return b.String()
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

func writeGuards(b *strings.Builder, before string, rails []difference.PreviewPoint) {
	for _, g := range rails {
		fmt.Fprintln(b, before+words.Barred+" guard rail "+g.CodedText())
	}
}

// previewMarkdown returns a preview for a review: first what stops it, then connections, other consequences,
// and the texts.
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
	list("Errors in the text", t.Errors...)
	list("Guard rails", t.Guards...)
	connections := func(title string, points []difference.PreviewPoint, all ...difference.GroupTable) {
		var rows []difference.GroupLine
		more := ""
		for _, groups := range all {
			rows = append(rows, groups.Rows...)
			if groups.More != "" {
				more += groups.More + " (-o json has all)\n\n"
			}
		}
		if len(points) > 0 {
			fmt.Fprintf(&b, "### %s\n\n", title)
		}
		for _, p := range points {
			fmt.Fprintf(&b, "%s\n\n", command.MarkdownText(p.Text))
		}
		if len(rows) > 0 {
			b.WriteString(command.MarkdownTable(&all[0].Table, rows) + "\n" + more)
		}
	}
	connections("Connections", t.Effect, t.Flips, t.Others)
	connections("Log lines", t.Log, t.LoggedFlips)
	list("Findings", slices.Concat(t.Findings, t.Hints)...)
	list("Notes", slices.Concat(t.Surplus, t.Notes)...)
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
