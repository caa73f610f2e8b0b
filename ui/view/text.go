package view

import (
	"rung/model"
	"rung/pages/page/role"
	"rung/themes"
)

// StateStyle is the look of a policy's state.
func StateStyle(s model.PolicyState, st *themes.Styles) themes.Style {
	return st.Of(role.State(s))
}

// ActionStyle is the look of what a rule does.
func ActionStyle(a model.Action, st *themes.Styles) themes.Style {
	return st.Of(role.Action(a))
}
