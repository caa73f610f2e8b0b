package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/model/ladder"
	"rung/revision"
	"rung/revision/omitted"
)

type activityOut struct {
	At       string   `json:"at"`
	Zone     string   `json:"zone,omitempty"`
	Policy   string   `json:"policy,omitempty"`
	By       string   `json:"by"`
	Summary  string   `json:"summary"`
	Took     int64    `json:"took_ms"`
	Ops      int      `json:"operations"`
	Commands []string `json:"commands"`
	Error    string   `json:"error,omitempty"`
}

func (a *app) activityCmd() *cobra.Command {
	var watch *bool
	cmd := &cobra.Command{
		Use:   "activity",
		Short: "Show what Rung wrote to the zones, with ovn-nbctl equivalents",
		Long: `Show what Rung's reconciler wrote to the zones: what, how long it took, and in how
many operations. -o wide, json and yaml add the equivalent ovn-nbctl commands. With
--watch every entry is printed as it comes, as one line of JSON with -o json.`,
		Example: `  rung activity -f policies/
  rung activity -f policies/ --watch -o json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			done := settled()
			return a.with(ctx, true, func(r *revision.Revision) bool { return done(r) && reported(r) },
				func(e *engine.Engine, r *revision.Revision) error {
					if *watch {
						return a.watchActivity(ctx, e)
					}
					out := each(e.Activity(0), activityOf)
					return a.say(&answer{value: out, text: func(wide bool) string { return activityText(out, wide) }, notConsidered: omitted.Rows(r, r.Zones)})
				})
		},
	}
	watch = watchFlag(cmd)
	return cmd
}

func activityOf(x model.Activity) activityOut {
	o := activityOut{At: stamp(x.At), Zone: x.Zone, By: x.By, Summary: x.Summary, Took: x.Took.Milliseconds(), Ops: x.Ops,
		Commands: append([]string{}, x.Commands...), Error: x.Error}
	if x.Policy.Name != "" {
		o.Policy = x.Policy.String()
	}
	return o
}

// reported says whether the reconciler has reported on every policy in every zone:
// the rows of a write may be seen before its answer, which makes the entry. Only
// AdminNetworkPolicies and the baseline carry reports; nobody makes any of a
// ClusterNetworkPolicy.
func reported(r *revision.Revision) bool {
	for _, k := range ladder.Order(r.Cluster) {
		for _, z := range r.Zones {
			is := func(c model.Condition) bool { return c.Type == revision.ReadyPrefix+z.Name }
			if z.Writes && (k.Kind == model.KindANP || k.Kind == model.KindBANP) && !slices.ContainsFunc(r.Conditions(k), is) {
				return false
			}
		}
	}
	return true
}

// watchActivity prints entries as they come.
func (a *app) watchActivity(ctx context.Context, e *engine.Engine) error {
	defer a.readOn()()
	ticks, stop := e.Subscribe()
	defer stop()
	for seen := uint64(0); ; {
		for _, x := range e.Activity(seen) {
			seen = x.Seq
			o := activityOf(x)
			if err := a.item(o, func(wide bool) string { return o.line(wide) }); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
		}
	}
}

func (o *activityOut) what() string {
	if o.Error != "" {
		return o.Summary + "  ✗ " + o.Error
	}
	return o.Summary
}

func (o *activityOut) line(wide bool) string {
	s := fmt.Sprintf("%s  %-18s %4d ms  %s\n", o.At, o.Zone, o.Took, o.what())
	if wide {
		s += o.commands()
	}
	return s
}

func (o *activityOut) commands() string {
	var b strings.Builder
	for _, c := range o.Commands {
		fmt.Fprintf(&b, "    %s\n", c)
	}
	return b.String()
}

func activityText(out []activityOut, wide bool) string {
	if wide {
		var b strings.Builder
		for i := range out {
			b.WriteString(out[i].line(true))
		}
		return b.String()
	}
	t := &tableOut{head: []string{"AT", "ZONE", "TOOK", "OPS", "WHAT"}}
	for i := range out {
		x := &out[i]
		t.add(x.At, x.Zone, fmt.Sprintf("%d ms", x.Took), fmt.Sprint(x.Ops), x.what())
	}
	return t.String()
}

// stamp is a time as the command line writes it, empty for none.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
