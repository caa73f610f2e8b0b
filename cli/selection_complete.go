package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/revision"
)

// completeTerms completes the last term of a selector with the terms of existing objects.
func completeTerms(a *command.App, terms func(r *revision.Revision) map[string]bool) command.Completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		out, _ := a.CompleteValue(func(_ *engine.Engine, r *revision.Revision) (out []string) {
			for _, term := range slices.Sorted(maps.Keys(terms(r))) {
				out = append(out, before+term)
			}
			return out
		})(cmd, args, typed)
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// labelTerms returns the labels of the objects as KEY=VALUE.
func (of Selectables) labelTerms(r *revision.Revision) map[string]bool {
	out := map[string]bool{}
	for o := range of.each(r) {
		meta, _ := contentOf(o)
		for k, v := range meta.Labels.Map() {
			out[k+"="+v] = true
		}
	}
	return out
}

// fieldTerms returns the fields of the objects as FIELD=VALUE.
func (of Selectables) fieldTerms(r *revision.Revision) map[string]bool {
	out := map[string]bool{}
	for o := range of.each(r) {
		_, has := contentOf(o)
		for _, name := range of.fields {
			if v := has[name]; v != "" {
				out[name+"="+v] = true
			}
		}
	}
	return out
}
