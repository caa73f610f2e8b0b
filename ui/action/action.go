package action

import (
	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/revision"
	"rung/system"
	"rung/ui/nav"
)

// ID names an action: "ladder.new".
type ID string

// Scope says where an action is at hand. A view names the scopes that hold in
// it, the most special first; Global comes last.
type Scope string

// The scopes that are not a view. Each view's scope is its nav.Kind.
const (
	Global Scope = "everywhere"
	List   Scope = "lists" // anything with lines to walk along
	Text   Scope = "text"  // long text with a search
	Carry  Scope = "carry" // a policy is being carried along the ladder
	Input  Scope = "input" // a line is being typed: no other scope holds then
)

// Of is the scope of a kind of page.
func Of(k nav.Kind) Scope { return Scope(k) }

// Action is one thing to do.
type Action struct {
	ID    ID
	Scope Scope
	// Keys are the default keys as Bubble Tea spells them: "ctrl+p", "G",
	// "space", "enter". The first is the one shown.
	Keys []string
	// Title is a word or two for the footer and the palette.
	Title string
	// Also are further names in the palette: those that other tools have for it.
	Also []string
	// Help is one sentence without a full stop.
	Help string
	// Footer orders the hints at the bottom, lower first; 0 is not shown.
	Footer int
	// Hint says whether hints show it here; nil is always.
	Hint func(Context) bool
	// Hidden keeps it out of the palette: moving a cursor is no command.
	Hidden bool
	// Needs is what the cluster's network plugin must have for the action to be there.
	Needs system.Feature
	// Op is the change it leads to, empty for none; Danger is how much
	// confirmation that change wants at least.
	Op     change.Op
	Danger change.Danger
	// Disabled says why it cannot be done now, empty when it can. nil is
	// always possible. Whether changes are allowed is checked besides.
	Disabled func(Context) string

	plain bool // show keys by name
}

// Context is what decides whether an action can be done.
type Context struct {
	System *system.System
	Mode   revision.Mode
	// Page is where the user is, Selected what the cursor is on.
	Page, Selected nav.Page
	Undo, Redo     string
	Plan           *revision.PlanState
	Unconfirmed    *revision.Unconfirmed
	// Access is what the API server lets the user do, on a cluster.
	Access revision.Access
}

// target is the policy an action is about: the one under the cursor, else that of
// the page. A new policy has no name yet, and those that a conversion made are not the
// one under its cursor.
func (c Context) target(id ID) model.PolicyKey {
	switch id {
	case LadderNew, PlanNew, LadderTemplate, PlanTemplate, ConvertApply:
		return model.PolicyKey{Kind: model.KindANP}
	}
	for _, p := range []nav.Page{c.Selected, c.Page} {
		if p.Key.Kind.IsPolicy() {
			return p.Key
		}
	}
	return model.PolicyKey{}
}

// WhyNot says why the action cannot be done, empty when it can.
func (a *Action) WhyNot(c Context) string {
	if why := c.System.Lacks(a.Needs); why != "" {
		return why
	}
	if why := a.whyNotChanged(c); why != "" {
		return why
	}
	if a.Op != "" && !c.Mode.Writes {
		if c.Mode.WhyNot != "" {
			return c.Mode.WhyNot
		}
		return "read-only"
	}
	if a.Disabled != nil {
		if why := a.Disabled(c); why != "" {
			return why
		}
	}
	if k := c.target(a.ID); a.Op != "" && k.Kind != "" {
		return a.Op.WhyNot(c.Access, k)
	}
	return ""
}

// whyNotChanged says why the action cannot change policies of the kind that it is about.
func (a *Action) whyNotChanged(c Context) string {
	switch a.Op {
	case change.OpApply, change.OpMove, change.OpLogLevel, change.OpDelete:
		return gate.WhyNotChanged(c.target(a.ID).Kind)
	}
	return ""
}

// OnPolicy disables an action that wants an AdminNetworkPolicy or its baseline
// under the cursor or as the page.
func OnPolicy(c Context) string {
	for _, p := range []nav.Page{c.Selected, c.Page} {
		if p.Key.Kind.IsAdmin() {
			return ""
		}
	}
	return "no AdminNetworkPolicy here"
}
