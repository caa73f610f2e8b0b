package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/pages/findings"
	"rung/revision"
	"rung/revision/finding"
	"rung/revision/omitted"
)

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
		Annotations: tableForms,
		Args:        takes(0),
	}, func([]string, bool) query {
		a.flags.quiet = true // broken objects are among the findings
		return query{answer: func(ctx context.Context, _ *engine.Engine, r *revision.Revision) (*answer, error) {
			found, err := finding.AllFindings(r, ctx)
			if err != nil {
				return nil, err
			}
			ans := findingsAnswer(a, found, model.SeverityError)
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
func findingsAnswer(a *app, found []model.Finding, no ...model.Severity) *answer {
	all := findings.Of(found)
	ans := tableAnswer(a, all, findings.Table, all)
	ans.no = slices.ContainsFunc(found, func(f model.Finding) bool { return slices.Contains(no, f.Severity) })
	return ans
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
