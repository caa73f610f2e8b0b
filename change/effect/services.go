package effect

import (
	"slices"

	"rung/change"
	"rung/model"
	"rung/model/words"
)

// servicesText are the connections that are not asked about, for people.
func servicesText(services []model.Key) string {
	var names []string
	for _, k := range services {
		names = append(names, k.Namespace+"/"+k.Name)
	}
	return "connections to the cluster IP of service " + words.Few(names, 3) + ", named by toServices"
}

// namedServices are the Services that toServices of the changed policies names, before and
// after; rules about them decide no connection that a Difference compares.
func namedServices(changes []change.ObjectChange) (out []model.Key) {
	for i := range changes {
		for _, p := range []*model.Policy{changes[i].Old, changes[i].New} {
			if p == nil {
				continue
			}
			for i := range p.Egress {
				if p.Egress[i].Tiered == nil {
					continue
				}
				for _, k := range p.Egress[i].Tiered.ToServices {
					if !slices.Contains(out, k) {
						out = append(out, k)
					}
				}
			}
		}
	}
	return out
}
