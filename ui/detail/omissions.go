package detail

import (
	"fmt"

	"rung/model"
	"rung/model/words"
	"rung/ui/nav"
)

// shownOmissions is how many a page names.
const shownOmissions = 5

// Omissions are the lines that say what an answer does not take into account, and what it
// takes for granted.
func Omissions(s *Sheet, all []model.Omission) {
	for i := range all {
		if i == shownOmissions && len(all) > i+1 {
			more := len(all) - i
			s.Say("omitted.more", 0, "▲", s.St.Warn, s.St.Text, "and "+words.Total(more, "more thing")+" that "+
				words.Form(more, "is", "are")+" not counted", nav.Page{})
			return
		}
		sign, look := "▲", s.St.Warn
		if all[i].Assumed() {
			sign, look = "·", s.St.Dim
		}
		s.Say(fmt.Sprintf("omitted.%d", i), 0, sign, look, s.St.Text, all[i].String(), nav.Page{})
	}
}
