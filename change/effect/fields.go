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

// FieldChanges lists the fields in which two objects differ, sorted by path. List elements are paired by
// similarity, so that inserting a rule does not change all later rules.
func FieldChanges(old, now *model.Policy) []change.FieldChange {
	changes := ValueChanges("", old.AuthoredContent(), now.AuthoredContent())
	for i := range changes {
		describeSession(&changes[i])
	}
	return changes
}

// ValueChanges lists the differences of a field between two objects, by path; nil means absent.
func ValueChanges(path string, old, now any) []change.FieldChange {
	var d fieldDiff
	d.compareValues(path, old, now)
	return d.changes
}

type fieldDiff struct{ changes []change.FieldChange }

func (d *fieldDiff) addChange(path, old, now string) {
	d.changes = append(d.changes, change.FieldChange{Path: words.CleanText(path), Old: words.CleanText(old), New: words.CleanText(now)})
}

// compareValues compares two trees; nil means absent.
func (d *fieldDiff) compareValues(path string, old, now any) {
	om, oldMap := old.(map[string]any)
	nm, nowMap := now.(map[string]any)
	ol, oldList := old.([]any)
	nl, nowList := now.([]any)
	// List labels and annotations one by one even if one side has none.
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
	all := map[string]any{}
	maps.Copy(all, old)
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

// valueText returns a value as text: scalars plain, others as compact JSON, "" if absent.
func valueText(v any) string {
	if text, ok := v.(string); ok || v == nil {
		return text
	}
	return model.CompactJSON(v)
}

// describeSession replaces the record of a logging session by a description.
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
