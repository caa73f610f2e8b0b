package manifests

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"rung/model"
	"rung/model/clean"
	"rung/sources/manifests/admission"
	"rung/sources/manifests/check"
	"rung/sources/manifests/older"
	"rung/sources/manifests/yamltree"
)

// Validate runs gate 1 on a policy: what the API server would refuse. The
// errors name lines where the policy's own text is known. It is safe for
// concurrent use; the first call for a kind compiles its CRD (some
// milliseconds).
func Validate(p *model.Policy) []model.Broken { return (&Options{}).validate(p) }

// validate is Validate by the CRDs of the options.
func (o *Options) validate(p *model.Policy) []model.Broken {
	obj, root, err := rawObject(p)
	if err != nil {
		return []model.Broken{{Severity: model.SeverityError, Origin: p.Origin, Key: p.Key, Code: check.CodeYAML,
			Message: clean.Text(err.Error())}}
	}
	if p.Older != nil && root != nil { // what is of an older form is said already; the rest is checked
		older.Modernise(root)
		obj = yamltree.Value(root).(map[string]any)
	}
	var out []model.Broken
	priority, ranked := int32(0), false
	if root != nil {
		priority, ranked = priorityIn(root, p.Kind)
	}
	for _, i := range admission.Judge(p.Kind, obj, o.Schemas, o.Release) {
		b := model.Broken{Severity: i.Severity, Origin: p.Origin, Key: p.Key, Field: i.Field, Code: i.Code, Message: i.Message,
			Remedy: i.Remedy, Release: i.Release, Priority: priority, HasPriority: ranked}
		if root != nil && p.Origin.Item < 0 && p.Origin.Line > 0 {
			b.Origin.Line += yamltree.LineOfValue(root, i.Field, i.Message) - root.Line
		}
		out = append(out, b)
	}
	return out
}

// rawObject is a policy as it was written: its own text if it has one, since
// the typed object no longer knows what was absent.
func rawObject(p *model.Policy) (map[string]any, *yaml.Node, error) {
	if p.YAML == "" {
		obj, err := ofPolicy(p)
		return obj, nil, err
	}
	root, err := yamltree.ParseFlat([]byte(p.YAML), yamltree.DefaultAliasNodes)
	if err != nil {
		return nil, nil, err
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return nil, nil, fmt.Errorf("is not a Kubernetes object")
	}
	return yamltree.Value(root).(map[string]any), root, nil
}
