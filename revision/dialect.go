package revision

import "rung/revision/settings"

// Dialect is what the OVN-Kubernetes of a zone runs with; the name "" is that of
// the cluster: what most zones say.
func Dialect(r *Revision, zone string) settings.Zone {
	if r.Dialects == nil {
		return settings.Zone{Zone: zone}
	}
	return r.Dialects.Zone(zone)
}
