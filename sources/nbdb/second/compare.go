package second

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"rung/model/ovn/nb"
)

const (
	// rounds is how often the rows are read when some of them keep changing.
	rounds = 3
	// patience is how long Rung's client may take to hear of what libovsdb read.
	patience = 2 * time.Second
	// toldMost is how many differing rows are told one by one, elementsMost how many
	// elements of one column.
	toldMost, elementsMost = 1000, 20
	// heldMost is how many rows are held that differ at first sight.
	heldMost = 10_000
)

// Result is how the two readers agree.
type Result struct {
	Rows        int // that libovsdb read
	Differences []Difference
	More        int // rows that differ and are not among them
}

// Difference is a column in which the two readers differ, or a row that one of them does
// not have.
type Difference struct {
	Table  string `json:"table"`
	UUID   string `json:"uuid"`
	Name   string `json:"name,omitempty"`   // of an ACL its id; empty where there is none
	Column string `json:"column,omitempty"` // empty: the whole row
	// Rung and Libovsdb are what each has and the other has not: elements of a set or a
	// map, or the value. Of a whole row they are its columns, of the one that has it.
	Rung     []string `json:"rung"`
	Libovsdb []string `json:"libovsdb"`
	// MoreRung and MoreLibovsdb count elements left out.
	MoreRung     int `json:"rung_more,omitempty"`
	MoreLibovsdb int `json:"libovsdb_more,omitempty"`
}

// CompareRows reads the database through libovsdb and compares the rows with the versions
// that Rung's client has meanwhile. follow hands these over, beginning with the current one,
// until its context ends, or says why it cannot. A row that changed meanwhile may be as in
// any of them; one that is as in none is read again, and is a difference when it stays one.
// An error says that there is no answer, and why.
func (c Config) CompareRows(ctx context.Context, follow func(context.Context, func(*nb.DB)) error) (*Result, error) {
	c.Within, c.MaxBytes = cmp.Or(c.Within, DefaultWithin), cmp.Or(c.MaxBytes, DefaultMost)
	ctx, end := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer end(nil)
	v := &rowVersions{news: make(chan struct{}, 1)}
	wg.Go(func() {
		if err := follow(ctx, v.addVersion); err != nil {
			end(err)
		}
	})
	if !v.waitUntil(ctx, c.Within, func(dbs []*nb.DB) bool { return len(dbs) > 0 }) {
		return nil, cmp.Or(context.Cause(ctx), errors.New("no rows of Rung's own client to compare with"))
	}
	out := &Result{}
	told := map[string]bool{}
	var suspects map[uint64]bool // elements of rows that change
	unheld := 0                  // rows that differ in the last round and were not held
	for n := range rounds {
		r := &readRound{v: v, seenRows: map[string]bool{}, toldDifferences: told, suspects: suspects, isFirst: n == 0, isLast: n == rounds-1}
		v.keepNewest()
		if err := c.readOnce(ctx, r.takeRow); err != nil {
			return nil, err
		}
		v.waitUntil(ctx, patience, r.isExplained)
		out.Rows = len(r.seenRows)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.judgeRound(out)
		unheld = r.heldBeyond
		suspects = r.nextRound
		if len(suspects) == 0 && !r.isLate() {
			break
		}
		if r.isLast && r.isLate() && len(out.Differences) == 0 {
			return nil, fmt.Errorf("more than %d rows changed each time that libovsdb read them", heldMost)
		}
	}
	out.More += unheld
	slices.SortStableFunc(out.Differences, compareDifferences)
	return out, nil
}

// rowVersions are the databases as Rung's client has them, one after the other.
type rowVersions struct {
	news chan struct{}

	mu  sync.Mutex
	dbs []*nb.DB
}

func (v *rowVersions) addVersion(db *nb.DB) {
	v.mu.Lock()
	if n := len(v.dbs); db != nil && (n == 0 || v.dbs[n-1] != db) {
		v.dbs = append(v.dbs, db)
	}
	v.mu.Unlock()
	select {
	case v.news <- struct{}{}:
	default:
	}
}

// currentVersions are the versions since the last trim; they are only added to.
func (v *rowVersions) currentVersions() []*nb.DB {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.dbs
}

// keepNewest forgets all but the newest.
func (v *rowVersions) keepNewest() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dbs = slices.Clone(v.dbs[len(v.dbs)-1:])
}

