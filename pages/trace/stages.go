package trace

import (
	"cmp"
	"strconv"
	"strings"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// Stages lists the stages of a path, with the rows' decisions.
var Stages = &page.Table[*trace.Stage]{
	Columns: []page.Column[*trace.Stage]{
		{Key: "stage", Title: "STAGE", Cell: func(s *trace.Stage) page.Cell { return page.Cell{Text: s.Name()} }},
		{Key: "zone", Title: "ZONE", Cell: func(s *trace.Stage) page.Cell { return page.Cell{Text: s.Zone} }},
		{Key: "verdict", Title: "VERDICT", Cell: func(s *trace.Stage) page.Cell {
			return page.Cell{Text: verdictText(s), Role: page.WordRole(string(s.Verdict))}
		}},
		{Key: "decided_by", Title: "DECIDED BY",
			Cell: page.TextCell(func(s *trace.Stage) string { return trace.StageDeciderText(s.StageVerdict) })},
		{Key: "by_rows", Title: "BY ROWS", Sparse: true, Cell: func(s *trace.Stage) page.Cell {
			said, _, text := ByRows(s)
			return page.Cell{Text: said + text}
		}},
	},
}

// VisibleStages returns the stages of a path in which something happens.
func VisibleStages(p *trace.Path) (out []*trace.Stage) {
	for i := range p.Stages {
		if !p.Stages[i].Idle {
			out = append(out, &p.Stages[i])
		}
	}
	return out
}

// verdictText returns the verdict of a stage, and whether the connection reaches it.
func verdictText(s *trace.Stage) string {
	return words.Choose(s.Unreached, string(s.Verdict)+" (not reached)", string(s.Verdict))
}

// StageTitle returns the heading of a stage: verdict, end, stage and zone; without the end's name if short.
func StageTitle(p *trace.Path, s *trace.Stage, short bool) string {
	from, to := &p.From, &p.To
	if s.Reply {
		from, to = to, from
	}
	at, end := "leaving", from
	if s.Zone == to.Zone && (s.Stage.IsArriving() || s.Zone != from.Zone && s.Stage != model.StageEgress) {
		at, end = "arriving at", to
	}
	if short {
		at, _, _ = strings.Cut(at, " ")
	} else {
		at += " " + trace.EndName(end.Endpoint)
	}
	return verdictText(s) + " · " + at + " · " + s.Name() + " in " + s.Zone
}

// ByRows returns the rows' decision in a stage: whether they agree, and a sign and text; empty if rows were
// not asked.
func ByRows(s *trace.Stage) (said string, sign page.Span, text string) {
	if s.Rows == nil {
		return "", page.Span{}, ""
	}
	sign, text = page.VerdictSign(s.Rows.Verdict), string(s.Rows.Verdict)+" · "+trace.StageDeciderText(s.Rows)
	switch {
	case s.Rows.Verdict == verdict.Unknown: // agrees with nothing
		return "", sign, text
	case s.Rows.Verdict == s.Verdict && s.Rows.Decided == nil && len(s.Rows.Passed) == 0 && s.Rows.Verdict == verdict.Allow:
		return "agree: ", sign, "no row matches"
	case s.Rows.Verdict == s.Verdict:
		return "agree: ", sign, text
	case !s.HasDisagreement():
		return "say ", sign, text
	case s.Of2016: // a known difference, not drift
		return "", page.Span{Text: words.Differs, Role: themes.Dim}, "say " + text
	}
	return "", page.Span{Text: words.Differs, Role: themes.Error}, "say " + text
}

// StagePoints says why a stage is unknown, why replies are dropped, and which rules without rows would match.
func StagePoints(s *trace.Stage, id string) (out []Point) {
	if s.Verdict == verdict.Unknown {
		out = append(out, Point{ID: id + ".unknown", Sign: page.Span{Text: words.Unknown, Role: themes.Warn}, Text: "unknown: " + s.Reason,
			Role: themes.Text})
	}
	if s.Reply && s.Verdict == verdict.Deny {
		out = append(out, Point{ID: id + ".reply", Sign: page.Span{Text: words.Warned, Role: themes.Warn}, Text: s.Reason, Role: themes.Text})
	}
	for i := range s.Would {
		w := &s.Would[i]
		out = append(out, Point{ID: id + ".would." + strconv.Itoa(i), Sign: page.Span{Text: words.Warned, Role: themes.Warn}, Text: w.Sentence(),
			Role:  themes.Text,
			About: PlacedRule{w.Rule, s.Zone}})
	}
	return out
}

// TriedRule is a rule tried in a stage, or the default.
type TriedRule struct {
	*trace.TriedLine
	ID     string
	Sign   page.Span
	Result string // what happened
	Text   string
	Role   page.Role
}

// Tried lists the rules tried in a stage, result first, since names may be long.
var Tried = &page.Table[TriedRule]{
	Columns: []page.Column[TriedRule]{
		{Key: "tried", Title: "TRIED", Cell: func(l TriedRule) page.Cell { return page.Cell{Text: l.Result, Sign: l.Sign, Role: l.Role} }},
		{Key: "tier", Title: "TIER", Cell: func(l TriedRule) page.Cell {
			return page.Cell{Text: cmp.Or(l.Band, strconv.Itoa(l.Tier)), Role: l.Role}
		}},
		{Key: "rule", Title: "RULE", Cell: func(l TriedRule) page.Cell { return page.Cell{Text: l.Text, Role: l.Role} }},
	},
}

// results are the words for lines that match, or need no reason.
var results = map[trace.LineKind]string{trace.Other: "other pods", trace.Passed: "passes on", trace.Decides: "decides",
	trace.Candidate: "may decide", trace.Maybe: "may match", trace.NotAsked: "not asked", trace.Nothing: "default"}

// TriedRules returns the rules tried in a stage. Unless all is set, it drops policies of other pods, and
// others counts them.
func TriedRules(s *trace.Stage, all bool) (out []TriedRule, others string) {
	left := 0
	for i := range s.Lines {
		l := TriedRule{TriedLine: &s.Lines[i], ID: strconv.Itoa(i), Sign: page.Span{Text: words.Noted, Role: themes.Dim}, Role: themes.Dim}
		l.Result, l.Text = results[l.Kind], l.RuleText()
		switch l.Kind {
		case trace.Other:
			if !all {
				left++
				continue
			}
		case trace.Tried:
			l.Result = "not its " + l.Why
			l.Text += words.Between(" · ", l.Note, "")
		case trace.Passed:
			l.Sign, l.Role = page.Span{Text: words.Passed, Role: themes.Pass}, themes.Text
		case trace.Decides, trace.Nothing:
			l.Sign, l.Role = page.VerdictSign(s.Verdict), themes.Text
		case trace.Candidate, trace.Maybe:
			l.Sign, l.Role = page.Span{Text: words.Warned, Role: themes.Warn}, themes.Text
		}
		out = append(out, l)
	}
	if left > 0 {
		others = words.Count(left, "policy") + " about other pods"
	}
	return out, others
}
