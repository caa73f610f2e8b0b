package frame

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/signs"
	"rung/model/words"
	"rung/pages/zones"
	"rung/revision"
	"rung/revision/finding"
	"rung/system"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/prepare"
	"rung/ui/view"
	"rung/ui/widget"
)

// HeaderLine is the line at the top: what this is, what may be changed, how much there is and
// how it is.
func (s *State) HeaderLine(w int) widget.Line {
	st, r := s.Styles, s.Rev
	title := r.Mode.Title
	if title == "" {
		title = r.Mode.Name
	}
	ps := []widget.LinePiece{
		{Line: widget.StyledLine(" rung", st.Title)},
		{Line: widget.StyledLine(widget.CutName(title, 40), st.Accent), Drop: 4},
		{Line: s.zonesLine(w), Drop: 3},
		{Line: s.badgeLine()},
	}
	mode := len(ps) - 1
	if r.Mode.Server != "" {
		// Two contexts may have one name: the server says which cluster it is.
		_, host, _ := strings.Cut(r.Mode.Server, "://")
		ps = slices.Insert(ps, 2, widget.LinePiece{Line: widget.StyledLine(widget.CutName(host, 40), st.Dim), Drop: 5})
		mode++
	}
	if text, short := r.Mode.TrafficTexts(); text != "" {
		if w < wideHeader {
			text = short
		}
		ps = append(ps, widget.LinePiece{Line: widget.StyledLine(text, st.Info), Drop: 5})
	}
	if trial := s.trialBadge(w); trial != nil {
		ps = slices.Insert(ps, mode+1, widget.LinePiece{Line: trial, Drop: -1})
		mode++
	}
	var stale []widget.LinePiece
	for _, src := range r.Sources {
		if src.Conn == model.ConnLost || src.Conn == model.ConnDenied {
			age := ""
			if !src.ReadAt.IsZero() {
				age = ", read " + words.Age(s.Now.Sub(src.ReadAt)) + " ago"
			}
			stale = append(stale, widget.LinePiece{Line: widget.StyledLine(signs.Failed+" "+src.Name+" "+string(src.Conn)+age, st.Error), Drop: 2})
		}
	}
	c := s.Counts
	ps = append(ps, stale...)
	ps = append(ps,
		widget.LinePiece{Line: widget.PlainLine(c.policies), Drop: 6},
		widget.LinePiece{Line: widget.PlainLine(fmt.Sprintf("pods %d", c.pods)), Drop: 7})
	f := widget.Line{{Text: findingsTitle + " "}}
	if c.IsLagging(s.Now) {
		f = widget.Line{{Text: findingsTitle + "~", Style: st.Dim}} // of a moment ago
	}
	if key := s.Keys.ActionByID(action.GoFindings).HintKey(); key != "" && w >= keyedHeader {
		f = append(widget.StyledLine(key+" ", st.Key), f...)
	}
	n := c.findings
	if w < wideHeader && n.Errors+n.Warnings > 0 {
		n.Infos = 0 // there is no room for them beside what matters more
	}
	f = append(f, detail.FindingCount(n, st)...)
	ps = append(ps, widget.LinePiece{Line: f, Drop: 1}, widget.LinePiece{Line: widget.StyledLine(fmt.Sprintf("rev %d", r.Number), st.Dim), Drop: 8})
	return s.withPlan(ps, w, mode+1)
}

// findingsTitle stands before the count of findings.
const findingsTitle = "findings"

// HeaderLink is the page that a cell of the header leads to: the plan behind its badge, the
// findings behind their count; empty for none.
func (s *State) HeaderLink(w, x int) nav.PageKind {
	text := s.HeaderLine(w).String()
	within := func(at int, what string) bool {
		from := widget.TextWidth(text[:max(0, at)])
		return at >= 0 && x >= from && x < min(from+widget.TextWidth(what), w)
	}
	for _, short := range []bool{false, true} {
		if badge := s.planBadge(short).String(); badge != "" && within(strings.Index(text, badge), badge) {
			return nav.Plan
		}
	}
	if at := strings.LastIndex(text, findingsTitle); at >= 0 { // a context may be called so
		if count, _, _ := strings.Cut(text[at:], "  "); within(at, count) {
			return nav.Findings
		}
	}
	return ""
}

