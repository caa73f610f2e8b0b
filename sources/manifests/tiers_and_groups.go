package manifests

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
	"rung/sources/manifests/yamltree"
)

// writtenText returns the text of a Tier or group, else nil.
func writtenText(o model.Object) *model.Written {
	switch o := o.(type) {
	case *model.Tier:
		return &o.Written
	case *model.Group:
		return &o.Written
	}
	return nil
}

// namedObject converts a Tier, a group or a network to the model's form, with the text of the first two.
func (d *decoder) namedObject(k *kindInfo, u *unstructured.Unstructured, about model.Meta) (model.Object, error) {
	typed, err := k.readObject(u.Object)
	if err != nil {
		return nil, err
	}
	o := k.toModel(d, typed, about)
	if w := writtenText(o); w != nil {
		*w = model.Written{Original: u, YAML: yamltree.TidyText(u.Object)}
	}
	return o, nil
}
