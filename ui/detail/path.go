package detail

import (
	"fmt"
	"strings"

	"rung/engine/trace"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/signs"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/nav"
	"rung/ui/widget"
)

// VerdictSign is the sign and look of a verdict; the word stands beside it always.
func VerdictSign(v verdict.Verdict, st *themes.StyleSet) (string, themes.Style) {
	switch v {
	case verdict.Allow:
		return signs.Yes, st.Allow
	case verdict.Deny:
		return signs.No, st.Deny
	case verdict.Undefined:
		return signs.Warned, st.Warn
	}
	return signs.Unknown, st.Warn
}

// PathDrawing draws the way of a connection: stages and tiers, what was tried, who decides,
// and the rows' answer beside it.
type PathDrawing struct {
	*Sheet
	Rev *revision.Revision
	// All also shows the policies that are not about the pods of the connection.
	All bool
}

// AddEnds are the two ends: what they are and where, each leading to its page.
func (d *PathDrawing) AddEnds(id string, p *trace.Path, c verdict.Connection) {
	for _, e := range []struct {
		name string
		end  *verdict.End
	}{{"from", &p.From}, {"to", &p.To}} {
		text := trace.EndName(e.end.Endpoint)
		if e.end.Addr.IsValid() && e.end.Key.Name != "" {
			text += " " + e.end.Addr.String()
		}
		if e.end.Zone != "" && e.end.Key.Kind != model.KindNode {
			text += " on " + e.end.Zone
		}
		if e.name == "to" {
			text += ", " + serviceText(c.Protocol, e.end.Port)
		}
		if e.end.Note != "" {
			text += " · " + e.end.Note
		}
		d.AddParagraph(id+"."+e.name, 0, fmt.Sprintf("%-4s", e.name), d.St.Dim, d.St.Text, text, ThingPage(d.Rev, e.end.Key))
	}
	if p.Note != "" {
		d.AddParagraph(id+".note", 0, "    ", d.St.Dim, d.St.Text, p.Note, nav.Page{})
	}
}

func serviceText(p verdict.Protocol, port uint16) string {
	if p == verdict.ICMP || port == 0 {
		return string(p)
	}
	return fmt.Sprintf("%s %d", p, port)
}

// AddStages are the stages of a path that have something to say.
func (d *PathDrawing) AddStages(id string, p *trace.Path) {
	for i := range p.Stages {
		if s := &p.Stages[i]; !s.Idle {
			d.addStage(fmt.Sprintf("%s.%d", id, i), p, s)
		}
	}
}

// addStage is one stage: its verdict, what was tried tier by tier, and the rows' answer.
func (d *PathDrawing) addStage(id string, p *trace.Path, s *trace.Stage) {
	d.AddHead(d.stageTitle(p, s))
	tier, others, wide, column := "", 0, 0, tierColumn
	for i := range s.Lines {
		if d.All || s.Lines[i].Kind != trace.Other {
			wide, column = max(wide, len(resultOf(&s.Lines[i]))), max(column, len(s.Lines[i].Name())+1)
		}
	}
	for i, l := range s.Lines {
		if l.Kind == trace.Other && !d.All {
			others++
			continue
		}
		name := ""
		if l.Tier >= 0 && l.Name() != tier {
			tier, name = l.Name(), l.Name()
		}
		d.addTried(fmt.Sprintf("%s.%d", id, i), fmt.Sprintf("%-*s", column, name), wide, s, &l)
	}
	if others > 0 {
		d.Add(id+".others", widget.StyledLine("       · "+words.Count(others, "policy")+" about other pods", d.St.Dim), nav.Page{})
	}
	if s.Verdict == verdict.Unknown {
		d.AddParagraph(id+".unknown", 7, signs.Unknown, d.St.Warn, d.St.Text, "unknown: "+s.Reason, nav.Page{})
	}
	for i := range s.Would {
		w := &s.Would[i]
		d.AddParagraph(fmt.Sprintf("%s.would.%d", id, i), 7, signs.Warned, d.St.Warn, d.St.Text, w.Sentence(), d.deciderPage(w.Rule, s.Zone))
	}
	d.addRows(id, s)
}

