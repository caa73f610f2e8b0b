package logline

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"

	"rung/model"
)

// Slack is how much clocks may differ: lines are stamped by nodes, tenures by this machine, and creation times
// have whole seconds.
const Slack = 5 * time.Second

// Holder is an object that has an address.
type Holder struct {
	Key  model.Key
	Note string // how it has it; empty for a pod's own address
	// Rank orders simultaneous holders of an address: answers name the lowest.
	Rank int
	// Stale is true if another pod may have the address by now: the pod completed.
	Stale bool
	// Made is the time of creation, zero if unknown.
	Made time.Time
}

// AddressBook records who has and had addresses. It is not safe for concurrent use.
type AddressBook struct {
	maxEnded int
	byAddr   map[netip.Addr]*addressPeriods

	ends       []netip.Addr // addresses of ended tenures, oldest first
	forgotten  uint64
	empty      []netip.Addr // addresses with all tenures forgotten, oldest first
	newestTime time.Time    // newest time of an event: time never goes back
}

// addressPeriods has the tenures of one address.
type addressPeriods struct {
	current []addressPeriod // in the order in which they began
	past    []addressPeriod // in the order in which they ended
	// newestForgotten is the newest end of a forgotten tenure, lostRank the lowest rank among them.
	newestForgotten time.Time
	lostRank        int
}

// addressPeriod is the time during which a holder had an address: from is when that was learned; to is zero while it
// lasts.
type addressPeriod struct {
	Holder
	from, to time.Time
}

// NewBook makes a book; most bounds the ended tenures that it keeps.
func NewBook(most int) *AddressBook {
	return &AddressBook{maxEnded: max(1, most), byAddr: map[netip.Addr]*addressPeriods{}}
}

// NoteHolder records that a holder has an address from at on. A current tenure of an equal holder continues.
func (b *AddressBook) NoteHolder(a netip.Addr, h Holder, at time.Time) {
	at = b.monotonicTime(at)
	x := b.byAddr[a]
	if x == nil {
		x = &addressPeriods{}
		b.byAddr[a] = x
	}
	if i := x.indexOf(h.Key); i >= 0 {
		if x.current[i].Holder == h {
			return
		}
		b.endPeriod(a, x, i, at)
	}
	x.current = append(x.current, addressPeriod{Holder: h, from: at})
}

// indexOf returns the index of an object's current tenure, -1 if it has none.
func (x *addressPeriods) indexOf(k model.Key) int {
	return slices.IndexFunc(x.current, func(p addressPeriod) bool { return p.Key == k })
}

// NoteLeft records that an object no longer has an address from at on.
func (b *AddressBook) NoteLeft(a netip.Addr, k model.Key, at time.Time) {
	at = b.monotonicTime(at)
	if x := b.byAddr[a]; x != nil && x.indexOf(k) >= 0 {
		b.endPeriod(a, x, x.indexOf(k), at)
	}
}

// monotonicTime returns at, or the newest time so far if that is later.
func (b *AddressBook) monotonicTime(at time.Time) time.Time {
	if at.Before(b.newestTime) {
		return b.newestTime
	}
	b.newestTime = at
	return at
}

// endPeriod moves a tenure to the past, and forgets the one that ended first if there are too many.
func (b *AddressBook) endPeriod(a netip.Addr, x *addressPeriods, i int, at time.Time) {
	t := x.current[i]
	x.current = append(x.current[:i], x.current[i+1:]...)
	t.to = at
	x.past = append(x.past, t)
	b.ends = append(b.ends, a)
	if len(b.ends) > b.maxEnded {
		b.forgetOldest(b.ends[0])
		b.ends = b.ends[1:]
	}
}

// forgetOldest forgets the first ended tenure of an address. An address's past tenures are ordered by end, as
// AddressBook.ends is.
func (b *AddressBook) forgetOldest(a netip.Addr) {
	x := b.byAddr[a]
	t := x.past[0]
	b.forgotten++
	if x.newestForgotten.IsZero() || t.Rank < x.lostRank {
		x.lostRank = t.Rank
	}
	x.newestForgotten = t.to
	x.past[0] = addressPeriod{}
	x.past = x.past[1:]
	if len(x.past) > 0 {
		return
	}
	x.past = nil
	if len(x.current) > 0 {
		return
	}
	b.empty = append(b.empty, a)
	if len(b.empty) > b.maxEnded {
		old := b.empty[0]
		if x := b.byAddr[old]; x != nil && len(x.current)+len(x.past) == 0 {
			delete(b.byAddr, old)
		}
		b.empty = b.empty[1:]
	}
}

// Stats counts what a book has.
type Stats struct {
	Addresses int    // with a present or known past holder
	Past      int    // ended tenures that are kept
	Forgotten uint64 // ended tenures that are not kept
}

// Stats counts what is kept.
func (b *AddressBook) Stats() Stats {
	return Stats{Addresses: len(b.byAddr), Past: len(b.ends), Forgotten: b.forgotten}
}

// Certainty says how sure an answer is, and of what.
type Certainty int

