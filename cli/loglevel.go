package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/engine/gate"
	"rung/model"
)

func (a *app) logLevelCmd() *cobra.Command {
	var levels model.LogLevels
	var off bool
	cmd := a.changesPolicy(&cobra.Command{
		Use:   "log-level POLICY",
		Short: "Change what a policy logs: --allow, --deny, --pass LEVEL, or --off",
		Long: `Change the annotation k8s.ovn.org/acl-logging of an AdminNetworkPolicy or the
baseline. Levels: ` + strings.Join(model.LogSeverities, ", ") + `. An action without a
level does not log. NetworkPolicies and EgressFirewalls log as the annotation of
their namespace says, which Rung does not change.`,
		Example: `  rung log-level cluster-control --deny warning -f policies/ --dry-run
  rung log-level cluster-control --off -f policies/ --write-back`,
		Args:              takes(0, "POLICY"),
		ValidArgsFunction: a.complete(loggingChoices),
	}, func([]string) (m gate.Mutation, err error) {
		for _, l := range []string{levels.Allow, levels.Deny, levels.Pass} {
			if !model.ValidLogLevel(l) {
				return m, fmt.Errorf("log level %q: want %s", l, strings.Join(model.LogSeverities, ", "))
			}
		}
		if levels.Any() == off {
			return m, errors.New("give a LEVEL for --allow, --deny or --pass, or --off alone")
		}
		return gate.Mutation{Op: gate.OpLogLevel, Levels: levels}, nil
	})
	for flag, level := range map[string]*string{"allow": &levels.Allow, "deny": &levels.Deny, "pass": &levels.Pass} {
		cmd.Flags().StringVar(level, flag, "", "level for "+strings.ToUpper(flag[:1])+flag[1:]+" rules")
		completeFlag(cmd, flag, fixed(model.LogSeverities...))
	}
	cmd.Flags().BoolVar(&off, "off", false, "log nothing")
	return cmd
}
