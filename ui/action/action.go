package action

import (
	"cmp"

	"rung/change"
	"rung/model"
	"rung/revision"
	"rung/system"
	"rung/ui/nav"
)

// ID names an action: "ladder.new".
type ID string

// Scope says where an action is available. A view names its scopes, most specific first; Global comes last.
type Scope string

// Scopes that are not a view. Each view's scope is its nav.PageKind.
const (
	Global Scope = "everywhere"
	List   Scope = "lists" // anything with lines and a cursor
	Text   Scope = "text"  // long text with a search
	Carry  Scope = "carry" // a policy is being carried along the ladder
	Input  Scope = "input" // a line is being typed: no other scope holds then
)

// PageScope returns the scope of a kind of page.
func PageScope(k nav.PageKind) Scope { return Scope(k) }

// Action is one thing the user can do.
type Action struct {
	ID    ID
	Scope Scope
	// Keys are the default keys in Bubble Tea's spelling: "ctrl+p", "G", "space", "enter". The first is shown.
	Keys []string
	// Title is a word or two for the footer and the palette.
	Title string
	// Also lists further names in the palette, as other tools use.
	Also []string
	// Help is one sentence without a full stop.
	Help string
	// Footer orders the hints at the bottom, lower first; 0 is not shown.
	Footer int
	// Hint reports whether hints show it here; nil means always.
	Hint func(Context) bool
	// Hidden keeps it out of the palette: moving a cursor is no command.
	Hidden bool
	// Needs is the feature of the network plugin required to offer the action.
	Needs system.Feature
	// Networks limits the action to clusters with several networks.
	Networks bool
	// Op is the resulting change, empty if none; Danger is the confirmation it needs at least.
	Op     change.Op
	Danger change.Danger
	// Disabled says why it is not possible now, empty if it is; nil means always possible. Whether changes are
	// allowed is checked separately.
	Disabled func(Context) string

	plain bool // show keys by name
}

// Context holds the facts that decide whether an action is possible.
type Context struct {
	System *system.System
	Mode   revision.Mode
	// Page is the current page, Selected the page of the selected object.
	Page, Selected nav.Page
	Undo, Redo     string
	Networks       bool // there are networks besides the default one
	Plan           *revision.PlanState
	Unconfirmed    *revision.UnconfirmedChange
	// Access holds the user's permissions on a cluster, as the API server reports them.
	Access revision.Access
}

// targetPolicy returns the policy an action is about: the selected one, else the page's. For a new policy only
// the kind is set.
func (c Context) targetPolicy(id ID) model.PolicyKey {
	switch id {
	case LadderNew, PlanNew, LadderTemplate, PlanTemplate:
		return model.PolicyKey{Kind: model.KindANP}
	}
	for _, p := range []nav.Page{c.Selected, c.Page} {
		if p.Key.Kind.IsPolicy() {
			return p.Key
		}
	}
	return model.PolicyKey{}
}

// IsOffered reports whether the action exists for this cluster.
func (a *Action) IsOffered(c Context) bool {
	return c.System.HasFeature(a.Needs) && (c.Networks || !a.Networks)
}

// WhyNot says why the action is not possible, empty if it is.
func (a *Action) WhyNot(c Context) string {
	if why := c.System.WhyLacking(a.Needs); why != "" {
		return why
	}
	if a.Networks && !c.Networks {
		return "only the default network is known"
	}
	if a.Op != "" && !c.Mode.Writes {
		return cmp.Or(c.Mode.WhyNot, "read-only")
	}
	if a.Disabled != nil {
		if why := a.Disabled(c); why != "" {
			return why
		}
	}
	if k := c.targetPolicy(a.ID); a.Op != "" && k.Kind != "" {
		return a.Op.DeniedText(c.Access, k)
	}
	return ""
}

// NeedsAdminPolicy disables an action that needs an AdminNetworkPolicy or its baseline, selected or as the page.
func NeedsAdminPolicy(c Context) string {
	for _, p := range []nav.Page{c.Selected, c.Page} {
		if p.Key.Kind.IsAdmin() {
			return ""
		}
	}
	return "no AdminNetworkPolicy here"
}

