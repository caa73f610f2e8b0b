package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/matrix"
	"rung/revision"
)

func ConnectionsCommand(a *command.App) *cobra.Command {
	var focus string
	var exposure bool
	cmd := command.NetworkCommand(a, &cobra.Command{
		Use:   "connections",
		Short: "Show allowed connections, their ports, and the rules that decide",
		Long: `Show the allowed connections between workloads, and with blocks of addresses outside that
policies distinguish: the ports, and the rules that allow them. Denied connections are not
listed: see "rung matrix" and "rung trace". If the pods of a workload differ, the verdict is
mixed. Host-network pods are left out, since they share their node's addresses.

Ingresses, HTTPRoutes and Routes are entrances from outside; they are read from files only.
They are judged as connections of the ingress controller's pods, if these are known.

--exposure shows what each workload could connect with beyond the existing pods: addresses
outside, any pod of any namespace or of its own, and pods with labels that rules name but no
pod has yet, if they may do more or less than any pod.

--focus shows the connections of one workload, or of a namespace, both ways. -o dot is a
graph for Graphviz, -o svg a picture.`,
		Example: `  rung connections -f examples/
  rung connections -f examples/ --focus blue
  rung connections -f examples/ --exposure --focus red
  rung connections -f examples/ -o svg > connections.svg`,
		Args:        command.TakesArgs(0),
		Annotations: command.FormAnnotations(command.MarkdownForm, command.CSVForm, command.DotForm, command.SVGForm),
	}, func([]string, bool) command.Query {
		return command.Query{Answer: func(ctx context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			find := revision.FindVerdictTable
			if exposure {
				find = revision.FindExposure
			}
			t, err := find(ctx, r)
			if err != nil {
				return nil, err
			}
			var keep func(*revision.End) bool
			if focus != "" {
				if keep, err = focusFilter(t, focus); err != nil {
					return nil, err
				}
			}
			all := append(matrix.AllowedConnections(t, keep, exposure), matrix.IngressConnections(t, r, keep)...)
			list := *matrix.Table
			list.Empty = r.EmptyText(list.Empty, model.KindPod, model.KindNamespace)
			ans := command.TableAnswer(a, all, &list, all)
			text := ans.Text
			ans.Text = func(wide bool) string { return text(wide) + "\n" + matrix.CountText(t, all) + "\n" }
			ans.Drawing = func(form string) string {
				if form == command.DotForm {
					return matrix.Dot(all)
				}
				return matrix.SVG(all)
			}
			ans.NotConsidered = revision.OmissionsOfAnswers(r, false)
			if r.Mode.Name == revision.ClusterMode && len(model.EntryPoints(r.Cluster)) == 0 {
				ans.NotConsidered = append(ans.NotConsidered, model.Omission{Code: model.OmittedAbsent, Key: model.Key{Kind: model.KindIngress},
					Why: "no other path from outside: Ingresses, HTTPRoutes and Routes of a cluster are not read"})
			}
			if len(t.Ends) == 0 {
				ans.NotConsidered = append(ans.NotConsidered, model.Omission{Code: model.OmittedAll, Why: "nothing was judged: " +
					revision.WhyNoEnds(r)})
			}
			return ans, nil
		}}
	})
	cmd.Flags().StringVar(&focus, "focus", "", "only the connections of a `WORKLOAD` or namespace, both ways")
	cmd.Flags().BoolVar(&exposure, "exposure", false, "connections possible with outside, any namespace or any pod, "+
		"even if no such pod exists yet")
	return cmd
}

// focusFilter matches the ends named by --focus: NAMESPACE, NAMESPACE/KIND/NAME or a name alone.
func focusFilter(t *revision.VerdictTable, focus string) (func(*revision.End) bool, error) {
	is := func(e *revision.End) bool {
		_, name, _ := strings.Cut(e.Name, "/")
		return !e.IsOutside() && (e.Namespace == focus || e.String() == focus || e.Name == focus || name == focus)
	}
	var names []string
	for i := range t.Ends {
		if is(&t.Ends[i]) {
			return is, nil
		}
		if !t.Ends[i].IsOutside() {
			names = append(names, t.Ends[i].String())
		}
	}
	return nil, fmt.Errorf("--focus %s: no such workload or namespace with pods%s", focus, words.DidYouMean(focus, names))
}
