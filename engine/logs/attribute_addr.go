package logs

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"
	"time"

	"rung/model"
)

// How long, and for how many addresses, it is remembered who had an address:
// lines arrive late, and a job is gone before its last lines are read.
const (
	goneFor  = 10 * time.Minute
	goneMost = 8192
)

// The notes of an End.
const (
	noteOutside   = "outside"
	noteGone      = "gone"
	noteHost      = "host network"
	noteCompleted = "completed"
)

// addressBook knows who has an address and who had it. It follows the cluster
// by its changes: asking a fresh revision for every line would index all pods
// for every pod event.
type addressBook struct {
	mu   sync.RWMutex
	at   map[netip.Addr][]endpoint
	gone map[netip.Addr]goneEndpoint
}

// endpoint is an object that has an address.
type endpoint struct {
	key  model.Key
	note string
	rank int // pods that count before nodes before the rest, as Revision.Address
}

// goneEndpoint is the one that had it last.
type goneEndpoint struct {
	key model.Key
	at  time.Time
}

func newAddressBook() *addressBook {
	return &addressBook{at: map[netip.Addr][]endpoint{}, gone: map[netip.Addr]goneEndpoint{}}
}

// addressesOf are the addresses an object has, and what it is at each of them.
func addressesOf(o model.Object) ([]netip.Addr, endpoint) {
	var texts []string
	var is endpoint
	switch o := o.(type) {
	case *model.Pod:
		texts, is = o.IPs, endpoint{key: o.Key}
		switch {
		case o.HostNetwork:
			is.note, is.rank = noteHost, 2
		case o.Completed():
			is.note, is.rank = noteCompleted, 2
		}
	case *model.Node:
		texts, is = append(slices.Clone(o.HostIPs), o.InternalIPs...), endpoint{key: o.Key, rank: 1}
	default:
		return nil, is
	}
	addrs := make([]netip.Addr, 0, len(texts))
	for _, s := range texts {
		if a, err := netip.ParseAddr(s); err == nil && !slices.Contains(addrs, a.Unmap()) {
			addrs = append(addrs, a.Unmap())
		}
	}
	return addrs, is
}

func (b *addressBook) observe(changes []model.Change, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range changes {
		var was, is []netip.Addr
		var before, after endpoint
		if c.Old != nil {
			was, before = addressesOf(c.Old)
		}
		if c.New != nil {
			is, after = addressesOf(c.New)
		}
		if before == after && slices.Equal(was, is) {
			continue
		}
		for _, a := range was {
			b.remove(a, before.key)
			// A pod that completed or went leaves its address behind.
			if before.rank == 0 && before.key.Kind == model.KindPod && !slices.Contains(is, a) {
				b.remember(a, before.key, now)
			}
		}
		for _, a := range is {
			b.at[a] = insertEndpoint(b.at[a], after)
			if after.rank == 0 {
				delete(b.gone, a)
			}
		}
	}
}

func insertEndpoint(in []endpoint, o endpoint) []endpoint {
	i, _ := slices.BinarySearchFunc(in, o, func(a, b endpoint) int { return cmp.Compare(a.rank, b.rank+1) })
	return slices.Insert(in, i, o)
}

func (b *addressBook) remove(a netip.Addr, k model.Key) {
	left := slices.DeleteFunc(b.at[a], func(o endpoint) bool { return o.key == k })
	if len(left) == 0 {
		delete(b.at, a)
	} else {
		b.at[a] = left
	}
}

func (b *addressBook) remember(a netip.Addr, k model.Key, now time.Time) {
	if len(b.gone) >= goneMost {
		for old, g := range b.gone {
			if now.Sub(g.at) > goneFor {
				delete(b.gone, old)
			}
		}
		// Still full of recent ones: forget some, whichever come first.
		for old := range b.gone {
			if len(b.gone) < goneMost-goneMost/8 {
				break
			}
			delete(b.gone, old)
		}
	}
	b.gone[a] = goneEndpoint{k, now}
}

// end says who is behind an address now.
func (b *addressBook) end(a netip.Addr, now time.Time) End {
	if !a.IsValid() {
		return End{}
	}
	a = a.Unmap()
	e := End{Addr: a.String()}
	b.mu.RLock()
	defer b.mu.RUnlock()
	there := b.at[a]
	if g, ok := b.gone[a]; ok && (len(there) == 0 || there[0].note == noteCompleted) && now.Sub(g.at) < goneFor {
		e.Key, e.Note, e.Gone = g.key, noteGone, g.at
		return e
	}
	if len(there) == 0 {
		e.Note = noteOutside
		return e
	}
	e.Key, e.Note = there[0].key, there[0].note
	return e
}
