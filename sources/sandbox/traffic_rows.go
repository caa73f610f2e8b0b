package sandbox

import (
	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/verdict/walk"
)

// isolates says whether the zone has the rows of a namespace's NetworkPolicies:
// the groups of its default deny come and go with them
// (ovn-kubernetes.md#isolation-groups).
func isolates(db *nb.DB, namespace string) bool {
	ids := nb.IDs(nb.DefaultController, nb.OwnerNetpolNamespace,
		nb.Pair{Key: nb.KeyName, Value: namespace}, nb.Pair{Key: nb.KeyDirection, Value: "Ingress"})
	return db.PortGroupByName(nb.HashedName(ids[nb.KeyID])) != nil
}

// order sorts a zone's rows for judging.
func (t *Traffic) order(name string, db *nb.DB, old *walk.Zone) *walk.Zone {
	return walk.NewZone(name, db, &t.matches, old)
}

// decide returns the rows that decided a stage: those that passed the packet on and the
// one, if any, that ended it. Without that one the packet is allowed
// (ovn-kubernetes.md#stages). The winner among equals is undefined; here it is the one
// with the lower UUID. What cannot be judged is passed over.
func (t *Traffic) decide(z *walk.Zone, s stage) []*nb.ACL {
	deciders, unjudged := z.Walk(s.name, s.at, s.packet)
	t.stats.unjudged.Add(unjudged)
	return deciders
}

// stage is one walk through ACLs that a packet makes.
type stage struct {
	zone   string
	at     string // a logical port of the switch it makes it on
	name   model.Stage
	packet match.Packet
}
