package lab

import (
	"maps"
	"sync"

	"rung/model"
)

// daemonFaults holds the processes of the sandbox's OVN zones that do not run or do not answer. It has its own
// lock because reporters must not wait.
type daemonFaults struct {
	news chan struct{} // capacity 1: something changed

	mu   sync.Mutex
	down map[string][]model.Fault // by zone; lists are immutable
}

// setFaults replaces the faults of a zone.
func (d *daemonFaults) setFaults(zone string, now []model.Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down[zone] = now
	if len(now) == 0 {
		delete(d.down, zone)
	}
	select {
	case d.news <- struct{}{}:
	default:
	}
}

// forgetZone deletes the faults of a zone that ended.
func (d *daemonFaults) forgetZone(zone string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.down, zone)
}

// faultsByZone returns the faults by zone.
func (d *daemonFaults) faultsByZone() map[string][]model.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.down)
}