// stageTitle is the heading of a stage: its verdict, what it is to the ends, which it is and
// where. An end's name gives way where there is no room.
func (d *PathDrawing) stageTitle(p *trace.Path, s *trace.Stage) string {
	verdict, at := string(s.Verdict), "leaving "+trace.EndName(p.From.Endpoint)
	if s.Unreached {
		verdict += " (not reached)"
	}
	if s.Zone == p.To.Zone && (s.Stage.IsArriving() || s.Zone != p.From.Zone && s.Stage != model.StageEgress) {
		at = "arriving at " + trace.EndName(p.To.Endpoint)
	}
	rest := fmt.Sprintf("%s in %s", s.Stage, s.Zone)
	const frame = 4 // of the heading
	if title := verdict + " · " + at + " · " + rest; widget.TextWidth(title)+frame <= d.TextWidth() {
		return title
	}
	at, _, _ = strings.Cut(at, " ")
	return verdict + " · " + at + " · " + rest
}

// results are the words for lines that match, or that need no reason.
var results = map[trace.LineKind]string{trace.Other: "other pods", trace.Passed: "passes on", trace.Decides: "decides",
	trace.Candidate: "may decide", trace.Maybe: "may match", trace.NotAsked: "not asked", trace.Nothing: "default"}

// resultOf says in a word or two what became of a line.
func resultOf(l *trace.TriedLine) string {
	if l.Kind == trace.Tried {
		return "not its " + l.Why
	}
	return results[l.Kind]
}

// tierColumn is how wide the names of tiers are, where none is longer.
const tierColumn = 7

// addTried is one rule that was tried.
func (d *PathDrawing) addTried(id, tier string, wide int, s *trace.Stage, l *trace.TriedLine) {
	st := d.St
	sign, mark, look, result := signs.Noted, st.Dim, st.Dim, fmt.Sprintf("%-*s ", wide, resultOf(l))
	switch l.Kind {
	case trace.Passed:
		sign, mark, look = signs.Passed, st.Pass, st.Text
	case trace.Decides:
		sign, mark = VerdictSign(s.Verdict, st)
		look = st.Text
	case trace.Candidate, trace.Maybe:
		sign, mark, look = signs.Warned, st.Warn, st.Text
	case trace.Nothing:
		sign, mark = VerdictSign(verdict.Allow, st)
		d.Add(id, widget.Line{{Text: tier, Style: st.Dim}, {Text: sign + " ", Style: mark},
			{Text: result, Style: st.Text}, {Text: "no rule matches: allowed"}}, nav.Page{})
		return
	}
	what := l.Rule.Policy.Label()
	if l.Rule.Rule >= 0 {
		what += " " + revision.RuleLabel(l.Rule.Direction, l.Rule.Rule, l.Rule.RuleName)
	}
	if l.Kind != trace.Other && l.Rule.Action != "" {
		what += ": " + l.Rule.ActionWord()
	}
	if len(l.Rule.Isolating) > 0 {
		names := make([]string, len(l.Rule.Isolating))
		for i, k := range l.Rule.Isolating {
			names[i] = k.Label()
		}
		what += ", isolated by " + strings.Join(names, ", ")
	}
	if l.Rule.Defect != "" {
		what += " (known defect: " + l.Rule.Defect + ")"
	}
	lead := len(tier) + 2 + wide + 1
	for i, part := range widget.FlowText(what, max(12, d.TextWidth()-lead)) {
		if i > 0 {
			d.AddUnder(lead+2, part, look)
			continue
		}
		d.Add(id, widget.Line{{Text: tier, Style: st.Dim}, {Text: sign + " ", Style: mark},
			{Text: result, Style: look}, {Text: part, Style: look}}, d.deciderPage(l.Rule, s.Zone))
	}
}

