package reconciler

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// column is one column of ACL that Rung compares and writes.
type column struct {
	name  string
	value func(*nb.ACL) any // string, blank, int, bool or map[string]string
	// optional columns have no value when the string is empty.
	optional bool
}

// aclColumns are those OVN-Kubernetes rewrites when it upserts an existing row,
// without the samples (ovn-kubernetes.md#acl-columns).
var aclColumns = []column{
	{name: "action", value: func(a *nb.ACL) any { return a.Action }},
	{name: "direction", value: func(a *nb.ACL) any { return a.Direction }},
	{name: "external_ids", value: func(a *nb.ACL) any { return a.ExternalIDs }},
	{name: "log", value: func(a *nb.ACL) any { return a.Log }},
	{name: "match", value: func(a *nb.ACL) any { return a.Match }},
	{name: "meter", value: func(a *nb.ACL) any { return orBlank(a.Meter, a.BlankMeter) }, optional: true},
	{name: "name", value: func(a *nb.ACL) any { return orBlank(a.Name, a.BlankName) }, optional: true},
	{name: "options", value: func(a *nb.ACL) any { return a.Options }},
	{name: "priority", value: func(a *nb.ACL) any { return a.Priority }},
	{name: "severity", value: func(a *nb.ACL) any { return a.Severity }, optional: true},
	{name: "tier", value: func(a *nb.ACL) any { return a.Tier }},
}

// blank is the value of an optional column that holds an empty string, as some of
// older forms do (ovn-kubernetes.md#older-forms): not the same as no value.
type blank struct{}

func orBlank(s string, isBlank bool) any {
	if isBlank {
		return blank{}
	}
	return s
}

func sameValue(a, b any) bool {
	if m, ok := a.(map[string]string); ok {
		n, _ := b.(map[string]string)
		return maps.Equal(m, n)
	}
	return a == b
}

// write is the value as an operation carries it: nil for "no value".
func (c *column) write(a *nb.ACL) any {
	v := c.value(a)
	if c.optional && v == "" {
		return nil
	}
	return v
}

// diffACL lists the columns that differ, by name.
func diffACL(desired, live *nb.ACL) []model.FieldDiff {
	var out []model.FieldDiff
	for i := range aclColumns {
		c := &aclColumns[i]
		if want, is := c.value(desired), c.value(live); !sameValue(want, is) {
			out = append(out, model.FieldDiff{Column: c.name, Desired: valueText(want), Live: valueText(is)})
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
	case string:
		return v
	case blank:
		return `""`
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
