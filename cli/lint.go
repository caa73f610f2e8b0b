package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/revision"
	"rung/revision/omitted"
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
	// Cause is the rule because of which it stands, where several findings have it in common;
	// Under is, of the one about that rule, how many they are.
	Cause string `json:"cause,omitempty"`
	Under int    `json:"under,omitempty"`
	// Witness is a connection that shows it, absent where there is none.
	Witness *witnessOut `json:"witness,omitempty"`
	File    string      `json:"file,omitempty"`
}

// witnessOut is a connection as rung trace asks about it, with what it says.
type witnessOut struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Protocol string `json:"protocol"`
	Port     uint16 `json:"port,omitempty"`
	Family   uint8  `json:"family"`
	Verdict  string `json:"verdict"`
	By       string `json:"by"` // empty for no policy
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
			found, err := r.AllFindings(context.Background())
			if err != nil {
				return nil, err
			}
			ans := findingsAnswer(found, model.SeverityError)
			list := ans.text
			ans.text = func(wide bool) string { return list(wide) + lintCount(found) }
			ans.notConsidered = unfound(r, found)
			ans.nothingFound(len(found))
			return ans, nil
		}}
	})
}

// nothingFound says that there are no findings, and where that is not all, of what.
func (ans *answer) nothingFound(found int) {
	if not := uncounted(ans.notConsidered); found == 0 && not != "" {
		ans.text = func(bool) string { return "nothing found in what was considered; not considered: " + not + "\n" }
	}
}

// unfound are those of the omissions that no finding is an error about.
func unfound(r *revision.Revision, found []model.Finding) []model.Omission {
	return slices.DeleteFunc(omitted.Objects(r), func(o model.Omission) bool {
		return slices.ContainsFunc(found, func(f model.Finding) bool {
			return f.Severity == model.SeverityError && (o.Key.Name != "" && f.Policy == o.Key ||
				f.Origin.File != "" && f.Origin.Where() == o.Origin.Where())
		})
	})
}

// findingsAnswer prints findings; the answer is no when one is as bad as that.
func findingsAnswer(found []model.Finding, no ...model.Severity) *answer {
	out, bad := []findingOut{}, false
	roots, under := model.Roots(found), map[string]int{}
	for i := range found {
		if roots.Over(&found[i]) {
			under[found[i].Cause]++
		}
	}
	for _, f := range found {
		o := findingOut{Code: f.Code, Severity: f.Severity, Message: f.Message, Remedy: f.Remedy, File: f.Origin.Where()}
		switch {
		case f.Root:
			o.Under = under[f.Cause]
		case roots.Over(&f):
			o.Cause = f.Cause
		}
		if w := witnessOut(f.Witness); !f.Witness.None() {
			o.Witness = &w
		}
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

// lintCount counts findings as the header of the console does, and says what stands under a cause
// besides.
func lintCount(found []model.Finding) string {
	if len(found) == 0 {
		return ""
	}
	text := "\n" + model.CountFindings(found).Text()
	if under := model.CountUnder(found); under.All() > 0 {
		text += ", and " + under.Text() + " under their cause (indented)"
	}
	return text + "\n"
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
		if f.Witness != nil {
			message += " (" + model.Witness(*f.Witness).String() + ")"
		}
		if f.Remedy != "" {
			message += " → " + f.Remedy
		}
		severity := string(f.Severity)
		if f.Cause != "" { // below the finding about the rule that is its cause
			severity = "  " + severity
		}
		t.add(severity, f.Code, f.Policy, f.Rule, message)
	}
	return t.String()
}
