package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/findings"
	"rung/revision"
)

func LintCommand(a *command.App) *cobra.Command {
	var only Selection
	cmd := a.QueryCommand(&cobra.Command{
		Use:   "lint",
		Short: "Report what is wrong or dangerous; exit 1 on errors",
		Long: `Report what is wrong or dangerous about the policies: files that cannot be read,
policies OVN-Kubernetes would refuse, ties, rules that never match, and more. Exit 1
when there is an error; warnings alone exit 0. Rows are for "rung drift" and
"rung zones --check".

With -n, -l or --field-selector only findings about the selected objects count, also
for the exit code, and findings about no object, such as files that cannot be read.
The last line counts the others.`,
		Example: `  rung lint -f examples/
  rung lint -f examples/ -n red
  rung lint -f examples/ -o json
  rung lint -f examples/ -o sarif > rung.sarif`,
		Annotations: command.FormAnnotations(append([]string{command.NameForm, command.MarkdownForm, command.CSVForm}, command.Forms...)...),
		Args:        command.TakesArgs(0),
	}, func([]string, bool) command.Query {
		a.Flags.Quiet = true // broken objects are findings
		return command.Query{Answer: func(ctx context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			if err := only.Check(r); err != nil {
				return nil, err
			}
			all, err := revision.AllFindings(r, ctx)
			if err != nil {
				return nil, err
			}
			var found, out []model.Finding // selected, or about no object, and others
			for _, f := range all {
				if f.Policy.Name == "" || only.KeepsKey(r, f.Policy) {
					found = append(found, f)
				} else {
					out = append(out, f)
				}
			}
			ans := findingsAnswer(a, found, model.SeverityError)
			list := ans.Text
			ans.Text = func(wide bool) string { return list(wide) + lintCount(found) }
			ans.NotConsidered = unfoundOmissions(r, found)
			if only.KeptCount(r, Policies) == 0 && !only.IsAll() {
				ans.NotConsidered = append(ans.NotConsidered, noMatch(&only))
			}
			ans.Report, ans.Summary = func() *command.Report {
				out := &command.Report{Command: "lint"}
				out.AddFindings(found)
				return out
			}, strings.TrimSuffix(strings.TrimSpace(lintCount(found)), " (indented)")
			setNothingFoundText(ans, len(found))
			if len(out) > 0 {
				ans.LeftOut = only.LeftOut(fmt.Sprintf("%s of %s (%s)", words.Thousands(len(out)), words.Count(len(all), "finding"),
					model.CountFindings(out).Text()))
				if len(found) == 0 {
					ans.Text = func(bool) string { return "nothing found for " + only.String() + "\n" }
				}
			}
			return ans, nil
		}}
	})
	only.AddTo(a, cmd, Policies)
	return cmd
}

// noMatch returns the omission of an answer whose selection matches no policy.
func noMatch(only *Selection) model.Omission {
	return model.Omission{Code: model.OmittedAll, Why: "nothing was judged: no policy matches " + only.String()}
}

// setNothingFoundText replaces the text of an answer without findings if something was not considered.
func setNothingFoundText(ans *command.Answer, found int) {
	if not := command.NotCounted(ans.NotConsidered); found == 0 && not != "" {
		ans.Text = func(bool) string { return "nothing found in what was considered; not considered: " + not + "\n" }
	}
}

// unfoundOmissions returns the omissions without a finding of severity error.
func unfoundOmissions(r *revision.Revision, found []model.Finding) []model.Omission {
	policies, places := map[model.PolicyKey]bool{}, map[string]bool{}
	for _, f := range found {
		if f.Severity == model.SeverityError {
			policies[f.Policy] = true
			if f.Origin.File != "" {
				places[f.Origin.Place()] = true
			}
		}
	}
	return slices.DeleteFunc(revision.OmissionsOfObjects(r), func(o model.Omission) bool {
		return o.Key.Name != "" && policies[o.Key] || places[o.Origin.Place()]
	})
}

// findingsAnswer prints findings; one with a severity in no makes the answer no.
func findingsAnswer(a *command.App, found []model.Finding, no ...model.Severity) *command.Answer {
	all := findings.NewList(found)
	ans := command.TableAnswer(a, all, findings.Table, all)
	ans.Names = func() []string {
		return command.PolicyNames(model.MapList(found, func(f model.Finding) model.PolicyKey { return f.Policy }))
	}
	ans.No = slices.ContainsFunc(found, func(f model.Finding) bool { return slices.Contains(no, f.Severity) })
	return ans
}

// lintCount returns the line below the list that counts the findings.
func lintCount(found []model.Finding) string {
	if text := findings.CountText(found); text != "" {
		return "\n" + text + "\n"
	}
	return ""
}
