package template

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/plan"
	"rung/model/words"
)

// placeBoard are the places that the policies of a set may take, as they are without the set that is
// made anew. A place is a priority or, where policies stand in tiers, one in a tier.
type placeBoard interface {
	// parsePlace reads a place as people write it; the error says that it is none, or who has it.
	parsePlace(text string) (plan.TierSlot, error)
	// compare orders places: the first decides first.
	compare(a, b plan.TierSlot) int
	// freeBefore finds places before others, with what is worth knowing about them.
	freeBefore(n int, b placeBefore) ([]plan.TierSlot, string, error)
	// freeAfter finds the next place behind another, and freeBehind one behind every policy, too, with
	// what is worth knowing about it. freeBetween finds one between two, of which the first may be noPlace.
	freeAfter(at plan.TierSlot) (plan.TierSlot, error)
	freeBehind(at plan.TierSlot) (plan.TierSlot, string, error)
	freeBetween(low, high plan.TierSlot) (plan.TierSlot, error)
}

// noPlace comes before every place.
var noPlace = plan.TierSlot{Priority: -1}

// placeBefore says which policies a template must come before.
type placeBefore int

const (
	beforeAll     placeBefore = iota // every policy before NetworkPolicies
	beforeDecides                    // the first that decides about a pod, or denies, or passes on
	beforeDenies                     // the first that denies or passes on
)

// placeBoard is the board of the system's policies.
func (w *World) placeBoard() (placeBoard, error) {
	if w.Tiers != nil {
		return w.newTierBoard(), nil
	}
	var slots []plan.Slot
	for p := range w.otherANPs() {
		slots = append(slots, plan.Slot{Policy: p.Name, Priority: p.Priority})
	}
	b, err := plan.NewBoard(slots, w.Max)
	if err != nil {
		return nil, fmt.Errorf("free priorities: %w", err)
	}
	return &priorityBoard{w, b}, nil
}

// isOfKept says whether a policy is of the set that is made anew.
func (w *World) isOfKept(p *model.Policy) bool {
	r, ok := RecordOf(p)
	return ok && w.keeps != "" && r.Set == w.keeps
}

// offerPlaces offers places for a template.
func offerPlaces(n int, b placeBefore) func(*World, Answers) []Choice {
	return func(w *World, _ Answers) []Choice {
		board, err := w.placeBoard()
		if err != nil {
			return nil
		}
		at, note, err := board.freeBefore(n, b)
		if err != nil {
			return nil
		}
		return []Choice{{placesText(at), note}}
	}
}

// placesText is an answer that means places.
func placesText(at []plan.TierSlot) string {
	var texts []string
	for _, p := range at {
		texts = append(texts, placeText(p))
	}
	return strings.Join(texts, ",")
}

func placeText(p plan.TierSlot) string {
	if p.Tier == "" {
		return words.Number(p.Priority)
	}
	return p.Tier + tierSign + words.Number(p.Priority)
}

// readPlace reads what placeText writes.
func readPlace(text string) (plan.TierSlot, error) {
	tier, number, ok := strings.Cut(text, tierSign)
	if !ok {
		tier, number = "", text
	}
	n, err := strconv.ParseFloat(number, 64)
	return plan.TierSlot{Tier: tier, Priority: n}, err
}

// placeOf is where a policy of a set stands; ok is false for a baseline, which has one place only.
func placeOf(p *model.Policy) (at plan.TierSlot, ok bool) {
	switch {
	case p.Tier == model.TierBaseline:
		return at, false
	case p.Tiered != nil:
		return plan.TierSlot{Tier: p.Tiered.Tier, Priority: p.Tiered.Priority}, true
	}
	return plan.TierSlot{Priority: float64(p.Priority)}, p.Kind == model.KindANP
}

// checkPlaces wants as many free places as the template takes. Where there are fewer, the others
// follow.
func (t *Template) checkPlaces(w *World, text string) ([]plan.TierSlot, error) {
	board, err := w.placeBoard()
	if err != nil {
		return nil, err
	}
	var at []plan.TierSlot
	for _, f := range splitList(text) {
		p, err := board.parsePlace(f)
		switch {
		case err != nil:
			return nil, err
		case len(at) > 0 && board.compare(p, at[len(at)-1]) <= 0:
			return nil, errors.New("want them ascending: the first decides first")
		}
		at = append(at, p)
	}
	if len(at) == 0 {
		return nil, errors.New("want " + Priorities.Form())
	}
	if len(at) > t.priorities {
		return nil, fmt.Errorf("%s, and the template takes %d", words.Count(len(at), "priority"), t.priorities)
	}
	for len(at) < t.priorities {
		next, err := board.freeAfter(at[len(at)-1])
		if err != nil {
			return nil, err
		}
		at = append(at, next)
	}
	return at, nil
}

