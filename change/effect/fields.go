package effect

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/change"
	"rung/model"
	"rung/model/words"
	"rung/sources/manifests"
)

// FieldChanges lists the fields in which two objects differ, by path, in the
// order of the paths. Elements of lists are paired by likeness, so that a rule
// put in front does not change all rules behind it.
func FieldChanges(old, now *model.Policy) []change.FieldChange {
	var d fieldDiff
	d.compareValues("", old.AuthoredContent(), now.AuthoredContent())
	for i := range d.changes {
		describeSession(&d.changes[i])
	}
	return d.changes
}

// ValueChanges lists what differs in a field of two objects, by path; nil is an absent one.
func ValueChanges(path string, old, now any) []change.FieldChange {
	var d fieldDiff
	d.compareValues(path, old, now)
	return d.changes
}

type fieldDiff struct{ changes []change.FieldChange }

func (d *fieldDiff) addChange(path, old, now string) {
	d.changes = append(d.changes, change.FieldChange{Path: words.CleanText(path), Old: words.CleanText(old), New: words.CleanText(now)})
}

// compareValues compares two trees; nil is an absent one.
func (d *fieldDiff) compareValues(path string, old, now any) {
	om, oldMap := old.(map[string]any)
	nm, nowMap := now.(map[string]any)
	ol, oldList := old.([]any)
	nl, nowList := now.([]any)
	// Labels and annotations are listed one by one also when the first comes or
	// the last goes.
	words := path == "metadata.annotations" || path == "metadata.labels"
	switch {
	case oldMap && nowMap, words && (oldMap || nowMap):
		d.compareMappings(path, om, nm)
	case oldList && nowList:
		d.compareLists(path, ol, nl)
	case model.CompactJSON(old) != model.CompactJSON(now):
		d.addChange(path, valueText(old), valueText(now))
	}
}

func (d *fieldDiff) compareMappings(path string, old, now map[string]any) {
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
		d.compareValues(at, old[k], now[k])
	}
}

func (d *fieldDiff) compareLists(path string, old, now []any) {
	at := func(i int) string { return path + "[" + strconv.Itoa(i) + "]" }
	for _, c := range manifests.AlignLists(old, now) {
		switch {
		case c.New < 0:
			d.addChange(at(c.Old), valueText(old[c.Old]), "")
		case c.Old < 0:
			d.addChange(at(c.New), "", valueText(now[c.New]))
		default:
			d.compareValues(at(c.New), old[c.Old], now[c.New])
		}
	}
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

// describeSession puts a change of a logging session into words, where its record is
// the value.
func describeSession(f *change.FieldChange) {
	if f.Path != "metadata.annotations["+model.AnnotationLogSession+"]" {
		return
	}
	for _, v := range []*string{&f.Old, &f.New} {
		if s, err := model.ParseLogSession(*v); err == nil {
			*v = s.BriefText(s.Since)
		}
	}
}
