package logline

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

// sec is a time so many seconds after noon.
func sec(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }

func pod(name string) Holder {
	return Holder{Key: model.Key{Kind: model.KindPod, Namespace: "n", Name: name}}
}

func (h Holder) made(n int) Holder { h.Made = sec(n); return h }

func (h Holder) completed() Holder { h.Note, h.Rank, h.Stale = "completed", 2, true; return h }

var x = netip.MustParseAddr("10.244.0.8")

// An address is who had it then, not who has it now.
func TestAt(t *testing.T) {
	for _, c := range []struct {
		what string
		book func(*AddressBook)
		want map[int]string // by second after noon
	}{
		{"nobody ever", func(*AddressBook) {}, map[int]string{0: "nobody"}},
		{"reused", func(b *AddressBook) {
			b.NoteHolder(x, pod("old").made(100), sec(101))
			b.NoteLeft(x, pod("old").Key, sec(200))
			b.NoteHolder(x, pod("new").made(300), sec(302))
		}, map[int]string{
			10: "later new", 96: "held old gone at 200", 150: "held old gone at 200", 199: "held old gone at 200",
			200: "gone old gone at 200", 250: "gone old gone at 200", 296: "held new", 301: "held new", 302: "held new", 9999: "held new",
		}},
		{"reused at once, the event of the new one late", func(b *AddressBook) {
			b.NoteHolder(x, pod("old").made(100), sec(101))
			b.NoteLeft(x, pod("old").Key, sec(200))
			b.NoteHolder(x, pod("new").made(150), sec(208)) // waited for an address
		}, map[int]string{180: "held old gone at 200", 201: "held new"}},
		{"nobody watched yet", func(b *AddressBook) { b.NoteHolder(x, pod("a"), sec(100)) }, map[int]string{0: "now a", 94: "now a", 95: "held a", 100: "held a"}},
		{"nobody watched yet, the pod is older", func(b *AddressBook) { b.NoteHolder(x, pod("a").made(-500), sec(100)) },
			map[int]string{-600: "later a", -505: "held a", 0: "held a"}},
		{"went, and nobody watched before", func(b *AddressBook) {
			b.NoteHolder(x, pod("a"), sec(100))
			b.NoteLeft(x, pod("a").Key, sec(200))
		}, map[int]string{0: "unknown", 100: "held a gone at 200", 300: "gone a gone at 200"}},
		{"completed", func(b *AddressBook) {
			b.NoteHolder(x, pod("job").made(0), sec(0))
			b.NoteHolder(x, pod("job").made(0).completed(), sec(100))
		}, map[int]string{50: "held job", 100: "held job (completed)"}},
		{"completed at once", func(b *AddressBook) {
			b.NoteHolder(x, pod("job").made(0), sec(0))
			b.NoteHolder(x, pod("job").made(0).completed(), sec(0))
		}, map[int]string{0: "held job (completed)", 50: "held job (completed)"}},
		{"completed, and the address given away", func(b *AddressBook) {
			b.NoteHolder(x, pod("job").made(0), sec(0))
			b.NoteHolder(x, pod("job").made(0).completed(), sec(100))
			b.NoteHolder(x, pod("web").made(110), sec(111))
			b.NoteLeft(x, pod("web").Key, sec(200))
		}, map[int]string{50: "held job", 102: "held job (completed)", 150: "held web gone at 200", 300: "gone web gone at 200"}},
		{"both there at the start", func(b *AddressBook) {
			b.NoteHolder(x, pod("web").made(-100), sec(0))
			b.NoteHolder(x, pod("job").made(-200).completed(), sec(0))
		}, map[int]string{-150: "held job (completed)", -50: "held web", 1: "held web"}},
		{"told twice", func(b *AddressBook) {
			b.NoteHolder(x, pod("a"), sec(0))
			b.NoteHolder(x, pod("a"), sec(50))
			b.NoteLeft(x, pod("b").Key, sec(60))
		}, map[int]string{1: "held a", 70: "held a"}},
		{"a clock that goes back", func(b *AddressBook) {
			b.NoteHolder(x, pod("a"), sec(100))
			b.NoteLeft(x, pod("a").Key, sec(50))
			b.NoteHolder(x, pod("b"), sec(40))
		}, map[int]string{100: "held b", 90: "now b"}},
	} {
		b := NewBook(100)
		c.book(b)
		for at, want := range c.want {
			if got := b.HolderAt(x, sec(at)).String(); got != want {
				t.Errorf("%s, at %d: %s, want %s", c.what, at, got, want)
			}
		}
	}
}

