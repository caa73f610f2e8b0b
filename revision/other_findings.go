package revision

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/dialect"
)

// FindDialect is the code for a zone whose rows come from another release, or from other settings than most.
const FindDialect = "zone-dialect"

// dialectFindings names, zone by zone, rows that cannot be compared, and samples that not all zones have.
func dialectFindings(r *Revision) []zoneFinding {
	v := r.Dialects
	if v == nil {
		return nil
	}
	var out []zoneFinding
	add := func(zone, text, remedy string) {
		out = append(out, zoneWarning(FindDialect, zone, model.PolicyKey{}, time.Time{}, "zone "+zone+": "+text, remedy))
	}
	for _, zone := range v.ZoneNames() {
		d := v.RowDialect(zone)
		byWhy := map[Deviation][]string{}
		for kind, why := range v.Deviations(d) {
			if kind != model.KindCNP && (why.Setting || hasDesiredRows(r, kind)) { // no zone has rows of CNPs
				byWhy[why] = append(byWhy[why], string(kind))
			}
		}
		var texts []string
		for why, kinds := range byWhy {
			slices.Sort(kinds)
			texts = append(texts, strings.Join(kinds, ", ")+" not compared: "+why.Text)
		}
		slices.Sort(texts)
		if len(texts) > 0 {
			add(zone, strings.Join(texts, "; "), "finish the upgrade of the zone's ovnkube-node pod; rung zones --dialect shows what was read")
		}
		if have := d.Observability.Value; have != dialect.Unknown && v.ClusterDialect().Observability.Value != dialect.Unknown &&
			have != v.ClusterDialect().Observability.Value {
			add(zone, fmt.Sprintf("observability is %s, unlike in most zones: %s", OnOff(have == dialect.Yes), d.Observability.Evidence),
				"give all ovnkube-node pods the same settings")
		}
	}
	return out
}

func hasDesiredRows(r *Revision, kind model.Kind) bool {
	for c := range r.AllCompiled() {
		if c.Key.Kind == kind {
			return true
		}
	}
	return false
}

// FindOVNTrace is the code for an ovn-trace that contradicts the rows.
const FindOVNTrace = "ovn-trace-disagrees"

func traceDisagreements(r *Revision) (out []zoneFinding) {
	for i := range r.OVNTraces {
		d := &r.OVNTraces[i]
		if !d.StillApplies(r.Cluster) {
			continue
		}
		var about model.PolicyKey
		if len(d.Policies) > 0 {
			about = d.Policies[0]
		}
		out = append(out, zoneWarning(FindOVNTrace, d.Zone, about, d.At, d.Text+"; traced at "+d.At.Format(time.TimeOnly),
			"trace it again (T on its trace, or rung trace --ovn); if they still disagree, look at ovn-northd in the zone"))
	}
	return out
}
