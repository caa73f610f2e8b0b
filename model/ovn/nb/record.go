package nb

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Column is one column of a row by its name in the schema. Value is a string, Optional, int, bool, []string or
// map[string]string.
type Column struct {
	Name  string
	Value any
}

// Optional is the value of an optional column: empty means none.
type Optional string

// optionalValue returns the value of an optional column, which may be an empty string.
func optionalValue(s string, blank bool) any {
	if blank {
		return s
	}
	return Optional(s)
}

// Columns returns the columns of a row that Rung knows, except the numbers of NB_Global. They are sorted by
// name, with any _uuid first, as "ovn-nbctl list" orders them.
func Columns(r Row) []Column {
	var cols []Column
	switch r := r.(type) {
	case *ACL:
		for _, c := range allACLColumns {
			cols = append(cols, Column{c.Name, c.Value(r)})
		}
	case *AddressSet:
		cols = []Column{{"addresses", r.Addresses}, {"external_ids", r.ExternalIDs}, {"name", r.Name}}
	case *PortGroup:
		cols = []Column{{"acls", r.ACLs}, {"external_ids", r.ExternalIDs}, {"name", r.Name}, {"ports", r.Ports}}
	case *LogicalSwitch:
		cols = []Column{{"acls", r.ACLs}, {"external_ids", r.ExternalIDs}, {"name", r.Name}, {"ports", r.Ports}}
	case *LogicalSwitchPort:
		cols = []Column{{"addresses", r.Addresses}, {"external_ids", r.ExternalIDs}, {"name", r.Name}}
	case *Meter:
		cols = []Column{{"bands", r.Bands}, {"fair", r.Fair}, {"name", r.Name}, {"unit", r.Unit}}
	case *MeterBand:
		cols = []Column{{"action", r.Action}, {"burst_size", r.BurstSize}, {"rate", r.Rate}}
	case *Global:
		cols = []Column{{"external_ids", r.ExternalIDs}, {"name", r.Name}}
	default:
		return nil
	}
	if uuid := r.RowUUID(); uuid != "" {
		cols = append([]Column{{"_uuid", uuid}}, cols...)
	}
	return cols
}

// ListText returns a column's value as "ovn-nbctl list" prints it.
func (c Column) ListText() string {
	switch v := c.Value.(type) {
	case Optional:
		if v == "" {
			return "[]"
		}
		return Atom(string(v))
	case string:
		return Atom(v)
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = Atom(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]string:
		parts := make([]string, 0, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, Atom(k)+"="+Atom(v[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(c.Value)
}

// Atom writes a string as OVSDB tools do: identifiers and UUIDs bare, everything else in quotes.
func Atom(s string) string {
	bare := s != "" && s != "true" && s != "false"
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c == '-' || c == '.' || c >= '0' && c <= '9')) {
			bare = false
			break
		}
	}
	if bare || IsUUID(s) {
		return s
	}
	return strconv.Quote(s)
}

// IsUUID reports whether s is a UUID as OVSDB writes it.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range s {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !strings.ContainsRune("0123456789abcdef", c) {
			return false
		}
	}
	return true
}

// ACLColumn is a column of ACL.
type ACLColumn struct {
	Name string
	// Value is a string, Optional, int, bool or map[string]string.
	Value func(*ACL) any
	// Same reports whether two rows have the same value.
	Same func(a, b *ACL) bool
}

// ACLColumns has the columns that OVN-Kubernetes rewrites when it upserts a row, by name: all but the label
// and the samples (ovn-kubernetes.md#acl-columns).
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
	{"meter", func(a *ACL) any { return optionalValue(a.Meter, a.BlankMeter) },
		func(a, b *ACL) bool { return a.Meter == b.Meter && a.BlankMeter == b.BlankMeter }},
	{"name", func(a *ACL) any { return optionalValue(a.Name, a.BlankName) },
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

// SameACL reports whether two rows are equal in all ACLColumns.
func SameACL(a, b *ACL) bool {
	for i := range ACLColumns {
		if !ACLColumns[i].Same(a, b) {
			return false
		}
	}
	return true
}
