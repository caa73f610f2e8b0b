package show

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
	"rung/cli/selection"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/revision/liverows"
	"rung/revision/omitted"
)

type driftOut struct {
	Zone   string            `json:"zone"`
	Policy string            `json:"policy"`
	State  model.PolicyState `json:"state"`
	Reason string            `json:"reason,omitempty"`
	// LivePriority is the one that rows without a policy's say still decide at.
	LivePriority *int32     `json:"live_priority,omitempty"`
	Rows         []driftRow `json:"rows"`

	of model.PolicyKey
}

// driftRow is one row that differs.
type driftRow struct {
	model.RowDiff
	// Known is the defect of OVN-Kubernetes that leaves the difference.
	Known *knownReasonOut `json:"known,omitempty"`
}

type knownReasonOut struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
	Doc    string `json:"doc"` // where docs/ovn-kubernetes.md tells of it
}

func DriftCommand(a *command.App) *cobra.Command {
	var settle time.Duration
	var zone string
	var second *bool
	var only selection.Selection
	cmd := a.QueryCommand(&cobra.Command{
		Use:   "drift",
		Short: "Show how zone rows differ from the policies; exit 1 on drift",
		Long: `Show how the rows of every zone differ from what the policies compile to. Exit 1
when they do.

A difference may still settle, so drift waits up to --settle before it counts.
Frozen policies count as drift: old rows decide that no policy asks for any more.
Where a known defect of OVN-Kubernetes is the cause, drift names it and what helps.

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
				// Drift that does not go away in time is an answer, not an error. A zone
				// whose database got its name meanwhile is read again.
				read := command.ZonesSettled()
				_ = e.WaitFor(ctx, func(r *revision.Revision) bool {
					return read(r) && !isMoving(r.Zones, findDrift(r, r.Zones, e.Now(), settle))
				}, time.Now().Add(command.Patience), time.Now().Add(command.LastPatience))
			},
			Answer: readTwice(a, *second, zone, func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
				zones, err := command.ZonesNamed(r, zone)
				if err != nil {
					return nil, err
				}
				a.SayNoRows(r)
				now := e.Now()
				// Drift that is left after the wait counts, however young.
				young, until := time.Duration(0), time.Time{}
				if watched {
					young, until = settle, nextBehind(zones, now, settle)
				}
				if err := only.Check(r); err != nil {
					return nil, err
				}
				all := findDrift(r, zones, now, young)
				keep, compared := only.UnitKeeper(r), comparedPolicies(r, zones)
				policies := len(compared)
				maps.DeleteFunc(compared, func(k model.PolicyKey, _ bool) bool { return !keep(k) })
				out := slices.DeleteFunc(slices.Clone(all), func(o driftOut) bool { return !keep(o.of) })
				differ := ""
				if len(out) < len(all) {
					differ = words.Count(len(all)-len(out), "difference")
				}
				err = command.UnreadZone(zones)
				not := omitted.OmissionsOfRows(r, zones)
				if policies > 0 && len(compared) == 0 {
					not = append(not, noMatch(&only))
				}
				return &command.Answer{Value: out, Names: func() []string {
					return command.PolicyNames(page.MapList(out, func(o driftOut) model.PolicyKey { return o.of }))
				}, Text: func(wide bool) string {
					if len(out) == 0 {
						return noDriftText(len(compared), policies, zones, err == nil, command.NotCounted(not)) + "\n"
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
	only.AddTo(a, cmd, selection.Policies)
	return cmd
}

// findDrift lists, by zone and policy, everything that is not in sync. Differences that
// are not older than settle are settling.
func findDrift(r *revision.Revision, zones []*model.ZoneState, now time.Time, settle time.Duration) []driftOut {
	out := []driftOut{}
	for _, z := range zones {
		for _, k := range liverows.ZonePolicies(r, z) {
			in := z.PolicyJoin(k)
			st := in.StateSettlingAfter(z, now, settle)
			if st == model.StateInSync || st == model.StateNotEnforced {
				continue
			}
			o := driftOut{of: k, Zone: z.Name, Policy: k.String(), State: st, Rows: []driftRow{}}
			switch {
			case in == nil:
				o.Reason = z.Error
			case in.None != nil:
				o.Reason = in.None.Message
				if in.LivePriority >= 0 && k.Kind == model.KindANP {
					o.LivePriority = &in.LivePriority
				}
			default:
				o.Reason = cmp.Or(in.Error, in.Why)
				causes := liverows.KnownCauses(r, z, in)
				for i, d := range in.Diffs {
					row := driftRow{RowDiff: d}
					row.Fields = append([]model.FieldDiff{}, d.Fields...)
					if st == model.StateBehind && causes != nil && causes[i] != nil {
						c := causes[i]
						row.Known = &knownReasonOut{Code: c.Code, Text: c.Text(), Remedy: c.Remedy, Doc: "ovn-kubernetes.md#" + c.Doc}
					}
					o.Rows = append(o.Rows, row)
				}
			}
			out = append(out, o)
		}
	}
	return out
}

// nextBehind is when the first difference that settles counts as behind, which nobody
// tells; zero when none settles.
func nextBehind(zones []*model.ZoneState, now time.Time, settle time.Duration) (first time.Time) {
	for _, z := range zones {
		if at := z.NextBehindAfter(now, settle); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// isMoving says whether some of it may go away by itself: rows that differ, in a
// zone that is read, and not rows that nobody will ever write.
func isMoving(zones []*model.ZoneState, out []driftOut) bool {
	for _, o := range out {
		switch o.State {
		case model.StateSettling, model.StateBehind:
			return true
		case model.StateUnknown:
			for _, z := range zones {
				if z.Name == o.Zone && !z.SyncedAt.IsZero() {
					return true
				}
			}
		}
	}
	return false
}

// noDriftText says that nothing differs, and what was compared where that is not all: whole is that
// the rows of all zones were read, not what was left out; of all policies some were asked for.
func noDriftText(kept, all int, zones []*model.ZoneState, whole bool, not string) string {
	switch {
	case !whole:
		return "no drift in the rows that were read: not all could be"
	case not == "" && kept == all:
		return "no drift: all zones match"
	}
	text := fmt.Sprintf("no drift in what was compared, %s in %s", words.Count(kept, "policy"), words.Count(len(zones), "zone"))
	if not != "" {
		text += "; not compared: " + not
	}
	return text
}

// comparedPolicies are the policies, and other units with rows, that zones are judged by.
func comparedPolicies(r *revision.Revision, zones []*model.ZoneState) map[model.PolicyKey]bool {
	compared := map[model.PolicyKey]bool{}
	for _, z := range zones {
		for _, k := range liverows.ZonePolicies(r, z) {
			compared[k] = true
		}
	}
	return compared
}

// driftText says what differs.
func driftText(out []driftOut, wide bool) string {
	var b strings.Builder
	for _, o := range out {
		fmt.Fprintf(&b, "%s  %s  %s", o.Zone, o.Policy, o.State)
		if o.LivePriority != nil {
			fmt.Fprintf(&b, ", still enforced at %d", *o.LivePriority)
		}
		if o.Reason != "" {
			fmt.Fprintf(&b, "  %s", o.Reason)
		}
		b.WriteByte('\n')
		for _, row := range o.Rows {
			fmt.Fprintf(&b, "  %-9s %s %s", row.Kind, row.Table, cmp.Or(command.ShortID(row.ID, wide), row.UUID))
			if why := cmp.Or(row.Note, row.Waiting); why != "" && len(row.Fields) == 0 {
				fmt.Fprintf(&b, ": %s", why)
			}
			b.WriteByte('\n')
			for _, f := range row.Fields {
				fmt.Fprintf(&b, "            %s: want %s, is %s", f.Column, f.Desired, f.Live)
				if len(f.Missing) > 0 {
					fmt.Fprintf(&b, "; missing %s", command.ListMembers(f.Missing, wide))
				}
				if len(f.Extra) > 0 {
					fmt.Fprintf(&b, "; extra %s", command.ListMembers(f.Extra, wide))
				}
				b.WriteByte('\n')
			}
			if row.Known != nil {
				fmt.Fprintf(&b, "            known: %s → %s\n", row.Known.Text, row.Known.Remedy)
			}
		}
	}
	return b.String()
}
