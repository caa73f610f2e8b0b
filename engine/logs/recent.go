package logs

import (
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
)

// Recently is the greatest age of the lines that a change is compared with.
const Recently = 15 * time.Minute

// recentMost bounds their distinct connections: each costs two verdicts.
const recentMost = 4000

// RecentConnections returns the connections of the kept lines of the last 15 minutes, newest first. If no line
// came in that time, it uses the 15 minutes before the newest line.
func (l *Store) RecentConnections() *diff.LogConnections {
	return recentConnections(l.EntriesAfter(0, 0), l.now(), recentMost)
}

// ConnectionsWhere returns RecentConnections, or with allowed the connections of all kept lines with verdict
// allow, newest first.
func (l *Store) ConnectionsWhere(allowed bool) *diff.LogConnections {
	if !allowed {
		return l.RecentConnections()
	}
	return distinctConnections(slices.DeleteFunc(l.EntriesAfter(0, 0), func(e *Entry) bool { return e.Line.Verdict != "allow" }), time.Time{},
		recentMost)
}

// ListConnections returns up to most distinct connections of entries, given oldest first as in a Store.
func ListConnections(entries []*Entry, most int) *diff.LogConnections {
	return distinctConnections(entries, time.Time{}, most)
}

func recentConnections(entries []*Entry, now time.Time, most int) *diff.LogConnections {
	newest := time.Time{}
	for _, e := range entries {
		if e.Gap == nil && e.Line.At.After(newest) {
			newest = e.Line.At
		}
	}
	since, fresh := newest.Add(-Recently), now.Sub(newest) < Recently
	if fresh {
		since = now.Add(-Recently)
	}
	out := distinctConnections(entries, since, most)
	out.IsNewest = fresh
	return out
}

// distinctConnections returns up to most distinct connections since a time, newest first.
func distinctConnections(entries []*Entry, since time.Time, most int) *diff.LogConnections {
	out := &diff.LogConnections{}
	at := map[diff.LoggedConnection]int{}
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		k, ok := newLoggedConnection(e)
		if !ok || e.Line.At.Before(since) {
			continue
		}
		n, known := at[k]
		if !known && len(out.Connections) >= most {
			out.LeftOut++
			continue
		}
		if !known {
			n = len(out.Connections)
			at[k] = n
			out.Connections = append(out.Connections, k)
		}
		s := &out.Connections[n]
		s.Lines++
		out.Lines++
		s.First, s.Last = earlierTime(s.First, e.Line.At), laterTime(s.Last, e.Line.At)
		out.From, out.To = earlierTime(out.From, e.Line.At), laterTime(out.To, e.Line.At)
	}
	return out
}

// earlierTime returns the earlier of two times; a zero a is none.
func earlierTime(a, b time.Time) time.Time {
	return words.Choose(b.Before(a) || a.IsZero(), b, a)
}

func laterTime(a, b time.Time) time.Time {
	return words.Choose(b.After(a), b, a)
}

// newLoggedConnection returns the connection of a line and what the line says about it; ok is false without one.
func newLoggedConnection(e *Entry) (c diff.LoggedConnection, ok bool) {
	line := &e.Line
	if e.Gap != nil || !line.Src.IsValid() || !line.Dst.IsValid() {
		return c, false
	}
	from, to := verdict.AddrEnd(line.Src.Unmap()), verdict.AddrEnd(line.Dst.Unmap())
	proto := verdict.Protocol(strings.ToUpper(strings.TrimSuffix(line.Proto, "6")))
	c.Zone = line.Zone
	c.Connection = verdict.Connection{From: from, To: to, Protocol: proto, Port: line.DstPort}
	ok = c.Connection.CheckQuestion() == nil
	c.Connection.From.Key, c.Connection.To.Key = endPod(&e.Src), endPod(&e.Dst)
	switch line.Verdict {
	case "allow":
		c.LoggedVerdict = verdict.Allow
	case "drop", "reject":
		c.LoggedVerdict = verdict.Deny
	}
	switch {
	case line.Direction == nb.ToLport || line.Direction == "" && e.Attributed &&
		aclDirection(e.Rule.Policy.Kind, e.Rule.Direction) == nb.ToLport:
		c.Stage = model.StageToLport
	case line.Direction == nb.FromLport || e.Attributed:
		c.Stage = model.StageAfterLB
	}
	return c, ok
}

// endPod returns the pod of an end. It is zero if there is none, and for a pod with host network: its address
// is the node's.
func endPod(d *End) model.Key {
	return words.Choose(d.Key.Kind == model.KindPod && d.Note != NoteHost, d.Key, model.Key{})
}
