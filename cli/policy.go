package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/policy"
	"rung/revision"
)

func PolicyCommand(a *command.App) *cobra.Command {
	var in Selection
	var cmd *cobra.Command
	cmd = a.QueryCommand(&cobra.Command{
		Use:   "policy NAME",
		Short: "Show one policy: subject pods, rules in order, ACLs, findings",
		Long: `Show one policy. Name it by NAME, a NetworkPolicy or EgressFirewall by NAMESPACE/NAME;
if two kinds share a name, put the kind before it: ANP/x, BANP/default,
NP/namespace/x. With --nb, or databases in a folder of -f, it also shows
the state of its rows in each zone. -o wide lists the pods and ACLs.`,
		Example: `  rung policy cluster-control -f examples/
  rung policy db-from-api -n green --context staging -o wide`,
		Args:              command.TakesArgs(0, "NAME"),
		ValidArgsFunction: a.CompleteFirst(command.PolicyChoices),
		Annotations:       command.FormAnnotations(command.NameForm),
	}, func(args []string, _ bool) command.Query {
		return command.Query{Zones: a.Flags.HasDatabases(cmd.Context()), Answer: func(_ context.Context, e *engine.Engine,
			r *revision.Revision) (*command.Answer, error) {
			k, err := in.PolicyNamed(r, args[0])
			if err != nil {
				return nil, err
			}
			out := policy.FactsOfPolicy(r, k, e.Now())
			return &command.Answer{Value: out, Text: func(wide bool) string { return policyText(a, r, k, out, wide) },
				Names: func() []string { return []string{command.ObjectName(k)} }, NotConsidered: revision.OmissionsOfPolicy(r, k)}, nil
		}}
	})
	in.NamespaceFlag(cmd, "`NAMESPACE` of the policy, if NAME has none")
	return cmd
}

func policyText(a *command.App, r *revision.Revision, k model.PolicyKey, o *policy.PolicyFacts, wide bool) string {
	p := r.Cluster.Policy(k)
	s := fmt.Sprintf("%s %s  tier %d", o.Kind, o.Name, o.Tier)
	if a := o.Tiered; a != nil {
		tier := " (does not exist)"
		if a.TierPriority != nil {
			tier = fmt.Sprintf(" (%d)", *a.TierPriority)
		}
		s = fmt.Sprintf("%s %s  tier %s%s  priority %g", o.Kind.Title(), o.Name, a.Tier, tier, a.Priority)
		if why := revision.WhyUnjudged(r, p); why != nil {
			s += "  " + why.Sign + " " + why.State
		}
	}
	if o.APIVersion != "" {
		s += "  apiVersion " + o.APIVersion
	}
	if o.Priority != nil {
		s += fmt.Sprintf("  priority %d", *o.Priority)
	}
	n := revision.SubjectCount{Pods: len(o.Pods), OtherNetwork: len(o.PodsApart)}
	n.IsUnread = r.Unread(model.KindPod, model.KindNamespace).HidesCount(n.SelectedPods())
	pods := n.String()
	if len(o.PodsApart) > 0 {
		pods += ", not enforced"
	}
	logging := o.Logging
	if o.LoggingFrom != "" {
		logging += "  set by namespace " + o.LoggingFrom
	}
	s += fmt.Sprintf("\nsubject  %s → %s\nlogging  %s\n", o.Subject, pods, logging)
	if o.Kind == model.KindNP || o.Kind == model.KindMNP {
		s += "isolates " + cmp.Or(strings.Join(o.Isolates, " and "), o.Isolated, "nothing") + "\n"
	}
	if o.None != "" {
		s += "no rows  " + o.None + "\n"
	}
	s += "\n" + command.TableText(policy.RuleTable(p, !r.BySelectors(p)), o.Rules, wide, command.TerminalWidth(a.Raw))
	if len(o.Zones) > 0 {
		t := &command.TextTable{Head: []string{"ZONE", "LIVE ACLS", "LIVE PRIO", "STATE"}}
		for _, z := range o.Zones {
			prio, state := "", string(z.State)
			if z.Priority != nil {
				prio = fmt.Sprint(*z.Priority)
			}
			if z.Error != "" {
				state += ": " + z.Error
			}
			t.AddRow(z.Zone, fmt.Sprint(z.ACLs), prio, state)
		}
		s += "\n" + t.String()
	}
	for i, u := range o.With {
		if i == 0 {
			s += "\nits rows are also in\n"
		}
		s += strings.TrimRight("  "+u.Label+"  "+words.CountByState(u.Zones), " ") + "\n"
	}
	if len(o.Findings)+len(o.Conditions) > 0 {
		s += "\n"
	}
	for _, c := range o.Conditions {
		s += fmt.Sprintf("controller reported at %s: %s %s (%s) %s\n", cmp.Or(c.At, "?"), c.Type, c.Status, c.Reason,
			c.Message)
	}
	for _, f := range o.Findings {
		s += fmt.Sprintf("%s %s: %s\n", command.PaintWord(string(f.Severity)), strings.TrimSpace(f.Rule+" "+f.Code), f.Message)
	}
	if !wide {
		return s
	}
	if o.Tiered == nil {
		s += "\nACLs\n"
	}
	for _, x := range o.Rules {
		for _, id := range x.ACLs {
			s += "  " + id + "\n"
		}
	}
	s += "\npods\n"
	for _, pod := range o.Pods {
		s += "  " + pod + "\n"
	}
	for _, pod := range o.PodsApart {
		s += "  " + pod + "  (on a primary UDN)\n"
	}
	return s
}
