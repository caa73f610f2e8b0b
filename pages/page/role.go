package page

import (
	"cmp"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/themes"
)

// StateRole returns the role of a policy's state.
func StateRole(s model.PolicyState) Role {
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

// StateSign returns the sign of a policy's state, for narrow places. Every state has its own sign.
func StateSign(s model.PolicyState) string { return cmp.Or(stateSigns[s], words.Unknown) }

var stateSigns = map[model.PolicyState]string{model.StateInSync: words.Yes, model.StateBehind: words.Differs,
	model.StateFrozen: words.Frozen, model.StateStale: words.Stale, model.StateNotComparable: words.Unmatched,
	model.StateNotEnforced: words.No, model.StateSettling: words.Working}

// SeveritySign returns the sign of a finding's severity.
func SeveritySign(s model.Severity) Span {
	switch s {
	case model.SeverityError:
		return Span{Text: words.Failed, Role: themes.Error}
	case model.SeverityWarning:
		return Span{Text: words.Warned, Role: themes.Warn}
	}
	return Span{Text: words.Noted, Role: themes.Info}
}

// VerdictSign returns the sign of a verdict. The word always accompanies it.
func VerdictSign(v verdict.Verdict) Span {
	switch v {
	case verdict.Allow:
		return Span{Text: words.Yes, Role: themes.Allow}
	case verdict.Deny:
		return Span{Text: words.No, Role: themes.Deny}
	case verdict.Mixed:
		return Span{Text: words.Mixed, Role: themes.Warn}
	case verdict.Undefined:
		return Span{Text: words.Warned, Role: themes.Warn}
	}
	return Span{Text: words.Unknown, Role: themes.Warn}
}

// ActionRole returns the role of a rule's action.
func ActionRole(a model.Action) Role {
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

// WordRole returns the role of a printed word for an action, verdict, result or severity, including OVN's.
func WordRole(word string) Role {
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
