package cli

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/model/antrea"
	"rung/pages/ladder"
	"rung/revision"
	"rung/revision/omitted"
)

// antctlForm is the output of rung ladder that has the columns of antctl.
const antctlForm = "antctl"

func (a *app) ladderCmd() *cobra.Command {
	var stage *model.Stage
	cmd := a.shows(&cobra.Command{
		Use:   "ladder",
		Short: "Show every policy in order of precedence, with gaps and conflicts",
		Long: `Show every policy in order of precedence: tier 1 by priority, where the lower number
comes first; tier 2 by kind and namespace, with OVN's priorities, where the higher
number comes first. --stage shows one stage of the pipeline alone, in its true order.

Where Antrea's precedence holds (--system), its tiers stand in order, with the
NetworkPolicies before the baseline; -o antctl prints the columns of antctl get
networkpolicy --sort-by=effectivePriority.

With --nb it also shows how many zones are in sync with each policy, and the rows no
policy stands for: those of tier 0, and those Rung does not compile.`,
		Example: `  rung ladder -f policies/
  rung ladder -f policies/ --stage to-lport -o wide
  rung ladder --context staging -o json
  rung ladder -f policies/ --system antrea -o antctl`,
		Args: takes(0),
	}, func([]string, bool) query {
		return query{zones: len(a.flags.nb) > 0, answer: func(e *engine.Engine, r *revision.Revision) (*answer, error) {
			switch {
			case r.Antrea() && *stage != "":
				return nil, errors.New("--stage is of OVN's pipeline, and Antrea's precedence holds here; leave it out")
			case !r.Antrea() && a.flags.output == antctlForm:
				return nil, fmt.Errorf("-o %s is the order of Antrea's policies, and OVN-Kubernetes' precedence holds here (%s); see --system", antctlForm, r.SystemWhy)
			}
			return a.ladderAnswer(r, *stage, e.Now()), nil
		}}
	})
	cmd.Annotations = map[string]string{antctlForm: ""}
	stage = stageFlag(cmd, "only one `stage` of the pipeline")
	return cmd
}

// ladderAnswer is the ladder of a revision, of one stage where one is given.
func (a *app) ladderAnswer(r *revision.Revision, stage model.Stage, now time.Time) *answer {
	ans := &answer{notConsidered: omitted.Objects(r)}
	ans.text = func(wide bool) string {
		opt := ladder.Options{Stage: stage, Now: now}
		lines := slices.DeleteFunc(ladder.Lines(r, opt), func(l *ladder.Line) bool { return !l.IsPrinted() })
		text := tableText(ladder.Table(r, opt), lines, wide, a.width())
		if r.Antrea() {
			return "system: antrea (" + r.SystemWhy + ")\n" + text
		}
		return text
	}
	switch {
	case r.Antrea():
		ans.value, ans.records = ladder.BandFactsOf(r), func() string { return antctlText(r) }
	case len(r.Zones) == 0:
		ans.value = ladder.FactsOf(r.Ladder().In(stage))
	default:
		ans.value = ladder.LiveFactsOf(r, stage, now)
		ans.notConsidered = append(ans.notConsidered, omitted.Zones(r)...)
	}
	return ans
}

// antctlText has the columns of antctl get networkpolicy --sort-by=effectivePriority.
func antctlText(r *revision.Revision) string {
	t := &tableOut{head: antrea.AntctlHead}
	for _, p := range r.Order() {
		t.add(antrea.AntctlRow(&p)...)
	}
	return t.String()
}

// noRows says on stderr why there is nothing to list where Antrea enforces policies.
func (a *app) noRows(r *revision.Revision) {
	const text = "rung: Antrea enforces the policies here: there are no zones and no rows (docs/antrea.md)"
	if r.Antrea() && !a.flags.quiet && !a.said[text] {
		a.said[text] = true
		fmt.Fprintln(a.err, text)
	}
}
