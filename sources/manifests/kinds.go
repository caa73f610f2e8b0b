package manifests

import (
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
	"rung/model/words"
)

// kindInfo is a supported kind.
type kindInfo struct {
	kind    model.Kind
	group   string
	version string
	goType  reflect.Type
	// toModel makes the model object. It is nil for policies, which readPolicy fills (decoder.takePolicy).
	toModel    func(*decoder, metav1.Object, model.Meta) model.Object
	readPolicy func(*normaliser)
}

const (
	policyGroup = "policy.networking.k8s.io"
	ovnGroup    = "k8s.ovn.org"
	cniGroup    = "k8s.cni.cncf.io"

	antreaGroupName = "crd.antrea.io"
	antreaVersion   = "v1beta1"
)

var kinds = slices.Concat([]kindInfo{
	plainKind(model.KindNamespace, "", "v1", (*decoder).convertNamespace),
	plainKind(model.KindPod, "", "v1", (*decoder).convertPod),
	plainKind(model.KindNode, "", "v1", (*decoder).convertNode),
	plainKind(model.KindService, "", "v1", (*decoder).convertService),
	plainKind(model.KindEndpointSlice, "discovery.k8s.io", "v1", (*decoder).endpointSlice),
	plainKind(model.KindEvent, "", "v1", (*decoder).convertEvent),
	plainKind(model.KindEvent, "events.k8s.io", "v1", (*decoder).newEvent),
	policyKind(model.KindANP, policyGroup, "v1alpha1", (*normaliser).readANP),
	policyKind(model.KindBANP, policyGroup, "v1alpha1", (*normaliser).readBANP),
	policyKind(model.KindNP, "networking.k8s.io", "v1", (*normaliser).networkPolicy),
	// NetworkPolicies of Kubernetes 1.3 to 1.15, in an API that servers since 1.16 do not have
	// (older-forms.md#networkpolicies-of-extensionsv1beta1). The fields are today's; older releases know fewer of
	// them. Without policyTypes and egress both forms mean ingress.
	policyKind(model.KindNP, "extensions", "v1beta1", (*normaliser).networkPolicy),
	policyKind(model.KindMNP, cniGroup, "v1beta1", (*normaliser).multiNetworkPolicy),
	policyKind(model.KindMNP, cniGroup, "v1beta2", (*normaliser).multiNetworkPolicy),
	policyKind(model.KindEF, ovnGroup, "v1", (*normaliser).egressFirewall),
	policyKind(model.KindCNP, policyGroup, "v1alpha2", (*normaliser).readCNP),
	policyKind(model.KindACNP, antreaGroupName, antreaVersion, (*normaliser).antreaPolicy),
	policyKind(model.KindANNP, antreaGroupName, antreaVersion, (*normaliser).antreaPolicy),
	plainKind(model.KindTier, antreaGroupName, antreaVersion, (*decoder).tierOf),
	plainKind(model.KindClusterGroup, antreaGroupName, antreaVersion, (*decoder).groupOf),
	plainKind(model.KindGroup, antreaGroupName, antreaVersion, (*decoder).groupOf),
	plainKind(model.KindUDN, ovnGroup, "v1", (*decoder).udnOf),
	plainKind(model.KindCUDN, ovnGroup, "v1", (*decoder).cudnOf),
	plainKind(model.KindNAD, cniGroup, "v1", (*decoder).nadOf),
	plainKind(model.KindCNC, ovnGroup, "v1", (*decoder).cncOf),
	plainKind(model.KindIngress, "networking.k8s.io", "v1", (*decoder).ingressOf),
	plainKind(model.KindHTTPRoute, "gateway.networking.k8s.io", "v1", (*decoder).httpRouteOf),
	plainKind(model.KindHTTPRoute, "gateway.networking.k8s.io", "v1beta1", (*decoder).httpRouteOf),
	plainKind(model.KindRoute, "route.openshift.io", "v1", (*decoder).routeOf),
}, workloadKinds())

// plainKind describes a kind, other than policies, read from its Go type.
func plainKind[T any, P interface {
	*T
	metav1.Object
}](k model.Kind, group, version string, read func(*decoder, P, model.Meta) model.Object) kindInfo {
	return kindInfo{kind: k, group: group, version: version, goType: reflect.TypeFor[T](),
		toModel: func(d *decoder, o metav1.Object, m model.Meta) model.Object { return read(d, o.(P), m) }}
}

// policyKind describes a kind of policy. read fills the policy from its typed object; nil for a tree that does
// not have the type, which is noted.
func policyKind[T any](k model.Kind, group, version string, read func(*normaliser, *T)) kindInfo {
	return kindInfo{kind: k, group: group, version: version, goType: reflect.TypeFor[T](), readPolicy: func(n *normaliser) {
		o, _ := n.p.Original.(*T)
		if u, ok := n.p.Original.(*unstructured.Unstructured); ok {
			var err error
			if o, err = readTyped[T](u.Object); err != nil {
				n.addInvalid(CodeSchema, "", words.CleanText("cannot be read as "+n.p.Kind.Title()+": "+err.Error()), "")
			}
		}
		read(n, o)
	}}
}

