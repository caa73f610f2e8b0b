package check

import (
	"maps"
	"reflect"
	"slices"

	"rung/sources/manifests/yamltree"
)

// UnknownFields are the paths of the fields of an object's spec that its Go type lacks, at most
// maxIssues of them, in order.
func UnknownFields(t reflect.Type, obj map[string]any) (paths []string) {
	unknownIn(obj["spec"], infoOf(t).fields["spec"].typ, []yamltree.Step{yamltree.Field("spec")}, &paths)
	return paths
}

func unknownIn(v any, t *typeInfo, way []yamltree.Step, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			in := append(way[:len(way):len(way)], yamltree.Field(name))
			switch {
			case t.shape == shapeMap:
				unknownIn(v[name], t.elem, in, out)
			case t.shape != shapeStruct:
			case t.fields[name].typ != nil:
				unknownIn(v[name], t.fields[name].typ, in, out)
			case len(*out) < MaxIssues:
				*out = append(*out, yamltree.Path(in, false))
			}
		}
	case []any:
		for i := range v {
			if t.shape == shapeList {
				unknownIn(v[i], t.elem, append(way[:len(way):len(way)], yamltree.Step{Index: i}), out)
			}
		}
	}
}
