package findings

import "rung/model"

// Brief is a finding of the policy that is shown.
type Brief struct {
	Severity model.Severity `json:"severity"`
	Code     string         `json:"code"`
	Message  string         `json:"message"`
}

func BriefOf(f model.Finding) Brief {
	return Brief{Severity: f.Severity, Code: f.Code, Message: f.Message}
}
