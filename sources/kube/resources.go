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

// PolicyResources are the places in the API of what can be changed, by kind: policies, and
// of namespaces the logging annotations.
var PolicyResources = map[model.Kind]schema.GroupVersionResource{
	model.KindANP:  {Group: "policy.networking.k8s.io", Version: "v1alpha1", Resource: "adminnetworkpolicies"},
	model.KindBANP: {Group: "policy.networking.k8s.io", Version: "v1alpha1", Resource: "baselineadminnetworkpolicies"},
	model.KindNP:   {Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
	model.KindEF:   {Group: "k8s.ovn.org", Version: "v1", Resource: "egressfirewalls"},
	model.KindCNP:  {Group: "policy.networking.k8s.io", Version: "v1alpha2", Resource: "clusternetworkpolicies"},
	model.KindMNP:  {Group: "k8s.cni.cncf.io", Version: "v1beta1", Resource: "multi-networkpolicies"},

	model.KindNamespace: {Version: "v1", Resource: "namespaces"},
}

// NetworkResources are the places in the API of what networks besides the default one come from, in
// the order of the screen; their policies are among PolicyResources.
var NetworkResources = []KindResource{
	{model.KindUDN, schema.GroupVersionResource{Group: "k8s.ovn.org", Version: "v1", Resource: "userdefinednetworks"}},
	{model.KindCUDN, schema.GroupVersionResource{Group: "k8s.ovn.org", Version: "v1", Resource: "clusteruserdefinednetworks"}},
	{model.KindNAD, schema.GroupVersionResource{Group: "k8s.cni.cncf.io", Version: "v1", Resource: "network-attachment-definitions"}},
	{model.KindCNC, schema.GroupVersionResource{Group: "k8s.ovn.org", Version: "v1", Resource: "clusternetworkconnects"}},
	{model.KindMNP, PolicyResources[model.KindMNP]},
}

// KindResource is the place in the API of a kind.
type KindResource struct {
	Kind model.Kind
	schema.GroupVersionResource
}

// TieredResources are the places in the API of Antrea's kinds, in the order of the screen.
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

// ServesResource says whether the server has a resource, which everybody may ask. A server
// that does not say, or not to this user, is an error: then nobody knows.
func (c *Cluster) ServesResource(ctx context.Context, r schema.GroupVersionResource) (bool, error) {
	has, err := c.servedResources(ctx, r.GroupVersion())
	return has[r.Resource], err
}

// servedResources are the resources that the server has of a version.
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

// rareResources are the resources that most clusters do not serve, by version.
func rareResources() map[schema.GroupVersion][]schema.GroupVersionResource {
	out := map[schema.GroupVersion][]schema.GroupVersionResource{}
	add := func(r schema.GroupVersionResource) { out[r.GroupVersion()] = append(out[r.GroupVersion()], r) }
	add(PolicyResources[model.KindCNP])
	for _, r := range slices.Concat(NetworkResources, TieredResources) {
		add(r.GroupVersionResource)
	}
	return out
}

// ServedQuestions are the questions that are about something the server has: what is allowed of
// ClusterNetworkPolicies, of other networks or of what Antrea brings along, matters only where they are. Where
// the server does not tell this user what it has, all stay. The error says that it did not
// answer.
func (c *Cluster) ServedQuestions(ctx context.Context, questions []AccessQuestion) ([]AccessQuestion, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	missing := map[string]bool{}
	for version, resources := range rareResources() {
		has, err := c.servedResources(ctx, version)
		var api apierrors.APIStatus
		if err != nil && !errors.As(err, &api) {
			return nil, fmt.Errorf("ask what is served of %s: %w", version, verdictOf(model.PolicyKey{}, "", err))
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

// DefinitionQuestion is the question whether the definition of AdminNetworkPolicy may be read.
func DefinitionQuestion() AccessQuestion {
	return AccessQuestion{Verb: "get", Group: crdResource.Group, Resource: crdResource.Resource,
		Name: PolicyResources[model.KindANP].GroupResource().String()}
}

// Schemas are the schemas of the installed CRDs of ANP, BANP and CNP, for validating
// before the server is asked; a kind whose CRD cannot be read keeps the schema
// Rung brings along. The findings say what the CRDs have that OVN-Kubernetes does
// not know. The error says that the server did not answer; no permission and no
// such CRD are none.
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
				return nil, nil, fmt.Errorf("read the CRD of %s: %w", k, verdictOf(model.PolicyKey{}, "", err))
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
			found = append(found, model.Broken{Severity: model.SeverityWarning, Origin: model.Origin{Item: -1},
				Key: model.Key{Kind: k}, Code: model.CodeNewer,
				Message: "the installed CRD cannot be used for validation: " + SingleLine(err.Error())})
			continue
		}
		for _, f := range fields {
			found = append(found, model.Broken{Severity: model.SeverityWarning, Origin: model.Origin{Item: -1},
				Key: model.Key{Kind: k}, Field: words.CleanText(f), Code: model.CodeNewer,
				Message: "the installed CRD is newer than OVN-Kubernetes' profile: it has this field",
				Remedy:  "OVN-Kubernetes takes no notice of it: leave it out"})
		}
	}
	return out, found, nil
}

// unreadVersions are the served versions of a CRD that Rung, as OVN-Kubernetes, does
// not read.
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
	return []model.Broken{{Severity: model.SeverityWarning, Origin: model.Origin{Item: -1}, Key: model.Key{Kind: k},
		Code: model.CodeNewer,
		Message: "the installed CRD is newer than OVN-Kubernetes' profile: it serves " + strings.Join(others,
			", ") + " as well",
		Remedy: "write " + PolicyResources[k].GroupVersion().String()}}
}
