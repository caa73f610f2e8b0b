package logs

import (
	"strconv"
	"strings"

	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/ui/widget"
)

// Forms of the two ends of a connection, each shorter than the one before.
const (
	withNotes     = iota // with notes about addresses
	brief                // without notes
	namespaceOnce        // without notes; a namespace that both pods share is written once
	endForms
)

// lineForms holds the forms of a line's ends and decider.
type lineForms struct {
	ends [endForms][2]string
	// decider is the deciding policy, empty on its own page; rule is "ingress 0", short is "in0", both empty
	// without a known rule; name is the rule's own.
	decider, rule, short, name string
}

// newLineForms returns the forms of a line; page is the shown policy, if any.
func newLineForms(e *logs.Entry, page model.Key) (p lineForms) {
	p.ends = [endForms][2]string{{e.Src.String(), e.Dst.String()}, {e.Src.Brief(), e.Dst.Brief()}}
	p.ends[namespaceOnce] = p.ends[brief]
	if s, d := e.Src.Key, e.Dst.Key; s.Kind == model.KindPod && d.Kind == model.KindPod && s.Namespace == d.Namespace {
		p.ends[namespaceOnce][1] = strings.TrimPrefix(p.ends[brief][1], d.Namespace+"/")
	}
	k, dir := e.Rule.Policy, e.Rule.Direction
	switch {
	case !e.Attributed && (e.Line.Name == "" || len(e.Candidates) > 0 || e.Line.Named != nil):
		p.decider = e.RuleText()
	case !e.Attributed:
		p.decider = "unknown rule " + strconv.Quote(e.Line.Name)
	case IsDeny(e.Rule):
		p.decider, p.rule, p.short = "default deny of "+k.Namespace, dir.Lower(), shortDirection(dir)
	default:
		p.rule = revision.RuleLabel(dir, e.Rule.Rule, "")
		p.short = shortDirection(dir) + strings.TrimPrefix(strings.TrimPrefix(p.rule, dir.Lower()), " ")
		if e.RuleName != "" {
			p.name = strconv.Quote(e.RuleName)
		}
		if e.Gone != "" {
			p.name = "(gone)"
		}
		if !page.Kind.IsPolicy() || k != page {
			p.decider = k.ShortLabel()
		}
	}
	return p
}

func shortDirection(d model.Direction) string { return words.Choose(d == model.Ingress, "in", "eg") }

// verdictSign returns the verdict of a line as one sign.
func verdictSign(e *logs.Entry) string {
	switch e.Line.Verdict {
	case "allow":
		return words.Yes
	case "drop", "reject":
		return words.No
	case "pass":
		return words.Passed
	}
	return words.Unknown
}

// joinTexts joins the non-empty texts with spaces.
func joinTexts(texts ...string) string {
	out := ""
	for _, t := range texts {
		out += words.Choose(out != "" && t != "", " ", "") + t
	}
	return out
}

// fullDecider returns the decider in full.
func (p *lineForms) fullDecider() string { return joinTexts(p.decider, p.rule, p.name) }

// deciderIn returns the decider within w cells: without the rule's own name if it does not fit; the rule's number
// is never cut.
func (p *lineForms) deciderIn(s LineShape, w int) string {
	rule := words.Choose(s.short, p.short, p.rule)
	if text := joinTexts(p.decider, rule, p.name); widget.TextWidth(text) <= w {
		return text
	}
	text := joinTexts(p.decider, rule)
	if widget.TextWidth(text) <= w || p.decider == "" {
		return text
	}
	return joinTexts(widget.CutName(p.decider, max(3, w-widget.TextWidth(" "+rule))), rule)
}

const arrow = 3 // width of the arrow between the ends

// leastSpace and leastOwn are the cells that a namespace and a pod's own name keep while the other can shrink.
const leastSpace, leastOwn = 5, 8

// endsIn returns the ends in the form of the shape, cut to fit: namespaces first, then the pods' own names in
// their middle. A namespace is only left out if both ends share it: pods of different namespaces may have one
// name.
func (p *lineForms) endsIn(s LineShape) [2]string {
	for form := withNotes; form < endForms; form++ {
		if e := p.ends[form]; form >= min(s.ends, brief) && isFitting(e, s.endsWidth) {
			return e
		}
	}
	e := p.ends[namespaceOnce]
	if e != p.ends[brief] { // they share a namespace
		if cut := shorterSpaces(e, s.endsWidth, 2); isFitting(cut, s.endsWidth) {
			return cut
		}
		if own := [2]string{ownName(e[0]), e[1]}; isFitting(own, s.endsWidth) {
			return own
		}
	}
	for _, least := range []int{leastSpace, 2} {
		cut := shorterSpaces(e, s.endsWidth, least)
		if isFitting(cut, s.endsWidth) || shorterNames(&cut, s.endsWidth) {
			return cut
		}
		e = cut
	}
	a, b := shareWidth(widget.TextWidth(e[0]), widget.TextWidth(e[1]), max(2, s.endsWidth-arrow))
	return [2]string{widget.CutName(e[0], a), widget.CutName(e[1], b)}
}

func isFitting(e [2]string, w int) bool {
	return widget.TextWidth(e[0])+arrow+widget.TextWidth(e[1]) <= w
}

// shorterSpaces cuts the namespaces until the ends fit, the longer one first, each to no fewer cells than
// least.
func shorterSpaces(e [2]string, w, least int) [2]string {
	over := widget.TextWidth(e[0]) + arrow + widget.TextWidth(e[1]) - w
	longer := words.Choose(namespaceWidth(e[1]) > namespaceWidth(e[0]), 1, 0)
	for _, i := range []int{longer, 1 - longer} {
		if n := namespaceWidth(e[i]); over > 0 && n > least {
			ns, name, _ := strings.Cut(e[i], "/")
			cut := widget.TruncateText(ns, max(least, n-over))
			over -= n - widget.TextWidth(cut)
			e[i] = cut + "/" + name
		}
	}
	return e
}

// shorterNames cuts the pods' own names in their middle; false if too little would be left.
func shorterNames(e *[2]string, w int) bool {
	a, b := ownName(e[0]), ownName(e[1])
	left, right := strings.TrimSuffix(e[0], a), strings.TrimSuffix(e[1], b)
	n, m := shareWidth(widget.TextWidth(a), widget.TextWidth(b), w-arrow-widget.TextWidth(left)-widget.TextWidth(right))
	if n < min(leastOwn, widget.TextWidth(a)) || m < min(leastOwn, widget.TextWidth(b)) {
		return false
	}
	e[0], e[1] = left+widget.CutName(a, n), right+widget.CutName(b, m)
	return true
}

// shareWidth divides room between two widths: the shorter one is kept if it fits into half, the longer one
// shrinks.
func shareWidth(a, b, room int) (int, int) {
	switch half := room / 2; {
	case a <= half:
		return a, room - a
	case b <= room-half:
		return room - b, b
	default:
		return half, room - half
	}
}

// ownName returns an end without its namespace.
func ownName(end string) string {
	_, name, ok := strings.Cut(end, "/")
	return words.Choose(ok, name, end)
}

// namespaceWidth returns the width of an end's namespace, 0 if none.
func namespaceWidth(end string) int {
	ns, _, ok := strings.Cut(end, "/")
	if !ok {
		return 0
	}
	return widget.TextWidth(ns)
}

// IsDeny reports whether a reference names the default deny of a namespace.
func IsDeny(ref logline.RuleRef) bool {
	return ref.Policy.Kind == model.KindNP && ref.Policy.Name == ""
}
