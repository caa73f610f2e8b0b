package revision

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// ComparedField is one column of a row, desired and live, as text for people.
type ComparedField struct {
	Name          string
	Desired, Live string
	Differs       bool
}

// none is shown for a column without a value.
const none = "–"

// aclColumnOrder lists the columns of an ACL, the most asked for first.
var aclColumnOrder = []string{"action", "direction", "options", "priority", "tier", "log", "severity", "meter", "name", "match",
	"external_ids"}

// CompareACL compares the columns of an ACL that OVN-Kubernetes writes. Either row may be nil.
func CompareACL(desired, live *nb.ACL) []ComparedField {
	out := make([]ComparedField, len(aclColumnOrder))
	for _, c := range nb.ACLColumns {
		f := &out[slices.Index(aclColumnOrder, c.Name)]
		f.Name = c.Name
		if desired != nil {
			f.Desired = columnText(c.Value(desired))
		}
		if live != nil {
			f.Live = columnText(c.Value(live))
		}
		f.Differs = desired != nil && live != nil && !c.Same(desired, live)
	}
	return out
}

// columnText formats a value for people. See ovn-kubernetes.md#direction-and-action.
func columnText(v any) string {
	if m, ok := v.(map[string]string); ok {
		switch {
		case len(m) == 0:
			return none
		case len(m) == 1 && m[nb.OptAfterLB] == "true":
			return nb.OptAfterLB
		}
		return strings.Join(model.MapList(slices.Sorted(maps.Keys(m)), func(k string) string { return k + "=" + m[k] }), " ")
	}
	return cmp.Or(fmt.Sprint(v), none)
}

// MapDiffers returns the keys in which two maps differ, sorted, without the prefix of OVN-Kubernetes' keys.
func MapDiffers(a, b map[string]string) []string {
	var keys []string
	all := maps.Collect(maps.All(a))
	maps.Copy(all, b)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		v, had := a[k]
		if w, has := b[k]; had != has || v != w {
			keys = append(keys, strings.TrimPrefix(k, "k8s.ovn.org/"))
		}
	}
	return keys
}

// GroupName returns the name of the port group that holds a policy's ACLs: its own, or its namespace's
// (ovn-kubernetes.md#firewall-rows). It is empty for units without a port group.
func GroupName(r *Revision, k model.PolicyKey) string {
	if c := r.DesiredFor(k).Policy(k); c != nil && c.WhyNoRows == nil { // its namespace may be on another network
		if c.Holder.Table == nb.TablePortGroup {
			return c.Holder.Name
		}
		return c.GroupName
	}
	pairs := []nb.IDPair{{Key: nb.KeyName, Value: k.Name}}
	switch table, name := FindACLHolder(k); {
	case table == nb.TablePortGroup:
		return name
	case table != "" || k.Kind == model.KindPodSelector || k.Kind == model.KindEFDNS:
		return ""
	case k.Kind == model.KindNP:
		pairs[0].Value = k.Namespace + ":" + k.Name
	case k.Kind == model.KindNetpolNamespace:
		pairs[0].Value = k.Namespace
		pairs = append(pairs, nb.IDPair{Key: nb.KeyDirection, Value: k.Name})
	}
	return nb.HashedName(nb.IDs(nb.ControllerName(k.Network), string(k.Kind), pairs...)[nb.KeyID])
}

// LiveACLs returns the ACLs in a policy's live port group, by id. From a shared group it returns only its own.
func LiveACLs(r *Revision, db *nb.DB, k model.PolicyKey) []*nb.ACL {
	g := db.PortGroupByName(GroupName(r, k))
	if g == nil {
		return nil
	}
	table, _ := FindACLHolder(k)
	if c := r.DesiredFor(k).Policy(k); c != nil {
		k = c.Key
	}
	out := make([]*nb.ACL, 0, len(g.ACLs))
	for _, uuid := range g.ACLs {
		a := db.ACL(uuid)
		if a == nil {
			continue
		}
		if unit, ok := UnitOfOwner(nb.OwnerOfRow(a)); table == "" || ok && unit == k {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b *nb.ACL) int { return strings.Compare(a.ID()+a.UUID, b.ID()+b.UUID) })
	return out
}
