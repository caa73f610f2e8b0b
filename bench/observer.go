package bench

import (
	"context"
	"fmt"
	"net"
	"runtime/pprof"
	"slices"
	"sync"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
)

// Observer watches a database over a connection of its own and says when rows
// are there: when the message that brings them had come, which is noted at once and
// may be read later (see Hold). In a profile its work carries the label who=observer.
type Observer struct {
	mu     sync.Mutex
	db     *nb.DB
	counts Counts
	conn   *bufferedConn
	came   time.Time // when the newest message that was read had come
	watch  *watch
	stop   func()
}

// Counts are the rows of policies in a database, and what is in their sets.
type Counts struct{ ACLs, Sets, Members, Groups, Links, Ports int }

func (c *Counts) add(r nb.Row, n int) {
	switch r := r.(type) {
	case *nb.ACL:
		c.ACLs += n
	case *nb.AddressSet:
		c.Sets += n
		c.Members += n * len(r.Addresses)
	case *nb.PortGroup:
		c.Groups += n
		c.Links += n * len(r.ACLs)
		c.Ports += n * len(r.Ports)
	}
}

// watch is a set of rows that somebody waits for: left holds those not seen yet.
type watch struct {
	left []func(*nb.DB) bool
	want *Counts
	done chan time.Time
}

// Observe connects to a zone's database and returns when its rows were read.
func Observe(ctx context.Context, zone, addr string) (*Observer, error) {
	o := &Observer{}
	ctx, cancel := context.WithCancel(ctx)
	synced, done := make(chan struct{}), make(chan struct{})
	var once sync.Once
	conn := nbdb.Dial(nbdb.Config{Name: zone, Addr: addr,
		Coalesce: time.Nanosecond, // every update at once
		Probe:    time.Hour,       // it may be held for long
		Dial:     func(ctx context.Context) (net.Conn, error) { return o.dial(ctx, addr) },
		Slot: func() func() {
			o.mu.Lock()
			o.came = o.conn.came()
			o.mu.Unlock()
			return func() {}
		}})
	go pprof.Do(ctx, pprof.Labels("who", "observer"), func(ctx context.Context) {
		defer close(done)
		conn.Run(ctx, func(u model.ZoneUpdate) {
			o.take(u)
			if u.Resync {
				once.Do(func() { close(synced) })
			}
		})
	})
	o.stop = func() { cancel(); <-done }
	select {
	case <-synced:
		return o, nil
	case <-ctx.Done():
		o.stop()
		return nil, fmt.Errorf("observing %s: %w", addr, ctx.Err())
	}
}

func (o *Observer) dial(ctx context.Context, addr string) (net.Conn, error) {
	network, address, err := nbdb.ParseAddr(addr)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	h, err := newBufferedConn(c)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.conn = h
	return h, nil
}

// Hold has the observer take what comes and read none of it until it is let go: so
// reading takes no time from what is measured.
func (o *Observer) Hold(on bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.conn.hold(on)
}

// Close ends the connection and forgets the rows.
func (o *Observer) Close() {
	o.stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.db, o.watch = nil, nil
}

// DB are the rows as they are now.
func (o *Observer) DB() *nb.DB {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.db
}

// Counts counts the rows as they are now.
func (o *Observer) Counts() Counts {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.counts
}

func (o *Observer) take(u model.ZoneUpdate) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := o.came
	if u.DB == nil {
		return
	}
	o.db = u.DB
	for _, ch := range u.Changes {
		if ch.Old != nil {
			o.counts.add(ch.Old, -1)
		}
		if ch.New != nil {
			o.counts.add(ch.New, 1)
		}
	}
	if u.Resync {
		o.counts = Counts{}
		for r := range u.DB.OwnedRows() {
			o.counts.add(r, 1)
		}
	}
	o.look(at)
}

// look ends a wait when everything is there. The lock is held.
func (o *Observer) look(at time.Time) {
	w := o.watch
	if w == nil || (w.want != nil && *w.want != o.counts) {
		return
	}
	w.left = slices.DeleteFunc(w.left, func(shows func(*nb.DB) bool) bool { return shows(o.db) })
	if len(w.left) == 0 {
		o.watch = nil
		w.done <- at
	}
}

func (o *Observer) expect(w *watch) <-chan time.Time {
	w.done = make(chan time.Time, 1)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.watch = w
	return w.done
}

// ExpectCounts tells the time when the rows have these counts.
func (o *Observer) ExpectCounts(c Counts) <-chan time.Time { return o.expect(&watch{want: &c}) }

// Expect tells the time when the rows show a step in a zone: every member in or
// out of its set, every port in or out of its group, and the policies that were
// compiled anew as they are to be. A step that shows already is told with the
// next update only.
func (o *Observer) Expect(d *compiler.Desired, delta *compiler.Delta, zone string) <-chan time.Time {
	w := &watch{}
	for _, s := range delta.Members {
		w.left = append(w.left, func(db *nb.DB) bool {
			row := db.AddressSetByName(s.Set.Name)
			return row != nil && holds(row.Addresses, s.Add, s.Remove)
		})
	}
	for _, p := range delta.Ports {
		if p.Zone != zone {
			continue
		}
		name := d.Policy(p.Policy).GroupName
		w.left = append(w.left, func(db *nb.DB) bool {
			row := db.PortGroupByName(name)
			return row != nil && holds(row.Ports, uuids(db, p.Add), uuids(db, p.Remove))
		})
	}
	for k := range delta.Policies {
		want := rowTexts(d.RowsOfUnit(k, zone, nil))
		w.left = append(w.left, func(db *nb.DB) bool {
			for name, text := range want {
				if liveRow(db, name) != text {
					return false
				}
			}
			return true
		})
	}
	return o.expect(w)
}

func uuids(db *nb.DB, ports []string) (out []string) {
	for _, name := range ports {
		if p := db.PortByName(name); p != nil {
			out = append(out, p.UUID)
		}
	}
	return out
}

// holds says whether a sorted column has these members and not those.
func holds(column, in, out []string) bool {
	for _, s := range in {
		if _, ok := slices.BinarySearch(column, s); !ok {
			return false
		}
	}
	for _, s := range out {
		if _, ok := slices.BinarySearch(column, s); ok {
			return false
		}
	}
	return true
}
