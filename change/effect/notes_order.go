package effect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/revision/liverows"
)

// How the note of a move begins that changes the order of no two policies.
const (
	orderKept = "order against "
	noOther   = "there is no other AdminNetworkPolicy"
)

// priorityNotes tells who shares the old and new priority and whether the order
// among the policies changes.
func (n *noteWriter) priorityNotes() (out []string) {
	old, now := n.change.Old, n.change.New
	if old != nil && now != nil && old.Priority == now.Priority {
		return nil
	}
	if n.rev.WhyNoRows(n.change.Key) != nil {
		old = nil // it decided nowhere, or by rows that stay where they were
	}
	if now != nil && n.next.WhyNoRows(n.change.Key) != nil {
		if zones, _ := CountLiveZones(n.rev, n.change.Key); old != nil && zones > 0 {
			return nil // its rows stay: its old priority is not free, and nothing moves
		}
		now = nil
	}
	if now != nil {
		if with := n.sharingPriority(now.Priority); len(with) > 0 {
			out = append(out, fmt.Sprintf("%d is shared with %s: "+
				"lower rule numbers decide first, and where rules with the same number disagree, which one wins is undefined", now.Priority, words.ListSome(with, 3)))
		} else {
			out = append(out, fmt.Sprintf("no other policy at %d", now.Priority))
		}
		if rows := liverows.StrayRowsAt(n.rev, now.Priority, n.change.Key); len(rows) > 0 {
			out = append(out, fmt.Sprintf("other live rows decide at %d: %s", now.Priority, words.ListSome(rows, 3)))
		}
	}
	if old != nil {
		if with := n.sharingPriority(old.Priority); len(with) > 0 {
			out = append(out, fmt.Sprintf("%s %s at %d", words.ListSome(with, 3), words.OneOrMany(len(with), "remains", "remain"), old.Priority))
		} else {
			out = append(out, fmt.Sprintf("%d becomes free", old.Priority))
		}
	}
	switch {
	case old != nil && now != nil:
		return append(out, n.orderNotes()...)
	case now != nil:
		return append(out, n.neighboursAt("decides", now.Priority))
	}
	return out
}

func itOrThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// holdsPriority says whether policies of a kind hold a priority of their tier.
func (n *noteWriter) holdsPriority(k model.Kind) bool {
	return k == model.KindANP || k == model.KindCNP && n.next.Flags.CompileCNP
}

// othersInTier are the other policies of the tier that hold a priority after the change, by
// priority and name.
func (n *noteWriter) othersInTier() (out []*model.Policy) {
	own := n.change.New
	if own == nil {
		own = n.change.Old
	}
	for p := range n.next.Cluster.AllPolicies() {
		if p.Key != n.change.Key && p.Tier == own.Tier && n.holdsPriority(p.Kind) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *model.Policy) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.Key.Compare(b.Key))
	})
	return out
}

func (n *noteWriter) sharingPriority(priority int32) (out []string) {
	for _, p := range n.othersInTier() {
		if p.Priority == priority {
			out = append(out, p.ShortLabel())
		}
	}
	return out
}

// orderNotes tells how the order against the other policies changes.
func (n *noteWriter) orderNotes() (out []string) {
	from, to := n.change.Old.Priority, n.change.New.Priority
	var above, below, parted []string
	for _, p := range n.othersInTier() {
		was := p.Priority
		if old := n.rev.Cluster.Policy(p.Key); old != nil {
			was = old.Priority // it moves with the same change
		}
		before, after := cmp.Compare(from, was), cmp.Compare(to, p.Priority)
		name := fmt.Sprintf("%s (%d)", p.ShortLabel(), p.Priority)
		switch {
		case before == after:
		case after == 0: // noted as sharing
		case after < 0:
			above = append(above, name)
		default:
			below = append(below, name)
		}
		if before == 0 && after != 0 {
			parted = append(parted, name)
		}
	}
	if len(above)+len(below) == 0 && len(n.sharingPriority(to)) == 0 {
		return append(out, n.neighboursAt("order", to))
	}
	if len(above) > 0 {
		out = append(out, "moves above "+words.ListSome(above, 3)+": now decides before "+itOrThem(len(above)))
	}
	if len(below) > 0 {
		out = append(out, "moves below "+words.ListSome(below, 3)+": now decides after "+itOrThem(len(below)))
	}
	if len(parted) > 0 {
		out = append(out, "no longer shares a priority with "+words.ListSome(parted, 3))
	}
	return out
}

// neighboursAt names the neighbours at a priority.
func (n *noteWriter) neighboursAt(verb string, priority int32) string {
	var above, below *model.Policy
	for _, p := range n.othersInTier() {
		switch {
		case p.Priority < priority:
			above = p
		case p.Priority > priority && below == nil:
			below = p
		}
	}
	var names []string
	if verb == "order" {
		for _, p := range []*model.Policy{above, below} {
			if p != nil {
				names = append(names, fmt.Sprintf("%s (%d)", p.ShortLabel(), p.Priority))
			}
		}
		if len(names) == 0 {
			return noOther
		}
		return orderKept + strings.Join(names, " and ") + " unchanged"
	}
	if above != nil {
		names = append(names, fmt.Sprintf("after %s (%d)", above.ShortLabel(), above.Priority))
	}
	if below != nil {
		names = append(names, fmt.Sprintf("before %s (%d)", below.ShortLabel(), below.Priority))
	}
	if len(names) == 0 {
		return noOther
	}
	return verb + " " + strings.Join(names, " and ")
}
