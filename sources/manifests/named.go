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

// namedObject brings the tree of an object that policies name, or that networks come from, into the
// model's form. Of those that are edited it keeps the text.
func (d *decoder) namedObject(k *kindInfo, u *unstructured.Unstructured, about model.Meta) (model.Object, error) {
	typed := reflect.New(k.goType).Interface().(metav1.Object)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
		return nil, err
	}
	o := k.toModel(d, typed, about)
	if w := writtenOf(o); w != nil {
		*w = model.Written{Original: u, YAML: yamltree.TidyText(u.Object)}
	}
	return o, nil
}
