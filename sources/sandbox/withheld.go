package sandbox

import "sync"

// mostWithheld bounds the ACLs whose lines are counted.
const mostWithheld = 100_000

// withheldLines are the lines that the meters of ACLs did not let through.
type withheldLines struct {
	mu    sync.Mutex
	byACL map[aclKey]uint64
	full  bool
}

type aclKey struct{ zone, acl string }

func (w *withheldLines) countLine(zone, acl string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := aclKey{zone, acl}
	if _, known := w.byACL[k]; !known && len(w.byACL) >= mostWithheld {
		w.full = true
		return
	}
	if w.byACL == nil {
		w.byACL = map[aclKey]uint64{}
	}
	w.byACL[k]++
}

// WithheldLines is how many lines of an ACL, by its UUID, the meter of a simulated zone did not
// let through; ok is false where nobody counts them.
func (t *Traffic) WithheldLines(zone, acl string) (n uint64, ok bool) {
	if t.sandbox != nil {
		return 0, false // packets: the datapath counts
	}
	t.withheld.mu.Lock()
	defer t.withheld.mu.Unlock()
	n, known := t.withheld.byACL[aclKey{zone, acl}]
	return n, known || !t.withheld.full
}
