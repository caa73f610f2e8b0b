package detail

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/revision/flows"
	"rung/ui/nav"
	"rung/ui/widget"
)

// FlowsHere says whether a page of an ACL shows flows in a zone: not in a sandbox that
// has no OVN below its rows.
func FlowsHere(r *revision.Revision, z *model.ZoneState) bool {
	return z != nil && (!r.Mode.Sandbox || r.Southbound(z.Name) != nil)
}

// Flows lists the logical flows that northd made of a live ACL, explained: how they stand,
// and for each where it decides, about which packets, and what it does.
func Flows(s *Sheet, r *revision.Revision, z *model.ZoneState, a *nb.ACL, now time.Time) {
	if !FlowsHere(r, z) || a == nil {
		return
	}
	f := flows.OfACL(r, z, a, now)
	s.Head("logical flows")
	sign, mark := "·", s.St.Info
	switch {
	case f.State == flows.FlowsMade:
		sign, mark = "✓", s.St.OK
	case f.Bad(now):
		sign, mark = "≠", s.St.Error
	case f.State == flows.FlowsMissing || f.State == flows.FlowsOld:
		sign = "…"
	}
	text := f.Text
	offset := func(x *flow.Flow) bool { return x.Row.Priority == a.Priority+flow.PriorityOffset }
	if n := len(f.Flows); n > 0 && !slices.ContainsFunc(f.Flows, func(x *flow.Flow) bool { return !offset(x) }) {
		text += fmt.Sprintf(" %s priority is the ACL's + %d.", words.Form(n, "Its", "Their"), flow.PriorityOffset)
	}
	s.Say("flows", 2, sign, mark, s.St.Text, text, nav.Page{})
	for i, x := range f.Flows {
		flowLines(s, fmt.Sprintf("flow.%d", i), x)
		if text, first := flows.Shared(r, a, x); text != "" {
			to := nav.Page{}
			if first != nil {
				to = nav.ToRow(z.Name, nb.TableACL, first.UUID)
			}
			s.Say(fmt.Sprintf("flow.%d.shared", i), 4, "=", s.St.Dim, s.St.Text, text, to)
		}
	}
}

// flowLines are one flow.
func flowLines(s *Sheet, id string, x *flow.Flow) {
	text := x.Packets()
	l := widget.Line{{Text: "  table " + fmt.Sprint(x.Row.Table) + " ", Style: s.St.CodeKey}, {Text: x.Place(), Style: s.St.Text}}
	if room := s.In() - l.Width(); widget.Width(text)+3 <= room {
		l = l.Add(" · "+text, s.St.Text)
		text = ""
	}
	if name := "  " + x.Row.Stage; text == "" && l.Width()+widget.Width(name) <= s.In() {
		l = l.Add(name, s.St.Dim)
	}
	s.Add(id, l, nav.Page{})
	if text != "" {
		s.Under(4, text, s.St.Text)
	}
	does := strings.Join(flow.InWords(x.Acts), "; ")
	if does == "" {
		does = "on to the next stage"
	}
	s.Say(id+".does", 4, "→", s.St.Dim, s.St.Text, does, nav.Page{})
	for i, d := range x.Differs {
		s.Say(fmt.Sprintf("%s.differs.%d", id, i), 4, "≠", s.St.Error, s.St.Text, d, nav.Page{})
	}
}
