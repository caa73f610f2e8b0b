package command

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/change/history"
	"rung/engine"
	"rung/model"
	"rung/model/ladder"
	"rung/pages/page"
	"rung/revision"
	"rung/system"
)

// CompleteTimeout limits a completion, since the user waits. Tests of the offered words set a longer one.
var CompleteTimeout = time.Second

type Completer = cobra.CompletionFunc

// choiceFinder returns the words to offer, from the objects that were read.
type choiceFinder = func(*engine.Engine, *revision.Revision) []string

// CompleteFirst completes the first argument from the manifests given by -f, or from the cluster.
func (a *App) CompleteFirst(of choiceFinder) Completer {
	flag := a.CompleteValue(of)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return flag(cmd, args, typed)
	}
}

// CompleteValue completes the value of a flag in the same way.
func (a *App) CompleteValue(of choiceFinder) Completer {
	return a.OfferChoices(func(ctx context.Context) (out []string) {
		_ = a.WithObjects(ctx, func(e *engine.Engine, r *revision.Revision) error {
			out = of(e, r)
			return nil
		})
		return out
	})
}

// MuteCompletion redirects standard error of a process that completes a command line, since output of a
// kubeconfig plugin would corrupt the line.
func MuteCompletion(args []string, errw io.Writer) {
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) || errw != io.Writer(os.Stderr) {
		return
	}
	if null, err := os.Create(os.DevNull); err == nil {
		os.Stderr = null // the process ends with the completion
	}
}

// OfferChoices completes with the words that find returns in time. On any error it offers and prints nothing.
// Standard input belongs to the shell.
func (a *App) OfferChoices(find func(context.Context) []string) Completer {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		parent := cmd.Context()
		if parent == nil {
			parent = context.Background()
		}
		ctx, cancel := context.WithTimeout(parent, CompleteTimeout)
		defer cancel()
		a.completes, a.Flags.Quiet, a.In = true, true, strings.NewReader("")
		found, err := AwaitResult(ctx, func() ([]string, error) { return find(ctx), nil })
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return slices.DeleteFunc(found, func(s string) bool { return !strings.HasPrefix(s, typed) }),
			cobra.ShellCompDirectiveNoFileComp
	}
}

// PolicyChoices returns the policies in ladder order.
func PolicyChoices(_ *engine.Engine, r *revision.Revision) []string {
	return ChoicesOfKind(r, model.Kind.IsPolicy)
}

// ChoicesOfKind returns the names of the policies of some kinds in ladder order, prefixed by the kind if not
// unique.
func ChoicesOfKind(r *revision.Revision, of func(model.Kind) bool) []string {
	count := map[string]int{}
	for p := range r.Cluster.EveryPolicy() {
		count[p.Key.NamespacedName()]++
	}
	order := ladder.PolicyOrder(r.Cluster)
	for _, s := range system.All {
		for _, place := range s.PolicyPlaces(r.Cluster) {
			if system.SystemOfKind(place.Policy.Kind) == s {
				order = append(order, place.Policy.Key)
			}
		}
	}
	var out []string
	for _, k := range order {
		if !of(k.Kind) {
			continue
		}
		p := r.Cluster.Policy(k)
		name, what := k.NamespacedName(), k.Kind.Abbreviation()
		if count[name] > 1 {
			name = k.Kind.Abbreviation() + "/" + name
		}
		if k.Kind == model.KindANP {
			what = fmt.Sprintf("priority %d", p.Priority)
		}
		out = append(out, name+"\t"+what+", "+p.SubjectText())
	}
	return out
}

// PodChoices returns the pods, with their nodes.
func PodChoices(_ *engine.Engine, r *revision.Revision) []string {
	return namesOf(r.Cluster.Pods(), func(p *model.Pod) string { return p.Namespace + "/" + p.Name + "\t" + p.NodeName })
}

// ZoneChoices returns the names of the nodes, which zones share.
func ZoneChoices(_ *engine.Engine, r *revision.Revision) []string {
	return namesOf(r.Cluster.Nodes(), func(n *model.Node) string { return n.Name })
}

// NamespaceChoices returns the namespaces.
func NamespaceChoices(_ *engine.Engine, r *revision.Revision) []string {
	return namesOf(r.Cluster.Namespaces(), func(n *model.Namespace) string { return n.Name })
}

func namesOf[T any](all iter.Seq[T], name func(T) string) (out []string) {
	for x := range all {
		out = append(out, name(x))
	}
	return out
}

// HistoryChoices returns the numbers of changes, newest first.
func HistoryChoices(e *engine.Engine, _ *revision.Revision) []string {
	return page.MapList(e.History(), func(h history.Entry) string { return fmt.Sprintf("%d\t%s", h.ID, h.Title) })
}

// FixedWords offers the same words every time.
func FixedWords(words ...string) Completer {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// CompleteFlag registers the completion of a flag's value.
func CompleteFlag(cmd *cobra.Command, flag string, f Completer) {
	_ = cmd.RegisterFlagCompletionFunc(flag, f) // fails only for an unknown flag, which tests would show
}

// FileCompleter offers files with these endings, or all files without any.
func FileCompleter(ends ...string) Completer {
	if len(ends) == 0 {
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	return cobra.FixedCompletions(ends, cobra.ShellCompDirectiveFilterFileExt)
}
