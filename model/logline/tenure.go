package logline

import (
	"cmp"
	"net/netip"
	"strings"
	"time"

	"rung/model"
)

// Slack is how much clocks may differ: times of lines are those of nodes, those of
// tenures are of when Rung was told, and creation times have whole seconds.
const Slack = 5 * time.Second

// Holder is an object that has an address.
type Holder struct {
	Key  model.Key
	Note string // how it has it, "" as a pod usually does
	// Rank orders holders of the same address at the same time: the lowest is named.
	Rank int
	// Stale says that the address may be somebody else's by now: the pod completed.
	Stale bool
	// Made is when the object was created, zero where that is not known.
	Made time.Time
}

// Book keeps who has addresses and who had them. It is not safe for concurrent use.
type Book struct {
	maxEnded int
	byAddr   map[netip.Addr]*addressTenures

	ends       []netip.Addr // whose tenures ended, oldest first
	forgotten  uint64
	empty      []netip.Addr // those of which only is known that they were somebody's, oldest first
	newestTime time.Time    // newest time of an event: a clock that goes back is not followed
}

// addressTenures is the knowledge of one address.
type addressTenures struct {
	current []tenure // in the order in which they began
	past    []tenure // in the order in which they ended
	// newestForgotten is the newest end of a tenure that was forgotten, lostRank the lowest rank
	// of those.
	newestForgotten time.Time
	lostRank        int
}

// tenure is the time during which a holder had an address: from is when that was
// learned, to is zero while it lasts.
type tenure struct {
	Holder
	from, to time.Time
}

// NewBook makes a book that keeps at most so many tenures that ended.
func NewBook(most int) *Book {
	return &Book{maxEnded: max(1, most), byAddr: map[netip.Addr]*addressTenures{}}
}

// NoteHolder notes that a holder has an address from at on. One that has it already in the
// same way keeps it.
func (b *Book) NoteHolder(a netip.Addr, h Holder, at time.Time) {
	at = b.monotonicTime(at)
	x := b.byAddr[a]
	if x == nil {
		x = &addressTenures{}
		b.byAddr[a] = x
	}
	for i := range x.current {
		if x.current[i].Key == h.Key {
			if x.current[i].Holder == h {
				return
			}
			b.endTenure(a, x, i, at)
			break
		}
	}
	x.current = append(x.current, tenure{Holder: h, from: at})
}

// NoteLeft notes that an object does not have an address from at on.
func (b *Book) NoteLeft(a netip.Addr, k model.Key, at time.Time) {
	at = b.monotonicTime(at)
	x := b.byAddr[a]
	if x == nil {
		return
	}
	for i := range x.current {
		if x.current[i].Key == k {
			b.endTenure(a, x, i, at)
			return
		}
	}
}

// monotonicTime is a time no earlier than those before.
func (b *Book) monotonicTime(at time.Time) time.Time {
	if at.Before(b.newestTime) {
		return b.newestTime
	}
	b.newestTime = at
	return at
}

