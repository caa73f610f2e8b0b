package effect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// First words of the note of a move that changes no order.
const (
	orderKept = "order against "
	noOther   = "no other policy has a priority"
)

// ladderPlace is the place of a policy among those with a priority; tier is 0 for plugins without tiers of their own.
type ladderPlace struct {
	tier     int32
	name     string
	priority float64
}

func (s ladderPlace) compare(o ladderPlace) int {
	return cmp.Or(cmp.Compare(s.tier, o.tier), cmp.Compare(s.priority, o.priority))
}

func (s ladderPlace) String() string { return model.PlaceText(s.name, s.priority) }

// placedPolicy is a policy with its place.
type placedPolicy struct {
	key model.Key
	ladderPlace
}

func (s placedPolicy) String() string {
	return fmt.Sprintf("%s (%s)", s.key.ShortLabel(), s.ladderPlace)
}

// orderedPlaces returns, in order of precedence, the places of the policies ordered by priority. Without an order of
// the plugin's own these are the ANPs, or compiled CNPs, of a tier.
func orderedPlaces(r *revision.Revision, tier int) (out []placedPolicy) {
	order := r.PolicyOrder()
	for i := range order {
		if o := &order[i]; o.Policy.Kind.CanMove() && !o.Missing {
			out = append(out, placedPolicy{o.Policy.Key, ladderPlace{o.Tier, o.TierName, o.Priority()}})
		}
	}
	if order == nil {
		for p := range r.Cluster.AllPolicies() {
			if p.Tier == tier && (p.Kind == model.KindANP || p.Kind == model.KindCNP && r.Flags.CompileCNP) {
				out = append(out, placedPolicy{p.Key, ladderPlace{priority: float64(p.Priority)}})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b placedPolicy) int { return cmp.Or(a.compare(b.ladderPlace), a.key.Compare(b.key)) })
	return out
}

func findPlace(all []placedPolicy, k model.Key) *ladderPlace {
	if i := slices.IndexFunc(all, func(s placedPolicy) bool { return s.key == k }); i >= 0 {
		return &all[i].ladderPlace
	}
	return nil
}

// priorityNotes notes who shares the old and the new priority, and how the order of the policies changes.
func (n *noteWriter) priorityNotes() (out []Consequence) {
	add := func(warns bool, text string) {
		is := "note " + text
		if text == noOther || strings.HasPrefix(text, orderKept) {
			is = orderKept // the neighbours do not matter
		}
		out = append(out, Consequence{is, text, warns})
	}
	own := cmp.Or(n.change.New, n.change.Old)
	before, after := orderedPlaces(n.rev, own.Tier), orderedPlaces(n.next, own.Tier)
	old, now := findPlace(before, n.change.Key), findPlace(after, n.change.Key)
	if old != nil && now != nil && *old == *now {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(after), func(s placedPolicy) bool { return s.key == n.change.Key })
	if n.rev.WhyNoRows(n.change.Key) != nil {
		old = nil // it decided nothing, or by rows that stay
	}
	if now != nil && n.next.WhyNoRows(n.change.Key) != nil {
		if zones, _ := CountLiveZones(n.rev, n.change.Key); old != nil && zones > 0 {
			return nil // its rows stay: nothing moves, and its old priority is not free
		}
		now = nil
	}
	if now != nil {
		if with := policiesAt(others, now); len(with) > 0 {
			add(true, fmt.Sprintf("%s is shared with %s: "+
				"lower rule numbers decide first, and where rules with the same number disagree, which one wins is undefined", now,
				words.ListSome(with, 3)))
		} else {
			add(false, fmt.Sprintf("no other policy at %s", now))
		}
		if rows := revision.UnownedRowsAt(n.rev, int32(now.priority), n.change.Key); len(rows) > 0 {
			add(true, fmt.Sprintf("other live rows decide at %s: %s", now, words.ListSome(rows, 3)))
		}
	}
	if old != nil {
		if with := policiesAt(others, old); len(with) > 0 {
			add(false, fmt.Sprintf("%s %s at %s", words.ListSome(with, 3), words.OneOrMany(len(with), "remains", "remain"), old))
		} else {
			add(false, fmt.Sprintf("%s becomes free", old))
		}
	}
	switch {
	case old != nil && now != nil:
		for _, text := range orderNotes(before, others, old, now) {
			add(false, text)
		}
	case now != nil:
		add(false, neighboursAt(others, "decides", now))
	}
	return out
}

func policiesAt(others []placedPolicy, at *ladderPlace) (out []string) {
	for i := range others {
		if others[i].compare(*at) == 0 {
			out = append(out, others[i].key.ShortLabel())
		}
	}
	return out
}

// orderNotes notes how the order against other policies changes.
func orderNotes(was, others []placedPolicy, from, to *ladderPlace) (out []string) {
	var above, below, parted []string
	for i := range others {
		o := &others[i]
		had := o.ladderPlace
		if s := findPlace(was, o.key); s != nil {
			had = *s // moved by the same change
		}
		before, after := from.compare(had), to.compare(o.ladderPlace)
		switch {
		case before == after:
		case after == 0: // noted as shared
		case after < 0:
			above = append(above, o.String())
		default:
			below = append(below, o.String())
		}
		if before == 0 && after != 0 {
			parted = append(parted, o.String())
		}
	}
	if len(above)+len(below) == 0 && len(policiesAt(others, to)) == 0 {
		return append(out, neighboursAt(others, "order", to))
	}
	if len(above) > 0 {
		out = append(out, "moves above "+words.ListSome(above, 3)+": now decides before "+words.OneOrMany(len(above), "it", "them"))
	}
	if len(below) > 0 {
		out = append(out, "moves below "+words.ListSome(below, 3)+": now decides after "+words.OneOrMany(len(below), "it", "them"))
	}
	if len(parted) > 0 {
		out = append(out, "no longer shares a priority with "+words.ListSome(parted, 3))
	}
	return out
}

// neighboursAt names the neighbours of a place.
func neighboursAt(others []placedPolicy, verb string, at *ladderPlace) string {
	var above, below *placedPolicy
	for i := range others {
		switch c := others[i].compare(*at); {
		case c < 0:
			above = &others[i]
		case c > 0 && below == nil:
			below = &others[i]
		}
	}
	after, before, lead, end := "after ", "before ", verb+" ", ""
	if verb == "order" {
		after, before, lead, end = "", "", orderKept, " unchanged"
	}
	var names []string
	if above != nil {
		names = append(names, after+above.String())
	}
	if below != nil {
		names = append(names, before+below.String())
	}
	if len(names) == 0 {
		return noOther
	}
	return lead + strings.Join(names, " and ") + end
}
