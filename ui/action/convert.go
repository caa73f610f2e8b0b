package action

import (
	"rung/change"
)

// The actions of the page of a conversion.
const (
	ConvertTarget ID = "convert.target"
	ConvertOnly   ID = "convert.only"
	ConvertText   ID = "convert.yaml"
	ConvertApply  ID = "convert.apply"
)

var convertActions = []Action{
	{ID: ConvertTarget, Keys: []string{"tab"}, Title: "other API", Footer: 20, Help: "convert to the next API: anp, cnp, antrea"},
	{ID: ConvertText, Keys: []string{"v"}, Title: "YAML", Footer: 15, Help: "go to the YAML of what the rule became, or back to the rules"},
	{ID: ConvertOnly, Keys: []string{"V"}, Title: "show only", Footer: 30, Help: "show only rules that are not exact, or all again"},
	{ID: ConvertApply, Keys: []string{"a"}, Title: "apply", Footer: 40, Op: change.OpApply, Danger: change.Confirmed,
		Help: "apply what was made as one change, after a preview; what is not exact wants the policy's name typed"},
}
