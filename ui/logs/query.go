package logs

import (
	"maps"
	"slices"
	"strings"

	"rung/engine/logs"
	"rung/engine/revision"
	"rung/model"
	"rung/ui/widget"
)

// query decides which lines are shown: terms such as policy:web or !verdict:deny
// look at one part of a line, the rest is a filter of its text.
type query struct {
	terms []term
	text  widget.Filter
}

type term struct {
	part, want string
	not        bool
}

// parts are what a term can look at.
var parts = map[string]func(e *logs.Entry) []string{
	"policy": func(e *logs.Entry) []string {
		if k := e.Rule.Policy; k.Namespace != "" {
			return []string{k.Namespace + "/" + k.Name, e.Unit().Label()}
		}
		return []string{e.Rule.Policy.Name}
	},
	"rule": func(e *logs.Entry) []string {
		return []string{revision.RuleLabel(e.Rule.Direction, e.Rule.Rule, e.RuleName)}
	},
	"verdict":  func(e *logs.Entry) []string { return append(actions[e.Line.Verdict], e.Line.Verdict, e.Action) },
	"node":     func(e *logs.Entry) []string { return []string{e.Line.Zone} },
	"zone":     func(e *logs.Entry) []string { return []string{e.Line.Zone} },
	"pod":      func(e *logs.Entry) []string { return []string{podOf(e.Src), podOf(e.Dst)} },
	"ns":       func(e *logs.Entry) []string { return []string{e.Src.Key.Namespace, e.Dst.Key.Namespace} },
	"src":      func(e *logs.Entry) []string { return []string{e.Src.String(), e.Src.Addr} },
	"dst":      func(e *logs.Entry) []string { return []string{e.Dst.String(), e.Dst.Addr} },
	"ip":       func(e *logs.Entry) []string { return []string{e.Src.Addr, e.Dst.Addr} },
	"port":     func(e *logs.Entry) []string { return []string{e.Traffic()} },
	"severity": func(e *logs.Entry) []string { return []string{e.Line.Severity} },
}

// actions are the API's words for OVN's verdicts.
var actions = map[string][]string{"drop": {"deny"}, "reject": {"deny"}, "allow": {"allow"}, "pass": {"pass"}}

func podOf(d logs.End) string {
	if d.Key.Kind != model.KindPod {
		return ""
	}
	return d.Key.Namespace + "/" + d.Key.Name
}

// parseQuery reads a filter as it is typed.
func parseQuery(text string) query {
	var q query
	var rest []string
	for _, w := range strings.Fields(text) {
		t := term{}
		word, not := strings.CutPrefix(w, "!")
		t.not = not
		var ok bool
		if t.part, t.want, ok = strings.Cut(word, ":"); ok && parts[t.part] != nil {
			t.want = strings.ToLower(t.want)
			q.terms = append(q.terms, t)
			continue
		}
		rest = append(rest, w)
	}
	// An arrow that was copied from the screen is written as texts have it.
	q.text = widget.ParseFilter(strings.ReplaceAll(strings.Join(rest, " "), "→", ">"))
	return q
}

func (q *query) empty() bool { return len(q.terms) == 0 && q.text.Empty() }

// match judges a line; text is only made when it is looked at.
func (q *query) match(e *logs.Entry, text func() string) bool {
	for _, t := range q.terms {
		if t.hit(e) == t.not {
			return false
		}
	}
	return q.text.Empty() || q.text.Match(text())
}

// matchGap judges a place where lines may be missing: only terms about the node
// leave it out.
func (q *query) matchGap(e *logs.Entry) bool {
	for _, t := range q.terms {
		if (t.part == "node" || t.part == "zone") && t.hit(e) == t.not {
			return false
		}
	}
	return true
}

func (t *term) hit(e *logs.Entry) bool {
	for _, s := range parts[t.part](e) {
		if t.part == "port" {
			if s == t.want || strings.HasSuffix(s, " "+t.want) {
				return true
			}
			continue
		}
		if s != "" && strings.Contains(strings.ToLower(s), t.want) {
			return true
		}
	}
	return t.want == ""
}

// newest bounds how many lines are looked through for a value.
const newest = 500

// Complete finds how a term goes on: its part, or a value that a line has there.
func (v *logPage) Complete(begin string) string {
	part, value, ok := strings.Cut(begin, ":")
	if !ok {
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			if strings.HasPrefix(name, begin) {
				return name + ":"
			}
		}
		return ""
	}
	of := parts[part]
	if of == nil {
		return ""
	}
	for i := len(v.feed.held) - 1; i >= max(0, len(v.feed.held)-newest); i-- {
		e := v.feed.held[i]
		if e.Gap != nil {
			continue
		}
		for _, s := range of(e) {
			if len(s) > len(value) && strings.HasPrefix(s, value) && !strings.Contains(s, " ") {
				return part + ":" + s
			}
		}
	}
	return ""
}
