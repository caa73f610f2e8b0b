package engine

import (
	"sync"

	"rung/model"
)

// activityKept bounds the activity log; older entries are in the audit file.
const activityKept = 2000

// activityLog is a bounded list of what was done, newest last.
type activityLog struct {
	news func() // called after every entry

	mu      sync.Mutex
	seq     uint64
	entries []model.Activity
}

func (l *activityLog) add(a model.Activity) {
	defer l.news()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	a.Seq = l.seq
	if len(l.entries) >= 2*activityKept {
		l.entries = append(l.entries[:0:0], l.entries[len(l.entries)-activityKept:]...)
	}
	l.entries = append(l.entries, a)
}

func (l *activityLog) since(seq uint64) []model.Activity {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := len(l.entries)
	for i > 0 && l.entries[i-1].Seq > seq && len(l.entries)-i < activityKept {
		i--
	}
	return append([]model.Activity(nil), l.entries[i:]...)
}