const (
	// NoHolder: as far as known, no object ever had the address.
	NoHolder Certainty = iota
	// Held: the holder had the address at that time.
	Held
	// Gone: no object had it then; the holder was the last, until To.
	Gone
	// Now: the holder has it now; nothing is known about that time.
	Now
	// Later: the holder has it now and did not exist at that time; the former holder is unknown.
	Later
	// Unknown: some object had it at another time; who had it at the time in question is unknown.
	Unknown
)

// Answer is the holder of an address at a time.
type Answer struct {
	How    Certainty
	Holder Holder
	// To is when the holder's tenure ended, zero while it lasts.
	To time.Time
}

// HolderAt returns who had an address at a time. In order of preference: the known holder; the next one, if it
// existed already, since events come late; the last one before; the current one, marked as doubtful.
func (b *AddressBook) HolderAt(a netip.Addr, t time.Time) Answer {
	x := b.byAddr[a]
	if x == nil {
		return Answer{}
	}
	var f candidatePeriods
	for i := range x.current {
		f.consider(&x.current[i], t)
	}
	for i := len(x.past) - 1; i >= 0; i-- {
		c := &x.past[i]
		if f.lastBefore != nil && c.to.Before(f.lastBefore.to) {
			break // the rest ended earlier
		}
		f.consider(c, t)
	}
	forgotten := t.Before(x.newestForgotten)
	switch {
	case f.covering != nil && f.covering.Stale && f.lastBefore != nil && !f.lastBefore.Stale && f.lastBefore.Key != f.covering.Key &&
		!f.lastBefore.from.Before(f.covering.from):
		return f.lastBefore.answerWith(Gone) // got it after the other completed
	case f.covering != nil && (!forgotten || f.covering.Rank < x.lostRank):
		return x.heldAnswer(f.covering)
	case forgotten:
		return Answer{How: Unknown}
	case f.probable != nil:
		return x.heldAnswer(f.probable)
	case f.lastBefore != nil:
		return f.lastBefore.answerWith(Gone)
	case f.firstAfter == nil || !f.firstAfter.to.IsZero():
		return Answer{How: Unknown}
	case f.firstAfter.Made.IsZero():
		return f.firstAfter.answerWith(Now)
	}
	return f.firstAfter.answerWith(Later)
}

// candidatePeriods are the tenures of an address that matter at a time t. covering covers t, lastBefore is the
// last that ended before. Among later tenures, probable is the first with a holder that existed at t, and
// firstAfter the first other. Current tenures come before ended ones.
type candidatePeriods struct{ covering, lastBefore, probable, firstAfter *addressPeriod }

func (f *candidatePeriods) consider(c *addressPeriod, t time.Time) {
	switch {
	case !c.to.IsZero() && !t.Before(c.to):
		if f.lastBefore == nil || cmp.Or(c.to.Compare(f.lastBefore.to), f.lastBefore.Rank-c.Rank, c.breakTie(f.lastBefore)) > 0 {
			f.lastBefore = c
		}
	case !t.Before(c.from):
		if f.covering == nil || cmp.Or(f.covering.Rank-c.Rank, c.from.Compare(f.covering.from), c.breakTie(f.covering)) > 0 {
			f.covering = c
		}
	case c.probablyHeldAt(t):
		if f.probable == nil || c.isPreferredTo(f.probable) {
			f.probable = c
		}
	case f.firstAfter == nil || c.to.IsZero() && (!f.firstAfter.to.IsZero() || c.isPreferredTo(f.firstAfter)):
		f.firstAfter = c
	}
}

// isPreferredTo reports whether to name a tenure before another. Both began after the time in question.
func (c *addressPeriod) isPreferredTo(than *addressPeriod) bool {
	return cmp.Or(than.from.Compare(c.from), than.Rank-c.Rank, c.breakTie(than)) > 0
}

// breakTie orders otherwise equal tenures so that answers are stable: above 0 for the object created later,
// then by name.
func (c *addressPeriod) breakTie(with *addressPeriod) int {
	return cmp.Or(c.Made.Compare(with.Made), c.Key.Compare(with.Key), c.from.Compare(with.from),
		model.FalseFirst(c.to.IsZero(), with.to.IsZero()), c.to.Compare(with.to), strings.Compare(c.Note, with.Note))
}

// probablyHeldAt reports whether the holder of a tenure that was learned after t probably had the address at t.
func (c *addressPeriod) probablyHeldAt(t time.Time) bool {
	began := c.from
	if !c.Made.IsZero() && c.Made.Before(began) {
		began = c.Made // a pod keeps its address
	}
	return !t.Before(began.Add(-Slack))
}

func (c *addressPeriod) answerWith(how Certainty) Answer {
	return Answer{How: how, Holder: c.Holder, To: c.to}
}

// heldAnswer returns the answer Held for a tenure. To is zero if the same object has the address now in any
// way.
func (x *addressPeriods) heldAnswer(c *addressPeriod) Answer {
	out := c.answerWith(Held)
	if x.indexOf(c.Key) >= 0 {
		out.To = time.Time{}
	}
	return out
}
