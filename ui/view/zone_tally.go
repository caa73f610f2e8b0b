package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/widget"
)

// FoldZones is the most zones shown one by one; more are counted.
const FoldZones = 12

// ZoneTally counts zones by connection state.
type ZoneTally struct {
	All      int
	Followed int // watched, or a file: rows are current
	Swept    int // read in turn: rows are as of the last read
	Faulty   int // of both: a fault below the rows
	Coming   int // not read yet
	Lost     int // unreachable
	Denied   int // no permission
}

// TallyZones counts the zones of a revision.
func TallyZones(r *revision.Revision, now time.Time) (t ZoneTally) {
	t.All = len(r.Zones)
	for _, z := range r.Zones {
		switch z.Conn {
		case model.ConnSynced, model.ConnReadOnly:
			t.Followed++
		case model.ConnSwept:
			t.Swept++
		case model.ConnLost:
			t.Lost++
		case model.ConnDenied:
			t.Denied++
		default:
			t.Coming++
			continue
		}
		if (z.IsCurrent() || z.Conn == model.ConnSwept) && revision.IsBelowFaulty(r, z, now) {
			t.Faulty++
		}
	}
	return t
}

// TallyLine shows the tally as marks with counts, with words if worded: "●495 ◐3 ■2", "●495 read ◐3 not read
// yet ■2 lost".
func (t ZoneTally) TallyLine(st *themes.StyleSet, worded bool) widget.Line {
	var l widget.Line
	for _, c := range []struct {
		n          int
		mark, word string
		look       themes.Style
	}{{t.Followed + t.Swept - t.Faulty, words.Live, "read", st.OK}, {t.Faulty, words.Warned, "OVN trouble", st.Warn},
		{t.Coming, words.Working, "not read yet", st.Info}, {t.Lost, words.Failed, "lost", st.Error}, {t.Denied, words.No, "no permission",
			st.Error}} {
		if c.n == 0 {
			continue
		}
		gap := words.Choose(worded, "  ", " ")
		l = l.AddIf(len(l) > 0, gap, st.Text)
		l = l.Add(c.mark+words.Thousands(c.n), c.look)
		l = l.AddIf(worded, " "+c.word, st.Text)
	}
	return l
}

// SweepLine describes the progress of reading the zones that are not followed; empty if all are.
func SweepLine(s revision.SweepState, t ZoneTally, now time.Time) string {
	var parts []string
	if t.Followed > 0 && s.Total+s.Reported > 0 {
		parts = append(parts, words.Thousands(t.Followed)+" followed live")
	}
	if s.Reported > 0 {
		parts = append(parts, words.Thousands(s.Reported)+" by node agents, the oldest "+words.Age(now.Sub(s.OldestReport))+" old")
	}
	if s.Total == 0 {
		return strings.Join(parts, ", ")
	}
	text := strings.Join(append(parts, words.Thousands(s.Total)+" read in turn: "), ", ")
	text += words.Choose(s.Read < s.Total, fmt.Sprintf("%s of them so far", words.Thousands(s.Read)), "all of them")
	if s.Failed > 0 {
		text += fmt.Sprintf(", %s failed last time", words.Thousands(s.Failed))
	}
	if !s.Oldest.IsZero() {
		text += ", the oldest " + words.Age(now.Sub(s.Oldest)) + " ago"
	}
	if s.Round > 0 {
		text += fmt.Sprintf(", round %d", s.Round)
	}
	return text
}

// PolicyCounts counts the policies by kind, for the kinds that matter under the cluster's network plugin: "ANP
// 10 · BANP 1 · NP 4".
func PolicyCounts(r *revision.Revision) string {
	counted := r.System.CountedKinds
	if slices.ContainsFunc(r.System.RareKinds, func(k model.Kind) bool { return r.Cluster.Count(k) > 0 }) {
		counted = slices.Concat(counted, r.System.RareKinds)
	}
	return strings.Join(model.MapList(counted, func(k model.Kind) string { return k.Abbreviation() + " " + r.CountText(k) }), " · ")
}
