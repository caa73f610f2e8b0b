package revision

import "rung/revision/settings"

// Dialect is what the OVN-Kubernetes of a zone runs with; the name "" is that of
// the cluster: what most zones say.
func (r *Revision) Dialect(zone string) settings.Zone {
	if r.Dialects == nil {
		return settings.Zone{Zone: zone}
	}
	return r.Dialects.Zone(zone)
}

// HasDialect says whether this engine reads dialects: on clusters and with
// databases of others.
func (r *Revision) HasDialect() bool { return r.Dialects != nil }
