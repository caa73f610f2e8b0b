package action

import (
	"rung/ui/nav"
)

// group is the actions of one scope.
type group struct {
	scope   Scope
	actions []Action
}

// groups is everything, in the order of help and docs. A new view adds a line.
func groups() []group {
	return []group{
		{Of(nav.Ladder), ladder},
		{Carry, carry},
		{Of(nav.Policy), policy},
		{Of(nav.Rule), rule},
		{Of(nav.Rows), rows},
		{Of(nav.Row), row},
		{Of(nav.Pod), pod},
		{Of(nav.Edit), edit},
		{Of(nav.Preview), preview},
		{Of(nav.Plan), planActions},
		{Of(nav.Logs), logActions},
		{Of(nav.Sessions), sessionActions},
		{Of(nav.Activity), activity},
		{Of(nav.Zones), zones},
		{Of(nav.Controller), controllerActions},
		{Of(nav.Ready), readyActions},
		{Of(nav.Findings), findingsActions},
		{Of(nav.Trace), traceActions},
		{Of(nav.Matrix), matrixActions},
		{Of(nav.Probe), probeActions},
		{Of(nav.Convert), convertActions},
		{Text, text},
		{Input, input},
		{List, list},
		{Global, global},
	}
}

// Table is every action with its scope, grouped by scope, Global last.
func Table() []Action {
	var out []Action
	for _, g := range groups() {
		for _, a := range g.actions {
			a.Scope = g.scope
			out = append(out, a)
		}
	}
	return out
}

// The actions of a line being typed. The widget under it is told them by name; which
// keys they have stands here alone.
const (
	InputLeft        ID = "input.left"
	InputRight       ID = "input.right"
	InputWordLeft    ID = "input.word-left"
	InputWordRight   ID = "input.word-right"
	InputStart       ID = "input.start"
	InputEnd         ID = "input.end"
	InputDeleteLeft  ID = "input.delete-left"
	InputDeleteRight ID = "input.delete-right"
	InputDeleteWord  ID = "input.delete-word-left"
	InputDeleteNext  ID = "input.delete-word-right"
	InputDeleteStart ID = "input.delete-to-start"
	InputDeleteEnd   ID = "input.delete-to-end"
	InputEarlier     ID = "input.earlier"
	InputLater       ID = "input.later"
	InputComplete    ID = "input.complete"
)

var input = []Action{
	{ID: InputLeft, Keys: []string{"left", "ctrl+b"}, Title: "left", Help: "one letter to the left", Hidden: true},
	{ID: InputRight, Keys: []string{"right", "ctrl+f"}, Title: "right",
		Help: "one letter to the right; at the end take the suggestion", Hidden: true},
	{ID: InputWordLeft, Keys: []string{"alt+b", "alt+left", "ctrl+left"}, Title: "word to the left",
		Help: "to the beginning of the word", Hidden: true},
	{ID: InputWordRight, Keys: []string{"alt+f", "alt+right", "ctrl+right"}, Title: "word to the right",
		Help: "to the end of the word", Hidden: true},
	{ID: InputStart, Keys: []string{"home", "ctrl+a"}, Title: "beginning",
		Help: "to the beginning of the line", Hidden: true},
	{ID: InputEnd, Keys: []string{"end", "ctrl+e"}, Title: "end",
		Help: "to the end of the line; there take the suggestion", Hidden: true},
	{ID: InputDeleteLeft, Keys: []string{"backspace", "ctrl+h"}, Title: "delete to the left",
		Help: "delete the letter before the cursor", Hidden: true},
	{ID: InputDeleteRight, Keys: []string{"delete", "ctrl+d"}, Title: "delete",
		Help: "delete the letter under the cursor", Hidden: true},
	{ID: InputDeleteWord, Keys: []string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, Title: "delete the word before",
		Help: "delete back to the beginning of the word", Hidden: true},
	{ID: InputDeleteNext, Keys: []string{"alt+d", "alt+delete", "ctrl+delete"}, Title: "delete the word after",
		Help: "delete up to the end of the word", Hidden: true},
	{ID: InputDeleteStart, Keys: []string{"ctrl+u"}, Title: "delete to the beginning",
		Help: "delete everything before the cursor", Hidden: true},
	{ID: InputDeleteEnd, Keys: []string{"ctrl+k"}, Title: "delete to the end",
		Help: "delete everything from the cursor on", Hidden: true},
	{ID: InputEarlier, Keys: []string{"up"}, Title: "earlier",
		Help: "what was typed before, where the line has a history", Hidden: true},
	{ID: InputLater, Keys: []string{"down"}, Title: "later", Help: "what was typed after that", Hidden: true},
	{ID: InputComplete, Keys: []string{"tab"}, Title: "complete",
		Help: "take the suggestion that is shown after the cursor", Hidden: true},
}
