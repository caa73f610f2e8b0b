package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/rows"
	"rung/revision"
)

func DriftCommand(a *command.App) *cobra.Command {
	var settle time.Duration
	var zone string
	var second *bool
	var only Selection
	cmd := a.QueryCommand(&cobra.Command{
		Use:   "drift",
		Short: "Show how zone rows differ from the policies; exit 1 on drift",
		Long: `Show how the rows of every zone differ from the compiled policies. Exit 1 if they do.

A difference may still settle, so drift waits up to --settle before it counts.
Frozen policies count as drift: their old rows decide although no policy wants them.
If a known defect of OVN-Kubernetes is the cause, drift names it and the remedy.
Rows of the owner types Namespace, Cluster and UDNIsolation are not judged: other
handlers write them, such as the ports of a namespace's port group.

` + secondHelp,
		Example: `  rung drift --context staging
  rung drift -f examples/ --nb ovn-worker=unix:/var/run/ovn/ovnnb_db.sock
  rung drift --watch -o json`,
		Args:        command.TakesArgs(0),
		Annotations: command.FormAnnotations(command.NameForm),
	}, func(_ []string, watched bool) command.Query {
		return command.Query{
			Zones: true,
			First: func(ctx context.Context, e *engine.Engine) {
				ctx, cancel := context.WithTimeout(ctx, settle)
				defer cancel()
				// Drift that remains is an answer, not an error. A zone whose database got its name meanwhile
				// is read again.
				read := command.ZonesSettled()
				_ = e.WaitFor(ctx, func(r *revision.Revision) bool {
					return read(r) && !rows.IsMoving(r.Zones, rows.ListDrift(r, r.Zones, e.Now(), settle))
				}, time.Now().Add(command.Patience), time.Now().Add(command.LastPatience))
			},
			Answer: withSecondReader(a, *second, zone, func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
				zones, err := command.ZonesNamed(r, zone)
				if err != nil {
					return nil, err
				}
				a.PrintNoRows(r)
				now := e.Now()
				// Drift left after the wait counts, however young.
				young, until := time.Duration(0), time.Time{}
				if watched {
					young, until = settle, rows.NextBehind(zones, now, settle)
				}
				if err := only.Check(r); err != nil {
					return nil, err
				}
				all := rows.ListDrift(r, zones, now, young)
				keep, compared := only.UnitFilter(r), rows.ComparedPolicies(r, zones)
				policies := len(compared)
				maps.DeleteFunc(compared, func(k model.PolicyKey, _ bool) bool { return !keep(k) })
				out := slices.DeleteFunc(slices.Clone(all), func(o rows.Facts) bool { return !keep(o.PolicyKey) })
				differ := ""
				if len(out) < len(all) {
					differ = words.Count(len(all)-len(out), "difference")
				}
				err = command.UnreadZone(zones)
				not := revision.OmissionsOfRows(r, zones)
				if policies > 0 && len(compared) == 0 {
					not = append(not, noMatch(&only))
				}
				return &command.Answer{Value: out, Names: func() []string {
					return command.PolicyNames(model.MapList(out, func(o rows.Facts) model.PolicyKey { return o.PolicyKey }))
				}, Text: func(wide bool) string {
					if len(out) == 0 {
						return rows.NoDriftText(len(compared), policies, zones, err == nil, command.NotCounted(not)) + "\n"
					}
					return driftText(out, wide)
				}, No: len(out) > 0, Err: err, Until: until, NotConsidered: not,
					LeftOut: only.LeftOutText(len(compared), policies, "policy", differ)}, nil
			}),
		}
	})
	cmd.Flags().DurationVar(&settle, "settle", model.SettleTime, "`TIME` that a difference may take to settle")
	cmd.Flags().StringVar(&zone, "zone", "", "only this `ZONE`")
	second = addSecondReaderFlag(cmd)
	only.AddTo(a, cmd, Policies)
	return cmd
}

func driftText(out []rows.Facts, wide bool) string {
	var b strings.Builder
	members := func(m []string) string { return command.ListMembers(m, wide) }
	for i := range out {
		o := &out[i]
		fmt.Fprintf(&b, "%s  %s  %s", o.Zone, o.Policy, o.StateText())
		if o.Reason != "" {
			fmt.Fprintf(&b, "  %s", o.Reason)
		}
		b.WriteByte('\n')
		for j := range o.Rows {
			row := &o.Rows[j]
			fmt.Fprintf(&b, "  %-9s %s %s", row.Kind, row.Table, cmp.Or(command.ShortID(row.ID, wide), row.UUID))
			if why := row.WhyText(); why != "" {
				b.WriteString(": " + why)
			}
			b.WriteByte('\n')
			for _, f := range row.Fields {
				b.WriteString("            " + rows.FieldText(f, members) + "\n")
			}
			if row.Known != nil {
				b.WriteString("            " + row.Known.KnownText() + "\n")
			}
		}
	}
	return b.String()
}
