package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// Point is one sentence of an answer.
type Point struct {
	ID     string // unique in the answer
	Indent int    // for the remedy of the sentence before
	Sign   page.Span
	Text   string
	Role   page.Role
	// Zones names the zones in which the sentence holds; it follows Text if there is room.
	Zones string
	// About is the subject of the sentence: a model.Key, a *trace.ServiceAnswer, a *trace.Path, a
	// *trace.Disagreement or a PlacedRule; nil for the answer itself.
	About any
}

// PlacedRule is a rule, and the zone in which it decides.
type PlacedRule struct {
	*verdict.Decider
	Zone string
}

// VerdictPoint says what happens to a connection and which rule decides. About is the deciding rule, or empty
// if several decide.
func VerdictPoint(t *trace.Trace, id string) Point {
	out := Point{ID: id, Sign: page.VerdictSign(t.Verdict), Text: t.Sentence(), Role: themes.Text}
	if len(t.Paths) != 1 || len(t.Families) > 0 {
		return out
	}
	for i := range t.Paths[0].Stages {
		if s := &t.Paths[0].Stages[i]; s.Verdict == t.Verdict && !s.Unreached && s.Decided != nil && len(s.Candidates) == 0 {
			out.About = PlacedRule{s.Decided, s.Zone}
			break
		}
	}
	return out
}

// ServicePoints says which Service was asked, and which may have been meant.
func ServicePoints(t *trace.Trace) (out []Point) {
	if text := t.ServiceInFront(); text != "" {
		out = append(out, Point{ID: "front", Sign: page.Span{Text: words.Noted, Role: themes.Dim}, Text: text, Role: themes.Text})
	}
	if h := t.ViaService; h != nil {
		out = append(out, Point{ID: "through", Sign: page.VerdictSign(h.Verdict), Text: h.Hint(), Role: themes.Text, About: h})
	}
	return out
}

// DifferencePoints says what would differ if ClusterNetworkPolicies had rows, and where policies and rows
// disagree. id is the prefix of their IDs.
func DifferencePoints(t *trace.Trace, id string) (out []Point) {
	if text := t.IdleOutcome(); text != "" {
		out = append(out, Point{ID: id + "otherwise", Sign: page.Span{Text: words.Warned, Role: themes.Warn}, Text: text, Role: themes.Text})
	}
	finding := func(name string, f *model.Finding, about any) {
		out = append(out, Point{ID: id + "disagree." + name, Sign: page.SeveritySign(f.Severity), Text: f.Message, Role: themes.Text,
			About: about},
			Point{ID: id + "remedy." + name, Indent: 2, Sign: page.Span{Text: words.Remedy, Role: themes.Dim}, Text: f.Remedy, Role: themes.Dim})
	}
	if t.Of2016 != nil {
		finding("2016", t.Of2016, nil)
	}
	for i := range t.Disagree {
		finding(strconv.Itoa(i), &t.Disagree[i].Finding, &t.Disagree[i])
	}
	return out
}

// RowsPoint says in a few words whether the rows agree; without text if they were not asked.
func RowsPoint(t *trace.Trace, id string) Point {
	out := Point{ID: id + "rows", Sign: page.Span{Text: words.Differs, Role: themes.Warn}, Role: themes.Text}
	switch {
	case t.Rows == nil:
	case len(t.Families) > 0 && t.HasDisagreement():
		out.Text = "rows disagree"
	case len(t.Families) > 0:
		out.Text = "rows agree"
	case t.Rows.Verdict == verdict.Unknown:
		out.Sign.Text, out.Text = words.Unknown, "rows unknown: "+t.Rows.Reason
	case t.Verdict == verdict.Unknown:
		out.Sign, out.Role = page.Span{Text: words.Noted, Role: themes.Dim}, themes.Dim
		out.Text = "rows say " + string(t.Rows.Verdict)
	case t.DiffersAsKnown():
		out.Text = "rows of today: " + string(t.Rows.Verdict)
	case t.Rows.Verdict != t.Verdict:
		out.Text = "rows disagree: " + string(t.Rows.Verdict)
	case len(t.Disagree) > 0:
		out.Text = "rows disagree on the path"
	default:
		out.Sign, out.Role = page.Span{Text: words.Yes, Role: themes.OK}, themes.Dim
		out.Text, out.Zones = "rows agree", " in "+words.List(zonesOfRows(t), 3)
	}
	return out
}

