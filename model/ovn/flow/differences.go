package flow

import (
	"cmp"
	"fmt"
	"strings"

	"rung/model/ovn/nb"
)

// flowDifferences returns how a flow differs from its ACL.
func flowDifferences(a *nb.ACL, f *Flow) (out []string) {
	say := func(what string, flow, row any) {
		if flow != row {
			out = append(out, fmt.Sprintf("%s %v, the row says %v", what, flow, row))
		}
	}
	if f.Row.Priority == prioRelated {
		return nil // logs replies: in the other pipeline, with its own match
	}
	say("priority", f.Row.Priority-PriorityOffset, a.Priority)
	if f.Part == PartEval {
		say("stage", string(f.Stage), a.Stage())
		say("tier", max(f.Tier, 0), a.Tier) // NoTier is below 0
		say("action", cmp.Or(f.Verdict, nb.ActionPass), verdictOfAction(a.Action))
		say("log", f.Log != nil, a.Log)
		if f.Log != nil && a.Log {
			out = append(out, f.logDifferences(a)...)
		}
	}
	if f.Match != a.Match {
		out = append(out, "another match")
	}
	return out
}

// logDifferences returns how a flow logs differently from its ACL.
func (f *Flow) logDifferences(a *nb.ACL) (out []string) {
	// northd escapes nothing in a name, so the raw text is compared.
	if named := strings.Contains(f.Row.Actions, "log(name=\""); a.Name == "" && named && !a.BlankName ||
		a.Name != "" && !strings.Contains(f.Row.Actions, "log(name=\""+a.Name+"\", ") {
		out = append(out, "another name")
	}
	if f.isRefusedByName() {
		return out // the text after the name cannot be parsed either
	}
	if severity := cmp.Or(a.Severity, "info"); f.Log.Severity != severity {
		out = append(out, "severity "+f.Log.Severity+", the row says "+severity)
	}
	if f.Log.Meter != a.Meter && f.Log.Meter != a.Meter+"__"+a.UUID { // with a fair meter every ACL has its own
		out = append(out, "another meter")
	}
	return out
}

// verdictOfAction returns the verdict of a flow for its ACL's action.
func verdictOfAction(action string) string {
	switch action {
	case nb.ActionAllow, nb.ActionAllowRelated, nb.ActionAllowStateless:
		return ActAllow
	}
	return action
}
