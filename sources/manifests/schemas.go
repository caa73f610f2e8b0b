package manifests

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
)

// Schemas replace Rung's built-in schemas of gate 1 by a cluster's own CRDs. The zero value and nil replace
// none. It must not be changed while in use.
type Schemas struct {
	byKind map[model.Kind]func() (*compiledCRD, error)
}

// Add adds the schema of a CRD's version. It returns the paths of new fields, at most MaxIssues.
func (s *Schemas) Add(k model.Kind, version string, def *apiextensionsv1.CustomResourceDefinition) (fields []string,
	err error) {
	own, err := embeddedCRDs.compiledFor(k)
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
			s.byKind = map[model.Kind]func() (*compiledCRD, error){}
		}
		s.byKind[k] = func() (*compiledCRD, error) { return c, nil }
		theirs, ours := c.schema.Properties["spec"], own.schema.Properties["spec"]
		fields = addedFields(nil, "spec", &theirs, &ours)
		return fields[:min(len(fields), MaxIssues)], nil
	}
	return nil, fmt.Errorf("the CRD of %s has no version %s", k, version)
}

// compiledFor returns the compiled CRD of a kind; one of today's if the schemas lack it.
func (s *Schemas) compiledFor(k model.Kind) (*compiledCRD, error) {
	if s == nil || s.byKind[k] == nil {
		s = embeddedCRDs
	}
	if s.byKind[k] == nil {
		return nil, fmt.Errorf("there is no CRD of %s", k)
	}
	return s.byKind[k]()
}

// addedFields appends the paths of the fields that one schema has and another lacks.
func addedFields(out []string, path string, theirs, ours *schema.Structural) []string {
	for _, name := range slices.Sorted(maps.Keys(theirs.Properties)) {
		t := theirs.Properties[name]
		at := path + "." + name
		if o, ok := ours.Properties[name]; ok {
			out = addedFields(out, at, &t, &o)
		} else if !ours.XPreserveUnknownFields && ours.AdditionalProperties == nil {
			out = append(out, at)
		}
	}
	if theirs.Items != nil && ours.Items != nil {
		out = addedFields(out, path+"[]", theirs.Items, ours.Items)
	}
	return out
}

// The releases of network-policy-api whose CRDs of AdminNetworkPolicy and BaselineAdminNetworkPolicy clusters
// have: today's, and the one before. The latter accepts some objects that today's rejects (`ports: []`,
// 10.0.0.0/08, ::ffff:a00:0/104).
const (
	ReleaseToday   = "v0.2.0"
	ReleaseEarlier = "v0.1.5"
)

// Releases are the valid values of Options.Release.
var Releases = []string{ReleaseEarlier, ReleaseToday}

// JudgeTree returns the issues that gate 1 finds in a tree: by the server's schemas if given, else by those of
// the release (empty means ReleaseToday). An error of today's CRD becomes a warning if the object's own
// cluster accepted it, since OVN-Kubernetes enforces it.
func JudgeTree(k model.Kind, obj map[string]any, schemas *Schemas, release string) []Issue {
	bad := runGateOne(k, obj, schemas)
	if slices.Contains(NetworkKinds, k) {
		// The tree's check warns of unknown fields; a server drops a cluster-scoped object's namespace.
		bad = slices.DeleteFunc(bad, func(i Issue) bool {
			return i.Code == CodeUnknown || i.Field == "metadata.namespace" && !k.IsNamespaced()
		})
		if len(conditionsOf(obj)) > 0 {
			bad = asWarnings(bad, "; the status shows that the cluster accepted it")
		}
		return bad
	}
	if k != model.KindANP && k != model.KindBANP || len(bad) == 0 && release != ReleaseEarlier {
		return bad
	}
	if schemas == nil && release != ReleaseToday {
		refused := runGateOne(k, obj, earlierCRDs)
		switch {
		case release == ReleaseEarlier:
			bad = append(refused, asWarnings(UnrelatedIssues(bad, refused), "; the CRD of "+ReleaseEarlier+" accepts it (--api-release)")...)
		case len(refused) == 0 && ovnWouldTake(k, obj):
			addReleaseHint(bad)
		}
	}
	if isEnforced(obj) {
		bad = asWarnings(bad, "; the status shows that the cluster enforces it")
	}
	return bad
}

// asWarnings turns the schema errors into warnings, and adds why.
func asWarnings(bad []Issue, why string) []Issue {
	for i := range bad {
		if bad[i].Severity == model.SeverityError && (bad[i].Code == CodeSchema || bad[i].Code == CodeCEL) {
			bad[i].Severity, bad[i].Release = model.SeverityWarning, ""
			bad[i].Message += why
		}
	}
	return bad
}

// ovnWouldTake reports whether OVN-Kubernetes could use an object: ReleaseEarlier's CRD accepts invalid CIDRs.
func ovnWouldTake(k model.Kind, obj map[string]any) bool {
	typed, err := TypedPolicy(k, obj)
	return err == nil && !New(model.Meta{Key: model.Key{Kind: k, Name: typed.GetName()}}, typed).IsRejected()
}

// addReleaseHint adds which release accepts an object that only today's CRD rejects.
func addReleaseHint(bad []Issue) {
	for i := range bad {
		bad[i].Release = ReleaseEarlier
		if bad[i].Remedy != "" {
			bad[i].Remedy += "; or, "
		}
		bad[i].Remedy += "if the cluster has the CRDs of network-policy-api " + ReleaseEarlier + ": --api-release " + ReleaseEarlier
	}
}

// isEnforced reports whether the status of an ANP or BANP in a dump says that a zone enforces it. The CRD of
// its cluster then accepted it.
func isEnforced(obj map[string]any) bool {
	return slices.ContainsFunc(conditionsOf(obj), func(c any) bool {
		m, _ := c.(map[string]any)
		kind, _ := m["type"].(string)
		return strings.HasPrefix(kind, readyPrefix) && m["status"] == "True"
	})
}

// NetworkKinds are the network-defining kinds of k8s.ovn.org.
var NetworkKinds = []model.Kind{model.KindUDN, model.KindCUDN, model.KindCNC}

// conditionsOf returns the conditions in a status. If there are any, the object's cluster accepted it.
func conditionsOf(obj map[string]any) []any {
	conditions, _, _ := unstructured.NestedFieldNoCopy(obj, "status", "conditions")
	list, _ := conditions.([]any)
	return list
}

// readyPrefix is the prefix of the zones' condition types (ovn-kubernetes.md#status-conditions).
const readyPrefix = "Ready-In-Zone-"

// CheckRelease returns an error for an unknown release.
func CheckRelease(release string) error {
	if release != "" && !slices.Contains(Releases, release) {
		return fmt.Errorf("API release %q: want %s", release, strings.Join(Releases, " or "))
	}
	return nil
}
