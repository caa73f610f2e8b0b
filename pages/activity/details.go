package activity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/change/history"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
)

// Target is the target of a detail line: a policy or another entry; zero if none.
type Target struct {
	Policy model.PolicyKey
	Entry  *Entry
}

// Detail is one fact about an entry: its name, the full text, and its target.
type Detail struct {
	Name string
	Text string
	Role page.Role
	Lead Target
}

// verbs are the words for the change of an object.
var verbs = map[string]string{"create": "created", "update": "changed", "delete": "deleted"}

// Details returns all facts about an entry in full, except rows that have their own entries.
func (e *Entry) Details() (out []Detail) {
	add := func(name, text string, role page.Role, lead Target) {
		out = append(out, Detail{Name: name, Text: text, Role: role, Lead: lead})
	}
	add("what", e.Summary, "", Target{})
	if e.IsChange() {
		add("who", e.whoText(), "", Target{})
		state := e.stateCell()
		add("state", state.Text+" in "+e.tookText(), state.Role, Target{})
	} else if e.Zone != "" {
		add("zone", e.Zone+", by "+e.By+" in "+e.tookText(), "", Target{})
	}
	if e.Error != "" {
		add("error", e.Error, themes.Error, Target{})
	}
	if len(e.Guards) > 0 {
		add("guard rails", strings.Join(e.Guards, ", "), themes.Warn, Target{})
	}
	for _, o := range e.Objects {
		add("object", o.key().Label()+" "+verbs[o.Change], "", Target{Policy: policyPageKey(o.key())})
	}
	if e.Done.Policy.Name != "" {
		add("policy", e.Done.Policy.Label(), "", Target{Policy: e.Done.Policy})
	}
	if e.Number != 0 {
		add("undo with", fmt.Sprintf("rung undo %d", e.Number), "", Target{})
	}
	for _, other := range []struct {
		name string
		*Entry
	}{{e.Result + " by", e.UndoneBy}, {"takes back", e.Original}, {"written for", e.CausedBy}} {
		if other.Entry != nil {
			add(other.name, words.Clock(other.At.In(e.Now.Location()), e.Now)+" "+other.Summary, "", Target{Entry: other.Entry})
		}
	}
	if zones := e.zoneCount(); zones > 0 {
		add("rows", fmt.Sprintf("%s in %s", words.Count(e.Ops, "operation"), words.Count(zones, "zone")), "", Target{})
	}
	for _, c := range e.Commands {
		add("$", c, themes.CodeText, Target{})
	}
	return out
}

// whoText says who made a change, from where, and to what.
func (e *Entry) whoText() string {
	parts := slices.DeleteFunc([]string{e.User, e.By}, func(part string) bool { return part == "" })
	text := cmp.Or(strings.Join(parts, ", "), "unknown")
	switch e.Mode {
	case "sandbox":
		text += ", sandbox only, lost on exit"
	case "files":
		text += ", in the files " + e.Context
	case "cluster":
		text += ", on the cluster " + e.Context
	}
	return text
}

// zoneCount returns the number of zones with rows written for the change.
func (e *Entry) zoneCount() int {
	zones := map[string]bool{}
	for _, r := range e.Rows {
		zones[r.Zone] = true
	}
	return len(zones)
}

// policyPageKey returns the policy page of an object; empty for a namespace.
func policyPageKey(k model.Key) model.PolicyKey {
	return words.Choose(k.Kind.IsPolicy(), k, model.PolicyKey{})
}

// WhyNotUndone says why undo cannot take the change back, empty if it can.
func (e *Entry) WhyNotUndone() string {
	switch {
	case !e.IsChange():
		return "nothing to undo here"
	case e.Result == "undone" || e.Result == "reverted":
		return "already " + e.Result
	case e.Result == history.Failed || e.Result == history.Refused:
		return "the change was not made"
	case e.Op == opConfirm:
		return "it only confirms a change: undo that change"
	case e.Op == "writes":
		return "it changed no policy"
	case e.Number == 0 && e.By == "plan":
		return "a step of a plan: undo the whole plan"
	case e.Number == 0:
		return "not in the history"
	}
	return ""
}

// NameWidth is the width of the name column.
const NameWidth = 16

// DetailLine returns a screen line with a part of a detail's text, the first with its name. at identifies the
// line within the entry.
func (e *Entry) DetailLine(at string, d Detail, part string, isFirst bool) *Entry {
	name := words.Choose(isFirst, d.Name, "")
	return &Entry{At: e.At, Now: e.Now, LineEntry: e, Lead: d.Lead, id: e.id + " line " + at,
		Line: page.Line{{Text: fmt.Sprintf("  %-*s", NameWidth-2, name), Role: themes.Dim}, {Text: part, Role: d.Role}}}
}

// DetailText returns all details as text.
func (e *Entry) DetailText() string {
	var b strings.Builder
	for _, d := range e.Details() {
		fmt.Fprintf(&b, "%s: %s\n", d.Name, d.Text)
	}
	for _, r := range e.Rows {
		b.WriteString(r.DetailText())
	}
	return b.String()
}

// FilterText returns the text that a filter searches; a change includes the text of its rows.
func (e *Entry) FilterText() string {
	text := strings.Join([]string{words.Clock(e.At.In(e.Now.Location()), e.Now), e.User, e.By, e.whereText(), e.Policy, e.Done.Policy.Label(),
		e.Summary, e.Error, e.stateCell().Text,
		e.Line.String()}, " ")
	for _, r := range e.Rows {
		text += " " + r.FilterText()
	}
	return text
}

// SinglePolicy returns the only policy of the entry or of a detail line's target; empty if there are several.
func (e *Entry) SinglePolicy() model.PolicyKey {
	switch {
	case e.Lead.Policy.Name != "":
		return e.Lead.Policy
	case e.LineEntry != nil:
		return e.LineEntry.SinglePolicy()
	case len(e.Objects) == 1:
		return policyPageKey(e.Objects[0].key())
	}
	return policyPageKey(e.Done.Policy)
}
