package trace

import (
	"cmp"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/revision"
)

// PathPackets holds the packets sent for one path.
type PathPackets struct {
	Steps        []PacketStep
	AllDelivered bool   // of the whole connection
	NotSent      string // why no packet was sent
}

// JudgePackets compares the sent packets with rows and policies. before and after are the revisions when the
// first packet went and when the last had arrived.
func JudgePackets(before, after *revision.Revision, c verdict.Connection, sent []PathPackets, at time.Time) (*Result, error) {
	var asks Tracer
	now, err := asks.Ask(after, c, Both, true, at)
	if err != nil {
		return nil, err
	}
	out := &Result{Connection: c, At: at, OVN: after.Mode.OVN, Policies: now.Answer}
	if now.Rows == nil { // the ends cannot reach each other
		out.Packets = verdict.Answer{Connection: c, Verdict: verdict.NotApplicable, Reason: now.Reason}
		out.Rows = out.Packets
		return out, nil
	}
	out.Rows = *now.Rows
	nameRules(after, &out.Rows)
	was, err := asks.Ask(before, c, Rows, false, at)
	out.Changed = err != nil || !sameAnswer(&was.Answer, &out.Rows) || len(sent) != len(out.Policies.Paths)
	out.Packets = verdict.Answer{Connection: c, Verdict: out.Policies.Verdict, Reason: out.Policies.Reason}
	if out.Changed {
		out.Packets.Verdict, out.Packets.Reason = verdict.Unknown, "the rows changed while packets were under way"
	}
	for i := range out.Policies.Paths {
		if out.Changed {
			out.Packets.Paths = append(out.Packets.Paths, untriedPath(&out.Policies.Paths[i], out.Packets.Verdict, out.Packets.Reason))
			out.Sent = append(out.Sent, nil)
			continue
		}
		s := &sent[i]
		identifyRows(after, s.Steps)
		out.Sent = append(out.Sent, s.Steps)
		out.Packets.Paths = append(out.Packets.Paths, byPackets(&out.Policies.Paths[i], s))
	}
	if len(out.Packets.Paths) > 0 {
		out.Packets.JoinPaths()
	}
	if !out.Changed {
		out.findDisagreements()
		for i := range now.Disagree {
			out.Findings = append(out.Findings, now.Disagree[i].Finding)
		}
	}
	return out, nil
}

// untriedPath returns a path without an outcome of packets.
func untriedPath(p *verdict.Path, v verdict.Verdict, why string) verdict.Path {
	out := verdict.Path{From: p.From, To: p.To, Verdict: v, Reason: why, Note: p.Note}
	for _, s := range p.Stages {
		out.Stages = append(out.Stages, verdict.StageVerdict{Stage: s.Stage, Zone: s.Zone, Reply: s.Reply,
			Verdict: verdict.NotApplicable, Reason: "not reached"})
	}
	return out
}

// identifyRows finds the rows of the ACLs that packets met.
func identifyRows(r *revision.Revision, steps []PacketStep) {
	for i := range steps {
		var db *nb.DB
		if z := r.Zone(steps[i].Zone); z != nil {
			db = z.DB
		}
		for j := range steps[i].Met {
			m := &steps[i].Met[j]
			m.Decider = verdict.Decider{Rule: -1, ACL: m.ACL} // an unknown row: only the beginning of its UUID
			for a := range db.ACLs() {
				if strings.HasPrefix(a.UUID, m.ACL) {
					m.Row, m.Decider = a, verdict.RowDecider(a, nil)
					nameDecider(r, &m.Decider)
					break
				}
			}
		}
	}
}

// byPackets returns a path with the verdict of the first packet for each of its stages, and of the first reply
// for each reply stage.
func byPackets(p *verdict.Path, s *PathPackets) verdict.Path {
	if s.NotSent != "" {
		return untriedPath(p, verdict.NotApplicable, s.NotSent)
	}
	out := untriedPath(p, verdict.Deny, "")
	if s.AllDelivered {
		out.Verdict = verdict.Allow
	}
	if n := len(s.Steps); n > 0 && !s.AllDelivered && s.Steps[n-1].Packet != s.Steps[0].Packet {
		out.Reason = "the " + s.Steps[n-1].Packet + " was " + Dropped + " on " + s.Steps[n-1].Zone
	}
	for i := range s.Steps {
		step := &s.Steps[i]
		if step.Packet != s.Steps[0].Packet && !step.Reply {
			break
		}
		fillReached(out.Stages, step)
	}
	return out
}

// fillReached fills in a zone's stages that a packet passed on its first way over the node's switch: policies
// are asked about these stages.
func fillReached(stages []verdict.StageVerdict, step *PacketStep) {
	over := false // dropped in an earlier stage
	next := 0
	for i := range stages {
		s := &stages[i]
		if s.Zone != step.Zone || s.Reply != step.Reply || over {
			continue
		}
		s.Verdict, s.Reason = verdict.Allow, ""
		for ; next < len(step.Met) && step.Met[next].Stage == s.Stage; next++ {
			d := step.Met[next].Decider
			if d.Action == model.Pass {
				s.Passed = append(s.Passed, d)
				continue
			}
			s.Decided = &d
			over = d.Action == model.Deny
			if over {
				s.Verdict = verdict.Deny
			}
			d.Reply = s.Reply
		}
	}
}

// nameRules sets the rule names of an answer's deciders.
func nameRules(r *revision.Revision, a *verdict.Answer) {
	for s := range a.Stages() {
		if s.Decided != nil {
			nameDecider(r, s.Decided)
		}
		for k := range s.Candidates {
			nameDecider(r, &s.Candidates[k])
		}
		for k := range s.Passed {
			nameDecider(r, &s.Passed[k])
		}
	}
}

func nameDecider(r *revision.Revision, d *verdict.Decider) {
	p := r.Cluster.Policy(d.Policy)
	if p == nil || d.Rule < 0 {
		return
	}
	if rule := p.Rule(d.Direction, d.Rule); rule != nil {
		d.RuleName = rule.Name
	}
}

// sameAnswer reports whether the same rows decide in both answers.
func sameAnswer(a, b *verdict.Answer) bool {
	if a.Verdict != b.Verdict || len(a.Paths) != len(b.Paths) {
		return false
	}
	for i := range a.Paths {
		p, q := &a.Paths[i], &b.Paths[i]
		if p.Verdict != q.Verdict || p.From.Addr != q.From.Addr || p.To.Addr != q.To.Addr || len(p.Stages) != len(q.Stages) {
			return false
		}
		for j := range p.Stages {
			if decidingACL(&p.Stages[j]) != decidingACL(&q.Stages[j]) {
				return false
			}
		}
	}
	return true
}

// decidingACL returns the id of a stage's deciding row; empty if none.
func decidingACL(s *verdict.StageVerdict) string { return cmp.Or(s.Decided, &verdict.Decider{}).ACL }

// IsDecided reports whether packets, rows or policies decided in a stage of a path; a stage that no packet
// reached does not count.
func (r *Result) IsDecided(path, stage int) bool {
	s := &r.Packets.Paths[path].Stages[stage]
	if s.Verdict == verdict.NotApplicable {
		return false
	}
	return s.Decided != nil || len(s.Passed) > 0 || r.Rows.Paths[path].Stages[stage].Decided != nil ||
		r.Policies.Paths[path].Stages[stage].Decided != nil
}
