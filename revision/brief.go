package revision

import "rung/model"

// Brief is the JSON of a finding on a page about one object.
type Brief struct {
	Severity model.Severity `json:"severity"`
	Code     string         `json:"code"`
	Message  string         `json:"message"`
	Rule     string         `json:"rule,omitempty"` // the rule it is about, on a policy's page
}

// NewBrief returns the short form of a finding.
func NewBrief(f model.Finding) Brief {
	return Brief{Severity: f.Severity, Code: f.Code, Message: f.Message}
}
