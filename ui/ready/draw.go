package ready

import (
	"fmt"
	"strings"

	"rung/model/signs"
	"rung/model/words"
	"rung/pages/ready"
	"rung/ui/view"
	"rung/ui/widget"
)

// Lines that are kept for the table, and messages shown beside it.
const (
	tableLines = 6
	messages   = 4
)

// Render draws what the reports are worth, the table, and the messages of the policy
// under the cursor.
func (v *View) Render(env *view.Env, w, h int) string {
	over, under := v.headLines(w), v.failureLines(w)
	if len(over)+tableLines > h {
		over = over[:max(0, min(len(over), h-tableLines))]
	}
	if left := h - len(over) - tableLines; len(under) > left {
		under = under[:max(0, left)]
	}
	if v.policies == nil { // what failed belongs to the policy, over its zones
		over, under = append(over, under...), nil
	}
	v.linesAboveTable = len(over)
	parts := make([]string, 0, len(over)+len(under)+1)
	parts = append(parts, over...)
	parts = append(parts, v.List.Render(env, w, h-len(over)-len(under)))
	return strings.Join(append(parts, under...), "\n")
}

// headLines says what the page shows, and that it is not verified.
func (v *View) headLines(w int) []string {
	st := v.st
	proof := widget.StyledLine(" Reported by the controllers at their last status change: not verified. ", st.Dim)
	if w >= 105 {
		proof = proof.Add("Only the rows show what is in sync.", st.Dim)
	}
	if v.policies != nil {
		legend := widget.Line{{Text: " " + signs.Yes, Style: st.OK}, {Text: " ready  "}, {Text: signs.Failed, Style: st.Error}, {Text: " not ready  "}, {Text: signs.Differs, Style: st.Error},
			{Text: " rows disagree  "}, {Text: signs.Unknown, Style: st.Warn}, {Text: " no report  "}, {Text: signs.Gone, Style: st.Warn}, {Text: " zone gone"}}
		return []string{proof.Render(w), legend.Render(w)}
	}
	p := v.onlyReport
	l := widget.Line{{Text: " " + p.Label, Style: st.Title}}
	l = l.Add(fmt.Sprintf("   %s of %s ready", words.Thousands(p.Ready), words.Count(p.Zones, "zone")), st.Text)
	if p.Failing > 0 {
		l = l.Add(fmt.Sprintf(" · "+signs.Failed+" %s not ready", words.Thousands(p.Failing)), st.Error)
	}
	if p.Against > 0 {
		l = l.Add(fmt.Sprintf(" · "+signs.Differs+" rows disagree in %s", words.Thousands(p.Against)), st.Error)
	}
	if p.Silent > 0 {
		l = l.Add(fmt.Sprintf(" · "+signs.Unknown+" %s no report", words.Thousands(p.Silent)), st.Warn)
	}
	if p.Gone > 0 {
		l = l.Add(fmt.Sprintf(" · "+signs.Gone+" %s gone", words.Thousands(p.Gone)), st.Warn)
	}
	if v.rev.Cluster.Policy(p.Key) == nil {
		l = l.Add("   the policy no longer exists", st.Error)
	}
	return []string{l.Render(w), proof.Render(w)}
}

// failureLines returns the messages of failing zones, equal ones once.
func (v *View) failureLines(w int) []string {
	p := v.onlyReport
	if v.policies != nil {
		sel, ok := v.policies.SelectedItem()
		if !ok || sel == nil || len(sel.Failures) == 0 {
			return nil
		}
		p = sel
	}
	var out []string
	if v.policies != nil && len(p.Failures) > 0 {
		out = append(out, widget.HeadingLine("what failing zones report about "+p.Key.Name, w, v.st).Render(w))
	}
	for i, f := range p.Failures {
		if i == messages {
			out = append(out, widget.StyledLine(fmt.Sprintf("   and %s more", words.Count(len(p.Failures)-i, "message")), v.st.Dim).Render(w))
			break
		}
		out = append(out, v.linesOfFailure(f, w)...)
	}
	return out
}

// linesOfFailure is one message in at most two lines, with the zones that say it.
func (v *View) linesOfFailure(f ready.ReportFailure, w int) []string {
	lines := widget.FlowText(f.String(), max(12, w-5))
	var out []string
	for i, part := range lines {
		switch {
		case i == 0:
			out = append(out, widget.Line{{Text: " " + signs.Failed + " ", Style: v.st.Error}, {Text: part}}.Render(w))
			continue
		case i == 1 && len(lines) > 2:
			part += " " + widget.Ellipsis
		case i > 1:
			return out
		}
		out = append(out, widget.PlainLine("   "+part).Render(w))
	}
	return out
}
