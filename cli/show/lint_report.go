package show

import (
	"strings"

	"rung/cli/report"
	"rung/model"
	"rung/model/lint/codes"
	"rung/pages/findings"
)

// lintReport has a result for each finding, for pipelines.
func lintReport(found []model.Finding) *report.Report {
	out := &report.Report{Command: "lint"}
	explained := map[string]bool{}
	for _, f := range findings.FindingsOf(found) {
		if !explained[f.Code] {
			explained[f.Code] = true
			out.Rules = append(out.Rules, lintRule(f.Code))
		}
		r := report.Result{Code: f.Code, Level: levelOf(f.Severity), Message: f.Message, Object: f.Policy, File: f.Of.Origin.File, Line: f.Of.Origin.Line, Key: f.PlaceText()}
		if f.Policy != "" {
			r.Name = strings.TrimSpace(f.Code + ": " + f.Policy + " " + f.PlaceText())
		}
		if place := f.PlaceText(); place != "" {
			r.Message = place + ": " + r.Message
		}
		if codes.KindOfCode(f.Code) == nil {
			r.Key += " " + f.Message // a policy may have several mistakes of one code
		}
		if !f.Of.Witness.IsZero() {
			r.Detail = "for example " + f.Of.Witness.String()
		}
		if f.Remedy != "" {
			r.Message += " → " + f.Remedy
		}
		out.Results = append(out.Results, r)
	}
	return out
}

// lintRule explains a code as docs/findings.md does.
func lintRule(code string) report.Rule {
	out := report.Rule{Code: code, Title: codes.ShortCode(code), Help: "docs/findings.md#" + code + " has an example."}
	if k := codes.KindOfCode(code); k != nil {
		out.Says = k.Says
		if k.Remedy != "" {
			out.Help = "What to do: " + k.Remedy + ".\n" + out.Help
		}
	}
	return out
}

func levelOf(s model.Severity) report.Level {
	switch s {
	case model.SeverityError:
		return report.Error
	case model.SeverityWarning:
		return report.Warning
	}
	return report.Note
}
