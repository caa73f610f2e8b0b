package compiler

import (
	"rung/model"
	"rung/model/nb"
)

// rowSpec is what tells an ACL of tier 2 from others.
type rowSpec struct {
	name      string    // cut at 63 characters; empty: none
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

// row fills in an ACL of tier 2 (ovn-kubernetes.md#acl-columns).
func (c *Compiler) row(out *Compiled, s rowSpec) *nb.ACL {
	a := &nb.ACL{
		Action: s.action, Match: s.match, Meter: nb.LoggingMeter, Priority: s.priority, Tier: model.TierNetwork,
		Name: cutName(s.name), ExternalIDs: nb.IDs(nb.DefaultController, out.owner, s.pairs...),
		Log: s.level != "", Severity: s.level,
	}
	if s.direction == model.Ingress || s.toLport {
		a.Direction = nb.ToLport
	} else {
		a.Direction = nb.FromLport
		a.Options = map[string]string{nb.OptAfterLB: "true"}
	}
	if c.options.Observability && s.sampled {
		a.SampleNew = sampleID(a)
		a.SampleEst = a.SampleNew
	}
	return a
}

// cutName cuts an ACL's name at 63 characters, as OVN-Kubernetes does
// (ovn-kubernetes.md#acl-names).
func cutName(s string) string {
	if len(s) > maxNameLen {
		return s[:maxNameLen]
	}
	return s
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
