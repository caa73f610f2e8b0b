package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"rung/engine/gate"
	"rung/engine/revision"
)

func (a *app) moveCmd() *cobra.Command {
	var c changeFlags
	cmd := &cobra.Command{
		Use:               "move POLICY PRIORITY",
		Short:             "Give an AdminNetworkPolicy another priority",
		Args:              takes(0, "POLICY", "PRIORITY"),
		ValidArgsFunction: a.complete(movableChoices),
		RunE: func(cmd *cobra.Command, args []string) error {
			prio, err := strconv.ParseInt(args[1], 10, 32)
			if err != nil {
				return fmt.Errorf("priority %q: want a number from 0 to %d", args[1], a.flags.ovn.MaxPriority)
			}
			return a.change(cmd.Context(), &c, func(r *revision.Revision) (gate.Mutation, error) {
				k, err := policyNamed(r, args[0])
				return gate.Mutation{Op: gate.OpMove, Policy: k, Priority: int32(prio)}, err
			})
		},
	}
	c.register(cmd)
	return cmd
}
