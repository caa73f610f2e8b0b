package role

import (
	"strings"

	"rung/model"
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

// StateSign is the sign of a policy's state, for where its words have no room.
func StateSign(s model.PolicyState) string {
	switch s {
	case model.StateInSync:
		return "✓"
	case model.StateBehind, model.StateFrozen:
		return "●"
	case model.StateNotEnforced:
		return "✗"
	case model.StateSettling:
		return "…"
	}
	return "?"
}

// SeveritySign is the sign of a finding's severity.
func SeveritySign(s model.Severity) page.Span {
	switch s {
	case model.SeverityError:
		return page.Span{Text: "●", Role: themes.Error}
	case model.SeverityWarning:
		return page.Span{Text: "▲", Role: themes.Warn}
	}
	return page.Span{Text: "·", Role: themes.Info}
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

// WordRole is the role of a word for an action, a verdict, a result or a severity as commands
// print them, OVN's included.
func WordRole(word string) page.Role {
	switch strings.ToLower(word) {
	case "allow", "allow-related", "allow-stateless", "accept":
		return themes.Allow
	case "deny", "drop", "reject", "isolate":
		return themes.Deny
	case "pass":
		return themes.Pass
	case "error", "fail":
		return themes.Error
	case "warning", "unproven", "mixed", "undefined", "unknown":
		return themes.Warn
	case "info":
		return themes.Info
	}
	return themes.Text
}
