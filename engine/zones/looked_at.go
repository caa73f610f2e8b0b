package zones

import (
	"maps"
	"sync"
	"time"

	"rung/sources/retry"
)

// lookEvery is the shortest time between two noted looks at a zone.
const lookEvery = 500 * time.Millisecond

// ZoneLooks records when somebody last looked at zones. It has its own lock.
type ZoneLooks struct {
	News chan struct{} // capacity 1: somebody looked at a zone

	mu       sync.Mutex
	lookedAt map[string]time.Time // by zone
}

// NewLooks returns an empty record.
func NewLooks() *ZoneLooks {
	return &ZoneLooks{News: make(chan struct{}, 1), lookedAt: map[string]time.Time{}}
}

// NoteLooks records that somebody looks at zones now.
func (l *ZoneLooks) NoteLooks(zones []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for _, zone := range zones {
		if now.Sub(l.lookedAt[zone]) < lookEvery {
			continue
		}
		l.lookedAt[zone] = now
		retry.Wake(l.News)
	}
}

// RetainTimes returns the times of existing zones and forgets the others, since names may come from anywhere.
func (l *ZoneLooks) RetainTimes(there func(zone string) bool) map[string]time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.lookedAt, func(zone string, _ time.Time) bool { return !there(zone) })
	return maps.Clone(l.lookedAt)
}

func (l *ZoneLooks) forgetZone(zone string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.lookedAt, zone)
}

// LookAt records that somebody looks at zones now. A swept zone is then soon watched, instead of the zone
// looked at longest ago. It does not wait and is cheap if nothing changes: a page may call it for every frame.
func (z *Set) LookAt(zones ...string) { z.looks.NoteLooks(zones) }

// runLooks ranks the zones again whenever somebody looked at one.
func (z *Set) runLooks() {
	waited := time.NewTimer(objectsWait)
	defer waited.Stop()
	for {
		select {
		case <-z.Context().Done():
			return
		case <-waited.C:
		case <-z.looks.News:
		}
		z.Do(z.rankMembers)
	}
}
