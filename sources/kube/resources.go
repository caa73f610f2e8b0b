package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests"
)

// PolicyResources are the API resources that Rung can change; of namespaces, only logging annotations.
var PolicyResources = map[model.Kind]schema.GroupVersionResource{
	model.KindANP:  {Group: "policy.networking.k8s.io", Version: "v1alpha1", Resource: "adminnetworkpolicies"},
	model.KindBANP: {Group: "policy.networking.k8s.io", Version: "v1alpha1", Resource: "baselineadminnetworkpolicies"},
	model.KindNP:   {Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
	model.KindEF:   {Group: "k8s.ovn.org", Version: "v1", Resource: "egressfirewalls"},
	model.KindCNP:  {Group: "policy.networking.k8s.io", Version: "v1alpha2", Resource: "clusternetworkpolicies"},
	model.KindMNP:  {Group: "k8s.cni.cncf.io", Version: "v1beta1", Resource: "multi-networkpolicies"},

	model.KindNamespace: {Version: "v1", Resource: "namespaces"},
}

// NetworkResources are the API resources that define networks other than the default one, in screen order.
// Their policies are in PolicyResources.
var NetworkResources = []KindResource{
	{model.KindUDN, schema.GroupVersionResource{Group: "k8s.ovn.org", Version: "v1", Resource: "userdefinednetworks"}},
	{model.KindCUDN, schema.GroupVersionResource{Group: "k8s.ovn.org", Version: "v1", Resource: "clusteruserdefinednetworks"}},
	{model.KindNAD, schema.GroupVersionResource{Group: "k8s.cni.cncf.io", Version: "v1", Resource: "network-attachment-definitions"}},
	{model.KindCNC, schema.GroupVersionResource{Group: "k8s.ovn.org", Version: "v1", Resource: "clusternetworkconnects"}},
	{model.KindMNP, PolicyResources[model.KindMNP]},
}

// KindResource is the API resource of a kind.
type KindResource struct {
	Kind model.Kind
	schema.GroupVersionResource
}

// TieredResources are the API resources of Antrea's kinds, in screen order.
var TieredResources = []KindResource{
	{model.KindTier, antreaResource("tiers")},
	{model.KindACNP, antreaResource("clusternetworkpolicies")},
	{model.KindANNP, antreaResource("networkpolicies")},
	{model.KindClusterGroup, antreaResource("clustergroups")},
	{model.KindGroup, antreaResource("groups")},
}

func init() {
	for _, r := range TieredResources {
		PolicyResources[r.Kind] = r.GroupVersionResource
	}
}

func antreaResource(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "crd.antrea.io", Version: "v1beta1", Resource: resource}
}

// ServesResource reports whether the server serves a resource, which every user may ask. It is unknown after an error.
func (c *Cluster) ServesResource(ctx context.Context, r schema.GroupVersionResource) (bool, error) {
	has, err := c.servedResources(ctx, r.GroupVersion())
	return has[r.Resource], err
}

// servedResources returns the resources that the server serves of a version.
func (c *Cluster) servedResources(ctx context.Context, v schema.GroupVersion) (map[string]bool, error) {
	var list metav1.APIResourceList
	err := c.Builtin().Get("/apis/" + v.String()).Do(ctx).Into(&list)
	if apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for i := range list.APIResources {
		out[list.APIResources[i].Name] = true
	}
	return out, nil
}

// rareResources returns the resources that most clusters do not serve, by version.
func rareResources() map[schema.GroupVersion][]schema.GroupVersionResource {
	out := map[schema.GroupVersion][]schema.GroupVersionResource{}
	add := func(r schema.GroupVersionResource) { out[r.GroupVersion()] = append(out[r.GroupVersion()], r) }
	add(PolicyResources[model.KindCNP])
	for _, r := range slices.Concat(NetworkResources, TieredResources) {
		add(r.GroupVersionResource)
	}
	return out
}

