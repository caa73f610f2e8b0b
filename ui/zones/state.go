package zones

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/revision/flows"
	"rung/revision/policies"
)

// item is a zone with what was counted of it.
type item struct {
	*model.ZoneState
	*tally
	below flows.Progress
	wrong []string // below its rows
}

// tally is what was counted of a zone. It is counted anew when the zone or the policies
// changed.
type tally struct {
	of      *model.ZoneState
	counted time.Time

	policies.ZoneTally
}

// lasting says whether a count holds however late it gets: rows that are judged as
// of their read, or not at all.
func (t *tally) lasting() bool {
	return t.of.Conn != model.ConnSynced && t.of.Conn != model.ConnReadOnly
}

// rank orders zones, worst first: not reached, rows that differ, trouble below the rows,
// not read yet.
func (it *item) rank() int {
	switch {
	case it.Conn == model.ConnLost || it.Conn == model.ConnDenied:
		return 0
	case len(it.Differ) > 0:
		return 1
	case len(it.wrong) > 0:
		return 2
	case it.SyncedAt.IsZero():
		return 3
	}
	return 4
}

// names says what differs: "behind: cluster-control and 2 more".
func (it *item) names(most int) string {
	if len(it.Differ) == 0 {
		return ""
	}
	var names []string
	for _, d := range it.Differ {
		names = append(names, d.Key.Brief())
	}
	return string(it.Differ[0].State) + ": " + words.List(names, most)
}

// only is which zones are shown.
type only int

const (
	allZones only = iota
	differingZones
	lostZones
	faultyZones
	followedZones
	sweptZones
	onlys
)

// onlyNames name them.
var onlyNames = [onlys]string{"all", "rows differ", "unreachable", "OVN trouble", "followed", "read in turn"}

// has says whether a zone is shown.
func (o only) has(it *item) bool {
	switch o {
	case differingZones:
		return len(it.Differ) > 0
	case lostZones:
		return it.Conn == model.ConnLost || it.Conn == model.ConnDenied
	case faultyZones: // those that the header counts: of others nobody knows it now
		return len(it.wrong) > 0 && (it.Current() || it.Conn == model.ConnSwept)
	case followedZones:
		return it.Current()
	case sweptZones:
		return it.Conn == model.ConnSwept
	}
	return true
}

// count brings the tallies up to date, unless those there are are fresh enough, and
// puts the worst zones first.
func (v *zones) count(r *revision.Revision, now time.Time, fresh bool) (items []*item) {
	next := make(map[string]*tally, len(r.Zones))
	for _, z := range r.Zones {
		t := v.tallies[z.Name]
		stale := t == nil || t.of != z || !t.lasting() && !t.counted.Equal(now)
		if t == nil || stale && !fresh {
			t = &tally{of: z, counted: now, ZoneTally: policies.Tally(r, z, now)}
		}
		next[z.Name] = t
		items = append(items, &item{z, t, flows.ProgressOf(r, z), flows.Below(r, z, now)})
	}
	v.tallies = next
	slices.SortStableFunc(items, func(a, b *item) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), strings.Compare(a.Name, b.Name))
	})
	return items
}
