package finding

import (
	"time"

	"rung/model"
	"rung/revision"
)

// FindOVNTrace is an ovn-trace that says something else than the rows.
const FindOVNTrace = "ovn-trace-disagrees"

// disagreements are the findings of traces.
func disagreements(r *revision.Revision) (out []zoneFinding) {
	for i := range r.OVNTraces {
		d := &r.OVNTraces[i]
		if !d.Stands(r.Cluster) {
			continue
		}
		var about model.PolicyKey
		if len(d.Policies) > 0 {
			about = d.Policies[0]
		}
		out = append(out, warning(FindOVNTrace, d.Zone, about, d.At, d.Text+"; traced at "+d.At.Format(time.TimeOnly),
			"trace it again (T on its trace, or rung trace --ovn); if they still disagree, look at ovn-northd in the zone"))
	}
	return out
}
