package kube

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests"
)

// PolicyOwner is a tool that maintains an object from another source.
type PolicyOwner struct {
	// Name is the field manager, or the label or annotation found. Tool is its common name, empty if unknown:
	// "kustomize-controller", "Flux".
	Name, Tool string
	// Certain means it owns a changed field and will revert the change; otherwise it may.
	Certain bool
}

// String returns name and tool on one line.
func (o PolicyOwner) String() string {
	switch {
	case o.Tool == "":
		return o.Name
	case o.Name == "":
		return o.Tool
	}
	return o.Name + " (" + o.Tool + ")"
}

// gitOpsManagers are field managers of tools that revert changes to objects.
var gitOpsManagers = map[string]string{
	"kustomize-controller": "Flux", "helm-controller": "Flux", "flux": "Flux", "flux-client-side-apply": "Flux",
	"argocd-controller": "Argo CD", "argocd-application-controller": "Argo CD", "argocd": "Argo CD",
	"helm": "Helm", "fleet-agent": "Fleet", "fleetagent": "Fleet", "configsync": "Config Sync",
	"configsync.gke.io": "Config Sync",
	"terraform":         "Terraform", "Terraform": "Terraform", "pulumi-kubernetes": "Pulumi",
}

// signs are labels and annotations that such tools put on their objects. A name ending in a slash is a prefix.
// A value, if given, must match.
var signs = []struct{ name, value, tool string }{
	{"kustomize.toolkit.fluxcd.io/", "", "Flux"},
	{"helm.toolkit.fluxcd.io/", "", "Flux"},
	{"argocd.argoproj.io/", "", "Argo CD"},
	{"app.kubernetes.io/managed-by", "Helm", "Helm"},
	{"meta.helm.sh/release-name", "", "Helm"},
	{"objectset.rio.cattle.io/", "", "Fleet"},
	{"configmanagement.gke.io/managed", "enabled", "Config Sync"},
}

// handManager reports whether a field manager is a person at a keyboard, who reverts nothing automatically.
func handManager(name string) bool {
	return name == FieldManager || name == "kubectl" || strings.HasPrefix(name, "kubectl-") || name == "oc" ||
		strings.HasPrefix(name, "k9s") || name == "before-first-apply"
}

// Owners returns the owners that will or may revert a change from this object to now. A nil now is a delete,
// which every owner reverts.
func (l *LivePolicy) Owners(now *model.Policy) []PolicyOwner {
	paths := changedPaths(l.Policy, now)
	var out []PolicyOwner
	add := func(o PolicyOwner) {
		i := slices.IndexFunc(out, func(h PolicyOwner) bool { return h.Tool != "" && h.Tool == o.Tool || h.Name == o.Name })
		if i < 0 {
			out = append(out, o)
		} else if o.Certain {
			out[i].Certain = true
		}
	}
	for _, m := range l.managed {
		tool, known := gitOpsManagers[m.Manager]
		applies := m.Operation == metav1.ManagedFieldsOperationApply
		// Controllers write the status: each zone is a manager there.
		if m.Subresource != "" || !known && (!applies || handManager(m.Manager)) {
			continue
		}
		owns := now == nil || ownsAny(m.FieldsV1, paths)
		if known || owns {
			add(PolicyOwner{Name: words.CleanText(m.Manager), Tool: tool, Certain: owns})
		}
	}
	for _, words := range []map[string]string{l.raw.GetLabels(), l.raw.GetAnnotations()} {
		for _, s := range signs {
			for name, value := range words {
				if (name == s.name || strings.HasSuffix(s.name, "/") && strings.HasPrefix(name, s.name)) &&
					(s.value == "" || s.value == value) {
					add(PolicyOwner{Name: s.name, Tool: s.tool, Certain: now == nil})
				}
			}
		}
	}
	for _, r := range l.raw.GetOwnerReferences() {
		if r.Controller != nil && *r.Controller {
			add(PolicyOwner{Name: words.CleanText(r.Kind + " " + r.Name), Tool: "its controller", Certain: now == nil})
		}
	}
	return out
}

// SetBy returns the field managers, except Rung, that set the differences from an earlier form of the object,
// with their tools.
func (l *LivePolicy) SetBy(was *model.Policy) (names []string) {
	paths := changedPaths(was, l.Policy)
	for _, m := range l.managed {
		if m.Subresource == "" && m.Manager != FieldManager && ownsAny(m.FieldsV1, paths) {
			names = append(names, PolicyOwner{Name: words.CleanText(m.Manager), Tool: gitOpsManagers[m.Manager]}.String())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// changedPaths returns the differing fields as field managers own them: a policy's rules are one field, and
// each annotation and label is one.
func changedPaths(old, now *model.Policy) (out [][]string) {
	if now == nil {
		return nil
	}
	a, errA := manifests.PolicyTree(old)
	b, errB := manifests.PolicyTree(now)
	if errA != nil || errB != nil {
		return [][]string{{"spec"}}
	}
	differ := func(at []string, x, y any) {
		xm, _ := x.(map[string]any)
		ym, _ := y.(map[string]any)
		for _, m := range []map[string]any{xm, ym} {
			for k := range m {
				path := append(slices.Clone(at), k)
				if !reflect.DeepEqual(xm[k], ym[k]) && !slices.ContainsFunc(out,
					func(p []string) bool { return slices.Equal(p, path) }) {
					out = append(out, path)
				}
			}
		}
	}
	differ([]string{"spec"}, a["spec"], b["spec"])
	am, _ := a["metadata"].(map[string]any)
	bm, _ := b["metadata"].(map[string]any)
	for _, f := range []string{"annotations", "labels"} {
		differ([]string{"metadata", f}, am[f], bm[f])
	}
	return out
}

// ownsAny reports whether a set of fields (FieldsV1: nested maps of "f:name") has one of the paths, a field
// below it, or a whole field above it.
func ownsAny(fields *metav1.FieldsV1, paths [][]string) bool {
	if fields == nil {
		return false
	}
	var tree map[string]any
	if json.Unmarshal(fields.GetRawBytes(), &tree) != nil {
		return true // unreadable fields may own anything
	}
	return slices.ContainsFunc(paths, func(path []string) bool {
		at := tree
		for _, name := range path {
			next, ok := at["f:"+name].(map[string]any)
			if !ok {
				return false
			}
			if len(next) == 0 {
				return true
			}
			at = next
		}
		return true
	})
}
