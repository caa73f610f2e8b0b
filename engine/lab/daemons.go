package lab

import (
	"maps"
	"sync"

	"rung/model"
	"rung/revision"
)

// daemonFaults are the processes of the sandbox's zones on OVN that do not run, or do not
// answer. It locks itself: whoever tells of one must not wait.
type daemonFaults struct {
	news chan struct{} // one element: something changed

	mu   sync.Mutex
	down map[string][]revision.Daemon // by zone; a list is never changed
}

func newDaemons() daemonFaults {
	return daemonFaults{news: make(chan struct{}, 1), down: map[string][]revision.Daemon{}}
}

// setFaults notes what is wrong with the processes of a zone now.
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

// forgetZone is for a zone that ended.
func (d *daemonFaults) forgetZone(zone string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.down, zone)
}

// faultsByZone returns the daemons of every zone, by zone.
func (d *daemonFaults) faultsByZone() map[string][]revision.Daemon {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.down)
}