// zonesOfRows returns the zones whose rows have a verdict.
func zonesOfRows(t *trace.Trace) (out []string) {
	for i := range t.Paths {
		for j := range t.Paths[i].Stages {
			s := &t.Paths[i].Stages[j]
			if s.Rows != nil && s.Rows.Verdict != verdict.Unknown && !slices.Contains(out, s.Zone) {
				out = append(out, s.Zone)
			}
		}
	}
	return out
}

// AlikePaths groups the paths of an answer that differ only in their endpoint.
func AlikePaths(t *trace.Trace) (out [][]*trace.Path) {
	groups := map[string]int{}
	for i := range t.Paths {
		p := &t.Paths[i]
		text := fmt.Sprintln(p.Verdict, p.Reason, p.Note, p.From.Addr, p.To.Port)
		for _, s := range VisibleStages(p) {
			said, _, rows := ByRows(s)
			text += fmt.Sprintln(s.Name(), verdictText(s), trace.StageDeciderText(s.StageVerdict), said, rows)
			tried, _ := TriedRules(s, true)
			for _, l := range tried {
				text += fmt.Sprintln(l.Result, l.Name(), l.Text)
			}
			for _, point := range StagePoints(s, "") {
				text += point.Text + "\n"
			}
		}
		n, known := groups[text]
		if !known {
			n, groups[text] = len(out), len(out)
			out = append(out, nil)
		}
		out[n] = append(out[n], p)
	}
	return out
}

// EndpointNames names the endpoints of paths.
func EndpointNames(alike []*trace.Path) string {
	return words.ListSome(model.MapList(alike, func(p *trace.Path) string { return trace.EndName(p.To.Endpoint) }), 3)
}

// EndpointPoints returns the verdict for each group of endpoints, nil unless there are several. Rules that allow
// are named in the stages only.
func EndpointPoints(groups [][]*trace.Path, id string) (out []Point) {
	if len(groups) < 2 {
		return nil
	}
	for i, alike := range groups {
		p := alike[0]
		text := p.Sentence()
		if p.Verdict == verdict.Allow {
			text = p.Verdict.DoneText()
		} else if len(alike) > 1 {
			text = strings.ReplaceAll(text, " at "+trace.EndName(p.To.Endpoint), "")
		}
		out = append(out, Point{ID: id + strconv.Itoa(i), Sign: page.VerdictSign(p.Verdict), Text: EndpointNames(alike) + ": " + text,
			Role: themes.Text, About: p})
	}
	return out
}

// EndPoints describes the two ends of a path with their zones, and adds the path's note, if any. It describes
// the other ends of alike paths, too.
func EndPoints(t *trace.Trace, alike []*trace.Path, id string) []Point {
	point := func(name, label, text string, about any) Point {
		return Point{ID: id + "." + name, Sign: page.Span{Text: label + "    "[len(label):], Role: themes.Dim}, Text: text, Role: themes.Text,
			About: about}
	}
	p := alike[0]
	out := []Point{point("from", "from", endText(&p.From, ""), p.From.Key)}
	for i, p := range alike {
		to := string(t.Connection.Protocol)
		if t.Connection.Protocol != verdict.ICMP && p.To.Port != 0 {
			to += " " + strconv.Itoa(int(p.To.Port))
		}
		label, name := "to", "to"
		if i > 0 {
			label, name = "", "to."+strconv.Itoa(i)
		}
		out = append(out, point(name, label, endText(&p.To, ", "+to), p.To.Key))
	}
	if p.Note != "" {
		out = append(out, point("", "", p.Note, nil))
	}
	return out
}

// endText names an end, with its address and zone if known; service follows.
func endText(e *verdict.End, service string) string {
	text := trace.EndName(e.Endpoint)
	if e.Addr.IsValid() && e.Key.Name != "" && !e.HasMadeUpAddr {
		text += " " + e.Addr.String()
	}
	if e.Zone != "" && e.Key.Kind != model.KindNode {
		text += " on " + e.Zone
	}
	text += service
	text += words.Between(" · ", e.Note, "")
	return text
}
