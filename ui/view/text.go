package view

import (
	"rung/model"
	"rung/themes"
)

// StateStyle is the look of a policy's state.
func StateStyle(s model.PolicyState, st *themes.Styles) themes.Style {
	switch s {
	case model.StateInSync:
		return st.OK
	case model.StateSettling:
		return st.Info
	case model.StateFrozen, model.StateBehind:
		return st.Error
	case model.StateNotEnforced, model.StateStale, model.StateNotComparable:
		return st.Warn
	}
	return st.Dim
}

// ActionStyle is the look of what a rule does.
func ActionStyle(a model.Action, st *themes.Styles) themes.Style {
	switch a {
	case model.Allow:
		return st.Allow
	case model.Deny:
		return st.Deny
	case model.Pass:
		return st.Pass
	}
	return st.Text
}
