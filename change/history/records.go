package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// Change is an audit record with what the history knows about it.
type Change struct {
	AuditRecord
	// Undone is set if the change was taken back. Undoes is the change in the history that it takes back
	// itself, or 0.
	Undone bool
	Undoes uint64
	// OnTrial means made on trial. Session is the logging session that it began; HasEnded is set if
	// it ended one.
	OnTrial  bool
	Session  string
	HasEnded bool
	// Set for a plan as a whole; its steps have records of their own.
	IsPlan bool
}

// Limits of what is kept in memory: records of this process, and bytes of the file.
const (
	ownRecords  = 1000
	storedBytes = 4 << 20
)

// pastRecords are the newest records. The zero value has none.
type pastRecords struct {
	mu     sync.Mutex
	own    []AuditRecord // of this process
	first  uint64        // number of own[0]
	stored []AuditRecord // read from the file
	file   Journal       // for reading only
}

// addOwn adds a record of this process, and returns its number.
func (p *pastRecords) addOwn(r AuditRecord) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.own = append(p.own, r)
	if n := len(p.own) - ownRecords; n > 0 {
		p.own, p.first = slices.Delete(p.own, 0, n), p.first+uint64(n)
	}
	return p.first + uint64(len(p.own)) - 1
}

// setOwn replaces a record of this process.
func (p *pastRecords) setOwn(number uint64, r AuditRecord) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if number >= p.first {
		p.own[number-p.first] = r
	}
}

// Refresh reads the newest 4 MB of what other processes wrote, unless the file is unchanged since the last
// read.
func (a *AuditLog) Refresh() error {
	if a.Path == "" {
		return nil
	}
	p := &a.past
	p.mu.Lock()
	defer p.mu.Unlock()
	changed, err := p.file.HasChanged()
	if err == nil && changed {
		var stored []AuditRecord
		_, err = p.file.ReadLines(storedBytes, func(line []byte) (enough bool) {
			var r AuditRecord
			if json.Unmarshal(line, &r) == nil && !r.Time.IsZero() { // else it is damaged
				stored = append(stored, r)
			}
			return false
		})
		if err != nil {
			p.file.lastSeen = nil // read again next time
		} else {
			slices.Reverse(stored)
			p.stored = stored
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("audit: reading %s: %w", a.Path, err)
	}
	return nil
}

// PastRecords returns the newest records of an identity, oldest first, with those of other processes at the
// last Refresh. Records of a sandbox exist only in its own process.
func (a *AuditLog) PastRecords(identity string) []AuditRecord {
	p := &a.past
	p.mu.Lock()
	defer p.mu.Unlock()
	key := func(r *AuditRecord) string { return r.Time.UTC().String() + string(r.Op) + r.Title }
	own := map[string]bool{}
	for i := range p.own {
		own[key(&p.own[i])] = true
	}
	var out []AuditRecord
	for i := range p.stored {
		if r := &p.stored[i]; r.Identity == identity && !r.Sandbox && !own[key(r)] {
			out = append(out, *r)
		}
	}
	out = append(out, p.own...)
	slices.SortStableFunc(out, func(a, b AuditRecord) int { return a.Time.Compare(b.Time) })
	return out
}

// OriginText returns where a change came from: "console", "command", "plan", "session", "reverted" for an
// unconfirmed one, "files" for one by another program.
func (r *AuditRecord) OriginText() string {
	switch by, _, _ := strings.Cut(r.By, ","); by {
	case "cli":
		return "command"
	case "unconfirmed":
		return "reverted"
	case "source":
		return "files"
	default:
		return by
	}
}
