package trace_test

import (
	"strings"
	"testing"

	"rung/engine/trace"
	"rung/model/verdict"
	pages "rung/pages/trace"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
)

func tracePath(t *testing.T, question, unread string) *trace.Trace {
	t.Helper()
	facts := uitest.DemoFacts(t)
	if unread != "" {
		live.Zone(t, facts, unread).DB = nil
	}
	q, err := trace.ParseQuestion(question)
	if err != nil {
		t.Fatal(err)
	}
	c, err := q.Connection()
	if err != nil {
		t.Fatal(err)
	}
	out, err := (&trace.Tracer{}).AskAllFamilies(revision.New(*facts, nil), c, trace.Both, true, uitest.Now)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Where a zone was not read that the connection does not get to, the rows agree, and only the zones
// that were read say so: the screen said "rows unknown", the command that they agree.
func TestRowsOfZonesThatWereRead(t *testing.T) {
	for _, tc := range []struct{ question, unread, want string }{
		{"blue/api-d0 red/web-f0 8080", "", "rows agree in ovn-worker and ovn-worker2"},
		{"blue/api-d0 red/web-f0 8080", "ovn-worker2", "rows agree in ovn-worker"},
		{"open/portal-d0 kube-system/coredns-5d78c9869d-cx7k2 53/udp", "ovn-worker", "rows unknown: zone ovn-worker was not read"},
		// Of what neither can tell the command said that the rows agree.
		{"yellow/web-f0 kube-system/kube-proxy-8l5xv 80", "ovn-worker", "rows unknown: zone ovn-worker was not read"},
	} {
		if p := pages.RowsPoint(tracePath(t, tc.question, tc.unread), ""); p.Text+p.Zones != tc.want {
			t.Errorf("%s without %q: %q, want %q", tc.question, tc.unread, p.Text+p.Zones, tc.want)
		}
	}
}

// The verdict leads to the rule that decides; a stage that the connection does not get to says so.
func TestStages(t *testing.T) {
	told := tracePath(t, "blue/api-d0 red/web-f0 8080", "")
	if by, ok := pages.VerdictPoint(told, "").About.(pages.PlacedRule); !ok || by.Rule != 5 || by.Zone != "ovn-worker" {
		t.Errorf("by %+v", by)
	}
	var got []string
	for _, s := range pages.VisibleStages(&told.Paths[0]) {
		got = append(got, pages.StageTitle(&told.Paths[0], s, false))
		rules, others := pages.TriedRules(s, false)
		last := rules[len(rules)-1]
		if s.Verdict != verdict.Deny || last.Result != "decides" || others != "" {
			t.Errorf("%s: %s %s, %q", s.Verdict, last.Result, last.Text, others)
		}
	}
	if len(got) != 2 || got[1] != "deny (not reached) · arriving at red/web-f0 · to-lport in ovn-worker2" {
		t.Errorf("%q", got)
	}
}

// Rows agree by saying why: a rule that passes on matched, and what is unknown agrees with nothing.
func TestByRows(t *testing.T) {
	stage := func(v verdict.Verdict, rows verdict.StageVerdict) *trace.Stage {
		return &trace.Stage{StageVerdict: &verdict.StageVerdict{Verdict: v}, Rows: &rows}
	}
	for _, tc := range []struct {
		s    *trace.Stage
		want string
	}{
		{stage(verdict.Allow, verdict.StageVerdict{Verdict: verdict.Allow}), "agree: no row matches"},
		{stage(verdict.Allow, verdict.StageVerdict{Verdict: verdict.Allow, Passed: []verdict.Decider{{Action: "Pass"}}}), "agree: allow · default: nothing matched, after "},
		{stage(verdict.Unknown, verdict.StageVerdict{Verdict: verdict.Unknown, Reason: "zone a was not read"}), "unknown · zone a was not read"},
	} {
		said, _, text := pages.ByRows(tc.s)
		if got := said + text; !strings.HasPrefix(got, tc.want) {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}
