package kube

import (
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"rung/sources/retry"
)

// A refused read is tried again after refusedFirst, then twice as long, up to refusedMost.
const (
	refusedFirst = 20 * time.Second
	refusedMost  = 5 * time.Minute
)

// refusedReads knows optional reads that the server refused with 403, so that they are not
// repeated at every turn. The zero value is ready.
type refusedReads struct {
	mu     sync.Mutex
	byName map[string]refusedRead
}

type refusedRead struct {
	times int // refusals in a row
	until time.Time
}

// isRefused reports whether the read was refused and is not to be tried again yet.
func (r *refusedReads) isRefused(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Before(r.byName[name].until)
}

// noteAnswer takes in the answer to a read.
func (r *refusedReads) noteAnswer(name string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !apierrors.IsForbidden(err) {
		delete(r.byName, name)
		return
	}
	if r.byName == nil {
		r.byName = map[string]refusedRead{}
	}
	was := r.byName[name].times + 1
	r.byName[name] = refusedRead{was, time.Now().Add(retry.WaitAfter(was, refusedFirst, refusedMost))}
}