// priorityBoard are the priorities of AdminNetworkPolicies.
type priorityBoard struct {
	w *World
	*plan.Board
}

func (b *priorityBoard) parsePlace(text string) (plan.TierSlot, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || n > int64(b.Max()) {
		return plan.TierSlot{}, fmt.Errorf("%s is no priority: want numbers from 0 to %d", text, b.Max())
	}
	for _, s := range b.Slots() {
		if int64(s.Priority) == n {
			return plan.TierSlot{}, fmt.Errorf("%d is taken by %s", n, s.Policy)
		}
	}
	return priorityPlace(int32(n)), nil
}

func (b *priorityBoard) compare(x, y plan.TierSlot) int { return cmp.Compare(x.Priority, y.Priority) }

func (b *priorityBoard) freeBefore(n int, before placeBefore) (out []plan.TierSlot, note string, err error) {
	limit := b.w.limitBefore(before)
	at, err := b.FreePlaces(n, limit)
	for _, p := range at {
		out = append(out, priorityPlace(p))
	}
	return out, b.placeNote(limit), err
}

func (b *priorityBoard) placeNote(limit int32) string {
	if i := slices.IndexFunc(b.Slots(), func(s plan.Slot) bool { return s.Priority == limit }); i >= 0 && limit <= b.Max() {
		return fmt.Sprintf("free, before %s (%d)", b.Slots()[i].Policy, limit)
	}
	return "free"
}

func (b *priorityBoard) freeAfter(at plan.TierSlot) (plan.TierSlot, error) {
	p, err := b.FreePlaceAfter(int32(at.Priority))
	return priorityPlace(p), err
}

func (b *priorityBoard) freeBehind(at plan.TierSlot) (plan.TierSlot, string, error) {
	p, err := b.FreePlaceBehind(int32(at.Priority))
	return priorityPlace(p), "after every policy", err
}

func (b *priorityBoard) freeBetween(low, high plan.TierSlot) (plan.TierSlot, error) {
	at, err := b.FreePlaces(1, int32(high.Priority))
	if err == nil && float64(at[0]) > low.Priority {
		return priorityPlace(at[0]), nil
	}
	for n := high.Priority - 1; n > low.Priority; n-- {
		if p, err := b.parsePlace(words.Number(n)); err == nil {
			return p, nil
		}
	}
	return low, fmt.Errorf("before %s: %w", placeText(high), plan.ErrNoRoom)
}

func priorityPlace(p int32) plan.TierSlot { return plan.TierSlot{Priority: float64(p)} }

// otherANPs are the AdminNetworkPolicies but for those of the set that is made anew.
func (w *World) otherANPs() iter.Seq[*model.Policy] {
	return func(yield func(*model.Policy) bool) {
		for p := range w.Cluster.Policies(model.KindANP) {
			if !w.isOfKept(p) && !yield(p) {
				return
			}
		}
	}
}

// limitBefore is the priority of the first policy that a template must come before, above the
// largest where there is none.
func (w *World) limitBefore(b placeBefore) int32 {
	if w.prepared && w.keeps == "" {
		return w.limits[b]
	}
	limit := w.Max + 1
	for p := range w.otherANPs() {
		if p.Priority < limit && (b == beforeAll || w.isDeciding(p, b == beforeDecides)) {
			limit = p.Priority
		}
	}
	return limit
}

// isDeciding says whether a policy denies or passes on; with allows also whether it lets a pod
// through now.
func (w *World) isDeciding(p *model.Policy, allows bool) bool {
	for r := range p.AllRules() {
		switch {
		case r.MatchesNothing():
		case r.Action != model.Allow:
			return true
		case allows && !w.Index.ReachOfRule(r).IsEmpty() && !w.Index.SubjectSet(p).IsEmpty():
			return true
		}
	}
	return false
}
