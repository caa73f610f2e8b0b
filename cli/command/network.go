package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/revision"
)

// NetworkFlag adds --network to a command.
func NetworkFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("network", "", "show this `NETWORK` instead of the default one")
}

// NetworkChoices returns the names that --network takes.
func NetworkChoices(_ *engine.Engine, r *revision.Revision) []string {
	return append([]string{revision.DefaultNetwork}, r.Desired.Networks().Names()...)
}

// NetworkCommand is QueryCommand with --network: it answers for the chosen network.
func NetworkCommand(a *App, cmd *cobra.Command, of func(args []string, watched bool) Query) *cobra.Command {
	name := NetworkFlag(cmd)
	return a.QueryCommand(cmd, func(args []string, watched bool) Query {
		q := of(args, watched)
		answer := q.Answer
		q.Answer = func(ctx context.Context, e *engine.Engine, r *revision.Revision) (*Answer, error) {
			on, err := onNetwork(r, *name)
			if err != nil {
				return nil, err
			}
			return answer(ctx, e, on)
		}
		return q
	})
}

// onNetwork returns the revision as seen on a network; an empty name and "default" mean the whole cluster.
func onNetwork(r *revision.Revision, name string) (*revision.Revision, error) {
	if name == "" || name == revision.DefaultNetwork {
		return r, nil
	}
	if on := revision.OnNetwork(r, name); on != nil {
		return on, nil
	}
	return nil, fmt.Errorf("--network: %w", revision.ErrorNoNetwork(r, name))
}
