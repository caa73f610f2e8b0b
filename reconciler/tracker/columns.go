package tracker

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// SameValue says whether two values of a column are the same.
func SameValue(a, b any) bool {
	if m, ok := a.(map[string]string); ok {
		n, _ := b.(map[string]string)
		return maps.Equal(m, n)
	}
	return a == b
}

// WrittenValue is the value of a column as an operation carries it: nil for "no value".
func WrittenValue(v any) any {
	if o, ok := v.(nb.Optional); ok {
		if o == "" {
			return nil
		}
		return string(o)
	}
	return v
}

// diffACL lists the columns that differ, by name.
func diffACL(desired, live *nb.ACL) []model.FieldDiff {
	var out []model.FieldDiff
	for i := range nb.ACLColumns {
		if c := &nb.ACLColumns[i]; !c.Same(desired, live) {
			out = append(out, model.FieldDiff{Column: c.Name, Desired: valueText(c.Value(desired)), Live: valueText(c.Value(live))})
		}
	}
	return out
}

func mapDiff(column string, desired, live map[string]string) model.FieldDiff {
	return model.FieldDiff{Column: column, Desired: valueText(desired), Live: valueText(live)}
}

// valueText is a column's value for people; a map is {k=v, …} by key.
func valueText(v any) string {
	switch v := v.(type) {
	case nb.Optional:
		return string(v)
	case string:
		if v == "" {
			return `""`
		}
		return v
	case int:
		return strconv.Itoa(v)
	case bool:
		return strconv.FormatBool(v)
	case map[string]string:
		parts := make([]string, 0, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, k+"="+v[k])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return ""
}

// WrittenIn is the value of a row's column in the form operations carry it.
func WrittenIn(row nb.Row, name string) any {
	switch row := row.(type) {
	case *nb.ACL:
		for i := range nb.ACLColumns {
			if c := &nb.ACLColumns[i]; c.Name == name {
				return WrittenValue(c.Value(row))
			}
		}
	case *nb.AddressSet:
		return row.ExternalIDs
	case *nb.PortGroup:
		return row.ExternalIDs
	}
	return nil
}
