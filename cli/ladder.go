package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/pages/ladder"
	"rung/revision"
	"rung/revision/omitted"
	"rung/system"
)

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
			if !r.System.Has(system.Stages) && *stage != "" {
				return nil, fmt.Errorf("--stage is of OVN's pipeline, and %s precedence holds here; leave it out", r.System.Whose)
			}
			if of := formOf(a.flags.output); of != nil && of != r.System {
				return nil, fmt.Errorf("-o %s is the order of %s policies, and %s precedence holds here (%s); see --system", of.Form.Name, of.Whose, r.System.Whose, r.SystemWhy)
			}
			return a.ladderAnswer(r, *stage, e.Now()), nil
		}}
	})
	cmd.Annotations = map[string]string{}
	for _, s := range system.All {
		if s.Form != nil {
			cmd.Annotations[s.Form.Name] = ""
		}
	}
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
		if r.System.Bands != nil {
			return fmt.Sprintf("system: %s (%s)\n%s", r.System.Name, r.SystemWhy, text)
		}
		return text
	}
	switch {
	case r.System.Bands != nil:
		ans.value, ans.records = ladder.BandFactsOf(r), func() string { return placesText(r) }
	case len(r.Zones) == 0:
		ans.value = ladder.FactsOf(r.Ladder().In(stage))
	default:
		ans.value = ladder.LiveFactsOf(r, stage, now)
		ans.notConsidered = append(ans.notConsidered, omitted.Zones(r)...)
	}
	return ans
}

// formOf is the system whose own form of the ladder an output is, nil for none.
func formOf(output string) *system.System {
	for _, s := range system.All {
		if s.Form != nil && s.Form.Name == output {
			return s
		}
	}
	return nil
}

// placesText is the order of the policies in the system's own form.
func placesText(r *revision.Revision) string {
	t := &tableOut{head: r.System.Form.Head}
	for _, p := range r.Order() {
		t.add(r.System.Form.Row(&p)...)
	}
	return t.String()
}

// noRows says on stderr why there is nothing to list where policies have no rows.
func (a *app) noRows(r *revision.Revision) {
	text := fmt.Sprintf("rung: %s enforces the policies here: there are no zones and no rows (docs/%s.md)", r.System.Title, r.System.Name)
	if !r.System.Has(system.Rows) && !a.flags.quiet && !a.said[text] {
		a.said[text] = true
		fmt.Fprintln(a.err, text)
	}
}
