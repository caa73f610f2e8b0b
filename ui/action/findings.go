package action

// The actions of the page of findings.
const (
	FindingsOnly   ID = "findings.severity"
	FindingsPolicy ID = "findings.policy"
)

var findingsActions = []Action{
	{ID: FindingsOnly, Keys: []string{"V"}, Title: "severity", Footer: 20, Help: "show errors only, then errors and warnings, then all again"},
	{ID: FindingsPolicy, Keys: []string{"o"}, Title: "policy", Footer: 30, Help: "open the policy the finding is about"},
}
