package edit

import (
	"fmt"
	"slices"
	"strings"

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
