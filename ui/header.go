package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/pages/cluster"
	"rung/revision"
	"rung/system"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// HeaderLine returns the top line: context and mode always, the context shortened if it must be; then
// deadlines, counts and states. The page of the cluster shows all of it.
func (s *State) HeaderLine(w int) widget.Line {
	var l widget.Line
	for _, p := range s.headerPieces(w) {
		l = append(append(l, widget.Span{Text: strings.Repeat(" ", p.gap)}), p.line...)
	}
	return l
}

// HeaderLink returns the page behind a cell of the header: the plan, the findings, what is not read, or the
// cluster.
func (s *State) HeaderLink(w, x int) nav.PageKind {
	at := 0
	for _, p := range s.headerPieces(w) {
		at += p.gap
		n := p.line.LineWidth()
		if x >= at && x < min(at+n, w) {
			return p.to
		}
		at += n
	}
	return nav.Cluster
}

// headerForm is how detailed the header is: the most cells of the context's name, and whether texts are brief.
// A tight form has narrow gaps and is for permanent pieces only.
type headerForm struct {
	context      int
	brief, tight bool
}

// gap returns the cells between two pieces.
func (f headerForm) gap() int { return words.Choose(f.tight, 1, 2) }

// headerForms lists the forms, most detailed first.
var headerForms = []headerForm{{context: 40}, {context: 40, brief: true}, {context: 24, brief: true},
	{context: 16, brief: true, tight: true},
	{context: 8, brief: true, tight: true}}

// headerPieces returns the pieces that fit, in the first form that keeps the largest number of important ones.
func (s *State) headerPieces(w int) []headerPiece {
	var best []headerPiece
	bestMusts, bestCounts := -1, -1
	for _, form := range headerForms {
		kept, fits := keptPieces(s.listPieces(form, w), w)
		musts, counts := 0, 0
		for _, p := range kept {
			switch {
			case !fits:
			case p.drop < 0:
				musts++
			case p.drop <= dropZones:
				counts++
			}
		}
		if bestMusts <= 0 || musts > bestMusts || musts == bestMusts && counts > bestCounts && !form.tight {
			best, bestMusts, bestCounts = kept, musts, counts
		}
	}
	best[0].gap = 1
	return best
}

// listPieces returns all pieces of the header in a form.
func (s *State) listPieces(form headerForm, w int) (ps []headerPiece) {
	st, r := s.Styles, s.Rev
	put := func(drop int, line widget.Line, gap int, to nav.PageKind) {
		ps = append(ps, headerPiece{line: line, gap: gap, drop: drop, to: to})
	}
	gap := form.gap()
	add := func(drop int, line widget.Line) { put(drop, line, gap, nav.Cluster) }
	put(dropBrand, widget.StyledLine("rung", st.Title), 1, nav.Cluster)
	add(neverDropped, widget.StyledLine(widget.CutName(cmp.Or(r.Mode.Title, r.Mode.Name), form.context), st.Accent))
	if r.Mode.Server != "" {
		// Two contexts may share a name: the server identifies the cluster.
		_, host, _ := strings.Cut(r.Mode.Server, "://")
		add(dropExtra, widget.StyledLine(widget.CutName(host, 40), st.Dim))
	}
	add(dropZones, s.zonesLine(w, form.brief))
	mode, hint := s.badgeLine(w, form.tight)
	add(neverDropped, mode)
	if hint != nil {
		put(dropHint, hint, 1, nav.Cluster)
	}
	if trial := s.trialBadge(w, form); trial != nil {
		add(dropTrial, trial)
	}
	if plan := s.planBadge(form.brief); plan != nil {
		put(dropPlan, plan, gap, nav.Plan)
	}
	if text, short := r.Mode.TrafficTexts(); text != "" {
		if w < wideHeader {
			text = short
		}
		add(dropExtra, widget.StyledLine(text, st.Info))
	}
	for _, src := range r.Sources {
		if src.Conn == model.ConnLost || src.Conn == model.ConnDenied {
			age := ""
			if !src.ReadAt.IsZero() && !form.brief {
				age = ", read " + words.Age(s.Now.Sub(src.ReadAt)) + " ago"
			}
			add(dropTrouble, widget.StyledLine(words.Failed+" "+src.Name+" "+string(src.Conn)+age, st.Error))
		}
	}
	add(dropPolicies, widget.PlainLine(s.Counts.policies))
	add(dropPods, widget.PlainLine("pods "+s.Counts.pods))
	put(dropFindings, s.findingsLine(w), gap, nav.Findings)
	if n := s.Counts.omitted; n > 0 {
		key := cmp.Or(s.Keys.ActionByID(action.GoOmitted).HintKey(), words.Warned)
		text := words.Thousands(n) + words.Choose(form.tight || w < keyedHeader, "", " not read")
		put(dropOmitted, widget.StyledLine(key, st.Key).Add(text, st.Warn), gap, nav.Omitted)
	}
	add(dropRevision, widget.StyledLine(fmt.Sprintf("rev %d", r.Number), st.Dim))
	return ps
}

// findingsTitle precedes the count of findings.
const findingsTitle = "findings"

