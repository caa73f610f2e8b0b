package engine

import (
	"maps"
	"sync"
	"time"
)

// lookEvery is how often a look at a zone is noted.
const lookEvery = 500 * time.Millisecond

// looks are the times when somebody last looked at zones. It locks itself.
type looks struct {
	news chan struct{} // one element: a zone was looked at

	mu sync.Mutex
	at map[string]time.Time // by zone
}

func newLooks() looks { return looks{news: make(chan struct{}, 1), at: map[string]time.Time{}} }

// note takes down that zones are looked at now.
func (l *looks) note(zones []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for _, zone := range zones {
		if now.Sub(l.at[zone]) < lookEvery {
			continue
		}
		l.at[zone] = now
		select {
		case l.news <- struct{}{}:
		default:
		}
	}
}

// of are the times of zones that there are; the others are forgotten, since a name may
// come from anywhere.
func (l *looks) of(there func(zone string) bool) map[string]time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.at, func(zone string, _ time.Time) bool { return !there(zone) })
	return maps.Clone(l.at)
}

func (l *looks) forget(zone string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.at, zone)
}

// LookAt says which zones somebody looks at now. One that is only swept is
// watched soon, and the one that was looked at longest ago no longer. It does not
// wait, and costs nothing worth mentioning where nothing changes: a page may call
// it for every frame.
func (e *Engine) LookAt(zones ...string) { e.looks.note(zones) }

// runLooks has the zones ranked anew when somebody looked at one.
func (e *Engine) runLooks() {
	waited := time.NewTimer(objectsWait)
	defer waited.Stop()
	for {
		select {
		case <-e.loop.Context().Done():
			return
		case <-waited.C:
		case <-e.looks.news:
		}
		e.do(func(s *state) { s.set.rank(s) })
	}
}
