package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/trace"
	"rung/model"
	"rung/model/words"
	"rung/pages/pod"
	"rung/pages/policy"
	"rung/revision"
)

func PolicyCommand(a *command.App) *cobra.Command { return policyCommand(a, &Selection{}) }

func policyCommand(a *command.App, in *Selection) *cobra.Command {
	var cmd *cobra.Command
	cmd = a.QueryCommand(&cobra.Command{
		Use:   "policy [NAME]",
		Short: "List policies, or show one: subject pods, rules in order, ACLs, findings",
		Long: `Without a name list the policies as rung ladder does. Name one by NAME, a
NetworkPolicy or EgressFirewall by NAMESPACE/NAME; if two kinds share a name, put the
kind before it: ANP/x, BANP/default, NP/namespace/x. With --nb, or databases in a folder
of -f, it also shows the state of its rows in each zone. -o wide lists the pods and ACLs.`,
		Example: `  rung policy cluster-control -f examples/
  rung policy -n green -f examples/
  rung policy db-from-api -n green --context staging -o wide`,
		Args:              command.TakesArgs(1, "[NAME]"),
		ValidArgsFunction: a.CompleteFirst(command.PolicyChoices),
		Annotations:       command.FormAnnotations(command.NameForm),
	}, func(args []string, _ bool) command.Query {
		return command.Query{Zones: a.Flags.HasDatabases(cmd.Context()), Answer: func(_ context.Context, e *engine.Engine,
			r *revision.Revision) (*command.Answer, error) {
			if len(args) == 0 {
				return ladderAnswer(a, r, "", in, e.Now()), in.Check(r)
			}
			k, err := in.PolicyNamed(r, args[0])
			if err != nil {
				return nil, err
			}
			out := policy.FactsOfPolicy(r, k, e.Now())
			return &command.Answer{Value: out, Text: func(wide bool) string { return policyText(a, r, k, out, wide) },
				Names: func() []string { return []string{command.ObjectName(k)} }, NotConsidered: revision.OmissionsOfPolicy(r, k)}, nil
		}}
	})
	in.AddTo(a, cmd, Policies)
	return cmd
}

// GetCommand answers in kubectl's words: the policies of a kind, or one policy.
func GetCommand(a *command.App) *cobra.Command {
	in := &Selection{}
	cmd := policyCommand(a, in)
	ask := cmd.RunE
	cmd.Use, cmd.Aliases = "get [KIND [NAME]]", []string{"describe"}
	cmd.Short = "List the policies of a kind, or show one, as kubectl get and describe"
	cmd.Long = `Answer as rung policy does, in kubectl's words. A KIND is anp, banp, cnp, netpol,
egressfirewall or another kind of policy; NAME or KIND/NAME shows one.`
	cmd.Example = `  rung get anp -f examples/
  rung describe anp cluster-control -f examples/
  rung get netpol db-from-api -n green --context staging -o yaml`
	cmd.Args = command.TakesArgs(2, "[KIND]", "[NAME]")
	cmd.ValidArgsFunction = command.FixedWords("anp", "banp", "cnp", "netpol", "egressfirewall")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		word, name, _ := strings.Cut(strings.Join(args, "/"), "/")
		kind := command.PolicyKind(word)
		switch {
		case word == "":
			return ask(cmd, nil)
		case kind == "":
			return fmt.Errorf("%q is no kind of policy: use anp, banp, cnp, netpol or egressfirewall; see also rung pod, rung zones", word)
		case name != "":
			return ask(cmd, []string{kind.Abbreviation() + "/" + name})
		}
		in.keepKind(kind)
		return ask(cmd, nil)
	}
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
it is listed for its subjects only. As with kubectl, deploy/NAME and svc/NAME mean one
of their pods.

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
			named, others, err := findPod(r, &only, args[0])
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
			ans.NotConsidered, ans.LeftOut = revision.OmissionsOfObjects(r), others
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
		return model.MapList(out, func(p *pod.Listed) string { return command.ObjectName(p.Original.Key) })
	}
	ans.NotConsidered = revision.OmissionsOfObjects(r)
	ans.LeftOut = only.LeftOutText(len(out), len(all), "pod")
	return ans, nil
}

// findPod returns the pod that an end names as in rung trace. Of a workload or Service it returns the first, and
// others says how many there are.
func findPod(r *revision.Revision, only *Selection, text string) (first *model.Pod, others string, err error) {
	if err := only.CheckName(text); err != nil {
		return nil, "", err
	}
	if p := r.Cluster.Pod(only.Namespace(), text); p != nil && only.Namespace() != "" {
		return p, "", nil
	}
	names := trace.NewEndNames(r.Cluster, r)
	e, err := names.ReadEnd(text, only.Namespace(), true)
	switch {
	case err != nil:
		return nil, "", err
	case e.Addr.IsValid():
		return nil, "", fmt.Errorf("%s is an address: name a pod, as NAMESPACE/NAME", text)
	}
	isNode := e.Key.Kind == model.KindNode
	var p *model.Pod
	if e.Key.Kind == model.KindPod {
		p = r.Cluster.Pod(e.Key.Namespace, e.Key.Name)
	}
	alike := func(o *model.Pod) bool {
		return p != nil && o.Workload == p.Workload && !strings.HasSuffix(text, p.Name)
	}
	if s, ok := r.Cluster.Get(e.Key).(*model.Service); ok {
		selector := labels.Set(s.Selector.Map())
		alike = func(o *model.Pod) bool {
			return len(selector) > 0 && selector.AsSelector().Matches(labels.Set(o.Labels.Map()))
		}
	}
	n := 0
	for o := range r.Cluster.PodsIn(e.Key.Namespace) {
		if alike(o) {
			p, n = cmp.Or(p, o), n+1
		}
	}
	switch ns := only.Namespace(); {
	case isNode:
		return nil, "", fmt.Errorf("%s is a node; its pods: rung pod --field-selector spec.nodeName=%s", text, e.Key.Name)
	case ns != "" && e.Key.Namespace != ns:
		return nil, "", fmt.Errorf("%s is not in namespace %s", text, ns)
	case p == nil && e.Key.Kind == model.KindService:
		return nil, "", fmt.Errorf("no pod of %s was read%s", text, names.SimilarTo(e))
	case p == nil:
		return nil, "", command.NoPod(r, e.Key.NamespacedName())
	case n > 1:
		others = fmt.Sprintf("%s has %s: this is one of them", text, words.Count(n, "pod"))
	}
	return p, others, nil
}
