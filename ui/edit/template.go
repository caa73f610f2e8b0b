package edit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model"
	"rung/model/ladder"
	"rung/model/plan"
	"rung/model/words"
	"rung/revision"
	"rung/ui/nav"
)

// newPlace returns the place of the page's new policy.
func newPlace(page *nav.Page) plan.TierPlace {
	if page.Place.Tier != "" {
		return page.Place
	}
	return plan.TierPlace{Priority: float64(page.Priority)}
}

// newNotes describes the new policy's place on the ladder.
func newNotes(rev *revision.Revision, at plan.TierPlace) []string {
	notes := []string{"a new policy. Save and close the editor to preview it;",
		"nothing is written before you confirm. Close without saving to cancel."}
	where, last := neighbourNames(rev, at)
	if len(where) > 0 {
		notes = append(notes, fmt.Sprintf("Priority %s decides %s (lower numbers first%s).", model.PlaceText(at.Tier, at.Priority),
			strings.Join(where, ", "), last))
	}
	return notes
}

// neighbourNames names the neighbours of a place, and the last enforced priority.
func neighbourNames(rev *revision.Revision, at plan.TierPlace) (where []string, last string) {
	if at.Tier != "" {
		for _, b := range revision.LadderBands(rev) {
			if b.Name != at.Tier || b.Tier == nil {
				continue
			}
			above, below := "", ""
			for i := range b.Rungs {
				text := fmt.Sprintf("%s (%s)", b.Rungs[i].Policies[0].Policy.Name, words.Number(b.Rungs[i].Priority))
				switch r := &b.Rungs[i]; {
				case r.Priority < at.Priority:
					above = "after " + text
				case r.Priority == at.Priority:
					where = append(where, "at the same priority as "+text)
				case below == "":
					below = "before " + text
				}
			}
			where = slices.DeleteFunc(append(where, above, below), func(w string) bool { return w == "" })
		}
		return where, ""
	}
	l := rev.Ladder()
	above, same, below := l.RungsAround(int32(at.Priority))
	if above != nil {
		where = append(where, "after "+rungText(above))
	}
	if same != nil {
		where = append(where, "at the same priority as "+rungText(same))
	}
	if below != nil {
		where = append(where, "before "+rungText(below))
	}
	return where, fmt.Sprintf(", %d is the last one enforced", l.Max)
}

func rungText(r *ladder.Rung) string {
	names := make([]string, 0, 2)
	for i, p := range r.Policies {
		if i == 2 {
			names = append(names, "…")
			break
		}
		names = append(names, p.Policy.Name)
	}
	return fmt.Sprintf("%s (%d)", strings.Join(names, ", "), r.Priority)
}

// editNotes returns the notes above an existing policy's text.
func editNotes(p *model.Policy) []string {
	notes := []string{"editing " + p.Key.Label() + ". Save and close the editor to preview the change;",
		"nothing is written before you confirm. Close without saving to cancel."}
	if p.Origin.Item >= 0 && p.Origin.File != "" {
		notes = append(notes, "It is part of a List in "+p.Origin.File+": this text was generated from the object.")
	}
	return append(notes, olderNotes(p)...)
}

// fieldLine returns the line (from 1) of a field such as spec.ingress[0].from in a text; for a missing field, the
// line of its nearest parent; 0 if the text cannot be parsed.
func fieldLine(text, field string) int {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil || len(doc.Content) == 0 {
		return 0
	}
	n := doc.Content[0]
	line := n.Line
	for _, step := range strings.FieldsFunc(field, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		next := (*yaml.Node)(nil)
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == step {
					next, line = n.Content[i+1], n.Content[i].Line
				}
			}
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
				next = n.Content[i]
				line = next.Line
			}
		}
		if next == nil {
			return line
		}
		n = next
	}
	return line
}
