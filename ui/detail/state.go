package detail

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/model/words"
	"rung/pages/cluster"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// SeveritySign returns the sign and style of a severity.
func SeveritySign(s model.Severity, st *themes.StyleSet) (string, themes.Style) {
	sign := page.SeveritySign(s)
	return sign.Text, st.TokenStyle(sign.Role)
}

// ZoneState returns the state of a policy in a zone, and details in one clause: since when, how many rows,
// why.
func ZoneState(r *revision.Revision, k model.PolicyKey, z *model.ZoneState, now time.Time) (s model.PolicyState, rest string) {
	p := z.PolicyJoin(k)
	s = p.StateAt(z, now)
	switch s {
	case model.StateInSync:
		if p.Waiting > 0 {
			return s, words.Count(p.Waiting, "subject pod") + " without a logical switch port yet"
		}
		return s, ""
	case model.StateSettling, model.StateBehind:
		return s, "since " + SinceText(p.DiffSince, now) + ": " + DifferencesText(p)
	case model.StateFrozen:
		rest = "old rows still decide"
		if p.LivePriority >= 0 {
			rest = fmt.Sprintf("still enforced at %d", p.LivePriority)
		}
		return s, rest + " with " + words.Count(p.LiveACLs, "ACL") + "; no desired rows: " + revision.NoRowsShort(r, p.None)
	case model.StateNotEnforced:
		return s, revision.NoRowsShort(r, p.None)
	case model.StateStale:
		return s, WhyNotCurrent(z, now)
	case model.StateNotComparable:
		return s, cmp.Or(p.Why, "rows in the form of another OVN-Kubernetes release")
	}
	return s, cmp.Or(WhyNotCurrent(z, now), "not compared yet")
}

