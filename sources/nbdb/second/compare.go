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
	// rounds is how often the rows are read if some of them keep changing.
	rounds = 3
	// patience is how long Rung's client may take to receive the rows that libovsdb read.
	patience = 2 * time.Second
	// maxListedRows limits the differing rows in a Result, maxListedElements the elements per column.
	maxListedRows, maxListedElements = 1000, 20
	// maxHeldRows limits the differing rows kept for a second look.
	maxHeldRows = 10_000
)

// Result is the result of comparing the two readers.
type Result struct {
	Rows        int // read by libovsdb
	Differences []Difference
	More        int // differing rows that are not listed
}

// Difference is a column in which the two readers differ, or a row that one of them lacks.
type Difference struct {
	Table  string `json:"table"`
	UUID   string `json:"uuid"`
	Name   string `json:"name,omitempty"`   // an ACL's id, or a name; empty if none
	Column string `json:"column,omitempty"` // empty: the whole row
	// Rung and Libovsdb are what only that reader has: elements of a set or map, or the value. For a whole
	// row, the reader that has it lists its columns.
	Rung     []string `json:"rung"`
	Libovsdb []string `json:"libovsdb"`
	// MoreRung and MoreLibovsdb count omitted elements.
	MoreRung     int `json:"rung_more,omitempty"`
	MoreLibovsdb int `json:"libovsdb_more,omitempty"`
}

// CompareRows reads the database through libovsdb and compares each row with the versions that Rung's client
// has meanwhile. follow reports these versions, the current one first, until its context ends or it fails. A
// row that changed may equal any of them. A row that equals none is read again; if it still differs, it is a
// difference. Without a result it returns an error.
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
	var suspects map[uint64]bool // elements of changing rows
	unheld := 0                  // differing rows of the last round beyond maxHeldRows
	for n := range rounds {
		r := &readRound{v: v, seenRows: map[string]bool{}, listedRows: told, suspects: suspects, isFirst: n == 0, isLast: n == rounds-1}
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
		unheld = r.unkeptHeldRows
		suspects = r.nextRound
		if len(suspects) == 0 && !r.isLate() {
			break
		}
		if r.isLast && r.isLate() && len(out.Differences) == 0 {
			return nil, fmt.Errorf("more than %d rows changed during every read", maxHeldRows)
		}
	}
	out.More += unheld
	slices.SortStableFunc(out.Differences, compareDifferences)
	return out, nil
}

// rowVersions holds the successive databases of Rung's client.
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

// currentVersions returns the versions since the last trim; the slice is only appended to.
func (v *rowVersions) currentVersions() []*nb.DB {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.dbs
}

// keepNewest drops all versions but the newest.
func (v *rowVersions) keepNewest() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dbs = slices.Clone(v.dbs[len(v.dbs)-1:])
}

// waitUntil waits at most d until holds is true of the versions, and reports whether it is.
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

// readRound is one read through libovsdb.
type readRound struct {
	v              *rowVersions
	seenRows       map[string]bool // table and _uuid of libovsdb's rows
	listedRows     map[string]bool // rows whose differences are in the result
	heldRows       []ReadRow       // rows that equalled no version when read
	unkeptHeldRows int             // such rows beyond maxHeldRows, not reported yet
	missing        []nb.Row        // Rung's rows that libovsdb lacks
	missingKnown   bool            // missing has been filled
	suspects       map[uint64]bool // of the previous round
	nextRound      map[uint64]bool
	isFirst        bool
	isLast         bool
}

func rowKey(table, uuid string) string { return table + " " + uuid }

func (r *readRound) takeRow(row ReadRow) {
	r.seenRows[rowKey(row.Table, row.UUID)] = true
	if differences, _ := rowDifferences(row, r.v.currentVersions()); len(differences) == 0 {
		return
	}
	if len(r.heldRows) >= maxHeldRows {
		if !r.listedRows[rowKey(row.Table, row.UUID)] {
			r.unkeptHeldRows++
		}
		return
	}
	r.heldRows = append(r.heldRows, row)
}

// isExplained drops the held and missing rows that one of the versions explains, and reports whether none are
// left.
func (r *readRound) isExplained(dbs []*nb.DB) bool {
	r.heldRows = slices.DeleteFunc(r.heldRows, func(row ReadRow) bool {
		differences, _ := rowDifferences(row, dbs)
		return len(differences) == 0
	})
	if !r.missingKnown {
		r.missingKnown = true
		for row := range dbs[0].Rows() {
			if !r.seenRows[rowKey(nb.TableName(row), row.RowUUID())] {
				r.missing = append(r.missing, row)
			}
		}
	}
	r.missing = slices.DeleteFunc(r.missing, func(row nb.Row) bool {
		return slices.ContainsFunc(dbs, func(db *nb.DB) bool { return db.Row(nb.TableName(row), row.RowUUID()) == nil })
	})
	return len(r.heldRows)+len(r.missing)+r.unkeptHeldRows == 0
}

// isLate reports whether Rung's client has caught up with all held rows. It may then have the rows beyond
// maxHeldRows, too.
func (r *readRound) isLate() bool { return r.unkeptHeldRows > 0 && len(r.heldRows)+len(r.missing) == 0 }

// judgeRound adds differences to the result. Elements of rows that changed during the read, and differed in
// every round so far, are kept for the next round.
func (r *readRound) judgeRound(out *Result) {
	r.nextRound = map[uint64]bool{}
	dbs := r.v.currentVersions()
	for _, row := range r.heldRows {
		r.judgeRow(out, row, dbs)
	}
	for _, row := range r.missing {
		r.judgeRow(out, ReadRow{Table: nb.TableName(row), UUID: row.RowUUID()}, dbs)
	}
}

func (r *readRound) judgeRow(out *Result, row ReadRow, dbs []*nb.DB) {
	key := rowKey(row.Table, row.UUID)
	found, changed := rowDifferences(row, dbs)
	if changed {
		var stay []Difference
		for _, d := range found {
			keep := func(side string, of []string) []string {
				return slices.DeleteFunc(of, func(element string) bool {
					h := hashParts(key, d.Column, side, element)
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
	if len(found) == 0 || r.listedRows[key] {
		return
	}
	r.listedRows[key] = true
	if len(r.listedRows) > maxListedRows {
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
	n := min(len(s), maxListedElements)
	return s[:n:n], len(s) - n
}

var seed = maphash.MakeSeed()

func hashParts(parts ...string) uint64 { return maphash.Comparable(seed, [4]string(parts)) }
