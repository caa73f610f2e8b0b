package logs

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	"rung/model"
	"rung/model/logline"
)

// HoldersKept bounds the pods remembered after leaving an address: lines arrive late, stored lines are old,
// and a job is gone before its last lines are read.
const HoldersKept = 32 << 10

// AddressBook knows who has an address and who had it. It follows the cluster's changes: asking a new revision
// for every line would index all pods for every pod event.
type AddressBook struct {
	mu   sync.RWMutex
	book *logline.AddressBook
}

// NewAddressBook returns an empty book that remembers up to kept former holders.
func NewAddressBook(kept int) *AddressBook { return &AddressBook{book: logline.NewBook(kept)} }

// heldAddress is an address of an object, with its holder.
type heldAddress struct {
	addr   netip.Addr
	holder logline.Holder
}

// listHeldAddresses returns the addresses of an object. As in Revision.AddressOwners, nodes rank after most pods,
// but before host-networked and completed ones.
func listHeldAddresses(o model.Object) (out []heldAddress) {
	add := func(h logline.Holder, texts ...string) {
		for _, s := range texts {
			a, err := netip.ParseAddr(s)
			if err != nil || slices.ContainsFunc(out, func(x heldAddress) bool { return x.addr == a.Unmap() }) {
				continue
			}
			out = append(out, heldAddress{a.Unmap(), h})
		}
	}
	switch o := o.(type) {
	case *model.Pod:
		h := logline.Holder{Key: o.Key, Made: o.Created.UTC()}
		switch {
		case o.HostNetwork:
			h.Note, h.Rank = NoteHost, 3
		case o.IsCompleted():
			h.Note, h.Rank, h.Stale = noteCompleted, 3, true
		}
		add(h, o.IPs...)
	case *model.Node:
		h := logline.Holder{Key: o.Key, Rank: 1, Made: o.Created.UTC()}
		add(h, o.HostIPs...)
		add(h, o.InternalIPs...)
		h.Note = noteMgmt
		add(h, o.MgmtIPs...)
		h.Note = noteGateway
		add(h, o.GatewayIPs...)
	case *model.Service:
		add(logline.Holder{Key: o.Key, Rank: 2, Made: o.Created.UTC()}, o.ClusterIPs...)
	}
	return out
}

// Observe follows the cluster; it needs every change, in order.
func (b *AddressBook) Observe(changes []model.Change, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range changes {
		var was, is []heldAddress
		if c.Old != nil {
			was = listHeldAddresses(c.Old)
		}
		if c.New != nil {
			is = listHeldAddresses(c.New)
		}
		if slices.Equal(was, is) {
			continue
		}
		for _, x := range was {
			if !slices.ContainsFunc(is, func(y heldAddress) bool { return x.addr == y.addr && x.holder.Key == y.holder.Key }) {
				b.book.NoteLeft(x.addr, x.holder.Key, now)
			}
		}
		for _, x := range is {
			b.book.NoteHolder(x.addr, x.holder, now)
		}
	}
}

// EndAt returns who was behind an address at a time.
func (b *AddressBook) EndAt(a netip.Addr, at time.Time) End {
	if !a.IsValid() {
		return End{}
	}
	a = a.Unmap()
	b.mu.RLock()
	answer := b.book.HolderAt(a, at)
	b.mu.RUnlock()
	e := End{Addr: a.String(), Key: answer.Holder.Key, Note: answer.Holder.Note}
	switch {
	case answer.How == logline.NoHolder:
		e.Note = NoteOutside
	case answer.How == logline.Unknown:
		e.Note = noteUnknown
	case answer.How == logline.Later:
		e.Key, e.Later, e.Note = model.Key{}, answer.Holder.Key, noteLater
	case !answer.To.IsZero(): // had the address then, or last before, and left it
		e.Note, e.Gone = noteGone, answer.To
	case answer.How == logline.Now && e.Note == "":
		e.Note = noteNow
	}
	return e
}

// Stats counts the holders kept and forgotten.
func (b *AddressBook) Stats() logline.Stats {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.book.Stats()
}