// zonesLine are the zones with a mark each, or counted by mark where they are many.
func (s *State) zonesLine(w int) widget.Line {
	st, all := s.Styles, s.Rev.Zones
	if is := s.Rev.System; !is.HasFeature(system.Rows) {
		return widget.StyledLine(is.Title+": no zones", st.Text)
	}
	l := widget.StyledLine(words.Count(len(all), "zone")+" ", st.Text)
	if len(all) > view.FoldZones {
		return append(l, view.TallyOf(s.Rev, s.Now).TallyLine(st, w >= wideHeader)...)
	}
	for _, z := range all {
		l = append(l, widget.SpanOf(zones.ZoneSign(s.Rev, z, s.Now), st))
	}
	return l
}

// keyedHeader is how wide the screen must be for the key of a count beside it.
const keyedHeader = 100

// wideHeader is how wide the screen must be for words beside marks, and for findings that
// are information only.
const wideHeader = 130

// badgeLine says whether changes are possible, and to what.
func (s *State) badgeLine() widget.Line {
	st, mode := s.Styles, s.Rev.Mode
	l := widget.Line{}
	if mode.Sandbox {
		l = l.Add(" SANDBOX ", st.Badge).Add(" ", st.Text)
	}
	if mode.Writes {
		if mode.Sandbox && !mode.WriteBack {
			return l.Add("writes", st.OK)
		}
		text := " WRITES "
		if mode.WriteBack {
			text = " WRITES FILES "
		}
		return l.Add(text, st.Alarm)
	}
	l = l.Add(" READ-ONLY ", st.Badge)
	if mode.Reconciles && !mode.Sandbox {
		l = l.Add(" WRITES ROWS ", st.Alarm)
	}
	if key := s.Keys.ActionByID(action.Writes).HintKey(); mode.WhyNot == "" && key != "" {
		l = l.Add(" "+key+" to allow changes", st.Dim)
	}
	return l
}

// trialBadge is the change on trial, for the header of every page: how long there is to
// confirm it, and the key. nil without one.
func (s *State) trialBadge(w int) widget.Line {
	u := s.Rev.Unconfirmed
	if !u.IsOpen() {
		return nil
	}
	l := widget.StyledLine(" "+u.HeaderText(s.Now)+" ", s.Styles.Alarm)
	key := s.Keys.ActionByID(action.Confirm).HintKey()
	if key == "" || u.IsOver && u.Why == "" {
		return l
	}
	l = l.Add(" ", s.Styles.Text).Add(key, s.Styles.Key)
	if w >= keyedHeader {
		what := " keeps the change"
		if u.Partly != "" {
			what = " finishes it"
		}
		l = l.Add(what, s.Styles.Text)
	} else if u.Partly != "" {
		l = l.Add(" finishes", s.Styles.Text)
	} else {
		l = l.Add(" keeps it", s.Styles.Text)
	}
	return l
}

// HeaderCounts are the numbers of the header; they are taken once per revision.
type HeaderCounts struct {
	rev      *revision.Revision
	policies string
	pods     int
	findings model.FindingCount
	owed     bool      // the findings are of an earlier revision
	older    time.Time // when they last were
}

// IsLagging says whether the findings are those of a moment ago; steady, while they are
// now and then.
func (c *HeaderCounts) IsLagging(now time.Time) bool {
	return c.owed || now.Sub(c.older) < 2*prepare.Pace
}

func (c *HeaderCounts) TakeRevision(r *revision.Revision, now time.Time) {
	if c.rev == r {
		return
	}
	if c.rev == nil || c.rev.Cluster != r.Cluster || c.rev.System != r.System {
		c.policies, c.pods = policyCounts(r.System, r.Cluster), r.Cluster.Count(model.KindPod)
	}
	c.rev = r
	known, current := finding.KnownFindings(r)
	c.owed = !current
	if c.owed {
		c.older = now
	}
	c.findings = model.CountFindings(known)
}

// policyCounts are the policies by the kinds that count under a system.
func policyCounts(s *system.System, c *model.Cluster) string {
	counted := s.CountedKinds
	if slices.ContainsFunc(s.RareKinds, func(k model.Kind) bool { return c.Count(k) > 0 }) {
		counted = slices.Concat(counted, s.RareKinds)
	}
	out := make([]string, len(counted))
	for i, k := range counted {
		out[i] = fmt.Sprintf("%s %d", k.Abbreviation(), c.Count(k))
	}
	return strings.Join(out, " · ")
}
