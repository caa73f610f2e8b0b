package kube

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"rung/model"
)

// PolicyResources are the places in the API of what can be changed, by kind: policies, and
// of namespaces the logging annotations.
var PolicyResources = map[model.Kind]schema.GroupVersionResource{
	model.KindANP:  {Group: "policy.networking.k8s.io", Version: "v1alpha1", Resource: "adminnetworkpolicies"},
	model.KindBANP: {Group: "policy.networking.k8s.io", Version: "v1alpha1", Resource: "baselineadminnetworkpolicies"},
	model.KindNP:   {Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
	model.KindEF:   {Group: "k8s.ovn.org", Version: "v1", Resource: "egressfirewalls"},
	model.KindCNP:  {Group: "policy.networking.k8s.io", Version: "v1alpha2", Resource: "clusternetworkpolicies"},

	model.KindNamespace: {Version: "v1", Resource: "namespaces"},
}

// TieredResources are the places in the API of Antrea's kinds, in the order of the screen.
var TieredResources = []struct {
	Kind model.Kind
	schema.GroupVersionResource
}{
	{model.KindTier, ofAntrea("tiers")},
	{model.KindACNP, ofAntrea("clusternetworkpolicies")},
	{model.KindANNP, ofAntrea("networkpolicies")},
	{model.KindClusterGroup, ofAntrea("clustergroups")},
	{model.KindGroup, ofAntrea("groups")},
}

func ofAntrea(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "crd.antrea.io", Version: "v1beta1", Resource: resource}
}
