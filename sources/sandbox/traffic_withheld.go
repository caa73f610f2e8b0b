package sandbox

import "sync"

// mostWithheld limits the ACLs whose withheld lines are counted.
const mostWithheld = 100_000

// withheldLines counts the lines that meters withheld, by ACL.
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
	w.byACL[k]++
}

// WithheldLines returns how many lines of an ACL, given by UUID, the meter of a simulated zone withheld. ok is
// false if nothing counts them.
func (t *Traffic) WithheldLines(zone, acl string) (n uint64, ok bool) {
	if t.sandbox != nil {
		return 0, false // on OVN the datapath counts
	}
	t.withheld.mu.Lock()
	defer t.withheld.mu.Unlock()
	n, known := t.withheld.byACL[aclKey{zone, acl}]
	return n, known || !t.withheld.full
}
