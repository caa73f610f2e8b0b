package cli

import "rung/model"

// findingBrief is a finding of the policy that is shown; findingOfOut one that a change
// brings.
type findingBrief struct {
	Severity model.Severity `json:"severity"`
	Code     string         `json:"code"`
	Message  string         `json:"message"`
}

func briefly(f model.Finding) findingBrief {
	return findingBrief{Severity: f.Severity, Code: f.Code, Message: f.Message}
}

type findingOfOut struct {
	Policy string `json:"policy"`
	findingBrief
}