// findingsLine counts the findings.
func (s *State) findingsLine(w int) widget.Line {
	st := s.Styles
	l := widget.Line{{Text: findingsTitle + " "}}
	if s.Counts.IsLagging(s.Now) {
		l = widget.Line{{Text: findingsTitle + "~", Style: st.Dim}} // of an earlier revision
	}
	if key := s.Keys.ActionByID(action.GoFindings).HintKey(); key != "" && w >= keyedFindings {
		l = append(widget.StyledLine(key+" ", st.Key), l...)
	}
	n := s.Counts.findings
	if w < wideHeader && n.Errors+n.Warnings > 0 {
		n.Infos = 0 // no room for them beside errors and warnings
	}
	return append(l, detail.FindingCount(n, s.Rev.Unread(), st)...)
}

// zonesLine shows a mark for each zone, or counts by mark if there are many. For a plugin without zones it
// shows the plugin's name and number of tiers.
func (s *State) zonesLine(w int, brief bool) widget.Line {
	st, all := s.Styles, s.Rev.Zones
	if is := s.Rev.System; !is.HasFeature(system.Rows) {
		text := is.Title
		if tiers := is.Tiers(s.Rev.Cluster); !brief {
			text += ": " + words.Count(len(tiers), "tier")
		}
		return widget.StyledLine(text, st.Text)
	}
	l := widget.StyledLine(words.Count(len(all), "zone")+" ", st.Text)
	if len(all) > view.FoldZones {
		return append(l, view.TallyZones(s.Rev, s.Now).TallyLine(st, w >= wideHeader)...)
	}
	for _, z := range all {
		l = append(l, widget.StyledSpan(cluster.ZoneSign(s.Rev, z, s.Now), st))
	}
	return l
}

// narrowHeader is the width below which the trial's key has no words.
const narrowHeader = 60

// keyedHeader and keyedFindings are the least widths of the screen with keys beside the counts and the findings.
const keyedHeader, keyedFindings = 100, 70

// wideHeader is the least width for words beside marks, and for findings of level info.
const wideHeader = 130

// badgeLine shows whether changes are possible, and to what; hint is the key that allows them, nil if none. If
// brief, implied badges are left out.
func (s *State) badgeLine(w int, brief bool) (badge, hint widget.Line) {
	st, mode := s.Styles, s.Rev.Mode
	// Changes that end with Rung are sandbox changes, even without zones.
	ends := mode.Sandbox || mode.Writes && !mode.IsPersistent() && !mode.Reconciles
	var badges []widget.Span
	switch {
	case mode.WriteBack && mode.Writes:
		badges = append(badges, widget.Span{Text: " WRITES FILES ", Style: st.Alarm})
	case mode.Writes && ends && brief:
	case mode.Writes && ends:
		badges = append(badges, widget.Span{Text: "writes", Style: st.OK})
	case mode.Writes:
		badges = append(badges, widget.Span{Text: " WRITES ", Style: st.Alarm})
	default:
		badges = append(badges, widget.Span{Text: " READ-ONLY ", Style: st.Badge})
		if mode.Reconciles && !mode.Sandbox {
			badges = append(badges, widget.Span{Text: " WRITES ROWS ", Style: st.Alarm})
		}
		if key := s.Keys.ActionByID(action.Writes).HintKey(); mode.WhyNot == "" && key != "" {
			hint = widget.StyledLine(key+" allows changes", st.Dim)
			if w >= keyedHeader {
				hint = widget.StyledLine(key+" to allow changes", st.Dim)
			}
		}
	}
	if ends && (!brief || len(badges) == 0) {
		badges = slices.Insert(badges, 0, widget.Span{Text: " SANDBOX ", Style: st.Badge})
	}
	if brief && len(badges) > 1 {
		badges = badges[len(badges)-1:]
	}
	for i, b := range badges {
		badge = badge.AddIf(i > 0, " ", st.Text)
		badge = append(badge, b)
	}
	return badge, hint
}

// trialBadge shows the change on trial on every page: the time left to confirm it, and the key. nil without
// one.
func (s *State) trialBadge(w int, form headerForm) widget.Line {
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
	what := " keeps the change"
	switch {
	case form.tight && w < narrowHeader:
		what = ""
	case form.brief && u.Partly != "":
		what = " finishes"
	case form.brief:
		what = " keeps"
	case u.Partly != "" && w < keyedHeader:
		what = " finishes"
	case u.Partly != "":
		what = " finishes it"
	case w < keyedHeader:
		what = " keeps it"
	}
	return l.Add(what, s.Styles.Text)
}

// HeaderCounts are the numbers of the header, computed once per revision.
type HeaderCounts struct {
	rev      *revision.Revision
	policies string
	pods     string
	findings model.FindingCount
	omitted  int       // what answers leave out, without assumptions
	outdated bool      // findings are of an earlier revision
	older    time.Time // when findings were last outdated
}

// IsLagging reports whether the findings are of an earlier revision. It stays true between short lags, so that
// the mark does not flicker.
func (c *HeaderCounts) IsLagging(now time.Time) bool { return c.outdated || now.Sub(c.older) < 2*Pace }

func (c *HeaderCounts) TakeRevision(r *revision.Revision, now time.Time) {
	if c.rev == r {
		return
	}
	c.policies, c.pods = view.PolicyCounts(r), r.CountText(model.KindPod)
	c.rev = r
	c.omitted = len(revision.UnjudgedOmissions(revision.OmissionsOfAnswers(r, true)))
	known, current := revision.KnownFindings(r)
	c.outdated = !current
	if c.outdated {
		c.older = now
	}
	c.findings = model.CountFindings(known)
}
