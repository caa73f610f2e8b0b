package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/engine/revision"
	"rung/model"
)

// findingOut is a finding in the JSON of `rung lint` (command-line.md#output). Policy
// and rule are empty where the finding is not about one.
type findingOut struct {
	Code     string         `json:"code"`
	Severity model.Severity `json:"severity"`
	Policy   string         `json:"policy"`
	Rule     string         `json:"rule"`
	Message  string         `json:"message"`
	Remedy   string         `json:"remedy"`
	File     string         `json:"file,omitempty"`
}

// findingBrief is a finding of the policy that is shown; findingOfOut one that a change
// brings.
type findingBrief struct {
	Severity model.Severity `json:"severity"`
	Code     string         `json:"code"`
	Message  string         `json:"message"`
}

type findingOfOut struct {
	Policy string `json:"policy"`
	findingBrief
}

func briefly(f model.Finding) findingBrief {
	return findingBrief{Severity: f.Severity, Code: f.Code, Message: f.Message}
}

func (a *app) lintCmd() *cobra.Command {
	return a.shows(&cobra.Command{
		Use:   "lint",
		Short: "Report what is wrong or dangerous; exit 1 on errors",
		Long: `Report what is wrong or dangerous about the policies: files that cannot be read,
policies OVN-Kubernetes would refuse, ties, rules that never match, and more. Exit 1
when there is an error; warnings alone exit 0. Rows are for "rung drift" and
"rung zones --check".`,
		Example: `  rung lint -f policies/
  rung lint -f policies/ -o json`,
		Args: takes(0),
	}, func([]string, bool) query {
		a.flags.quiet = true // broken objects are among the findings
		return query{answer: func(_ *engine.Engine, r *revision.Revision) (*answer, error) {
			return findingsAnswer(r.Findings(), model.SeverityError), nil
		}}
	})
}

// findingsAnswer prints findings; the answer is no when one is as bad as that.
func findingsAnswer(found []model.Finding, no ...model.Severity) *answer {
	out, bad := []findingOut{}, false
	for _, f := range found {
		o := findingOut{Code: f.Code, Severity: f.Severity, Message: f.Message, Remedy: f.Remedy, File: f.Origin.Where()}
		if f.Policy.Kind != "" && f.Policy.Name != "" {
			o.Policy = f.Policy.String()
		}
		if f.Direction != "" && f.Rule >= 0 {
			o.Rule = fmt.Sprintf("%s %d", f.Direction.Lower(), f.Rule)
		}
		bad = bad || slices.Contains(no, f.Severity)
		out = append(out, o)
	}
	return &answer{value: out, text: func(bool) string { return lintText(out) }, no: bad}
}

func lintText(out []findingOut) string {
	if len(out) == 0 {
		return "nothing found\n"
	}
	t := &tableOut{head: []string{"SEVERITY", "CODE", "POLICY", "RULE", "MESSAGE"}}
	for _, f := range out {
		message := f.Message
		if f.File != "" && (f.Policy == "" || f.Severity == model.SeverityError) {
			message = f.File + ": " + message
		}
		if f.Remedy != "" {
			message += " → " + f.Remedy
		}
		t.add(string(f.Severity), f.Code, f.Policy, f.Rule, message)
	}
	return t.String()
}
