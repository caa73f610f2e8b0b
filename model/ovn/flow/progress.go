package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// NodeProgress is how far northd and the nodes of a zone are behind its rows
// (ovn-kubernetes.md#rows-flows-nodes).
type NodeProgress struct {
	// Written, Made and Done are the numbers of rows written, flows made and nodes done, the newest first. A
	// number moves only when somebody raises nb_cfg. Equal numbers mean that everything before the last raise
	// has arrived. They say nothing about later changes.
	Written, Made, Done nb.ProgressMark
	// Waiting are the chassis with a number below Made, by name.
	Waiting []*Chassis
	Chassis int // number of all chassis
}

// ReadProgress reads the progress from a zone's databases; either may be nil.
func ReadProgress(rows *nb.DB, flows *DB) (p NodeProgress) {
	if g := rows.Global(); g != nil {
		p.Written, p.Made, p.Done = g.Written, g.Made, g.Done
	}
	if g := flows.Global(); g != nil && rows.Global() == nil {
		p.Written.Cfg, p.Made.Cfg = g.NbCfg, g.NbCfg
	}
	for c := range flows.Chassis() {
		p.Chassis++
		if c.NbCfg < p.Made.Cfg {
			p.Waiting = append(p.Waiting, c)
		}
	}
	slices.SortFunc(p.Waiting, func(a, b *Chassis) int { return cmp.Compare(a.Name, b.Name) })
	return p
}

// NorthdBehind reports whether northd has yet to make flows from written rows.
func (p *NodeProgress) NorthdBehind() bool { return p.Made.Cfg < p.Written.Cfg }

// NodesBehind reports whether a node has yet to install flows.
func (p *NodeProgress) NodesBehind() bool { return p.Done.Cfg < p.Made.Cfg }

// IsTracked reports whether nb_cfg was ever raised: without that the numbers mean nothing.
func (p *NodeProgress) IsTracked() bool { return p.Written.Cfg != 0 }

// Text returns one line for people. seen is when the newest number was first seen, zero if unknown: northd
// stamps a number only after reaching it.
func (p *NodeProgress) Text(now, seen time.Time) string {
	if !p.IsTracked() {
		return "not tracked: nb_cfg was never raised (ovn-nbctl --wait=hv sync raises it)"
	}
	if !p.NorthdBehind() {
		seen = timeOfMark(p.Written)
	}
	written := fmt.Sprintf("rows written #%d", p.Written.Cfg) + agoText(now, seen)
	made := fmt.Sprintf("flows made #%d", p.Made.Cfg) + agoText(now, timeOfMark(p.Made))
	if p.NorthdBehind() {
		made += ": northd is behind"
	}
	done := fmt.Sprintf("nodes done #%d", p.Done.Cfg) + agoText(now, timeOfMark(p.Done))
	if p.NodesBehind() {
		done += ": " + p.NodesText()
	}
	return strings.Join([]string{written, made, done}, " · ")
}

// NodesText names the nodes that are behind.
func (p *NodeProgress) NodesText() string {
	names := make([]string, len(p.Waiting))
	for i, c := range p.Waiting {
		names[i] = c.Name
	}
	if len(names) == 0 {
		return "a node is behind"
	}
	return words.ListSome(names, 3) + words.OneOrMany(len(names), " is behind", " are behind")
}

func timeOfMark(m nb.ProgressMark) time.Time {
	if m.Stamp == 0 {
		return time.Time{}
	}
	return time.UnixMilli(m.Stamp)
}

// agoText returns " 12s ago"; empty without a time. Clocks of nodes differ, so a future time counts as now.
func agoText(now, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	d := max(0, now.Sub(at))
	switch {
	case d < time.Second:
		return " just now"
	case d < 2*time.Minute:
		return fmt.Sprintf(" %ds ago", int(d/time.Second))
	case d < 2*time.Hour:
		return fmt.Sprintf(" %dm ago", int(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf(" %dh ago", int(d/time.Hour))
	}
	return fmt.Sprintf(" %dd ago", int(d/(24*time.Hour)))
}

// MeterStat has the datapath's packet counts at one meter (ovn-kubernetes.md#lost-lines).
type MeterStat struct{ In, Dropped uint64 }

// ParseMeters joins two outputs of a node: ovn-controller's meter-table-list, which numbers the meters, and
// ovs-ofctl's meter-stats, which has counts by number. Other lines are skipped.
func ParseMeters(list, stats string) map[string]MeterStat {
	names := map[uint64]string{}
	for line := range strings.Lines(list) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		if id, err := strconv.ParseUint(f[1], 10, 32); err == nil {
			names[id] = strings.TrimSuffix(f[0], ":")
		}
	}
	out := map[string]MeterStat{}
	name := ""
	for line := range strings.Lines(stats) {
		for _, f := range strings.Fields(line) {
			key, value, _ := strings.Cut(f, ":")
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				continue
			}
			s := out[name]
			switch key {
			case "meter":
				name = names[n]
				continue
			case "packet_in_count":
				s.In = n
			case "packet_count": // of a band: dropped packets
				s.Dropped += n
			default:
				continue
			}
			if name != "" {
				out[name] = s
			}
		}
	}
	return out
}

// MeterOfACL returns the name of the meter that northd makes for one ACL of a fair meter.
func MeterOfACL(meter, acl string) string { return meter + "__" + acl }
