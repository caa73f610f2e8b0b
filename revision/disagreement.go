package revision

import (
	"rung/model"
	"rung/model/verdict"
	"time"
)

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
