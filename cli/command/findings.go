package command

import (
	"strings"

	"rung/model"
	"rung/model/lint"
	"rung/pages/findings"
)

// AddFindings adds a result for each finding, and the rules of their codes.
func (r *Report) AddFindings(found []model.Finding) {
	explained := map[string]bool{}
	for _, f := range findings.FindingsOf(found) {
		if !explained[f.Code] {
			explained[f.Code] = true
			r.Rules = append(r.Rules, findingRule(f.Code))
		}
		o := Result{Code: f.Code, Level: severityLevel(f.Severity), Message: f.Message, Object: f.Policy, File: f.Of.Origin.File,
			Line: f.Of.Origin.Line, Key: f.PlaceText()}
		if f.Policy != "" {
			o.Name = strings.TrimSpace(f.Code + ": " + f.Policy + " " + f.PlaceText())
		}
		if place := f.PlaceText(); place != "" {
			o.Message = place + ": " + o.Message
		}
		if lint.KindOfCode(f.Code) == nil {
			o.Key += " " + f.Message // a policy may have several errors of one code
		}
		if !f.Of.Witness.IsZero() {
			o.Detail = "for example " + f.Of.Witness.String()
		}
		if f.Remedy != "" {
			o.Message += " → " + f.Remedy
		}
		r.Results = append(r.Results, o)
	}
}

// findingRule returns the rule of a code, as docs/findings.md explains it.
func findingRule(code string) Rule {
	out := Rule{Code: code, Help: "docs/findings.md#" + code + " has an example."}
	if k := lint.KindOfCode(code); k != nil {
		out.Says = k.Says
		if k.Remedy != "" {
			out.Help = "What to do: " + k.Remedy + ".\n" + out.Help
		}
	}
	return out
}

// severityLevel returns the level of a severity.
func severityLevel(s model.Severity) Level {
	switch s {
	case model.SeverityError:
		return Error
	case model.SeverityWarning:
		return Warning
	}
	return Note
}
