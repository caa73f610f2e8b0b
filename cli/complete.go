package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/change/history"
	"rung/engine"
	"rung/model"
	"rung/model/ladder"
	"rung/revision"
)

// completeTimeout bounds what a completion may cost: somebody has pressed tab. Tests of
// what is offered have longer.
var completeTimeout = time.Second

type completer = cobra.CompletionFunc

// choices are what completion may offer of what was read.
type choices = func(*engine.Engine, *revision.Revision) []string

// complete offers what is found in the manifests given by -f, or in the cluster, for
// the first argument.
func (a *app) complete(of choices) completer {
	flag := a.completeValue(of)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return flag(cmd, args, typed)
	}
}

// completeValue is complete for the value of a flag.
func (a *app) completeValue(of choices) completer {
	return a.offer(func(ctx context.Context) (out []string) {
		_ = a.objects(ctx, func(e *engine.Engine, r *revision.Revision) error {
			out = of(e, r)
			return nil
		})
		return out
	})
}

// muteCompletion takes standard error away from a process that completes a command line:
// what a plugin of the kubeconfig prints would stand in the middle of it.
func muteCompletion(args []string, errw io.Writer) {
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) || errw != io.Writer(os.Stderr) {
		return
	}
	if null, err := os.Create(os.DevNull); err == nil {
		os.Stderr = null // the process ends with the completion
	}
}

// offer completes with what find finds in time. Whatever goes wrong, nothing is offered
// and nothing printed. Standard input is the shell's.
func (a *app) offer(find func(context.Context) []string) completer {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		parent := cmd.Context()
		if parent == nil {
			parent = context.Background()
		}
		ctx, cancel := context.WithTimeout(parent, completeTimeout)
		defer cancel()
		a.completes, a.flags.quiet, a.in = true, true, strings.NewReader("")
		found, err := await(ctx, func() ([]string, error) { return find(ctx), nil })
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return slices.DeleteFunc(found, func(s string) bool { return !strings.HasPrefix(s, typed) }),
			cobra.ShellCompDirectiveNoFileComp
	}
}

func policyChoices(_ *engine.Engine, r *revision.Revision) []string {
	return choicesOf(r, model.Kind.IsPolicy)
}

// movableChoices are those that have a priority, loggingChoices those that have
// log levels of their own.
func movableChoices(_ *engine.Engine, r *revision.Revision) []string {
	return choicesOf(r, model.Kind.Ranked)
}

func loggingChoices(_ *engine.Engine, r *revision.Revision) []string {
	out := choicesOf(r, model.Kind.IsAdmin)
	for n := range r.Cluster.Namespaces() {
		out = append(out, "namespace/"+n.Name)
	}
	return out
}

// choicesOf are the names of the policies of some kinds in the order of the
// ladder, the kind before those that are not unique.
func choicesOf(r *revision.Revision, of func(model.Kind) bool) []string {
	count := map[string]int{}
	for p := range r.Cluster.EveryPolicy() {
		count[shortName(p.Key)]++
	}
	order := ladder.Order(r.Cluster)
	for _, place := range r.Order() {
		if place.Policy.Antrea != nil {
			order = append(order, place.Policy.Key)
		}
	}
	var out []string
	for _, k := range order {
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
		out = append(out, name+"\t"+what+", "+p.SubjectText())
	}
	return out
}

func podChoices(_ *engine.Engine, r *revision.Revision) []string {
	var out []string
	for p := range r.Cluster.Pods() {
		out = append(out, p.Namespace+"/"+p.Name+"\t"+p.NodeName)
	}
	return out
}

func zoneChoices(_ *engine.Engine, r *revision.Revision) []string {
	var out []string
	for n := range r.Cluster.Nodes() {
		out = append(out, n.Name)
	}
	return out
}

func namespaceChoices(_ *engine.Engine, r *revision.Revision) []string {
	var out []string
	for n := range r.Cluster.Namespaces() {
		out = append(out, n.Name)
	}
	return out
}

// historyChoices are the numbers of changes, the newest first.
func historyChoices(e *engine.Engine, _ *revision.Revision) []string {
	return each(e.History(), func(h history.Entry) string { return fmt.Sprintf("%d\t%s", h.ID, h.Title) })
}

// fixed offers the same words always.
func fixed(words ...string) completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlag registers the completion of a flag's value.
func completeFlag(cmd *cobra.Command, flag string, f completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f) // fails for a flag that does not exist, which the tests would show
}

// files offers files that end so, without any all files.
func files(ends ...string) completer {
	if len(ends) == 0 {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		}
	}
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return ends, cobra.ShellCompDirectiveFilterFileExt
	}
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// schemes begin the address of a database.
func schemes(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nbSchemes, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
