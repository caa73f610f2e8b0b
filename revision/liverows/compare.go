package liverows

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// Field is one column of a row, desired beside live, for people.
type Field struct {
	Name          string
	Desired, Live string
	Differs       bool
}

// none stands for a column without a value.
const none = "–"

// CompareACL lists the columns of an ACL in the order in which an admin asks for
// them. Either row may be nil. Columns that OVN-Kubernetes does not write are
// left out unless they are set.
func CompareACL(desired, live *nb.ACL) []Field {
	var out []Field
	add := func(name string, value func(*nb.ACL) string, always bool) {
		f := Field{Name: name}
		if desired != nil {
			f.Desired = value(desired)
		}
		if live != nil {
			f.Live = value(live)
		}
		f.Differs = desired != nil && live != nil && f.Desired != f.Live
		if always || f.Desired != none && f.Desired != "" || f.Live != none && f.Live != "" {
			out = append(out, f)
		}
	}
	add("action", func(a *nb.ACL) string { return cmp.Or(a.Action, none) }, true)
	add("direction", func(a *nb.ACL) string { return cmp.Or(a.Direction, none) }, true)
	add("options", func(a *nb.ACL) string { return options(a.Options) }, true)
	add("priority", func(a *nb.ACL) string { return strconv.Itoa(a.Priority) }, true)
	add("tier", func(a *nb.ACL) string { return strconv.Itoa(a.Tier) }, true)
	add("log", func(a *nb.ACL) string { return strconv.FormatBool(a.Log) }, true)
	add("severity", func(a *nb.ACL) string { return cmp.Or(a.Severity, none) }, true)
	add("meter", func(a *nb.ACL) string { return cmp.Or(a.Meter, none) }, true)
	add("name", func(a *nb.ACL) string { return cmp.Or(a.Name, none) }, true)
	add("match", func(a *nb.ACL) string { return cmp.Or(a.Match, none) }, true)
	add("external_ids", func(a *nb.ACL) string { return mapText(a.ExternalIDs) }, true)
	return out
}

// options is the option of ovn-kubernetes.md#direction-and-action by its name; others
// in full.
func options(m map[string]string) string {
	switch {
	case len(m) == 0:
		return none
	case len(m) == 1 && m[nb.OptAfterLB] == "true":
		return nb.OptAfterLB
	}
	return mapText(m)
}

func mapText(m map[string]string) string {
	if len(m) == 0 {
		return none
	}
	parts := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k+"="+m[k])
	}
	return strings.Join(parts, " ")
}

// MapDiffers lists the keys in which two maps differ, sorted, without the prefix
// that all of OVN-Kubernetes' keys share.
func MapDiffers(a, b map[string]string) []string {
	var keys []string
	for k, v := range a {
		if w, ok := b[k]; !ok || w != v {
			keys = append(keys, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for i := range keys {
		keys[i] = strings.TrimPrefix(keys[i], "k8s.ovn.org/")
	}
	return keys
}

// GroupName is the name of the port group that a policy's ACLs hang on: its own,
// or the one of its namespace (ovn-kubernetes.md#firewall-rows). It is empty for what
// hangs on no port group.
func GroupName(k model.PolicyKey) string {
	pairs := []nb.Pair{{Key: nb.KeyName, Value: k.Name}}
	switch table, name := HolderOf(k); {
	case table == nb.TablePortGroup:
		return name
	case table != "" || k.Kind == model.KindPodSelector || k.Kind == model.KindEFDNS:
		return ""
	case k.Kind == model.KindNP:
		pairs[0].Value = k.Namespace + ":" + k.Name
	case k.Kind == model.KindNetpolNamespace:
		pairs[0].Value = k.Namespace
		pairs = append(pairs, nb.Pair{Key: nb.KeyDirection, Value: k.Name})
	}
	return nb.HashedName(nb.IDs(nb.DefaultController, string(k.Kind), pairs...)[nb.KeyID])
}

// LiveACLs are the ACLs in a policy's live port group, by id; of a group that is
// not its own, those that are the policy's.
func LiveACLs(db *nb.DB, k model.PolicyKey) []*nb.ACL {
	g := db.PortGroupByName(GroupName(k))
	if g == nil {
		return nil
	}
	table, _ := HolderOf(k)
	out := make([]*nb.ACL, 0, len(g.ACLs))
	for _, uuid := range g.ACLs {
		a := db.ACL(uuid)
		if a == nil {
			continue
		}
		if unit, ok := UnitOf(nb.OwnerOfRow(a)); table == "" || ok && unit == k {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b *nb.ACL) int { return strings.Compare(a.ID()+a.UUID, b.ID()+b.UUID) })
	return out
}
