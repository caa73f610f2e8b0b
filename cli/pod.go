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
	"rung/pages/page"
	"rung/pages/pod"
	"rung/revision"
)

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
	out := pod.ListOf(r, slices.DeleteFunc(slices.Clone(all), func(p *model.Pod) bool { return !only.Keeps(p) }))
	list := *pod.List
	list.Empty = r.EmptyText(list.Empty, model.KindPod)
	ans := command.TableAnswer(a, out, &list, out)
	ans.Names = func() []string {
		return page.MapList(out, func(p *pod.Listed) string { return command.ObjectName(p.Of.Key) })
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
