package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model/logline"
	"rung/revision"
)

// mostTerms is the most completions offered for a filter of log lines.
const mostTerms = 200

// CompleteFilter completes the last term of a filter of log lines: its field, or a known value.
func CompleteFilter(a *command.App) command.Completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if typed == "" || strings.HasSuffix(typed, " ") {
			var out []string
			for _, f := range logline.FieldHelp() {
				out = append(out, typed+f[0]+":\t"+f[1])
			}
			return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		out, how := a.CompleteValue(func(_ *engine.Engine, r *revision.Revision) []string {
			return logline.Completions(typed, mostTerms, func(yield func(*logline.QueryLine) bool) { knownLines(r, yield) })
		})(cmd, args, typed)
		return out, how | cobra.ShellCompDirectiveNoSpace
	}
}

// knownLines yields possible lines: of every policy, node and pod.
func knownLines(r *revision.Revision, yield func(*logline.QueryLine) bool) {
	for p := range r.Cluster.EveryPolicy() {
		if !yield(&logline.QueryLine{Line: &logline.Line{}, Rule: logline.RuleRef{Policy: p.Key, Rule: -1}}) {
			return
		}
	}
	for n := range r.Cluster.Nodes() {
		if !yield(&logline.QueryLine{Line: &logline.Line{Zone: n.Name}}) {
			return
		}
	}
	for p := range r.Cluster.Pods() {
		end := logline.LineEnd{Key: p.Key}
		if len(p.IPs) > 0 {
			end.Addr = p.IPs[0]
		}
		if !yield(&logline.QueryLine{Line: &logline.Line{}, Src: end, Dst: end}) {
			return
		}
	}
}
