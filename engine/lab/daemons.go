package lab

import (
	"maps"
	"sync"

	"rung/model"
	"rung/revision"
)

// daemonFaults holds the processes of the sandbox's OVN zones that do not run or do not answer. It has its own
// lock because reporters must not wait.
type daemonFaults struct {
	news chan struct{} // capacity 1: something changed

	mu   sync.Mutex
	down map[string][]revision.Daemon // by zone; lists are immutable
}

// setFaults replaces the faults of a zone.
func (d *daemonFaults) setFaults(zone string, now []model.Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.down, zone)
	for _, f := range now {
		d.down[zone] = append(d.down[zone], revision.Daemon{Name: f.Process, State: f.State, Since: f.Since, Error: f.Error})
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

// faultsByZone returns the faulty daemons by zone.
func (d *daemonFaults) faultsByZone() map[string][]revision.Daemon {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.down)
}
