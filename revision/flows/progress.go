package flows

import (
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/words"
	"rung/revision"
)

// flowSettle is how long flows may take to follow a row, and numbers each other.
const flowSettle = 2 * time.Second

// Progress is how far a zone's rows have come: rows written, flows made, nodes done.
type Progress struct {
	flow.Progress
	revision.Count
	Known bool // the numbers were read
	// Down are the processes of the sandbox that do not run below the zone.
	Down []revision.Daemon
}

// ProgressOf returns the progress of a zone. Its numbers are known only of zones whose rows are held.
func ProgressOf(r *revision.Revision, z *model.ZoneState) (p Progress) {
	p.Down = r.Down[z.Name]
	if z.DB == nil || z.DB.Global() == nil {
		return p
	}
	p.Known = true
	s := r.Southbound(z.Name)
	if s != nil && s.Current() {
		p.Progress = flow.ProgressOf(z.DB, s.DB)
	} else {
		p.Progress = flow.ProgressOf(z.DB, nil)
	}
	p.Count = r.Counts[z.Name]
	return p
}

// Behind says what is behind, since when and why, empty where nothing is known to be.
// Northd and the nodes take a moment for every number.
func (p *Progress) Behind(now time.Time) string {
	var out []string
	for _, d := range p.Down {
		text := d.Text(now)
		if d.Error != "" {
			text += ": " + d.Error
		}
		out = append(out, text)
	}
	if p.northdLate(now) {
		out = append(out, "northd is behind"+p.forHow(now, p.Northd))
	}
	if p.nodesLate(now) {
		out = append(out, p.NodesText()+p.forHow(now, p.Nodes))
	}
	return strings.Join(out, "; ")
}

// late says whether there is anything that Behind tells.
func (p *Progress) late(now time.Time) bool {
	return len(p.Down) > 0 || p.northdLate(now) || p.nodesLate(now)
}

func (p *Progress) northdLate(now time.Time) bool {
	return p.NorthdBehind() && p.lasts(now, p.Northd)
}

func (p *Progress) nodesLate(now time.Time) bool { return p.NodesBehind() && p.lasts(now, p.Nodes) }

// lasts says whether something is behind for longer than that, or may be.
func (p *Progress) lasts(now, since time.Time) bool {
	return p.Before || now.Sub(since) >= flowSettle
}

func (p *Progress) forHow(now, since time.Time) string {
	if text := forHow(now, since); text == "" || !p.Before {
		return text
	}
	return " for at least " + words.Lasted(now.Sub(since))
}

// forHow is " for 12 s", empty for less than a second and where nobody knows.
func forHow(now, since time.Time) string {
	if since.IsZero() || now.Sub(since) < time.Second {
		return ""
	}
	return " for " + words.Lasted(now.Sub(since))
}