// addRows adds the verdict of the zone's rows at the stage.
func (d *PathDrawing) addRows(id string, s *trace.Stage) {
	if s.Rows == nil {
		return
	}
	st := d.St
	sign, mark := VerdictSign(s.Rows.Verdict, st)
	said, text := "agree: ", string(s.Rows.Verdict)+" · "+trace.DeciderTextOf(s.Rows)
	if s.Rows.Verdict == s.Verdict {
		if s.Rows.Decided == nil && s.Rows.Verdict == verdict.Allow {
			text = "no row matches"
		}
	} else if s.HasDisagreement() {
		sign, mark, said, text = signs.Differs, st.Error, "", "say "+text
		if s.Of2016 { // known, and nothing drifted
			mark = st.Dim
		}
	} else {
		said = "say "
	}
	var to nav.Page
	if s.Rows.Decided != nil {
		to = d.rowPage(s.Zone, s.Rows.Decided.ACL)
	}
	head := "rows   " + said // a verdict's sign stands beside it, that of a disagreement before all
	indent := len(head) + 2
	for i, part := range widget.FlowText(text, max(12, d.TextWidth()-indent)) {
		if i > 0 {
			d.AddUnder(indent+2, part, st.Dim)
			continue
		}
		d.Add(id+".rows", widget.Line{{Text: head, Style: st.Dim}, {Text: sign + " ", Style: mark}, {Text: part, Style: st.Dim}}, to)
	}
}

// DecidingPage is the page of the first rule that decides as the whole path is decided; none
// where no rule does.
func (d *PathDrawing) DecidingPage(p *trace.Path) nav.Page {
	for i := range p.Stages {
		s := &p.Stages[i]
		if s.Unreached || s.Verdict != p.Verdict {
			continue
		}
		for j := range s.Lines {
			if l := &s.Lines[j]; l.Kind == trace.Decides && l.Rule != nil {
				return d.deciderPage(l.Rule, s.Zone)
			}
		}
	}
	return nav.Page{}
}

// deciderPage is the page of a rule, or of the rows that stand for none.
func (d *PathDrawing) deciderPage(r *verdict.Decider, zone string) nav.Page {
	z := d.Rev.Zone(zone)
	switch {
	case r.Policy.Kind.IsPolicy() && r.Rule >= 0:
		p := nav.ToRule(r.Policy, r.Direction, r.Rule)
		p.Zone = zone
		return p
	case r.Policy.Kind.IsPolicy():
		return nav.ToPolicy(r.Policy)
	case z != nil && r.Policy != (model.Key{}):
		return UnitPage(d.Rev, r.Policy, z)
	}
	return nav.Page{}
}

// rowPage is the page of a live ACL, by its id, or by its UUID where it has none.
func (d *PathDrawing) rowPage(zone, id string) nav.Page {
	z := d.Rev.Zone(zone)
	if z == nil || z.DB == nil || id == "" {
		return nav.Page{}
	}
	if a := z.DB.ACLByID(id); a != nil {
		return nav.ToRow(zone, nb.TableACL, a.UUID)
	}
	if z.DB.ACL(id) != nil {
		return nav.ToRow(zone, nb.TableACL, id)
	}
	return nav.Page{}
}

// DisagreementPage is the row that makes policies and rows disagree.
func DisagreementPage(r *revision.Revision, g *trace.Disagreement) nav.Page {
	switch z := r.Zone(g.Zone); {
	case g.Row.UUID != "":
		return nav.ToRow(g.Zone, g.Row.Table, g.Row.UUID)
	case g.Row.ID != "":
		return nav.Page{Kind: nav.Row, Zone: g.Zone, Table: g.Row.Table, ID: g.Row.ID}
	case z != nil && g.Finding.Policy.Name != "":
		return UnitPage(r, g.Finding.Policy, z)
	}
	return nav.Page{Kind: nav.Rows, Zone: g.Zone}
}
