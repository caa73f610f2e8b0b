package revision

import "rung/model"

// Brief is a finding in JSON beside what it is about.
type Brief struct {
	Severity model.Severity `json:"severity"`
	Code     string         `json:"code"`
	Message  string         `json:"message"`
	Rule     string         `json:"rule,omitempty"` // that it is about, of a policy's own
}

// BriefOf is the short form of a finding.
func BriefOf(f model.Finding) Brief {
	return Brief{Severity: f.Severity, Code: f.Code, Message: f.Message}
}
