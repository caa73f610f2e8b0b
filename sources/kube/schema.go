package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"rung/model"
	"rung/model/clean"
	"rung/sources/manifests/admission"
)

var crdResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
	Resource: "customresourcedefinitions"}

// Schemas are the schemas of the installed CRDs of ANP, BANP and CNP, for validating
// before the server is asked; a kind whose CRD cannot be read keeps the schema
// Rung brings along. The findings say what the CRDs have that OVN-Kubernetes does
// not know. The error says that the server did not answer; no permission and no
// such CRD are none.
func (c *Cluster) Schemas(ctx context.Context) (*admission.Schemas, []model.Broken, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	out := &admission.Schemas{}
	var found []model.Broken
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP} {
		r := PolicyResources[k]
		u, err := c.Dynamic().Resource(crdResource).Get(ctx, r.Resource+"."+r.Group, metav1.GetOptions{})
		if err != nil {
			var api apierrors.APIStatus
			if !errors.As(err, &api) {
				return nil, nil, fmt.Errorf("read the CRD of %s: %w", k, verdictOf(model.PolicyKey{}, "", err))
			}
			continue
		}
		var def apiextensionsv1.CustomResourceDefinition
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &def); err != nil {
			return nil, nil, fmt.Errorf("read the CRD of %s: %w", k, errors.New(OneLine(err.Error())))
		}
		found = append(found, versions(k, &def)...)
		fields, err := out.Add(k, r.Version, &def)
		if err != nil {
			found = append(found, model.Broken{Severity: model.SeverityWarning, Origin: model.Origin{Item: -1},
				Key: model.Key{Kind: k}, Code: model.CodeNewer,
				Message: "the installed CRD cannot be used for validation: " + OneLine(err.Error())})
			continue
		}
		for _, f := range fields {
			found = append(found, model.Broken{Severity: model.SeverityWarning, Origin: model.Origin{Item: -1},
				Key: model.Key{Kind: k}, Field: clean.Text(f), Code: model.CodeNewer,
				Message: "the installed CRD is newer than OVN-Kubernetes' profile: it has this field",
				Remedy:  "OVN-Kubernetes takes no notice of it: leave it out"})
		}
	}
	return out, found, nil
}

// versions are the served versions of a CRD that Rung, as OVN-Kubernetes, does
// not read.
func versions(k model.Kind, def *apiextensionsv1.CustomResourceDefinition) []model.Broken {
	var others []string
	for _, v := range def.Spec.Versions {
		if v.Served && v.Name != PolicyResources[k].Version {
			others = append(others, clean.Text(v.Name))
		}
	}
	if len(others) == 0 {
		return nil
	}
	return []model.Broken{{Severity: model.SeverityWarning, Origin: model.Origin{Item: -1}, Key: model.Key{Kind: k},
		Code: model.CodeNewer,
		Message: "the installed CRD is newer than OVN-Kubernetes' profile: it serves " + strings.Join(others,
			", ") + " as well",
		Remedy: "write " + PolicyResources[k].GroupVersion().String()}}
}
