package gate

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/clean"
)

// fieldChanges lists the fields in which two objects differ, by path, in the
// order of the paths. Elements of lists are paired by likeness, so that a rule
// put in front does not change all rules behind it.
func fieldChanges(old, now *model.Policy) []FieldChange {
	var d fieldDiff
	d.value("", old.Content(), now.Content())
	return d.out
}

type fieldDiff struct{ out []FieldChange }

func (d *fieldDiff) add(path, old, now string) {
	d.out = append(d.out, FieldChange{Path: clean.Text(path), Old: clean.Text(old), New: clean.Text(now)})
}

// value compares two trees; nil is an absent one.
func (d *fieldDiff) value(path string, old, now any) {
	om, oldMap := old.(map[string]any)
	nm, nowMap := now.(map[string]any)
	ol, oldList := old.([]any)
	nl, nowList := now.([]any)
	// Labels and annotations are listed one by one also when the first comes or
	// the last goes.
	words := path == "metadata.annotations" || path == "metadata.labels"
	switch {
	case oldMap && nowMap, words && (oldMap || nowMap):
		d.mapping(path, om, nm)
	case oldList && nowList:
		d.list(path, ol, nl)
	case model.CompactJSON(old) != model.CompactJSON(now):
		d.add(path, valueText(old), valueText(now))
	}
}

func (d *fieldDiff) mapping(path string, old, now map[string]any) {
	all := maps.Clone(old)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, now)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		at := k
		switch {
		case strings.ContainsAny(k, "./[] "):
			at = path + "[" + k + "]"
		case path != "":
			at = path + "." + k
		}
		d.value(at, old[k], now[k])
	}
}

func (d *fieldDiff) list(path string, old, now []any) {
	at := func(i int) string { return path + "[" + strconv.Itoa(i) + "]" }
	i, j := 0, 0
	for _, p := range append(pairs(old, now), [2]int{len(old), len(now)}) {
		// Elements between two pairs changed: one for one as long as both lists
		// have some, the rest was added or removed.
		for i < p[0] && j < p[1] {
			d.value(at(j), old[i], now[j])
			i, j = i+1, j+1
		}
		for ; i < p[0]; i++ {
			d.add(at(i), valueText(old[i]), "")
		}
		for ; j < p[1]; j++ {
			d.add(at(j), "", valueText(now[j]))
		}
		i, j = p[0]+1, p[1]+1
	}
}

// pairs finds the longest common subsequence of two lists.
func pairs(old, now []any) (out [][2]int) {
	a, b := make([]string, len(old)), make([]string, len(now))
	for i := range old {
		a[i] = model.CompactJSON(old[i])
	}
	for j := range now {
		b[j] = model.CompactJSON(now[j])
	}
	long := make([][]int, len(a)+1)
	for i := range long {
		long[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				long[i][j] = long[i+1][j+1] + 1
			} else {
				long[i][j] = max(long[i+1][j], long[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case long[i+1][j] >= long[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// valueText is a value for people: scalars plain, the rest as compact JSON,
// nothing for what is absent.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return model.CompactJSON(v)
}
