package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/pod"
	"rung/revision"
)

func NamespaceCommand(a *command.App) *cobra.Command {
	return command.NetworkCommand(a, &cobra.Command{
		Use:     "namespace NAME",
		Aliases: []string{"ns"},
		Short:   "Show one namespace: connections in and out, policies, findings",
		Long: `Show one namespace on one page: which namespaces may reach it and which it may reach, over
all pods and ports (mixed: pods or ports differ; rung matrix --focus NAME has the pairs);
what happens to connections that no rule decides; its policies, and policies about
its pods, in deciding order; and the errors and warnings about them.`,
		Example: `  rung namespace blue -f examples/
  rung namespace blue --context staging -o json`,
		Args:              command.TakesArgs(0, "NAME"),
		ValidArgsFunction: a.CompleteFirst(command.NamespaceChoices),
		Annotations:       command.FormAnnotations(command.NameForm),
	}, func(args []string, _ bool) command.Query {
		return command.Query{Answer: func(ctx context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			ns := r.Cluster.Namespace(args[0])
			if u := r.Unread(model.KindNamespace); ns == nil && u != nil {
				return nil, fmt.Errorf("namespace %s: %s", args[0], u.Text())
			} else if ns == nil {
				names := model.MapSeq(r.Cluster.Namespaces(), func(n *model.Namespace) string { return n.Name })
				return nil, fmt.Errorf("no namespace %s%s", args[0], words.DidYouMean(args[0], names))
			}
			m, err := revision.FindMatrix(r, ctx, verdict.Ports{})
			if err != nil {
				return nil, err
			}
			found, err := revision.AllFindings(r, ctx)
			if err != nil {
				return nil, err
			}
			out := pod.FactsOfNamespace(r, ns, m, found)
			return &command.Answer{Value: out, Text: func(bool) string { return out.Text() },
				Names: func() []string {
					return []string{command.ObjectName(model.Key{Kind: model.KindNamespace, Name: ns.Name})}
				},
				NotConsidered: revision.OmissionsOfAnswers(r, false)}, nil
		}}
	})
}
