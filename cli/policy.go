package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/pages/pod"
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
		s += fmt.Sprintf("controller reported at %s: %s %s (%s) %s\n", cmp.Or(c.Changed.String(), "?"), c.Type, c.Status, c.Reason, c.Message)
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

func PodCommand(a *command.App) *cobra.Command {
	var only Selection
	cmd := command.NetworkCommand(a, &cobra.Command{
		Use:   "pod [NAMESPACE/NAME]",
		Short: "List pods, or show every rule that touches one, in order of precedence",
		Long: `Show every rule that touches a pod, as subject or peer, in order of precedence, and the
NetworkPolicies that isolate it: the default deny of its namespace drops everything that
none of them allows. An EgressFirewall decides in the to-lport stage: after an egress
Allow above it, but not after a drop. A NetworkPolicy rule without peers means any peer;
it is listed for its subjects only.

Without a name list the pods, each with the number of policies enforced on it; -o wide
names the policies.`,
		Example: `  rung pod red/canary-0 -f examples/
  rung pod canary-0 -n red -f examples/
  rung pod -n blue -l app=api --field-selector spec.nodeName=ovn-worker -f examples/
  rung pod red/canary-0 --context staging -o json`,
		Args:              command.TakesArgs(1, "[NAMESPACE/NAME]"),
		ValidArgsFunction: a.CompleteFirst(command.PodChoices),
		Annotations:       command.FormAnnotations(command.NameForm, command.MarkdownForm, command.CSVForm),
	}, func(args []string, _ bool) command.Query {
		return command.Query{Answer: func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			if len(args) == 0 {
				return podsAnswer(a, r, &only)
			}
			name, err := only.PodName(args[0])
			if err != nil {
				return nil, err
			}
			named, err := findPod(r, name)
			if err != nil {
				return nil, err
			}
			out := pod.FactsOfPod(r, named, e.Now())
			ans := command.TableAnswer(a, out, pod.Table, slices.DeleteFunc(out.Lines, func(l *pod.Line) bool { return !l.IsPrinted() }))
			list := ans.Text
			ans.Text = func(wide bool) string { return out.SummaryText() + list(wide) }
			markdown := ans.Markdown
			ans.Markdown = func() string {
				return command.MarkdownLines(out.SummaryText()) + "\n\n" + markdown()
			}
			ans.Names = func() []string { return []string{command.ObjectName(named.Key)} }
			ans.NotConsidered = revision.OmissionsOfObjects(r)
			return ans, nil
		}}
	})
	only.AddTo(a, cmd, Pods)
	return cmd
}

func podsAnswer(a *command.App, r *revision.Revision, only *Selection) (*command.Answer, error) {
	if err := only.Check(r); err != nil {
		return nil, err
	}
	all := slices.Collect(r.Cluster.Pods())
	out := pod.ListPods(r, slices.DeleteFunc(slices.Clone(all), func(p *model.Pod) bool { return !only.Keeps(p) }))
	list := *pod.List
	list.Empty = r.EmptyText(list.Empty, model.KindPod)
	ans := command.TableAnswer(a, out, &list, out)
	ans.Names = func() []string {
		return page.MapList(out, func(p *pod.Listed) string { return command.ObjectName(p.Original.Key) })
	}
	ans.NotConsidered = revision.OmissionsOfObjects(r)
	ans.LeftOut = only.LeftOutText(len(out), len(all), "pod")
	return ans, nil
}

func findPod(r *revision.Revision, name string) (*model.Pod, error) {
	if rest, ok := strings.CutPrefix(name, model.KindPod.ResourceName()+"/"); ok && strings.Contains(rest, "/") {
		name = rest // as -o name prints it
	}
	ns, short, ok := strings.Cut(name, "/")
	if !ok {
		for p := range r.Cluster.Pods() {
			if p.Name == name {
				return nil, fmt.Errorf("pod %q: want NAMESPACE/NAME, such as %s/%s", name, p.Namespace, p.Name)
			}
		}
		return nil, fmt.Errorf("want NAMESPACE/NAME: %w", command.NoPod(r, name))
	}
	if p := r.Cluster.Pod(ns, short); p != nil {
		return p, nil
	}
	return nil, command.NoPod(r, name)
}
