package revision

import (
	"maps"
	"sync"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
)

// KnownCauses returns the known defects of OVN-Kubernetes that explain why rows of a policy differ in a zone
// it writes. Causes are in the order of p.Diffs, nil if unexplained; the list is nil if nothing is explained.
// Callers must leave out differences that are still settling. The first call computes: a row that differs in
// 5,000 addresses takes milliseconds.
func KnownCauses(r *Revision, z *model.ZoneState, p *model.PolicyInZone) []*dialect.DiffCause {
	if !mayHaveCauses(z, p) {
		return nil
	}
	from := currentInput(r, z)
	if e, _ := CarriedValue[causesCache](r).get(z, p); e != nil && e.input == from {
		return e.causes
	}
	e := &explanation{judgement: p, input: from, causes: dialect.ExplainDiffs(p, dialectFacts(r, z, p.Policy))}
	CarriedValue[causesCache](r).put(z, e)
	return e.causes
}

// CachedCauses returns the causes of KnownCauses that ExplainBehind found for this revision or an earlier one,
// maybe from older objects; nil if it found none yet. If ExplainBehind was never called, it computes them.
func CachedCauses(r *Revision, z *model.ZoneState, p *model.PolicyInZone) []*dialect.DiffCause {
	if !mayHaveCauses(z, p) {
		return nil
	}
	switch e, prepared := CarriedValue[causesCache](r).get(z, p); {
	case e != nil:
		return e.causes
	case prepared:
		return nil
	}
	return KnownCauses(r, z, p)
}

// CausesBehind returns the causes of CachedCauses for a policy that is behind: one for each of p.Diffs, nil if
// unexplained. A settling policy has only nil causes.
func CausesBehind(r *Revision, z *model.ZoneState, p *model.PolicyInZone, now time.Time) []*dialect.DiffCause {
	if p == nil {
		return nil
	}
	if p.StateAt(z, now) == model.StateBehind {
		if causes := CachedCauses(r, z, p); causes != nil {
			return causes
		}
	}
	return make([]*dialect.DiffCause, len(p.Diffs))
}

// CachedCause returns the cause of CachedCauses for one of p.Diffs.
func CachedCause(r *Revision, z *model.ZoneState, p *model.PolicyInZone, d *model.RowDiff) *dialect.DiffCause {
	if p == nil || d == nil {
		return nil
	}
	for i, c := range CachedCauses(r, z, p) {
		if &p.Diffs[i] == d {
			return c
		}
	}
	return nil
}

// ExplainBehind computes the causes for policies that are behind at a time, for CachedCauses. It explains new
// differences, and with again also those explained from older objects or rows. current reports that every
// explanation is up to date.
func ExplainBehind(r *Revision, now time.Time, again bool) (current bool) {
	b := CarriedValue[causesCache](r)
	current = true
	behind := map[policyIn]bool{}
	for _, z := range r.Zones {
		if z.Writes {
			continue
		}
		from := currentInput(r, z)
		for _, p := range z.Policies {
			if p.InSync || p.StateAt(z, now) != model.StateBehind || !mayHaveCauses(z, p) {
				continue
			}
			behind[policyIn{z.Name, p.Policy}] = true
			switch e, _ := b.get(z, p); {
			case e == nil || again:
				KnownCauses(r, z, p)
			case e.input != from:
				current = false
			}
		}
	}
	b.keepBehind(behind)
	return current
}

// mayHaveCauses reports whether causes are possible: only in a zone that OVN-Kubernetes writes.
func mayHaveCauses(z *model.ZoneState, p *model.PolicyInZone) bool {
	return z != nil && !z.Writes && p != nil && !p.InSync && wholeJudgement(z, p)
}

// causesCache keeps causes from one revision to the next.
type causesCache struct {
	mu           sync.Mutex
	explanations map[policyIn]*explanation
	prepared     bool // ExplainBehind was called
}

// policyIn is a policy or unit in a zone.
type policyIn struct {
	zone   string
	policy model.PolicyKey
}

type explanation struct {
	judgement *model.PolicyInZone
	input     explanationInput
	causes    []*dialect.DiffCause
}

type explanationInput struct {
	db      *nb.DB
	zone    *model.ZoneState // set if the zone's rows are not kept
	desired *compiler.Desired
	cluster *model.Cluster
	past    *PastState
}

func currentInput(r *Revision, z *model.ZoneState) explanationInput {
	from := explanationInput{db: z.DB, desired: r.Desired, cluster: r.Cluster, past: r.Past}
	if z.DB == nil {
		from.zone = z
	}
	return from
}

// get returns the kept causes of a judgement, nil if none, and whether ExplainBehind was called.
func (b *causesCache) get(z *model.ZoneState, p *model.PolicyInZone) (e *explanation, prepared bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e = b.explanations[policyIn{z.Name, p.Policy}]
	if e != nil && e.judgement != p {
		e = nil
	}
	return e, b.prepared
}

func (b *causesCache) put(z *model.ZoneState, e *explanation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.explanations == nil {
		b.explanations = map[policyIn]*explanation{}
	}
	b.explanations[policyIn{z.Name, e.judgement.Policy}] = e
}

// keepBehind drops causes for policies no longer behind.
func (b *causesCache) keepBehind(behind map[policyIn]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prepared = true
	maps.DeleteFunc(b.explanations, func(at policyIn, _ *explanation) bool { return !behind[at] })
}
