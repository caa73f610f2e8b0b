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

// What a LogEnd's Note says.
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
	mu     sync.RWMutex
	owners map[netip.Addr][]addressOwner
	gone   map[netip.Addr]goneOwner
}

type addressOwner struct {
	key  model.Key
	note string
	rank int // pods that count before nodes before the rest, as Revision.Address
}

type goneOwner struct {
	key model.Key
	at  time.Time
}

func newAddressBook() *addressBook {
	return &addressBook{owners: map[netip.Addr][]addressOwner{}, gone: map[netip.Addr]goneOwner{}}
}

// holdings are the addresses an object has.
func holdings(o model.Object) ([]netip.Addr, addressOwner) {
	var texts []string
	var owner addressOwner
	switch o := o.(type) {
	case *model.Pod:
		texts, owner = o.IPs, addressOwner{key: o.Key}
		switch {
		case o.HostNetwork:
			owner.note, owner.rank = noteHost, 2
		case o.Completed():
			owner.note, owner.rank = noteCompleted, 2
		}
	case *model.Node:
		texts, owner = append(slices.Clone(o.HostIPs), o.InternalIPs...), addressOwner{key: o.Key, rank: 1}
	default:
		return nil, owner
	}
	addrs := make([]netip.Addr, 0, len(texts))
	for _, s := range texts {
		if a, err := netip.ParseAddr(s); err == nil && !slices.Contains(addrs, a.Unmap()) {
			addrs = append(addrs, a.Unmap())
		}
	}
	return addrs, owner
}

func (b *addressBook) observe(changes []model.Change, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range changes {
		var was, is []netip.Addr
		var old, owner addressOwner
		if c.Old != nil {
			was, old = holdings(c.Old)
		}
		if c.New != nil {
			is, owner = holdings(c.New)
		}
		if old == owner && slices.Equal(was, is) {
			continue
		}
		for _, a := range was {
			b.remove(a, old.key)
			// A pod that completed or went leaves its address behind.
			if old.rank == 0 && old.key.Kind == model.KindPod && !slices.Contains(is, a) {
				b.remember(a, old.key, now)
			}
		}
		for _, a := range is {
			b.owners[a] = insertOwner(b.owners[a], owner)
			if owner.rank == 0 {
				delete(b.gone, a)
			}
		}
	}
}

func insertOwner(in []addressOwner, o addressOwner) []addressOwner {
	i, _ := slices.BinarySearchFunc(in, o, func(a, b addressOwner) int { return cmp.Compare(a.rank, b.rank+1) })
	return slices.Insert(in, i, o)
}

func (b *addressBook) remove(a netip.Addr, k model.Key) {
	left := slices.DeleteFunc(b.owners[a], func(o addressOwner) bool { return o.key == k })
	if len(left) == 0 {
		delete(b.owners, a)
	} else {
		b.owners[a] = left
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
	b.gone[a] = goneOwner{k, now}
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
	owners := b.owners[a]
	if g, ok := b.gone[a]; ok && (len(owners) == 0 || owners[0].note == noteCompleted) && now.Sub(g.at) < goneFor {
		e.Key, e.Note, e.Gone = g.key, noteGone, g.at
		return e
	}
	if len(owners) == 0 {
		e.Note = noteOutside
		return e
	}
	e.Key, e.Note = owners[0].key, owners[0].note
	return e
}
