package zones

import (
	"maps"
	"sync"
	"time"
)

// lookEvery is how often a look at a zone is noted.
const lookEvery = 500 * time.Millisecond

// ZoneLooks are the times when somebody last looked at zones. It locks itself.
type ZoneLooks struct {
	News chan struct{} // one element: a zone was looked at

	mu       sync.Mutex
	lookedAt map[string]time.Time // by zone
}

// NewLooks makes those of nobody.
func NewLooks() *ZoneLooks {
	return &ZoneLooks{News: make(chan struct{}, 1), lookedAt: map[string]time.Time{}}
}

// NoteLooks takes down that zones are looked at now.
func (l *ZoneLooks) NoteLooks(zones []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for _, zone := range zones {
		if now.Sub(l.lookedAt[zone]) < lookEvery {
			continue
		}
		l.lookedAt[zone] = now
		select {
		case l.News <- struct{}{}:
		default:
		}
	}
}

// TimesOf are the times of zones that there are; the others are forgotten, since a name may
// come from anywhere.
func (l *ZoneLooks) TimesOf(there func(zone string) bool) map[string]time.Time {
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

// LookAt says which zones somebody looks at now. One that is only swept is
// watched soon, and the one that was looked at longest ago no longer. It does not
// wait, and costs nothing worth mentioning where nothing changes: a page may call
// it for every frame.
func (z *Set) LookAt(zones ...string) { z.looks.NoteLooks(zones) }

// runLooks has the zones ranked anew when somebody looked at one.
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