// endTenure moves a tenure into the past, and forgets the one that ended first where there
// are too many.
func (b *Book) endTenure(a netip.Addr, x *addressTenures, i int, at time.Time) {
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

// forgetOldest forgets the tenure of an address that ended first: those of an address are in
// the order of their ends, as all are together.
func (b *Book) forgetOldest(a netip.Addr) {
	x := b.byAddr[a]
	t := x.past[0]
	b.forgotten++
	if x.newestForgotten.IsZero() || t.Rank < x.lostRank {
		x.lostRank = t.Rank
	}
	x.newestForgotten = t.to
	x.past[0] = tenure{}
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

// Stats say how much a book keeps.
type Stats struct {
	Addresses int    // that somebody has or is known to have had
	Past      int    // tenures that ended and are kept
	Forgotten uint64 // tenures that ended and are not
}

// Stats counts what is kept.
func (b *Book) Stats() Stats {
	return Stats{Addresses: len(b.byAddr), Past: len(b.ends), Forgotten: b.forgotten}
}

// Certainty says how sure an answer is, and of what.
type Certainty int

const (
	// Nobody has or had the address, as far as is known.
	Nobody Certainty = iota
	// Held says that the holder had the address at that time.
	Held
	// Gone says that nobody had it then: the holder was the last to have it, until To.
	Gone
	// Now says that the holder has it now; nobody watched at that time.
	Now
	// Later says that the holder has it now and did not exist at that time: somebody
	// else had it, and nobody knows who.
	Later
	// Unknown says that somebody had it at another time, and that nobody knows any more
	// who had it then.
	Unknown
)

// Answer is the holder of an address at a time.
type Answer struct {
	How    Certainty
	Holder Holder
	// To is when the holder's tenure ended, zero while it lasts.
	To time.Time
}

// HolderAt says who had an address at a time: whoever is known to have had it then; else the
// one who had it next, where that one existed already, since events come late; else the
// one who had it last before; else who has it now, with the doubt there is.
func (b *Book) HolderAt(a netip.Addr, t time.Time) Answer {
	x := b.byAddr[a]
	if x == nil {
		return Answer{}
	}
	var f foundTenures
	for i := range x.current {
		f.lookAtTenure(&x.current[i], t)
	}
	for i := len(x.past) - 1; i >= 0; i-- {
		c := &x.past[i]
		if f.lastBefore != nil && c.to.Before(f.lastBefore.to) {
			break // as are all before it
		}
		f.lookAtTenure(c, t)
	}
	forgotten := t.Before(x.newestForgotten)
	switch {
	case f.covering != nil && f.covering.Stale && f.lastBefore != nil && !f.lastBefore.Stale && f.lastBefore.Key != f.covering.Key &&
		!f.lastBefore.from.Before(f.covering.from):
		return f.lastBefore.answerWith(Gone) // took it when the other had completed
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

// foundTenures are the tenures of an address that matter at a time: the one that covers it,
// the last before it, of those that began later the first whose holder existed already,
// and the first of the others; those that last come before those that ended.
type foundTenures struct{ covering, lastBefore, probable, firstAfter *tenure }

func (f *foundTenures) lookAtTenure(c *tenure, t time.Time) {
	switch {
	case !c.to.IsZero() && !t.Before(c.to):
		if f.lastBefore == nil || cmp.Or(c.to.Compare(f.lastBefore.to), f.lastBefore.Rank-c.Rank, c.breakTie(f.lastBefore)) > 0 {
			f.lastBefore = c
		}
	case !t.Before(c.from):
		if f.covering == nil || cmp.Or(f.covering.Rank-c.Rank, c.from.Compare(f.covering.from), c.breakTie(f.covering)) > 0 {
			f.covering = c
		}
	case c.isThereAt(t):
		if f.probable == nil || c.isPreferredTo(f.probable) {
			f.probable = c
		}
	case f.firstAfter == nil || c.to.IsZero() && (!f.firstAfter.to.IsZero() || c.isPreferredTo(f.firstAfter)):
		f.firstAfter = c
	}
}

// isPreferredTo says whether a tenure is to be named before another that began later than the
// time in question, too.
func (c *tenure) isPreferredTo(than *tenure) bool {
	return cmp.Or(than.from.Compare(c.from), than.Rank-c.Rank, c.breakTie(than)) > 0
}

// breakTie decides between tenures that are equal otherwise: above 0 for the object that was
// made later, and for a name, so that the answer is the same every time.
func (c *tenure) breakTie(with *tenure) int {
	return cmp.Or(c.Made.Compare(with.Made), c.Key.Compare(with.Key), c.from.Compare(with.from), c.lastingRank()-with.lastingRank(),
		c.to.Compare(with.to),
		strings.Compare(c.Note, with.Note))
}

func (c *tenure) lastingRank() int {
	if c.to.IsZero() {
		return 1
	}
	return 0
}

// isThereAt says whether the holder of a tenure that began after t, as far as was told, had
// the address at t all the same.
func (c *tenure) isThereAt(t time.Time) bool {
	began := c.from
	if !c.Made.IsZero() && c.Made.Before(began) {
		began = c.Made // a pod keeps its address
	}
	return !t.Before(began.Add(-Slack))
}

func (c *tenure) answerWith(how Certainty) Answer {
	return Answer{How: how, Holder: c.Holder, To: c.to}
}

// heldAnswer is the answer that a tenure covers the time; it lasts where the same object has
// the address now, in whatever way.
func (x *addressTenures) heldAnswer(c *tenure) Answer {
	out := c.answerWith(Held)
	for i := range x.current {
		if x.current[i].Key == c.Key {
			out.To = time.Time{}
		}
	}
	return out
}
