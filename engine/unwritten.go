package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rung/model"
)

// UnwrittenReason is the kind of reason why rows are not written.
type UnwrittenReason string

// The reasons.
const (
	WhyNotComparable UnwrittenReason = "not-comparable"  // in another release's form
	WhyNoRows        UnwrittenReason = "no-desired-rows" // the policy compiles to no rows; old rows stay
	WhyBlocked       UnwrittenReason = "blocked"         // needs rows of other owners, for longer than settling takes
	WhyRefused       UnwrittenReason = "refused"         // rejected by the server; retried without end
	WhyDisowned      UnwrittenReason = "disowned"        // somebody removed the owner ids
)

// unwrittenReasons lists all reasons, for metrics.
var unwrittenReasons = []UnwrittenReason{WhyNotComparable, WhyNoRows, WhyBlocked, WhyRefused, WhyDisowned}

// UnwrittenPart is something that Rung does not write in a zone it otherwise writes.
type UnwrittenPart struct {
	Policy model.PolicyKey
	Why    UnwrittenReason
	Text   string // the reason and the rows, in a sentence
}

// String returns policy, reason and text in one line.
func (u UnwrittenPart) String() string {
	return u.Policy.String() + ": " + string(u.Why) + ": " + u.Text
}

// UnwrittenIn lists, by policy, what Rung cannot compare or does not write in a zone it writes.
func (m *Health) UnwrittenIn(z *model.ZoneState) []UnwrittenPart {
	if !z.Writes {
		return nil
	}
	var out []UnwrittenPart
	for k, p := range z.Policies {
		if k != p.Policy || m.ownership.WithoutAdmin && k.Kind.IsAdmin() { // a network's unit is also under its object
			continue
		}
		if why, text := reasonUnwritten(p, m.loop.Now()); why != "" {
			out = append(out, UnwrittenPart{k, why, text})
		}
	}
	for _, d := range z.Disowned {
		text := "the owner ids of " + d.Table + " " + d.UUID + " were removed (was " + cmp.Or(d.ID, "without an id") +
			"); it may still apply, and Rung leaves it alone"
		out = append(out, UnwrittenPart{d.Was, WhyDisowned, text})
	}
	slices.SortFunc(out, func(a, b UnwrittenPart) int {
		return cmp.Or(a.Policy.Compare(b.Policy), strings.Compare(string(a.Why), string(b.Why)),
			strings.Compare(a.Text, b.Text))
	})
	return out
}

func reasonUnwritten(p *model.PolicyInZone, now time.Time) (why UnwrittenReason, text string) {
	switch {
	case p.NotComparable:
		return WhyNotComparable, cmp.Or(p.Why, "rows in the form of another OVN-Kubernetes release")
	case p.None != nil:
		return WhyNoRows, cmp.Or(p.None.Message, p.None.Code)
	case p.Error != "":
		return WhyRefused, p.Error
	case p.Blocked > 0 && now.Sub(p.DiffSince) > model.SettleTime:
		for i := range p.Diffs {
			// Ports of future pods wait as a matter of course.
			if d := &p.Diffs[i]; d.Waiting != "" && len(d.Fields) == 0 {
				text = string(d.Kind) + " " + d.Table + " " + cmp.Or(d.ID, d.UUID) + ": " + d.Waiting
				break
			}
		}
		return WhyBlocked, cmp.Or(text, "foreign rows are in the way")
	}
	return "", ""
}
