package manifests

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"

	"rung/model"
)

// kindInfo is a kind Rung takes in.
type kindInfo struct {
	kind       model.Kind
	group      string
	version    string
	namespaced bool
	goType     reflect.Type
	// convert makes the model object from a checked tree. Policies have their
	// own way (decodePolicy).
	convert func(*decoder, *yaml.Node, model.Meta) model.Object
}

const (
	policyGroup = "policy.networking.k8s.io"
	ovnGroup    = "k8s.ovn.org"
)

var kinds = []kindInfo{
	{model.KindNamespace, "", "v1", false, reflect.TypeFor[corev1.Namespace](), (*decoder).namespace},
	{model.KindPod, "", "v1", true, reflect.TypeFor[corev1.Pod](), (*decoder).pod},
	{model.KindNode, "", "v1", false, reflect.TypeFor[corev1.Node](), (*decoder).node},
	{model.KindService, "", "v1", true, reflect.TypeFor[corev1.Service](), (*decoder).service},
	{model.KindEndpointSlice, "discovery.k8s.io", "v1", true, reflect.TypeFor[discoveryv1.EndpointSlice](), (*decoder).endpointSlice},
	{model.KindEvent, "", "v1", true, reflect.TypeFor[corev1.Event](), (*decoder).event},
	{model.KindEvent, "events.k8s.io", "v1", true, reflect.TypeFor[eventsv1.Event](), (*decoder).event},
	{model.KindANP, policyGroup, "v1alpha1", false, reflect.TypeFor[v1alpha1.AdminNetworkPolicy](), nil},
	{model.KindBANP, policyGroup, "v1alpha1", false, reflect.TypeFor[v1alpha1.BaselineAdminNetworkPolicy](), nil},
	{model.KindNP, "networking.k8s.io", "v1", true, reflect.TypeFor[networkingv1.NetworkPolicy](), nil},
	{model.KindEF, ovnGroup, "v1", true, reflect.TypeFor[egressFirewall](), nil},
}

func (k *kindInfo) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

// otherKind says what is to be said about an object Rung does not take in: a
// wrong spelling of what it knows is an error, a policy it does not read is a
// warning, the rest is none of its business.
func otherKind(apiVersion, kind string) (sev model.Severity, code, msg, remedy string) {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group = ""
	}
	for i := range kinds {
		k := &kinds[i]
		// A name that only one group uses is meant; others ("Service",
		// "NetworkPolicy") are kinds of their own elsewhere.
		if string(k.kind) == kind && (k.group == group || k.kind.IsAdmin() || k.kind == model.KindEF || group == "extensions") {
			return model.SeverityError, CodeAPIVersion, "apiVersion " + apiVersion + " is not known for this kind",
				"write apiVersion: " + k.apiVersion()
		}
	}
	if group == policyGroup && kind != "ClusterNetworkPolicy" {
		return model.SeverityError, CodeUnknownKind, "this kind does not exist in " + policyGroup, nearKind(kind)
	}
	if near := nearKind(kind); near != "" {
		return model.SeverityError, CodeUnknownKind, "Rung does not know this kind", near
	}
	if kind == "ClusterNetworkPolicy" {
		return model.SeverityWarning, CodeUnknownKind, "left aside: Rung does not read this kind of policy", ""
	}
	return model.SeverityInfo, CodeUnknownKind, "left aside: Rung does not read this kind", ""
}

// nearKind guesses which policy kind a misspelt one stands for.
func nearKind(kind string) string {
	policies := &typeInfo{names: []string{string(model.KindANP), string(model.KindBANP), string(model.KindNP), string(model.KindEF)}}
	if n := policies.like(kind); n != "" && !slices.Contains(policies.names, kind) {
		return "did you mean " + n + "?"
	}
	return ""
}
