package show

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
	"rung/pages/pod"
	"rung/revision"
	"rung/revision/omitted"
)

func PodCommand(a *command.App) *cobra.Command {
	return a.QueryCommand(&cobra.Command{
		Use:   "pod NAMESPACE/NAME",
		Short: "Show every rule that touches a pod, in order of precedence",
		Long: `Show every rule that touches a pod, as subject or as peer, in order of precedence, and
the NetworkPolicies that isolate it: what none of them allows is dropped by the
default deny of its namespace. An EgressFirewall decides in the to-lport stage: even
after an egress Allow above it, but not after a drop. A NetworkPolicy rule without
peers means everybody; it is listed for its subjects only.`,
		Example: `  rung pod red/canary-0 -f examples/
  rung pod red/canary-0 --context staging -o json`,
		Args:              command.TakesArgs(0, "NAMESPACE/NAME"),
		ValidArgsFunction: a.CompleteFirst(command.PodChoices),
	}, func(args []string, _ bool) command.Query {
		return command.Query{Answer: func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			named, err := findPod(r, args[0])
			if err != nil {
				return nil, err
			}
			out := pod.FactsOfPod(r, named, e.Now())
			ans := command.TableAnswer(a, out, pod.Table, slices.DeleteFunc(out.Lines, func(l *pod.Line) bool { return !l.IsPrinted() }))
			list := ans.Text
			ans.Text = func(wide bool) string { return out.SummaryText() + list(wide) }
			ans.NotConsidered = omitted.OmissionsOfObjects(r)
			return ans, nil
		}}
	})
}

func findPod(r *revision.Revision, name string) (*model.Pod, error) {
	ns, short, ok := strings.Cut(name, "/")
	if !ok {
		for p := range r.Cluster.Pods() {
			if p.Name == name {
				return nil, fmt.Errorf("pod %q: want NAMESPACE/NAME, such as %s/%s", name, p.Namespace, p.Name)
			}
		}
		return nil, fmt.Errorf("pod %q: want NAMESPACE/NAME", name)
	}
	if p := r.Cluster.Pod(ns, short); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no pod %s among the %s read", name, words.Count(r.Cluster.Count(model.KindPod), "pod"))
}