// readTyped converts a tree to its typed form; nil if that fails.
func readTyped[T any](obj map[string]any) (*T, error) {
	o := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj, o); err != nil {
		return nil, err
	}
	return o, nil
}

// readObject converts a tree to the kind's Go type.
func (k *kindInfo) readObject(obj map[string]any) (metav1.Object, error) {
	typed := reflect.New(k.goType).Interface().(metav1.Object)
	return typed, runtime.DefaultUnstructuredConverter.FromUnstructured(obj, typed)
}

// findKind returns the first kind that satisfies a condition, or nil.
func findKind(holds func(*kindInfo) bool) *kindInfo {
	for i := range kinds {
		if holds(&kinds[i]) {
			return &kinds[i]
		}
	}
	return nil
}

// findWrittenKind returns a kind by its apiVersion and kind, or nil for others.
func findWrittenKind(apiVersion, kind string) *kindInfo {
	return findKind(func(k *kindInfo) bool { return k.writtenName() == kind && k.apiVersion() == apiVersion })
}

// KindOfTree returns the model's kind of an object, or its written kind if Rung does not support it.
func KindOfTree(obj map[string]any) model.Kind {
	u := unstructured.Unstructured{Object: obj}
	if k := findWrittenKind(u.GetAPIVersion(), u.GetKind()); k != nil {
		return k.kind
	}
	return model.Kind(u.GetKind())
}

// kindOfType returns the kind of a pointer type, or nil for others.
func kindOfType(t reflect.Type) *kindInfo {
	return findKind(func(k *kindInfo) bool { return t == reflect.PointerTo(k.goType) })
}

// writtenName returns the kind as manifests write it: without the group that tells it from Kubernetes' own.
func (k *kindInfo) writtenName() string { return strings.TrimSuffix(string(k.kind), "."+k.group) }

// isAntrea reports whether the kind is Antrea's.
func (k *kindInfo) isAntrea() bool { return k.group == antreaGroupName }

// KnownKinds returns the supported kinds as "GROUP/VERSION KIND", sorted.
func KnownKinds() []string {
	var out []string
	for i := range kinds {
		out = append(out, kinds[i].apiVersion()+" "+kinds[i].writtenName())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// infoOfKind returns a kind by its name in the model, or nil for others.
func infoOfKind(kind model.Kind) *kindInfo {
	return findKind(func(k *kindInfo) bool { return k.kind == kind })
}

// TypeMeta returns the apiVersion and kind in manifests of a kind; empty for unsupported ones.
func TypeMeta(kind model.Kind) (apiVersion, word string) {
	k := infoOfKind(kind)
	if k == nil {
		return "", ""
	}
	return k.apiVersion(), k.writtenName()
}

func (k *kindInfo) apiVersion() string {
	if k.group == "" {
		return k.version
	}
	return k.group + "/" + k.version
}

// otherKind returns what to report about an object of an unsupported kind. A misspelled known kind is an
// error, a policy of another plugin a warning, the rest information.
func otherKind(apiVersion, kind string) (sev model.Severity, code, msg, remedy string) {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group = ""
	}
	// A name used by only one group means that group; others ("Service", "NetworkPolicy") exist in several.
	if k := findKind(func(k *kindInfo) bool {
		own := k.kind == model.KindANP || k.kind == model.KindBANP || k.kind == model.KindEF
		return k.writtenName() == kind && (k.group == group || own || group == "extensions")
	}); k != nil {
		return model.SeverityError, CodeAPIVersion, "apiVersion " + apiVersion + " is not known for this kind",
			"write apiVersion: " + k.apiVersion()
	}
	if group == policyGroup {
		return model.SeverityError, CodeUnknownKind, "this kind does not exist in " + policyGroup, similarKind(kind)
	}
	if group == "kustomize.config.k8s.io" {
		return model.SeverityInfo, CodeUnknownKind, "skipped: unsupported kind", "render it: " + RenderKustomization("")
	}
	if near := similarKind(kind); near != "" {
		return model.SeverityError, CodeUnknownKind, "Rung does not know this kind", near
	}
	if strings.HasSuffix(kind, "NetworkPolicy") { // another network plugin's
		return model.SeverityWarning, CodeUnknownKind, "skipped: unsupported kind of policy", ""
	}
	return model.SeverityInfo, CodeUnknownKind, "skipped: unsupported kind", ""
}

// similarKind guesses the kind of policy or network that was misspelled.
func similarKind(kind string) string {
	policies := []string{string(model.KindANP), string(model.KindBANP), string(model.KindNP),
		string(model.KindEF), string(model.KindCNP), string(model.KindMNP), string(model.KindUDN), string(model.KindCUDN)}
	if n := NearestName(policies, kind); n != "" && !slices.Contains(policies, kind) {
		return "did you mean " + n + "?"
	}
	return ""
}
