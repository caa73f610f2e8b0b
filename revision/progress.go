package revision

import (
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/words"
)

// flowSettle is how long flows may take to follow a row, and the numbers of NB_Global to follow each other.
const flowSettle = 2 * time.Second

// ZoneProgress is how far a zone has come: rows written, flows made, nodes done.
type ZoneProgress struct {
	flow.NodeProgress
	ProgressCount
	Known bool // the numbers were read
	// Down are the sandbox's processes for the zone that do not run.
	Down []model.Fault
}

// ReadProgress returns the progress of a zone. Its numbers are known only if the zone's rows are kept.
func ReadProgress(r *Revision, z *model.ZoneState) (p ZoneProgress) {
	p.Down = r.Down[z.Name]
	if z.DB == nil || z.DB.Global() == nil {
		return p
	}
	p.Known = true
	s := r.Southbound(z.Name)
	if s != nil && s.IsCurrent() {
		p.NodeProgress = flow.ReadProgress(z.DB, s.DB)
	} else {
		p.NodeProgress = flow.ReadProgress(z.DB, nil)
	}
	p.ProgressCount = r.Counts[z.Name]
	return p
}

// BehindText names the part that is behind, with since when and why; empty if none is. Northd and the nodes
// may take flowSettle for every number.
func (p *ZoneProgress) BehindText(now time.Time) string {
	var out []string
	for _, d := range p.Down {
		text := d.AgedText(now)
		if d.Error != "" {
			text += ": " + d.Error
		}
		out = append(out, text)
	}
	if p.northdLate(now) {
		out = append(out, "northd is behind"+p.lagText(now, p.Northd))
	}
	if p.nodesLate(now) {
		out = append(out, p.NodesText()+p.lagText(now, p.Nodes))
	}
	return strings.Join(out, "; ")
}

// isLate reports whether BehindText is not empty.
func (p *ZoneProgress) isLate(now time.Time) bool {
	return len(p.Down) > 0 || p.northdLate(now) || p.nodesLate(now)
}

func (p *ZoneProgress) northdLate(now time.Time) bool {
	return p.NorthdBehind() && p.isBehindFor(now, p.Northd)
}

func (p *ZoneProgress) nodesLate(now time.Time) bool {
	return p.NodesBehind() && p.isBehindFor(now, p.Nodes)
}

// isBehindFor reports whether something is behind for flowSettle, or may be.
func (p *ZoneProgress) isBehindFor(now, since time.Time) bool {
	return p.MayBeOlder || now.Sub(since) >= flowSettle
}

func (p *ZoneProgress) lagText(now, since time.Time) string {
	if text := sinceText(now, since); text == "" || !p.MayBeOlder {
		return text
	}
	return " for at least " + words.TimeLasted(now.Sub(since))
}

// sinceText returns " for 12 s", empty if less than a second or unknown.
func sinceText(now, since time.Time) string {
	if since.IsZero() || now.Sub(since) < time.Second {
		return ""
	}
	return " for " + words.TimeLasted(now.Sub(since))
}
