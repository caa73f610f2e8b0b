package compiler

import (
	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
)

// rowSpec holds the parts of an ACL that differ within a unit.
type rowSpec struct {
	name      string      // empty: none
	pairs     []nb.IDPair // of the id, in declared order
	direction model.Direction
	// toLport overrides the direction: EgressFirewalls decide in the to-lport pipeline
	// (ovn-kubernetes.md#firewall-rows).
	toLport  bool
	priority int
	action   string
	level    string // to log with, empty: off
	match    string
	sampled  bool // its feature has samples (ovn-kubernetes.md#samples)
}

// newACL fills in an ACL (ovn-kubernetes.md#acl-columns, #direction-and-action, #acl-ids,
// #acl-names).
func (out *CompiledUnit) newACL(o Options, s rowSpec) *nb.ACL {
	a := &nb.ACL{
		Action: s.action, Match: s.match, Meter: nb.LoggingMeter, Priority: s.priority, Tier: model.TierNetwork,
		Name: s.name, ExternalIDs: nb.IDs(nb.ControllerName(out.Key.Network), out.owner, s.pairs...),
		Log: s.level != "", Severity: s.level,
	}
	if !a.Log && o.AlternateForms.Has(dialect.UnloggedMeter) {
		a.Meter = ""
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

// HolderForUnit returns the row that references a unit's ACLs, even for unknown units. For an EgressFirewall it is
// the default network's, unless its namespace is known to have another network. The zero ACLHolder means a
// port group of its own, or no ACLs.
func HolderForUnit(k model.PolicyKey) ACLHolder {
	switch k.Kind {
	case model.KindEF, model.KindMulticastNS:
		return GroupHolder(k.Network, nb.OwnerNamespace, k.Namespace)
	case model.KindNetpolNode:
		return ACLHolder{nb.TableSwitch, k.Name}
	case model.KindNetpolDefault:
		return GroupHolder(k.Network, nb.OwnerCluster, nb.GroupCluster)
	case model.KindMulticastCluster:
		if k.Name == nb.TypeMulticastNodes {
			return GroupHolder(k.Network, nb.OwnerCluster, nb.GroupClusterRtr)
		}
		return GroupHolder(k.Network, nb.OwnerCluster, nb.GroupCluster)
	}
	return ACLHolder{}
}

// GroupHolder returns a port group that another handler of OVN-Kubernetes makes, by network, owner type and
// name.
func GroupHolder(network, owner, name string) ACLHolder {
	ids := nb.IDs(nb.ControllerName(network), owner, nb.IDPair{Key: nb.KeyName, Value: name})
	return ACLHolder{nb.TablePortGroup, nb.HashedName(ids[nb.KeyID])}
}
