package revision

import (
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
)

// Count is what was seen of the numbers that say how far northd and the nodes are: the
// database stamps a number only once northd gets there.
type Count struct {
	Written, Made, Done int64
	// Seen is when Written was seen first. Northd and Nodes say since when they are
	// behind, without having come any further; zero while they are not.
	Seen, Northd, Nodes time.Time
	// Before says that it was so when the numbers were seen first: since then at least.
	Before bool
}

// Next is the count after another look at a zone's numbers.
func (c Count) Next(g *nb.Global, now time.Time) Count {
	next := Count{Written: g.Written.Cfg, Made: g.Made.Cfg, Done: g.Done.Cfg, Seen: c.Seen}
	if next.Written != c.Written || c.Seen.IsZero() {
		next.Seen = now
	}
	next.Before = c.Seen.IsZero() || c.Before && next.Made == c.Made && next.Done == c.Done
	since := func(behind bool, was time.Time, moved bool) time.Time {
		switch {
		case !behind:
			return time.Time{}
		case was.IsZero() || moved:
			return now
		}
		return was
	}
	next.Northd = since(next.Made < next.Written, c.Northd, next.Made != c.Made)
	next.Nodes = since(next.Done < next.Made, c.Nodes, next.Done != c.Done)
	return next
}

// flowSettle is how long flows may take to follow a row, and numbers each other.
const flowSettle = 2 * time.Second

// Progress is how far a zone's rows have come: rows written, flows made, nodes done.
type Progress struct {
	flow.Progress
	Count
	Known bool // the numbers were read
	// Down are the processes of the sandbox that do not run below the zone.
	Down []Daemon
}

// Progress is that of a zone. Only of zones whose rows are held the numbers are known.
func (r *Revision) Progress(z *model.ZoneState) (p Progress) {
	p.Down = r.Daemons(z.Name)
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

// Text is "ovn-northd died 12 s ago", or "ovn-northd does not answer for 12 s".
func (d Daemon) Text(now time.Time) string {
	when := "just now"
	switch lasts := now.Sub(d.Since) >= time.Second; {
	case d.State != "died" && d.State != "stopped":
		when = "for " + howLong(now.Sub(d.Since))
	case lasts:
		when = howLong(now.Sub(d.Since)) + " ago"
	}
	return d.Name + " " + d.State + " " + when
}

func (p *Progress) forHow(now, since time.Time) string {
	if text := forHow(now, since); text == "" || !p.Before {
		return text
	}
	return " for at least " + howLong(now.Sub(since))
}

// forHow is " for 12 s", empty for less than a second and where nobody knows.
func forHow(now, since time.Time) string {
	if since.IsZero() || now.Sub(since) < time.Second {
		return ""
	}
	return " for " + howLong(now.Sub(since))
}
