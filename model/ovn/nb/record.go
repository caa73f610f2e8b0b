package nb

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Column is one column of a row under its name in the schema. Value is a
// string, Optional, int, bool, []string or map[string]string.
type Column struct {
	Name  string
	Value any
}

// Optional is the value of a column that may have none: empty is none.
type Optional string

// optional is the value of a column that may have none, or an empty string.
func optional(s string, blank bool) any {
	if blank {
		return s
	}
	return Optional(s)
}

// Columns are the columns of a row that Rung knows, but for the numbers of NB_Global, by name and with _uuid first
// where the row has one, as "ovn-nbctl list" orders them.
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

// Text is a column's value as "ovn-nbctl list" prints it.
func (c Column) Text() string {
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

// Atom writes a string as OVSDB tools do: words that are identifiers, and UUIDs,
// stand as they are, everything else in quotes.
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

// IsUUID says whether s is a UUID as OVSDB writes it.
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
