package compiler

import (
	"rung/model"
	"rung/model/ovn/nb"
)

// rowSpec is what tells an ACL from others of its unit.
type rowSpec struct {
	name      string    // empty: none
	pairs     []nb.Pair // of the id, in declared order
	direction model.Direction
	// toLport overrules the direction: EgressFirewalls decide at the other end of
	// the pipeline (ovn-kubernetes.md#firewall-rows).
	toLport  bool
	priority int
	action   string
	level    string // to log with, empty: off
	match    string
	sampled  bool // its feature has samples (ovn-kubernetes.md#samples)
}

// row fills in an ACL (ovn-kubernetes.md#acl-columns, #direction-and-action, #acl-ids,
// #acl-names).
func (out *Compiled) row(o Options, s rowSpec) *nb.ACL {
	a := &nb.ACL{
		Action: s.action, Match: s.match, Meter: nb.LoggingMeter, Priority: s.priority, Tier: model.TierNetwork,
		Name: s.name, ExternalIDs: nb.IDs(nb.DefaultController, out.owner, s.pairs...),
		Log: s.level != "", Severity: s.level,
	}
	if out.Policy != nil {
		a.Tier = out.Policy.Tier
	}
	if s.direction == model.Ingress || s.toLport {
		a.Direction = nb.ToLport
	} else {
		a.Direction = nb.FromLport
		a.Options = map[string]string{nb.OptAfterLB: "true"}
	}
	if o.Observability && s.sampled {
		a.SampleNew = sampleID(a)
		a.SampleEst = a.SampleNew
	}
	return a
}

// HolderOf is the row that the ACLs of a unit hang on, whether the unit is there
// or not; the zero Holder means a port group of its own, or no ACLs.
func HolderOf(k model.PolicyKey) Holder {
	switch k.Kind {
	case model.KindEF, model.KindMulticastNS:
		return groupHolder(nb.OwnerNamespace, k.Namespace)
	case model.KindNetpolNode:
		return Holder{nb.TableSwitch, k.Name}
	case model.KindNetpolDefault:
		return groupHolder(nb.OwnerCluster, nb.GroupCluster)
	case model.KindMulticastCluster:
		if k.Name == nb.TypeMulticastNodes {
			return groupHolder(nb.OwnerCluster, nb.GroupClusterRtr)
		}
		return groupHolder(nb.OwnerCluster, nb.GroupCluster)
	}
	return Holder{}
}

func groupHolder(owner, name string) Holder {
	ids := nb.IDs(nb.DefaultController, owner, nb.Pair{Key: nb.KeyName, Value: name})
	return Holder{nb.TablePortGroup, nb.HashedName(ids[nb.KeyID])}
}
