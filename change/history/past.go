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

// Change is a record with what the history knows of it.
type Change struct {
	AuditRecord
	// Undone says that it was taken back, Undoes which change of the history it takes back
	// itself, 0 for none.
	Undone bool
	Undoes uint64
	// OnTrial says that it was made on trial. Session is the logging session that it began,
	// and HasEnded says that it ended one.
	OnTrial  bool
	Session  string
	HasEnded bool
	// IsPlan says that it is a plan as a whole; its steps have records of their own.
	IsPlan bool
}

// Bounds of what is kept in memory, of this process and of the file.
const (
	ownRecords  = 1000
	storedBytes = 4 << 20
)

// pastRecords are the newest records, for those who look back. The zero value has none.
type pastRecords struct {
	mu     sync.Mutex
	own    []AuditRecord // of this process
	first  uint64        // the number of own[0]
	stored []AuditRecord // as the file was last read
	file   Journal       // of reading alone
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

// Refresh reads what other processes wrote, the newest 4 MB of it; a file that has not changed
// since is not read again.
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
			p.file.lastSeen = nil // it is read again
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

// PastRecords are the newest records about what has an identity, the oldest first: those of this
// process, and of others as of the last Refresh. Of a sandbox only this process has any.
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

// OriginText says from where a change came, as people say it: "console", "command", "plan", "session",
// "reverted" for one that nobody confirmed, "files" for one that another program made.
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
