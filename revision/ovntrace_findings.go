package revision

import (
	"fmt"
	"time"

	"rung/model"
	"rung/model/verdict"
)

// FindOVNTrace is an ovn-trace that says something else than the rows.
const FindOVNTrace = "ovn-trace-disagrees"

// OVNDisagreement is a connection about which ovn-trace and the rows disagreed when it was
// traced last.
type OVNDisagreement struct {
	Connection verdict.Connection
	Zone       string
	At         time.Time
	// Policies are those that decide, by the rows or by OVN; the first is the rows', where
	// it is a policy's rule that decides there.
	Policies []model.PolicyKey
	Text     string
}

// Disagreements are those of a trace, one for each zone.
func (t *OVNTrace) Disagreements() (out []OVNDisagreement) {
	for i := range t.Ways {
		for j := range t.Ways[i].Halves {
			h := &t.Ways[i].Halves[j]
			for k := range h.Stages {
				s := &h.Stages[k]
				if s.Agreement != Disagree {
					continue
				}
				d := OVNDisagreement{Connection: t.Connection, Zone: h.Zone, At: t.At,
					Text: fmt.Sprintf("zone %s: ovn-trace of %s disagrees with the rows in %s: OVN %s; rows %s; likely cause: %s",
						h.Zone, t.Connection, s.Stage, s.ovn(), s.rows(), h.Cause())}
				if r := s.Rows.Decided; r != nil && r.Policy.Kind.IsPolicy() {
					d.Policies = append(d.Policies, r.Policy)
				}
				for _, b := range s.By.Rules {
					if b.Policy.Kind.IsPolicy() {
						d.Policies = append(d.Policies, b.Policy)
					}
				}
				out = append(out, d)
				break
			}
		}
	}
	return out
}

// Stands says whether everything that it is about is still there.
func (d *OVNDisagreement) Stands(c *model.Cluster) bool {
	for _, k := range d.Policies {
		if c.Policy(k) == nil {
			return false
		}
	}
	for _, e := range []verdict.Endpoint{d.Connection.From, d.Connection.To} {
		if e.Key.Name != "" && c.Get(e.Key) == nil {
			return false
		}
	}
	return true
}

// disagreements are the findings of traces.
func (r *Revision) disagreements() (out []zoneFinding) {
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