// DifferencesText counts differing rows: "1 missing, 2 different".
func DifferencesText(p *model.PolicyInZone) string {
	var parts []string
	for _, c := range []struct {
		n    int
		word string
	}{{p.Missing, "missing"}, {p.Extra, "extra"}, {p.Different, "different"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", words.Thousands(c.n), c.word))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing differs now")
}

// WhyNotCurrent says why a zone's rows are not current, empty if they are: "zone is dialling, never read",
// "lost, read 14:02:11: connection refused".
func WhyNotCurrent(z *model.ZoneState, now time.Time) string {
	if z.Conn == model.ConnSynced || z.Conn == model.ConnReadOnly {
		return ""
	}
	switch {
	case z.Agent != "":
		return "judged by node agent " + z.Agent + ", as of " + SinceText(z.SyncedAt, now) + words.Between(": ", z.Error, "")
	case z.Conn == model.ConnSwept:
		return "read in turn, rows as of " + SinceText(z.SyncedAt, now)
	}
	text := string(z.Conn)
	text += words.Choose(z.SyncedAt.IsZero(), ", never read", ", rows read "+SinceText(z.SyncedAt, now))
	return text + words.Between(": ", z.Error, "")
}

// SinceText formats a time with its age: "14:02:11 (12s)".
func SinceText(t, now time.Time) string {
	if t.IsZero() {
		return "some time"
	}
	return words.Clock(t, now) + " (" + words.Age(now.Sub(t)) + ")"
}

// WhyNoRows says why the rows of a known zone are not available, and when they will be: opening a page of a
// swept zone makes the engine follow it.
func WhyNoRows(z *model.ZoneState, now time.Time) string {
	switch {
	case z.Conn == model.ConnDenied:
		return "no permission to read this zone: " + z.Error
	case z.Conn == model.ConnSwept && z.Agent != "":
		return fmt.Sprintf("%s of %s judged on the node %s ago; the zone is followed now, its rows appear in a moment",
			words.Count(z.Rows, "row"), z.Name, words.Age(now.Sub(z.SyncedAt)))
	case z.Conn == model.ConnSwept:
		return fmt.Sprintf("%s of %s read and compared %s ago, not kept; the zone is followed now, its rows appear in a moment",
			words.Count(z.Rows, "row"), z.Name, words.Age(now.Sub(z.SyncedAt)))
	case z.Rows > 0 && !z.SyncedAt.IsZero():
		return "not held now: " + WhyNotCurrent(z, now)
	}
	return "not read yet: " + WhyNotCurrent(z, now)
}

// StateLine returns a state as a line: sign, word and details.
func StateLine(s model.PolicyState, rest string, st *themes.StyleSet) widget.Line {
	l := widget.StyledLine(page.StateSign(s)+" "+string(s), view.StateStyle(s, st))
	l = l.AddIf(rest != "", " "+rest, st.Text)
	return l
}

// ZoneStatus names the zone shown and its connection, for the right end of the breadcrumbs; prev and next are
// the actions that switch zones.
func ZoneStatus(env *view.Env, z *model.ZoneState, prev, next action.ID) widget.Line {
	st := env.Styles
	if z == nil {
		return widget.StyledLine("no zone", st.Dim)
	}
	l := widget.Line{{Text: "zone ", Style: st.Dim}, {Text: z.Name, Style: st.Title}, {Text: " "},
		widget.StyledSpan(cluster.ZoneSign(env.Rev, z, env.Now), st)}
	if z.Conn == model.ConnSwept {
		l = l.Add(words.Choose(z.Agent != "", " by its agent ", " read ")+words.Age(env.Now.Sub(z.SyncedAt))+" ago", st.Warn)
	} else if z.Conn != model.ConnSynced {
		l = l.Add(" "+string(z.Conn), st.Warn)
	}
	if len(env.Rev.Zones) > 1 && env.W >= 100 {
		l = l.Add("  "+env.KeyHint(prev)+" "+env.KeyHint(next)+" to change", st.Dim)
	}
	return l
}

// RuleHits counts how often rules decided, by their log lines; nil without a log.
func RuleHits(env *view.Env) *logs.HitSummary {
	l := env.Console.Logs()
	if l == nil {
		return nil
	}
	m := env.Rev.Mode
	return l.HitSummary(m.Simulated || m.Packets)
}

// FreshHits reports whether the hits differ from those shown.
func FreshHits(env *view.Env, shown *logs.HitSummary) bool {
	return shown != nil && RuleHits(env) != shown
}

// AddCondition adds a controller's report, with its time and never as proof.
func (s *Sheet) AddCondition(id string, c *model.Condition, now time.Time, st *themes.StyleSet, to nav.Page) {
	sign, look := words.Yes, st.OK
	if c.Status != "True" {
		sign, look = words.Failed, st.Error
	}
	text := fmt.Sprintf("%s %s: controller reported %s", c.Type, c.Status, c.Reason)
	if !c.Changed.IsZero() {
		text += " at " + words.Clock(c.Changed.Time, now)
	}
	text += words.Between(": ", c.Message, "")
	s.AddParagraph(id, 0, sign, look, st.Text, text, to)
}

// FindingCount counts findings by severity, worst first: "■4 ▲11 ◇15"; "none" for none, "?" if unread objects
// make the count meaningless.
func FindingCount(n model.FindingCount, unread *revision.Unread, st *themes.StyleSet) widget.Line {
	if unread.HidesCount(n.Total()) {
		return widget.StyledLine(words.Unknown, st.Warn)
	}
	var l widget.Line
	for _, s := range []model.Severity{model.SeverityError, model.SeverityWarning, model.SeverityInfo} {
		if n.OfSeverity(s) == 0 {
			continue
		}
		l = l.AddIf(len(l) > 0, " ", st.Text)
		sign, look := SeveritySign(s, st)
		l = l.Add(sign+words.Thousands(n.OfSeverity(s)), look)
	}
	if len(l) == 0 {
		return widget.StyledLine("none", st.OK)
	}
	return l
}

// AddOmissions adds what an answer leaves out or assumes. After the first most omissions the rest is counted.
func AddOmissions(s *Sheet, all []model.Omission, most int) {
	for i := range all {
		if i == most && len(all) > i+1 {
			more := len(all) - i
			s.AddNote("omitted.more", 0, words.Warned, s.St.Warn, s.St.Text, "and "+words.Count(more, "more thing")+" "+
				words.OneOrMany(more, "is", "are")+" not counted")
			return
		}
		sign, look := words.Warned, s.St.Warn
		if all[i].IsAssumption() {
			sign, look = words.Noted, s.St.Dim
		}
		s.AddNote(fmt.Sprintf("omitted.%d", i), 0, sign, look, s.St.Text, all[i].String())
	}
}
