package engine

import (
	"errors"
	"fmt"
	"time"

	"rung/model"
)

// Ready returns nil if the objects were read and every zone to write is connected, owned by this process and
// written as far as possible. A process on standby for a zone is ready.
func (m *Health) Ready() error {
	r := m.loop.Revision()
	if !r.Loaded {
		return errNotLoaded
	}
	for _, z := range r.Zones {
		if err := m.zoneReady(z); err != nil {
			return err
		}
	}
	return nil
}

var errNotLoaded = errors.New("the objects were not read yet")

func (m *Health) zoneReady(z *model.ZoneState) error {
	switch {
	case !z.Writes:
	case z.Conn != model.ConnSynced:
		return fmt.Errorf("zone %s: %s: %s", z.Name, z.Conn, z.Error)
	case z.Paused != "":
		return fmt.Errorf("zone %s: %s", z.Name, z.Paused)
	case z.Judging || m.hasUnsettled(z):
		return fmt.Errorf("zone %s: rows wait to be written", z.Name)
	}
	return nil
}

// ReadyChecks returns the checks of Ready, one line each: [+] passed, [-] failed, [!] for unwritten rows in a
// ready zone. The lines are for people; UnwrittenPart has the same for programs.
func (m *Health) ReadyChecks() []string {
	r := m.loop.Revision()
	var out []string
	check := func(what string, err error) {
		if err != nil {
			out = append(out, "[-]"+err.Error())
		} else {
			out = append(out, "[+]"+what)
		}
	}
	var err error
	if !r.Loaded {
		err = errNotLoaded
	}
	check("the objects were read", err)
	for _, z := range r.Zones {
		if !z.Writes {
			continue
		}
		check("zone "+z.Name+": written", m.zoneReady(z))
		for i, u := range m.UnwrittenIn(z) {
			if i == checksShown {
				out = append(out, fmt.Sprintf("[!]zone %s: %d more are not written: see rung_zone_unwritten", z.Name,
					len(m.UnwrittenIn(z))-i))
				break
			}
			out = append(out, "[!]zone "+z.Name+": "+u.String())
		}
	}
	return out
}

// checksShown bounds the unwritten parts listed for one zone.
const checksShown = 100

// hasUnsettled reports whether some policy's difference is neither being written nor known to fail: a refused
// policy does not make the others unready.
func (m *Health) hasUnsettled(z *model.ZoneState) bool {
	for _, p := range z.Policies {
		if m.ownership.WithoutAdmin && p.Policy.Kind.IsAdmin() {
			continue
		}
		if p.None == nil && !p.NotComparable && p.Error == "" && p.Missing+p.Extra+p.Different > p.Blocked &&
			m.loop.Now().Sub(p.Touched) > model.SettleTime {
			return true
		}
	}
	return false
}

// healthTimeout bounds the loop's time to answer.
const healthTimeout = 5 * time.Second