// String is for tests.
func (a Answer) String() string {
	s := [...]string{"nobody", "held", "gone", "now", "later", "unknown"}[a.How]
	if a.Holder.Key.Name != "" {
		s += " " + a.Holder.Key.Name
	}
	if a.Holder.Note != "" {
		s += " (" + a.Holder.Note + ")"
	}
	if !a.To.IsZero() {
		s += fmt.Sprint(" gone at ", int(a.To.Sub(noon)/time.Second))
	}
	return s
}

// naive is the same as a list of everything that ever was.
type naive []*addressPeriod

func (n *naive) take(h Holder, at time.Time) {
	for _, c := range *n {
		if c.to.IsZero() && c.Key == h.Key {
			if c.Holder == h {
				return
			}
			c.to = at
		}
	}
	*n = append(*n, &addressPeriod{Holder: h, from: at})
}

func (n *naive) leave(k model.Key, at time.Time) {
	for _, c := range *n {
		if c.to.IsZero() && c.Key == k {
			c.to = at
		}
	}
}

// best is the tenure that fits and that no other one that fits is better than.
func (n naive) best(fits func(*addressPeriod) bool, better func(a, b *addressPeriod) bool) (out *addressPeriod) {
	for _, c := range n {
		if fits(c) && (out == nil || better(c, out)) {
			out = c
		}
	}
	return out
}

// last is the order of two that are equal otherwise.
func last(a, b *addressPeriod) bool {
	switch {
	case !a.Made.Equal(b.Made):
		return a.Made.After(b.Made)
	case a.Key != b.Key:
		return a.Key.Name > b.Key.Name
	case !a.from.Equal(b.from):
		return a.from.After(b.from)
	case a.to.IsZero() != b.to.IsZero():
		return a.to.IsZero()
	case !a.to.Equal(b.to):
		return a.to.After(b.to)
	}
	return a.Note > b.Note
}

func (n naive) at(t time.Time) Answer {
	if len(n) == 0 {
		return Answer{}
	}
	over := func(c *addressPeriod) bool { return !c.to.IsZero() && !c.to.After(t) }
	began := func(c *addressPeriod) bool { return !c.from.After(t) }
	held := n.best(func(c *addressPeriod) bool { return began(c) && !over(c) },
		func(a, b *addressPeriod) bool {
			if a.Rank == b.Rank && a.from.Equal(b.from) {
				return last(a, b)
			}
			return a.Rank < b.Rank || a.Rank == b.Rank && a.from.After(b.from)
		})
	before := n.best(over, func(a, b *addressPeriod) bool {
		if a.Rank == b.Rank && a.to.Equal(b.to) {
			return last(a, b)
		}
		return a.to.After(b.to) || a.to.Equal(b.to) && a.Rank < b.Rank
	})
	sooner := func(a, b *addressPeriod) bool {
		if a.Rank == b.Rank && a.from.Equal(b.from) {
			return last(a, b)
		}
		return a.from.Before(b.from) || a.from.Equal(b.from) && a.Rank < b.Rank
	}
	there := n.best(func(c *addressPeriod) bool { return !began(c) && c.probablyHeldAt(t) }, sooner)
	after := n.best(func(c *addressPeriod) bool { return !began(c) && !c.probablyHeldAt(t) && c.to.IsZero() }, sooner)
	lasts := func(c *addressPeriod) Answer {
		a := c.answerWith(Held)
		for _, d := range n {
			if d.Key == c.Key && d.to.IsZero() {
				a.To = time.Time{}
			}
		}
		return a
	}
	switch {
	case held != nil && held.Stale && before != nil && !before.Stale && before.Key != held.Key && !before.from.Before(held.from):
		return before.answerWith(Gone)
	case held != nil:
		return lasts(held)
	case there != nil:
		return lasts(there)
	case before != nil:
		return before.answerWith(Gone)
	case after == nil:
		return Answer{How: Unknown}
	case after.Made.IsZero():
		return after.answerWith(Now)
	}
	return after.answerWith(Later)
}

