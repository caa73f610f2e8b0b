package cluster

import (
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/pages/findings"
	"rung/ui/detail"
	"rung/ui/view"
	"rung/ui/widget"
)

// tableLeast is the least height of the table, header included. lowLeast is the least height of the finding if
// there is room, so that the border does not move with each step.
const (
	tableLeast = 4
	lowLeast   = 9
)

// Render draws the findings, with the selected one in full below.
func (v *findingsPage) Render(env *view.Env, w, h int) string {
	low := v.lowerHeight(w, h)
	if low == 0 {
		return v.table.Render(env.Styles, w, h)
	}
	told, _ := v.table.SelectedItem()
	below := widget.DetailBlock(env.Styles, findingTitle(told), v.findingLines(v.selectedFinding(), w), w, low)
	return v.table.Render(env.Styles, w, h-low) + "\n" + below
}

// lowerHeight returns the lines for the selected finding, more for a longer text.
func (v *findingsPage) lowerHeight(w, h int) int {
	f := v.selectedFinding()
	if f == nil || h < tableLeast+4 {
		return 0
	}
	return min(max(1+len(v.findingLines(f, w)), min(h/3, lowLeast)), h-tableLeast)
}

// findingTitle names the subject of a finding.
func findingTitle(f *findings.Finding) string {
	parts := []string{f.Original.Policy.Label()}
	if f.Original.Policy.Name == "" {
		parts[0] = f.SubjectText()
	}
	if at := f.PlaceText(); at != "" && !strings.HasSuffix(parts[0], at) {
		parts = append(parts, at)
	}
	return strings.Join(append(parts, f.Code), " · ")
}

// findingLines returns a finding in full: the message, the remedy, and where the object was read.
func (v *findingsPage) findingLines(f *model.Finding, w int) []string {
	s := &detail.Sheet{St: v.st, W: w}
	sign, look := detail.SeveritySign(f.Severity, v.st)
	s.AddNote("", 1, sign, look, v.st.Text, f.Message)
	if !f.Witness.IsZero() {
		s.AddNote("", 3, "", v.st.Dim, v.st.Text, "shown by "+f.Witness.String())
	}
	if f.Fix.Text != "" {
		s.AddNote("", 1, words.Remedy, v.st.Dim, v.st.Info, "fix: "+f.Fix.Text)
	}
	if f.Remedy != "" {
		s.AddNote("", 1, words.Remedy, v.st.Dim, v.st.Text, f.Remedy)
	}
	if at := f.Origin.Place(); at != "" {
		s.AddNote("", 3, "", v.st.Dim, v.st.Dim, at)
	}
	return s.RenderLines(w)
}
