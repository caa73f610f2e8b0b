package template

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/plan"
	"rung/model/words"
	"rung/revision"
)

// placeBefore selects the policies that a set must come before.
type placeBefore string

const (
	beforeAll     placeBefore = "all"     // every policy before NetworkPolicies
	beforeDecides placeBefore = "decides" // the first that denies, passes, or allows some pod
	beforeDenies  placeBefore = "denies"  // the first that denies or passes
)

// places finds positions for the policies of a set. A position is a priority, within a tier if policies have
// tiers.
type places interface {
	// parse reads a position; the error says why it is invalid, or who has taken it.
	parse(text string) (plan.TierPlace, error)
	// compare orders positions: the first decides first.
	compare(a, b plan.TierPlace) int
	// before finds n free positions before other policies, with a note about them.
	before(n int, b placeBefore) ([]plan.TierPlace, string, error)
	// behind finds a free position behind every policy and behind another position.
	behind(at plan.TierPlace) (plan.TierPlace, string, error)
}

func (w *World) places() (places, error) {
	if w.tiers != nil {
		return w.tierPlaces(), nil
	}
	b, err := plan.BoardOfCluster(w.Cluster, w.maxPriority, false)
	if err != nil {
		return nil, fmt.Errorf("free priorities: %w", err)
	}
	return &priorityPlaces{w, b}, nil
}

// offerPlaces offers the positions that a template takes; none if there is no room.
func (w *World) offerPlaces(t *Template) []Choice {
	free, err := w.places()
	if err != nil {
		return nil
	}
	n := t.Places.Count
	if t.Places.LastBehind {
		n--
	}
	at, note, err := free.before(n, t.Places.Before)
	if err != nil {
		return nil
	}
	if t.Places.LastBehind {
		last, behind, err := free.behind(at[len(at)-1])
		if err != nil {
			return nil
		}
		at, note = append(at, last), note+"; the last "+behind
	}
	return []Choice{{placesText(at), note}}
}

// parsePlaces parses free positions, exactly as many as the template takes, in ascending order.
func (t *Template) parsePlaces(w *World, text string) (out []plan.TierPlace, err error) {
	free, err := w.places()
	if err != nil {
		return nil, err
	}
	for _, f := range splitList(text) {
		at, err := free.parse(f)
		switch {
		case err != nil:
			return nil, err
		case len(out) > 0 && free.compare(at, out[len(out)-1]) <= 0:
			return nil, errors.New("priorities must ascend: the first decides first")
		}
		out = append(out, at)
	}
	switch n := t.Places.Count; {
	case len(out) == 0:
		return nil, errors.New("want " + Priorities.Form())
	case len(out) != n:
		return nil, fmt.Errorf("%s, and the template takes %d", words.Count(len(out), "priority"), n)
	}
	return out, nil
}

// tierSign separates a tier and the priority in it.
const tierSign = "/"

// placesText writes positions as an answer.
func placesText(at []plan.TierPlace) string {
	var texts []string
	for _, p := range at {
		texts = append(texts, placeText(p))
	}
	return strings.Join(texts, ",")
}

func placeText(p plan.TierPlace) string {
	if p.Tier == "" {
		return words.Number(p.Priority)
	}
	return p.Tier + tierSign + words.Number(p.Priority)
}

// priorityPlaces finds priorities for AdminNetworkPolicies.
type priorityPlaces struct {
	w *World
	*plan.Board
}

func (b *priorityPlaces) parse(text string) (plan.TierPlace, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || n > int64(b.Max()) {
		return plan.TierPlace{}, fmt.Errorf("%s is not a priority: must be 0–%d", text, b.Max())
	}
	for _, s := range b.Placements() {
		if int64(s.Priority) == n {
			return plan.TierPlace{}, fmt.Errorf("%d is taken by %s", n, s.Policy)
		}
	}
	return plan.TierPlace{Priority: float64(n)}, nil
}

func (b *priorityPlaces) compare(x, y plan.TierPlace) int { return cmp.Compare(x.Priority, y.Priority) }

func (b *priorityPlaces) before(n int, before placeBefore) (out []plan.TierPlace, note string, err error) {
	limit := b.w.limits[before]
	at, err := b.FreePlaces(n, limit)
	for _, p := range at {
		out = append(out, plan.TierPlace{Priority: float64(p)})
	}
	note = "free"
	if i := slices.IndexFunc(b.Placements(), func(s plan.Placement) bool { return s.Priority == limit }); i >= 0 && limit <= b.Max() {
		note = fmt.Sprintf("free, before %s (%d)", b.Placements()[i].Policy, limit)
	}
	return out, note, err
}

func (b *priorityPlaces) behind(at plan.TierPlace) (plan.TierPlace, string, error) {
	p, err := b.FreePlaceBehind(int32(at.Priority))
	return plan.TierPlace{Priority: float64(p)}, "after every policy", err
}

// priorityLimits returns the priorities of the first policies that a set must come before; largest+1 without such a
// policy.
func priorityLimits(rev *revision.Revision, largest int32) map[placeBefore]int32 {
	limits := map[placeBefore]int32{beforeAll: largest + 1, beforeDecides: largest + 1, beforeDenies: largest + 1}
	for p := range rev.Cluster.Policies(model.KindANP) {
		limits[beforeAll] = min(limits[beforeAll], p.Priority)
		denies, allows := deniesOrAllows(rev, p)
		if denies {
			limits[beforeDenies] = min(limits[beforeDenies], p.Priority)
		}
		if denies || allows {
			limits[beforeDecides] = min(limits[beforeDecides], p.Priority)
		}
	}
	return limits
}

// deniesOrAllows reports whether a policy denies or passes on, and whether it allows some pod's connections now.
func deniesOrAllows(rev *revision.Revision, p *model.Policy) (denies, allows bool) {
	index := rev.PodIndex()
	for r := range p.AllRules() {
		switch {
		case r.MatchesNothing():
		case r.Action != model.Allow:
			denies = true
		case !allows:
			allows = !index.ReachOfRule(r).IsEmpty() && !index.SubjectSet(p).IsEmpty()
		}
	}
	return denies, allows
}
