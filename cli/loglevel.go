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
		Short: "Set a policy's ACL logging: --allow, --deny and --pass LEVEL; a level left out is off",
		Long: `Log-level writes the annotation k8s.ovn.org/acl-logging of a policy. The levels
are ` + strings.Join(model.LogSeverities, ", ") + `. An action whose level is left out does not log;
--off switches all of them off. A NetworkPolicy and an EgressFirewall log as the
same annotation of their namespace says, which is not Rung's to change.`,
		Args:              takes(0, "POLICY"),
		ValidArgsFunction: a.complete(loggingChoices),
	}, func([]string) (m gate.Mutation, err error) {
		for _, l := range []string{levels.Allow, levels.Deny, levels.Pass} {
			if !model.ValidLogLevel(l) {
				return m, fmt.Errorf("log level %q: want one of %s", l, strings.Join(model.LogSeverities, ", "))
			}
		}
		if levels.Any() == off {
			return m, errors.New("want --allow, --deny or --pass LEVEL, or --off alone")
		}
		return gate.Mutation{Op: gate.OpLogLevel, Levels: levels}, nil
	})
	for flag, level := range map[string]*string{"allow": &levels.Allow, "deny": &levels.Deny, "pass": &levels.Pass} {
		cmd.Flags().StringVar(level, flag, "", "level of the "+strings.ToUpper(flag[:1])+flag[1:]+" rules")
		completeFlag(cmd, flag, fixed(model.LogSeverities...))
	}
	cmd.Flags().BoolVar(&off, "off", false, "log nothing")
	return cmd
}
