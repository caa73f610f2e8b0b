package logquery

import (
	"slices"
	"time"

	"rung/model"
	"rung/model/logline"
)

// Line is a log line as a query sees it.
type Line struct {
	*logline.Line
	// Rule is the rule that decided, as far as it is known, RuleName its own name.
	Rule     logline.RuleRef
	RuleName string
	// Unit is what the row was compiled for where that is no policy: "default deny of
	// blue, ingress".
	Unit     string
	Src, Dst End
	// Text is what texts and regular expressions look at; it is only made where one does.
	Text func() string
}

// End is one end of the connection.
type End struct {
	Key  model.Key // zero where nobody in the cluster has the address
	Addr string
	Note string // "outside", "gone"
}

// Match says whether a line is shown.
func (q *Query) Match(l *Line) bool {
	for i := range q.terms {
		if !q.terms[i].holds(l) {
			return false
		}
	}
	return true
}

// TextOnly says whether nothing but the text of a line decides: its other fields may be
// left out.
func (q *Query) TextOnly() bool {
	return !slices.ContainsFunc(q.terms, func(t term) bool { return t.field != "" })
}

func (t *term) holds(l *Line) bool {
	for _, test := range t.any {
		if test(l) {
			return !t.not
		}
	}
	return t.not
}

// MatchGap says whether a place where lines may be missing is shown: only terms about
// the node and the time leave it out, since the lines may have been of any policy.
func (q *Query) MatchGap(node string, at time.Time) bool {
	l := Line{Line: &logline.Line{Zone: node, At: at}}
	for i := range q.terms {
		switch t := &q.terms[i]; t.field {
		case "node", "since", "until":
			if !t.holds(&l) {
				return false
			}
		}
	}
	return true
}

// name is an end's pod, node or Service, empty where
// none has the address.
func (d *End) name() string {
	switch d.Key.Kind {
	case "":
		return ""
	case model.KindNode:
		return "node " + d.Key.Name
	}
	return d.Key.Namespace + "/" + d.Key.Name
}