// Whatever happens, the book says what a list of everything says; one with too little
// room says the same or that it does not know, keeps no more than it may, and counts
// the rest.
func TestBookIsAListOfEverything(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 13))
		most := 1 + r.IntN(30)
		roomy, tight := NewBook(1<<20), NewBook(most)
		addrs := make([]netip.Addr, 1+r.IntN(6))
		all := make([]naive, len(addrs))
		for i := range addrs {
			addrs[i] = netip.AddrFrom4([4]byte{10, 0, 0, byte(i)})
		}
		made := map[string]time.Time{}
		now := 0
		for range 200 {
			now += r.IntN(8)
			i, name := r.IntN(len(addrs)), fmt.Sprint("p", r.IntN(8))
			h := pod(name)
			if _, known := made[name]; !known && r.IntN(2) == 0 {
				made[name] = sec(now - r.IntN(30))
			}
			h.Made = made[name]
			switch r.IntN(6) {
			case 0:
				h = h.completed()
			case 1:
				h.Rank = 1
			}
			if r.IntN(3) > 0 {
				all[i].take(h, sec(now))
				roomy.NoteHolder(addrs[i], h, sec(now))
				tight.NoteHolder(addrs[i], h, sec(now))
			} else {
				all[i].leave(h.Key, sec(now))
				roomy.NoteLeft(addrs[i], h.Key, sec(now))
				tight.NoteLeft(addrs[i], h.Key, sec(now))
				delete(made, name) // a pod of that name is another one
			}
		}
		ended := 0
		for i, a := range addrs {
			for _, c := range all[i] {
				if !c.to.IsZero() {
					ended++
				}
			}
			for range 60 {
				at := sec(r.IntN(now+40) - 20)
				want := all[i].at(at)
				if d := cmp.Diff(want, roomy.HolderAt(a, at)); d != "" {
					t.Fatalf("seed %d, %s at %s (-list +book):\n%s", seed, a, at.Format("15:04:05"), d)
				}
				if got := tight.HolderAt(a, at); got != want && got.How != Unknown && !(got.How == NoHolder && len(tight.byAddr) < len(addrs)) {
					t.Fatalf("seed %d, %s at %s with little room: %s, want %s", seed, a, at.Format("15:04:05"), got, want)
				}
			}
		}
		s := tight.Stats()
		if s.Past > most || s.Past+int(s.Forgotten) != ended {
			t.Fatalf("seed %d: %+v of %d that ended, %d may be kept", seed, s, ended, most)
		}
		if s := roomy.Stats(); s.Forgotten != 0 || s.Past != ended {
			t.Fatalf("seed %d: %+v of %d that ended", seed, s, ended)
		}
	}
}

// However many come and go, what is kept does not grow.
func TestBookIsBounded(t *testing.T) {
	b := NewBook(100)
	for i := range 10_000 {
		a := netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
		b.NoteHolder(a, pod(fmt.Sprint(i)), sec(i))
		b.NoteLeft(a, pod(fmt.Sprint(i)).Key, sec(i))
	}
	if s := b.Stats(); s.Past != 100 || s.Forgotten != 9900 || s.Addresses > 200 || cap(b.ends) > 1000 || cap(b.empty) > 1000 {
		t.Errorf("%+v, %d and %d", s, cap(b.ends), cap(b.empty))
	}
}