// waitUntil waits until something holds of the versions, at most for d, and says whether.
func (v *rowVersions) waitUntil(ctx context.Context, d time.Duration, holds func([]*nb.DB) bool) bool {
	over := time.NewTimer(d)
	defer over.Stop()
	for !holds(v.currentVersions()) {
		select {
		case <-v.news:
		case <-over.C:
			return holds(v.currentVersions())
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// readRound is one read.
type readRound struct {
	v               *rowVersions
	seenRows        map[string]bool // table and _uuid of what libovsdb has
	toldDifferences map[string]bool // differences that are in the result
	heldRows        []ReadRow       // rows that were as in no version when they came
	heldBeyond      int             // such rows beyond heldMost that were not told
	missing         []nb.Row        // of Rung's rows what libovsdb has not
	sought          bool            // missing is known
	suspects        map[uint64]bool // of the round before
	nextRound       map[uint64]bool
	isFirst         bool
	isLast          bool
}

func keyOf(table, uuid string) string { return table + " " + uuid }

func (r *readRound) takeRow(row ReadRow) {
	r.seenRows[keyOf(row.Table, row.UUID)] = true
	if differences, _ := rowDifferences(row, r.v.currentVersions()); len(differences) == 0 {
		return
	}
	if len(r.heldRows) >= heldMost {
		if !r.toldDifferences[keyOf(row.Table, row.UUID)] {
			r.heldBeyond++
		}
		return
	}
	r.heldRows = append(r.heldRows, row)
}

// isExplained says whether every row is as in one of the versions, and keeps those that
// are not.
func (r *readRound) isExplained(dbs []*nb.DB) bool {
	r.heldRows = slices.DeleteFunc(r.heldRows, func(row ReadRow) bool {
		differences, _ := rowDifferences(row, dbs)
		return len(differences) == 0
	})
	if !r.sought {
		r.sought = true
		for row := range dbs[0].Rows() {
			if !r.seenRows[keyOf(nb.TableOf(row), row.RowUUID())] {
				r.missing = append(r.missing, row)
			}
		}
	}
	r.missing = slices.DeleteFunc(r.missing, func(row nb.Row) bool {
		return slices.ContainsFunc(dbs, func(db *nb.DB) bool { return db.Row(nb.TableOf(row), row.RowUUID()) == nil })
	})
	return len(r.heldRows)+len(r.missing)+r.heldBeyond == 0
}

// isLate says that all rows that were held turned out as Rung has them now: so may those have
// that were not held.
func (r *readRound) isLate() bool { return r.heldBeyond > 0 && len(r.heldRows)+len(r.missing) == 0 }

// judgeRound puts what differs into the result, and keeps what changed while it was read, and
// was told otherwise in every round so far, for the next.
func (r *readRound) judgeRound(out *Result) {
	r.nextRound = map[uint64]bool{}
	dbs := r.v.currentVersions()
	for _, row := range r.heldRows {
		r.weighRow(out, row, dbs)
	}
	for _, row := range r.missing {
		r.weighRow(out, ReadRow{Table: nb.TableOf(row), UUID: row.RowUUID()}, dbs)
	}
}

func (r *readRound) weighRow(out *Result, row ReadRow, dbs []*nb.DB) {
	key := keyOf(row.Table, row.UUID)
	found, changed := rowDifferences(row, dbs)
	if changed {
		var stay []Difference
		for _, d := range found {
			keep := func(side string, of []string) []string {
				return slices.DeleteFunc(of, func(element string) bool {
					h := hashOf(key, d.Column, side, element)
					if !r.isFirst && !r.suspects[h] {
						return true
					}
					r.nextRound[h] = true
					return false
				})
			}
			d.Rung, d.Libovsdb = keep("r", d.Rung), keep("l", d.Libovsdb)
			if len(d.Rung)+len(d.Libovsdb) > 0 {
				stay = append(stay, d)
			}
		}
		found = stay
		if !r.isLast {
			return
		}
	}
	if len(found) == 0 || r.toldDifferences[key] {
		return
	}
	r.toldDifferences[key] = true
	if len(r.toldDifferences) > toldMost {
		out.More++
		return
	}
	for _, d := range found {
		d.Rung, d.MoreRung = cutElements(d.Rung)
		d.Libovsdb, d.MoreLibovsdb = cutElements(d.Libovsdb)
		out.Differences = append(out.Differences, d)
	}
}

func cutElements(s []string) ([]string, int) {
	n := min(len(s), elementsMost)
	return s[:n:n], len(s) - n
}

var seed = maphash.MakeSeed()

func hashOf(parts ...string) uint64 { return maphash.Comparable(seed, [4]string(parts)) }
