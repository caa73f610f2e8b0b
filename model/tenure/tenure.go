package tenure

import (
	"net/netip"
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
	most int
	at   map[netip.Addr]*address

	ends      []netip.Addr // whose tenures ended, oldest first, from head on
	head      int
	forgotten uint64
	empty     []netip.Addr // those of which only is known that they were somebody's, from emptyHead on
	emptyHead int
	last      time.Time // newest time of an event: a clock that goes back is not followed
}

// address is what is known of one address.
type address struct {
	now  []tenure // in the order in which they began
	past []tenure // in the order in which they ended
	// lost is the newest end of a tenure that was forgotten, lostRank the lowest rank
	// of those.
	lost     time.Time
	lostRank int
}

// tenure is the time during which a holder had an address: from is when that was
// learned, to is zero while it lasts.
type tenure struct {
	Holder
	from, to time.Time
}

// NewBook makes a book that keeps at most so many tenures that ended.
func NewBook(most int) *Book {
	return &Book{most: max(1, most), at: map[netip.Addr]*address{}}
}

// Take notes that a holder has an address from at on. One that has it already in the
// same way keeps it.
func (b *Book) Take(a netip.Addr, h Holder, at time.Time) {
	at = b.clock(at)
	x := b.at[a]
	if x == nil {
		x = &address{}
		b.at[a] = x
	}
	for i := range x.now {
		if x.now[i].Key == h.Key {
			if x.now[i].Holder == h {
				return
			}
			b.end(a, x, i, at)
			break
		}
	}
	x.now = append(x.now, tenure{Holder: h, from: at})
}

// Leave notes that an object does not have an address from at on.
func (b *Book) Leave(a netip.Addr, k model.Key, at time.Time) {
	at = b.clock(at)
	x := b.at[a]
	if x == nil {
		return
	}
	for i := range x.now {
		if x.now[i].Key == k {
			b.end(a, x, i, at)
			return
		}
	}
}

// clock is a time no earlier than those before.
func (b *Book) clock(at time.Time) time.Time {
	if at.Before(b.last) {
		return b.last
	}
	b.last = at
	return at
}

// end moves a tenure into the past, and forgets the one that ended first where there
// are too many.
func (b *Book) end(a netip.Addr, x *address, i int, at time.Time) {
	t := x.now[i]
	x.now = append(x.now[:i], x.now[i+1:]...)
	t.to = at
	x.past = append(x.past, t)
	b.ends = append(b.ends, a)
	for len(b.ends)-b.head > b.most {
		b.forget(b.ends[b.head])
		b.head++
	}
	if b.head > b.most { // what lies before head is not worth its room
		b.ends = append(b.ends[:0], b.ends[b.head:]...)
		b.head = 0
	}
}

// forget forgets the tenure of an address that ended first: those of an address are in
// the order of their ends, as all are together.
func (b *Book) forget(a netip.Addr) {
	x := b.at[a]
	t := x.past[0]
	b.forgotten++
	if x.lost.IsZero() || t.Rank < x.lostRank {
		x.lostRank = t.Rank
	}
	x.lost = t.to
	x.past[0] = tenure{}
	if x.past = x.past[1:]; len(x.past) > 0 {
		return
	}
	x.past = nil
	if len(x.now) > 0 {
		return
	}
	b.empty = append(b.empty, a)
	if len(b.empty)-b.emptyHead > b.most {
		old := b.empty[b.emptyHead]
		if x := b.at[old]; x != nil && len(x.now)+len(x.past) == 0 {
			delete(b.at, old)
		}
		b.emptyHead++
	}
	if b.emptyHead > b.most {
		b.empty = append(b.empty[:0], b.empty[b.emptyHead:]...)
		b.emptyHead = 0
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
	return Stats{Addresses: len(b.at), Past: len(b.ends) - b.head, Forgotten: b.forgotten}
}
