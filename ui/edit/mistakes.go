package edit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/change/gate"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/view"
	"rung/ui/widget"
)

// findMistakes returns all errors that prevent a preview of the text, by line.
func (v *editPage) findMistakes(r *revision.Revision, text string, p *gate.Preview) (out []model.Broken) {
	taken := map[model.Key]bool{} // policies that a new one would replace
	for _, b := range p.Errors {
		if !b.IsError() {
			continue
		}
		if b.Origin.Line == 0 {
			b.Origin.Line = fieldLine(text, b.Field)
		}
		if b.Key.Name != "" {
			taken[b.Key] = r.Cluster.Policy(b.Key) != nil
		}
		out = append(out, b)
	}
	for _, o := range p.Objects {
		taken[o.Key] = o.Old != nil
	}
	for k, is := range taken {
		if is && v.isNew() {
			out = append(out, model.Broken{Origin: model.Origin{Line: fieldLine(text, "metadata.name"), Item: -1},
				Message: fmt.Sprintf("%s exists already: choose another name, or edit that one", k.Label())})
		}
	}
	slices.SortStableFunc(out, model.Broken.CompareLines)
	return out
}

// sendBack opens the editor again for an invalid text, with all mistakes on top; if they are the same as
// before, it leaves that to the user.
func (v *editPage) sendBack(env *view.Env, text string, wrong []model.Broken) {
	head := "not valid, nothing was written:"
	v.title = "The text is not valid"
	if len(wrong) > 1 {
		head = fmt.Sprintf("not valid, %s, nothing was written:", words.Count(len(wrong), "mistake"))
		v.title += ": " + words.Count(len(wrong), "mistake")
	}
	// Lines are counted in the reopened file, including these notes. A longer number may wrap into one more
	// line.
	notes := func(above int) (out []string, lines []int) {
		for _, b := range wrong {
			if b.Origin.Line > 0 {
				b.Origin.Line += above
			}
			out, lines = append(out, b.String()), append(lines, b.Origin.Line)
		}
		return out, lines
	}
	above := 0
	for range 3 {
		told, _ := notes(above)
		above = strings.Count(withHead(append([]string{head}, told...), ""), "\n")
	}
	v.stopReasons, v.lines = notes(above)
	var told strings.Builder
	for _, b := range wrong {
		b.Origin.Line = 0
		fmt.Fprintln(&told, b)
	}
	v.reopenEditor(env, append([]string{head}, v.stopReasons...), text, wrong[0].Origin.Line)
	if v.isInvalid && v.problemText == told.String() {
		v.state = stopped // an editor that fixes nothing would restart for ever
	}
	v.isInvalid, v.problemText = true, told.String()
	v.mistakes.SelectID(mistakeID(0))
}

func mistakeID(i int) string { return "mistake " + strconv.Itoa(i) }

// listsMistakes reports whether the page is a list of mistakes.
func (v *editPage) listsMistakes() bool { return v.state == stopped && len(v.lines) > 1 }

// chosenLine returns the line at which the editor opens again: the selected mistake's if mistakes are listed.
func (v *editPage) chosenLine() int {
	if !v.listsMistakes() {
		return v.beginLine
	}
	for i, line := range v.lines {
		if v.mistakes.SelectedID() == mistakeID(i) && line > 0 {
			return line
		}
	}
	return v.beginLine
}

// layMistakes lists the mistakes, each in full.
func (v *editPage) layMistakes(env *view.Env) {
	st := env.Styles
	s := &detail.Sheet{St: st, W: env.W}
	s.AddGap()
	s.AddSkipped(widget.StyledLine(words.No+" "+v.title+".", st.Error))
	for i, text := range v.stopReasons {
		s.AddNote(mistakeID(i), 2, "", st.Text, st.Text, widget.CleanText(text))
	}
	s.AddGap()
	s.AddSkipped(widget.StyledLine("Nothing was written. "+env.KeyHint(action.EditEditor)+
		" opens the editor at the chosen line.", st.Text))
	for _, line := range widget.FlowText("The text is in "+widget.CleanText(v.path), s.TextWidth()) {
		s.AddSkipped(widget.StyledLine(line, st.Dim))
	}
	v.mistakes.SetItems(s.Lines)
}