// scopeGroup holds the actions of one scope.
type scopeGroup struct {
	scope   Scope
	actions []Action
}

// scopeGroups returns all actions, in the order of help and docs. A new view adds a line.
func scopeGroups() []scopeGroup {
	return []scopeGroup{
		{PageScope(nav.Ladder), ladder},
		{Carry, carry},
		{PageScope(nav.Policy), policy},
		{PageScope(nav.Rule), rule},
		{PageScope(nav.Rows), rows},
		{PageScope(nav.Row), row},
		{PageScope(nav.Pod), pod},
		{PageScope(nav.Edit), edit},
		{PageScope(nav.Preview), preview},
		{PageScope(nav.Plan), planActions},
		{PageScope(nav.Logs), logActions},
		{PageScope(nav.Sessions), sessionActions},
		{PageScope(nav.Activity), activity},
		{PageScope(nav.Zones), zones},
		{PageScope(nav.Omitted), omitted},
		{PageScope(nav.Controller), controllerActions},
		{PageScope(nav.Findings), findingsActions},
		{PageScope(nav.Trace), traceActions},
		{PageScope(nav.Matrix), matrixActions},
		{PageScope(nav.Probe), probeActions},
		{PageScope(nav.Diff), diffActions},
		{Text, text},
		{Input, input},
		{List, list},
		{Global, global},
	}
}

// ScopedActions returns every action with its scope, grouped by scope, Global last.
func ScopedActions() []Action {
	var out []Action
	for _, g := range scopeGroups() {
		for _, a := range g.actions {
			a.Scope = g.scope
			a.Hidden = a.Hidden || g.scope == Input
			out = append(out, a)
		}
	}
	return out
}

// Actions of an input line. Its widget knows their ids, not their keys. All are hidden.
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
	{ID: InputLeft, Keys: []string{"left", "ctrl+b"}, Title: "left", Help: "one letter to the left"},
	{ID: InputRight, Keys: []string{"right", "ctrl+f"}, Title: "right", Help: "one letter to the right; at the end take the suggestion"},
	{ID: InputWordLeft, Keys: []string{"alt+b", "alt+left", "ctrl+left"}, Title: "word to the left", Help: "to the beginning of the word"},
	{ID: InputWordRight, Keys: []string{"alt+f", "alt+right", "ctrl+right"}, Title: "word to the right", Help: "to the end of the word"},
	{ID: InputStart, Keys: []string{"home", "ctrl+a"}, Title: "beginning", Help: "to the beginning of the line"},
	{ID: InputEnd, Keys: []string{"end", "ctrl+e"}, Title: "end", Help: "to the end of the line; there take the suggestion"},
	{ID: InputDeleteLeft, Keys: []string{"backspace", "ctrl+h"}, Title: "delete to the left", Help: "delete the letter before the cursor"},
	{ID: InputDeleteRight, Keys: []string{"delete", "ctrl+d"}, Title: "delete", Help: "delete the letter under the cursor"},
	{ID: InputDeleteWord, Keys: []string{"ctrl+w", "alt+backspace", "ctrl+backspace"}, Title: "delete the word before",
		Help: "delete back to the beginning of the word"},
	{ID: InputDeleteNext, Keys: []string{"alt+d", "alt+delete", "ctrl+delete"}, Title: "delete the word after",
		Help: "delete up to the end of the word"},
	{ID: InputDeleteStart, Keys: []string{"ctrl+u"}, Title: "delete to the beginning", Help: "delete everything before the cursor"},
	{ID: InputDeleteEnd, Keys: []string{"ctrl+k"}, Title: "delete to the end", Help: "delete everything from the cursor on"},
	{ID: InputEarlier, Keys: []string{"up"}, Title: "earlier", Help: "the previous entry, where the line has a history"},
	{ID: InputLater, Keys: []string{"down"}, Title: "later", Help: "the next entry"},
	{ID: InputComplete, Keys: []string{"tab"}, Title: "complete", Help: "take the suggestion that is shown after the cursor"},
}
