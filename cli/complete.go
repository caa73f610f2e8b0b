package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/engine/revision"
	"rung/model"
	"rung/model/ladder"
)

// completeTimeout bounds what a completion may cost: somebody has pressed tab.
const completeTimeout = 3 * time.Second

type completer = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// complete offers what choices finds in the manifests given by -f, for the first
// argument.
func (a *app) complete(choices func(*revision.Revision) []string) completer {
	flag := a.completeValue(choices)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return flag(cmd, args, typed)
	}
}

// completeValue is complete for the value of a flag. Whatever goes wrong, nothing
// is offered and nothing printed.
func (a *app) completeValue(choices func(*revision.Revision) []string) completer {
	return func(cmd *cobra.Command, _ []string, _ string) (out []string, _ cobra.ShellCompDirective) {
		parent := cmd.Context()
		if parent == nil {
			parent = context.Background()
		}
		ctx, cancel := context.WithTimeout(parent, completeTimeout)
		defer cancel()
		a.flags.quiet = true
		_ = a.objects(ctx, func(_ *engine.Engine, r *revision.Revision) error {
			out = choices(r)
			return nil
		})
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func policyChoices(r *revision.Revision) []string { return choicesOf(r, model.Kind.IsPolicy) }

// movableChoices are those that have a priority, loggingChoices those that have
// log levels of their own.
func movableChoices(r *revision.Revision) []string {
	return choicesOf(r, func(k model.Kind) bool { return k == model.KindANP })
}

func loggingChoices(r *revision.Revision) []string { return choicesOf(r, model.Kind.IsAdmin) }

// choicesOf are the names of the policies of some kinds in the order of the
// ladder, the kind before those that are not unique.
func choicesOf(r *revision.Revision, of func(model.Kind) bool) []string {
	count := map[string]int{}
	for p := range r.Cluster.AllPolicies() {
		count[shortName(p.Key)]++
	}
	var out []string
	for _, k := range ladder.Order(r.Cluster) {
		if !of(k.Kind) {
			continue
		}
		p := r.Cluster.Policy(k)
		name, what := shortName(k), k.Kind.Short()
		if count[name] > 1 {
			name = k.Kind.Short() + "/" + name
		}
		if k.Kind == model.KindANP {
			what = fmt.Sprintf("priority %d", p.Priority)
		}
		out = append(out, name+"\t"+what+", "+p.Subject.String())
	}
	return out
}

func podChoices(r *revision.Revision) []string {
	var out []string
	for p := range r.Cluster.Pods() {
		out = append(out, p.Namespace+"/"+p.Name+"\t"+p.NodeName)
	}
	return out
}

func zoneChoices(r *revision.Revision) []string {
	var out []string
	for n := range r.Cluster.Nodes() {
		out = append(out, n.Name)
	}
	return out
}

// fixed offers the same words always.
func fixed(words ...string) completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlags are the flags all commands have.
func (a *app) completeFlags(root *cobra.Command) {
	completeFlag(root, "output", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return outputForms(cmd), cobra.ShellCompDirectiveNoFileComp
	})
	completeFlag(root, "ip-family", fixed("auto", "ipv4", "ipv6", "dual"))
	for _, name := range switches {
		completeFlag(root, name, fixed("auto", "on", "off"))
	}
	completeFlag(root, "color", fixed("auto", "always", "never", "16", "256", "truecolor"))
}

// zoneFlag adds --zone.
func (a *app) zoneFlag(cmd *cobra.Command, zone *string, usage string) {
	cmd.Flags().StringVar(zone, "zone", "", usage)
	completeFlag(cmd, "zone", a.completeValue(zoneChoices))
}

// completeFlag registers the completion of a flag's value.
func completeFlag(cmd *cobra.Command, flag string, f completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f) // fails for a flag that does not exist, which the tests would show
}
