package manifests

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// setObject changes an object from its value old to the value of the edit.
func (p *documentPiece) setObject(e Edit, item int, old map[string]any) error {
	obj, err := UntypedTree(e.Object)
	if err != nil {
		return err
	}
	if md, _ := obj["metadata"].(map[string]any); md["name"] != e.Key.Name {
		return errors.New("the new object has another name")
	}
	// Compare equal forms: convert the old object to the new one's type.
	var was any = old
	if typed := reflect.TypeOf(e.Object); typed.Kind() == reflect.Pointer && e.Key.Kind.IsPolicy() {
		if t, err := TypedPolicy(e.Key.Kind, old); err == nil && reflect.TypeOf(t) == typed {
			was = t
		}
	}
	base, err := UntypedTree(was)
	if err != nil {
		return err
	}
	base["metadata"] = old["metadata"]
	base, want := editableScope(base, obj)
	wanted := slices.Clone(p.objs)
	wanted[item] = mergeChange(old, base, want)
	return p.changeBody(wanted, item, func(d *objectDiffer) error {
		if !p.list {
			return d.changeValue(p.root, base, want, rootPlace)
		}
		_, items, err := d.findItems(p)
		if err != nil {
			return err
		}
		at := items[item].at
		at.path = nil // name fields relative to the object
		return d.changeValue(items[item].value, base, want, at)
	})
}

// authorMetadata are the metadata fields that an edit may change.
var authorMetadata = []string{"labels", "annotations", "finalizers"}

// editableScope reduces the old and the new object to the editable fields. All others come from the old one.
func editableScope(old, obj map[string]any) (base, want map[string]any) {
	base = map[string]any{"metadata": old["metadata"], "spec": old["spec"]}
	oldMeta, _ := old["metadata"].(map[string]any)
	newMeta, _ := obj["metadata"].(map[string]any)
	meta := map[string]any{}
	maps.Copy(meta, oldMeta)
	for _, f := range authorMetadata {
		if v, ok := newMeta[f]; ok {
			meta[f] = v
		} else {
			delete(meta, f)
		}
	}
	if oldA, _ := oldMeta["annotations"].(map[string]any); oldA[corev1.LastAppliedConfigAnnotation] != nil {
		all := map[string]any{}
		a, _ := meta["annotations"].(map[string]any)
		maps.Copy(all, a)
		all[corev1.LastAppliedConfigAnnotation] = oldA[corev1.LastAppliedConfigAnnotation]
		meta["annotations"] = all
	}
	want = map[string]any{"metadata": meta, "spec": obj["spec"]}
	for k, v := range old {
		if k != "metadata" && k != "spec" {
			base[k], want[k] = v, v
		}
	}
	return base, want
}

// mergeChange applies the change from base to want to old, the untyped base. Unchanged parts keep their form.
func mergeChange(old, base, want any) any {
	if equalValues(base, want) {
		return old
	}
	o, ok1 := old.(map[string]any)
	b, ok2 := base.(map[string]any)
	w, ok3 := want.(map[string]any)
	if !ok1 || !ok2 || !ok3 {
		return want
	}
	out := map[string]any{}
	for k, v := range o {
		if _, stays := w[k]; stays || b[k] == nil {
			out[k] = v
		}
	}
	for k, v := range w {
		if bv, ok := b[k]; ok {
			if ov, had := o[k]; had || !equalValues(bv, v) {
				out[k] = mergeChange(ov, bv, v)
			}
		} else {
			out[k] = v
		}
	}
	return out
}
