package role

import (
	"rung/model"
	"rung/model/signs"
	"rung/pages/page"
	"rung/themes"
)

// StateRole is the role of a policy's state.
func StateRole(s model.PolicyState) page.Role {
	switch s {
	case model.StateInSync:
		return themes.OK
	case model.StateSettling:
		return themes.Info
	case model.StateFrozen, model.StateBehind:
		return themes.Error
	case model.StateNotEnforced, model.StateStale, model.StateNotComparable:
		return themes.Warn
	}
	return themes.Dim
}

// StateSign is the sign of a policy's state, for where its words have no room: no two states
// have the same.
func StateSign(s model.PolicyState) string {
	switch s {
	case model.StateInSync:
		return signs.Yes
	case model.StateBehind:
		return signs.Differs
	case model.StateFrozen:
		return signs.Frozen
	case model.StateStale:
		return signs.Stale
	case model.StateNotComparable:
		return signs.Unmatched
	case model.StateNotEnforced:
		return signs.No
	case model.StateSettling:
		return signs.Working
	}
	return signs.Unknown
}

// SeveritySign is the sign of a finding's severity.
func SeveritySign(s model.Severity) page.Span {
	switch s {
	case model.SeverityError:
		return page.Span{Text: signs.Failed, Role: themes.Error}
	case model.SeverityWarning:
		return page.Span{Text: signs.Warned, Role: themes.Warn}
	}
	return page.Span{Text: signs.Noted, Role: themes.Info}
}

// ActionRole is the role of what a rule does.
func ActionRole(a model.Action) page.Role {
	switch a {
	case model.Allow:
		return themes.Allow
	case model.Deny:
		return themes.Deny
	case model.Pass:
		return themes.Pass
	}
	return themes.Text
}
