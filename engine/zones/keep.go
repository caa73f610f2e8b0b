package zones

import (
	"maps"
	"slices"
	"sync"
	"time"

	"rung/model"
	"rung/revision"
)

// Bounds of the differing rows kept of a swept zone, with at least some of each policy. Counts stay complete.
const (
	keptDiffs  = 200
	keptPolicy = 3
)

// trimDifferences bounds the differences of a zone. It returns a new map and copies what it changes.
func trimDifferences(in map[model.PolicyKey]*model.PolicyInZone) map[model.PolicyKey]*model.PolicyInZone {
	out := make(map[model.PolicyKey]*model.PolicyInZone, len(in))
	left := keptDiffs
	for k, p := range in {
		out[k] = p
		if len(p.Diffs) == 0 {
			continue
		}
		n := min(len(p.Diffs), max(left, keptPolicy))
		left -= n
		q := *p
		q.Diffs = make([]model.RowDiff, n)
		for i := range q.Diffs {
			q.Diffs[i] = p.Diffs[i]
			fields := slices.Clone(p.Diffs[i].Fields)
			for j := range fields {
				fields[j].Missing, fields[j].Extra = copyNames(fields[j].Missing), copyNames(fields[j].Extra)
			}
			q.Diffs[i].Fields = fields
		}
		out[k] = &q
	}
	return out
}

// copyNames copies the first names, so that the rest can be freed.
func copyNames(names []string) []string {
	return append([]string(nil), names[:min(len(names), revision.KeptNames)]...)
}

// judgementCache stores equal judgements once: nearly all of 500 zones agree about nearly all policies. It
// may be used from any goroutine.
type judgementCache struct {
	mu                sync.Mutex
	current, previous map[judgement]*model.PolicyInZone
	maps              [8]map[model.PolicyKey]*model.PolicyInZone // the last different ones
	nextSize          int
}

// judgement holds the comparable parts of a judgement without differing rows.
type judgement struct {
	policy                    model.PolicyKey
	inSync, notComparable     bool
	since, touched            time.Time
	waiting, blocked, acls    int
	missing, extra, different int
	priority                  int32
	none                      *model.NoRows
	why                       string
	rows                      uint64
}

// keptJudgements is the minimum number remembered.
const keptJudgements = 1 << 14

// sharedPolicies returns a map equal to in, with values shared with other zones.
func (k *judgementCache) sharedPolicies(in map[model.PolicyKey]*model.PolicyInZone) map[model.PolicyKey]*model.PolicyInZone {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, p := range in {
		in[key] = k.sharedPolicy(p)
	}
	for _, m := range k.maps {
		if m != nil && maps.Equal(m, in) {
			return m
		}
	}
	k.maps[k.nextSize] = in
	k.nextSize = (k.nextSize + 1) % len(k.maps)
	return in
}

func (k *judgementCache) sharedPolicy(p *model.PolicyInZone) *model.PolicyInZone {
	if len(p.Diffs) > 0 || p.Error != "" {
		return p
	}
	j := judgement{policy: p.Policy, inSync: p.InSync, notComparable: p.NotComparable, since: p.DiffSince,
		touched: p.Touched,
		waiting: p.Waiting, blocked: p.Blocked, acls: p.LiveACLs, missing: p.Missing, extra: p.Extra, different: p.Different,
		priority: p.LivePriority, none: p.None, why: p.Why}
	if p.Rows != nil {
		j.rows = p.Rows.Sum
	}
	known, ok := k.current[j]
	if !ok {
		known, ok = k.previous[j]
		if !ok {
			known = p
		}
		if k.current == nil || len(k.current) >= keptJudgements {
			k.current, k.previous = map[judgement]*model.PolicyInZone{}, k.current
		}
		k.current[j] = known
	}
	return known
}
