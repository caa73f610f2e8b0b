package admission

import (
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"rung/model"
	"rung/sources/manifests/check"
)

// Schemas are schemas for gate 1 in place of those Rung brings along: those of
// the CRDs a cluster has. The zero value and nil replace none. It must not be
// changed while it is used.
type Schemas struct{ byKind map[model.Kind]*crd }

// Add takes the schema of one version of a CRD for a kind. fields are the fields
// it has, as paths, that the CRD Rung brings along has not, at most a few.
func (s *Schemas) Add(k model.Kind, version string, def *apiextensionsv1.CustomResourceDefinition) (fields []string,
	err error) {
	own, err := embedded(k)
	if err != nil {
		return nil, err
	}
	for _, v := range def.Spec.Versions {
		if v.Name != version {
			continue
		}
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			return nil, fmt.Errorf("version %s of the CRD of %s has no schema", version, k)
		}
		c, err := compileSchema(v.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, fmt.Errorf("CRD of %s: %w", k, err)
		}
		if s.byKind == nil {
			s.byKind = map[model.Kind]*crd{}
		}
		s.byKind[k] = c
		news := newFields{most: check.MaxIssues}
		theirs, ours := c.schema.Properties["spec"], own.schema.Properties["spec"]
		news.walk("spec", &theirs, &ours)
		return news.out, nil
	}
	return nil, fmt.Errorf("the CRD of %s has no version %s", k, version)
}

// of is the compiled CRD of a kind.
func (s *Schemas) of(k model.Kind) (*crd, error) {
	if s != nil {
		if c := s.byKind[k]; c != nil {
			return c, nil
		}
	}
	return embedded(k)
}

func embedded(k model.Kind) (*crd, error) {
	if compiled := policyCRDs[k]; compiled != nil {
		return compiled()
	}
	all, err := antreaCRDs()
	if err != nil {
		return nil, err
	}
	if c := all[k]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("there is no CRD of %s", k)
}

// newFields collects the fields one schema has and another has not.
type newFields struct {
	out  []string
	most int
}

func (n *newFields) walk(path string, theirs, ours *schema.Structural) {
	for _, name := range slices.Sorted(maps.Keys(theirs.Properties)) {
		t := theirs.Properties[name]
		at := path + "." + name
		o, ok := ours.Properties[name]
		switch {
		case ok:
			n.walk(at, &t, &o)
		case ours.XPreserveUnknownFields || ours.AdditionalProperties != nil:
		case len(n.out) < n.most:
			n.out = append(n.out, at)
		}
	}
	if theirs.Items != nil && ours.Items != nil {
		n.walk(path+"[]", theirs.Items, ours.Items)
	}
}
