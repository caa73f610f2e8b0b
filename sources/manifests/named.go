package manifests

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
	"rung/sources/manifests/yamltree"
)

// writtenOf is where an object that policies name keeps its text, nil for others.
func writtenOf(o model.Object) *model.Written {
	switch o := o.(type) {
	case *model.Tier:
		return &o.Written
	case *model.Group:
		return &o.Written
	}
	return nil
}

// namedObject brings the tree of a Tier or a group into the model's form.
func (d *decoder) namedObject(k *kindInfo, u *unstructured.Unstructured, origin model.Origin) (model.Object, error) {
	typed := reflect.New(k.goType).Interface().(metav1.Object)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
		return nil, err
	}
	o := k.toModel(d, typed, d.metaOf(k, typed, origin))
	*writtenOf(o) = model.Written{Original: u, YAML: yamltree.TidyText(u.Object)}
	return o, nil
}
