package rows

import (
	"cmp"
	"fmt"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// Facts is a policy that is not in sync in a zone (command-line.md#output).
type Facts struct {
	Zone   string            `json:"zone"`
	Policy string            `json:"policy"`
	State  model.PolicyState `json:"state"`
	Reason string            `json:"reason,omitempty"`
	// LivePriority is the priority of old rows that still decide.
	LivePriority *int32     `json:"live_priority,omitempty"`
	Rows         []RowFacts `json:"rows"`

	PolicyKey model.PolicyKey `json:"-"`
}

// RowFacts is one row that differs.
type RowFacts struct {
	model.RowDiff
	// Known is the defect of OVN-Kubernetes that causes the difference.
	Known *KnownFacts `json:"known,omitempty"`
}

// KnownFacts is a known defect of OVN-Kubernetes.
type KnownFacts struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
	Doc    string `json:"doc"` // its place in docs/ovn-kubernetes.md
}

// ListDrift lists everything that is not in sync, by zone and policy. Differences not older than settle are
// settling.
func ListDrift(r *revision.Revision, zones []*model.ZoneState, now time.Time, settle time.Duration) []Facts {
	out := []Facts{}
	for _, z := range zones {
		for _, k := range revision.ZonePolicies(r, z) {
			in := z.PolicyJoin(k)
			st := in.StateSettlingAfter(z, now, settle)
			if st == model.StateInSync || st == model.StateNotEnforced {
				continue
			}
			o := Facts{PolicyKey: k, Zone: z.Name, Policy: k.String(), State: st, Rows: []RowFacts{}}
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
				causes := revision.KnownCauses(r, z, in)
				for i, d := range in.Diffs {
					row := RowFacts{RowDiff: d}
					row.Fields = append([]model.FieldDiff{}, d.Fields...)
					if st == model.StateBehind && causes != nil && causes[i] != nil {
						c := causes[i]
						row.Known = &KnownFacts{Code: c.Code, Text: c.Text(), Remedy: c.Remedy, Doc: c.Doc}
					}
					o.Rows = append(o.Rows, row)
				}
			}
			out = append(out, o)
		}
	}
	return out
}

// NextBehind returns the first time after now at which a settling difference counts as behind; zero if there
// is none.
func NextBehind(zones []*model.ZoneState, now time.Time, settle time.Duration) (first time.Time) {
	for _, z := range zones {
		if at := z.NextBehindAfter(now, settle); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// IsMoving reports whether a difference may disappear by itself: rows that differ in a zone on a server. Rows
// of a stored database never change.
func IsMoving(zones []*model.ZoneState, out []Facts) bool {
	byName := map[string]*model.ZoneState{}
	for _, z := range zones {
		byName[z.Name] = z
	}
	for _, o := range out {
		z := byName[o.Zone]
		switch o.State {
		case model.StateSettling, model.StateBehind:
			if z == nil || !z.IsStored() {
				return true
			}
		case model.StateUnknown:
			if z != nil && !z.SyncedAt.IsZero() {
				return true
			}
		}
	}
	return false
}

// NoDriftText says that nothing differs, and what was compared if that is not everything. whole means that all
// zones were read; not is the text for what was left out; kept of all policies were selected.
func NoDriftText(kept, all int, zones []*model.ZoneState, whole bool, not string) string {
	switch {
	case !whole:
		return "no drift in the rows read; some could not be read"
	case not == "" && kept == all:
		return "no drift: all zones match"
	}
	text := fmt.Sprintf("no drift in what was compared, %s in %s", words.Count(kept, "policy"), words.Count(len(zones), "zone"))
	text += words.Between("; not compared: ", not, "")
	return text
}

// ComparedPolicies returns the policies and other units that are compared in the zones.
func ComparedPolicies(r *revision.Revision, zones []*model.ZoneState) map[model.PolicyKey]bool {
	compared := map[model.PolicyKey]bool{}
	for _, z := range zones {
		for _, k := range revision.ZonePolicies(r, z) {
			compared[k] = true
		}
	}
	return compared
}
