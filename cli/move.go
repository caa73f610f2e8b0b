package cli

import (
	"github.com/spf13/cobra"

	"rung/change"
	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/revision"
)

// changesPolicy completes a command that changes the policy named by its first argument.
func changesPolicy(a *command.App, cmd *cobra.Command, of func(args []string) (change.Mutation, error)) *cobra.Command {
	var c changeFlags
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := of(args)
		if err != nil {
			return err
		}
		return makeChange(cmd.Context(), a, &c, func(r *revision.Revision) (change.Mutation, error) {
			m.Policy, err = command.ChangeableNamed(r, args[0])
			return m, err
		})
	}
	c.registerTrial(cmd)
	return cmd
}

func DeleteCommand(a *command.App) *cobra.Command {
	return changesPolicy(a, &cobra.Command{
		Use:   "delete POLICY",
		Short: "Delete a policy",
		Long: "Delete a policy. The rows it takes with it, and what they no longer decide, are shown first.\n\nTiers and groups are named " +
			"with their kind: tier/NAME, clustergroup/NAME, group/NAMESPACE/NAME.",
		Example: `  rung delete allow-metrics -f examples/ --dry-run
  rung delete allow-metrics --context staging --write`,
		Args:              command.TakesArgs(0, "POLICY"),
		ValidArgsFunction: a.CompleteFirst(command.PolicyChoices),
	}, func([]string) (change.Mutation, error) { return change.Mutation{Op: change.OpDelete}, nil })
}

func MoveCommand(a *command.App) *cobra.Command {
	return changesPolicy(a, &cobra.Command{
		Use:   "move POLICY [TIER/]PRIORITY",
		Short: "Change the priority of a policy, or its tier",
		Long: `Change the priority of an AdminNetworkPolicy. The lower number decides first; no two
policies should share one. "rung plan" shows which are free.

Policies in tiers of their plugin's own can also go to another tier: TIER/PRIORITY, or
TIER/ to keep the priority. Their priorities may be fractions: 5.05.`,
		Example: `  rung move cluster-control 36 -f examples/ --dry-run
  rung move cluster-control 36 -f examples/ --write-back --yes`,
		Args: command.TakesArgs(0, "POLICY", "[TIER/]PRIORITY"),
		ValidArgsFunction: a.CompleteFirst(func(_ *engine.Engine, r *revision.Revision) []string {
			return command.ChoicesOfKind(r, model.Kind.CanMove)
		}),
	}, func(args []string) (change.Mutation, error) {
		m := change.Mutation{Op: change.OpMove}
		err := m.ParsePlace(args[1])
		return m, err
	})
}
