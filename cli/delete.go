package cli

import (
	"github.com/spf13/cobra"

	"rung/engine/gate"
	"rung/engine/revision"
)

func (a *app) deleteCmd() *cobra.Command {
	var c changeFlags
	cmd := &cobra.Command{
		Use:               "delete POLICY",
		Short:             "Delete a policy, with the rows that go shown first",
		Args:              takes(0, "POLICY"),
		ValidArgsFunction: a.complete(policyChoices),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.change(cmd.Context(), &c, func(r *revision.Revision) (gate.Mutation, error) {
				k, err := policyNamed(r, args[0])
				return gate.Mutation{Op: gate.OpDelete, Policy: k}, err
			})
		},
	}
	c.register(cmd)
	return cmd
}
