package nb

import (
	"maps"
	"slices"
)

// ACLColumn is a column of ACL.
type ACLColumn struct {
	Name string
	// Value is a string, Optional, int, bool or map[string]string.
	Value func(*ACL) any
	// Same reports whether two rows have the same value.
	Same func(a, b *ACL) bool
}

// ACLColumns are the columns that OVN-Kubernetes rewrites when it upserts a row, by name: all but the label and the
// samples (ovn-kubernetes.md#acl-columns).
var ACLColumns = slices.DeleteFunc(slices.Clone(allACLColumns), func(c ACLColumn) bool {
	return c.Name == "label" || c.Name == "sample_est" || c.Name == "sample_new"
})

var allACLColumns = []ACLColumn{
	aclColumn("action", func(a *ACL) string { return a.Action }),
	aclColumn("direction", func(a *ACL) string { return a.Direction }),
	aclMap("external_ids", func(a *ACL) map[string]string { return a.ExternalIDs }),
	aclColumn("label", func(a *ACL) int { return a.Label }),
	aclColumn("log", func(a *ACL) bool { return a.Log }),
	aclColumn("match", func(a *ACL) string { return a.Match }),
	{"meter", func(a *ACL) any { return optional(a.Meter, a.BlankMeter) },
		func(a, b *ACL) bool { return a.Meter == b.Meter && a.BlankMeter == b.BlankMeter }},
	{"name", func(a *ACL) any { return optional(a.Name, a.BlankName) },
		func(a, b *ACL) bool { return a.Name == b.Name && a.BlankName == b.BlankName }},
	aclMap("options", func(a *ACL) map[string]string { return a.Options }),
	aclColumn("priority", func(a *ACL) int { return a.Priority }),
	aclColumn("sample_est", func(a *ACL) Optional { return Optional(a.SampleEst) }),
	aclColumn("sample_new", func(a *ACL) Optional { return Optional(a.SampleNew) }),
	aclColumn("severity", func(a *ACL) Optional { return Optional(a.Severity) }),
	aclColumn("tier", func(a *ACL) int { return a.Tier }),
}

func aclColumn[T comparable](name string, value func(*ACL) T) ACLColumn {
	return ACLColumn{name, func(a *ACL) any { return value(a) }, func(a, b *ACL) bool { return value(a) == value(b) }}
}

func aclMap(name string, value func(*ACL) map[string]string) ACLColumn {
	return ACLColumn{name, func(a *ACL) any { return value(a) }, func(a, b *ACL) bool { return maps.Equal(value(a), value(b)) }}
}

// SameACL reports whether two rows are the same in all ACLColumns.
func SameACL(a, b *ACL) bool {
	for i := range ACLColumns {
		if !ACLColumns[i].Same(a, b) {
			return false
		}
	}
	return true
}