// ServedQuestions returns the questions without those about missing optional resources
// (ClusterNetworkPolicies, other networks, Antrea). If the server does not tell this user what it serves, all
// stay. An error means that the server did not answer.
func (c *Cluster) ServedQuestions(ctx context.Context, questions []AccessQuestion) ([]AccessQuestion, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	missing := map[string]bool{}
	for version, resources := range rareResources() {
		has, err := c.servedResources(ctx, version)
		var api apierrors.APIStatus
		if err != nil && !errors.As(err, &api) {
			return nil, fmt.Errorf("ask what is served of %s: %w", version, explainWriteError(model.PolicyKey{}, "", err))
		}
		for _, r := range resources {
			missing[r.GroupResource().String()] = err == nil && !has[r.Resource]
		}
	}
	var out []AccessQuestion
	for _, q := range questions {
		if !missing[q.groupResource()] {
			out = append(out, q)
		}
	}
	return out, nil
}

var crdResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
	Resource: "customresourcedefinitions"}

// DefinitionQuestion asks whether the user may read the CRD of AdminNetworkPolicy.
func DefinitionQuestion() AccessQuestion {
	return AccessQuestion{Verb: "get", Group: crdResource.Group, Resource: crdResource.Resource,
		Name: PolicyResources[model.KindANP].GroupResource().String()}
}

// Schemas returns the schemas of the installed CRDs of ANP, BANP and CNP, for validation before the server is
// asked. A kind whose CRD cannot be read keeps Rung's built-in schema. The findings name fields and versions
// of the CRDs that OVN-Kubernetes does not know. An error means that the server did not answer; a missing
// permission or CRD is no error.
func (c *Cluster) Schemas(ctx context.Context) (*manifests.Schemas, []model.Broken, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	out := &manifests.Schemas{}
	var found []model.Broken
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP} {
		r := PolicyResources[k]
		name := r.Resource + "." + r.Group
		u, err := c.Dynamic().Resource(crdResource).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			var api apierrors.APIStatus
			if !errors.As(err, &api) {
				return nil, nil, fmt.Errorf("read the CRD of %s: %w", k, explainWriteError(model.PolicyKey{}, "", err))
			}
			continue
		}
		var def apiextensionsv1.CustomResourceDefinition
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &def); err != nil {
			return nil, nil, fmt.Errorf("read the CRD of %s: %w", k, errors.New(SingleLine(err.Error())))
		}
		found = append(found, unreadVersions(k, &def)...)
		fields, err := out.Add(k, r.Version, &def)
		if err != nil {
			found = append(found, newerCRD(k, "", "the installed CRD cannot be used for validation: "+SingleLine(err.Error()), ""))
			continue
		}
		for _, f := range fields {
			found = append(found, newerCRD(k, words.CleanText(f), "the installed CRD is newer than OVN-Kubernetes' profile: it has this field",
				"OVN-Kubernetes ignores it: remove it"))
		}
	}
	return out, found, nil
}

// unreadVersions reports the served versions of a CRD that neither Rung nor OVN-Kubernetes reads.
func unreadVersions(k model.Kind, def *apiextensionsv1.CustomResourceDefinition) []model.Broken {
	var others []string
	for _, v := range def.Spec.Versions {
		if v.Served && v.Name != PolicyResources[k].Version {
			others = append(others, words.CleanText(v.Name))
		}
	}
	if len(others) == 0 {
		return nil
	}
	return []model.Broken{newerCRD(k, "", "the installed CRD is newer than OVN-Kubernetes' profile: it serves "+
		strings.Join(others, ", ")+" as well", "write "+PolicyResources[k].GroupVersion().String())}
}

func newerCRD(k model.Kind, field, msg, remedy string) model.Broken {
	return model.Broken{Severity: model.SeverityWarning, Origin: model.Origin{Item: -1}, Key: model.Key{Kind: k}, Field: field,
		Code: model.CodeNewer, Message: msg, Remedy: remedy}
}
