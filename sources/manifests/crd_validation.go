package manifests

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	sigsyaml "sigs.k8s.io/yaml"

	"rung/model"
	"rung/model/words"
)

//go:embed crds/*.yaml schemas/*.yaml
var crdFiles embed.FS

// compiledCRD is a compiled CustomResourceDefinition.
type compiledCRD struct {
	schema  *schema.Structural
	openAPI validation.SchemaValidator
	cel     *cel.Validator
}

// embeddedCRDs are the CRDs of current releases, and earlierCRDs the CRDs of ReleaseEarlier.
var (
	embeddedCRDs = embeddedSchemas(map[string][]model.Kind{
		"crds/policy.networking.k8s.io_adminnetworkpolicies.yaml":         {model.KindANP},
		"crds/policy.networking.k8s.io_baselineadminnetworkpolicies.yaml": {model.KindBANP},
		"crds/policy.networking.k8s.io_clusternetworkpolicies.yaml":       {model.KindCNP},
		"schemas/crd.antrea.io.yaml": {model.KindACNP, model.KindANNP, model.KindTier, model.KindClusterGroup,
			model.KindGroup},
		"schemas/k8s.ovn.org.yaml": NetworkKinds})
	earlierCRDs = embeddedSchemas(map[string][]model.Kind{
		"schemas/policy.networking.k8s.io_adminnetworkpolicies." + ReleaseEarlier + ".yaml":         {model.KindANP},
		"schemas/policy.networking.k8s.io_baselineadminnetworkpolicies." + ReleaseEarlier + ".yaml": {model.KindBANP}})
)

// embeddedSchemas returns the schemas of embedded files, each with one CRD or a List. A file is read, and a
// schema compiled, for the first object that needs it.
func embeddedSchemas(files map[string][]model.Kind) *Schemas {
	out := &Schemas{byKind: map[model.Kind]func() (*compiledCRD, error){}}
	for name, kinds := range files {
		read := sync.OnceValues(func() (map[string]apiextensionsv1.CustomResourceDefinition, error) { return readCRDs(name) })
		for _, k := range kinds {
			out.byKind[k] = sync.OnceValues(func() (*compiledCRD, error) {
				defs, err := read()
				if err != nil {
					return nil, err
				}
				return compileSchema(defs[infoOfKind(k).writtenName()].Spec.Versions[0].Schema.OpenAPIV3Schema)
			})
		}
	}
	return out
}

// readCRDs returns the CRDs of an embedded file by the kind they define.
func readCRDs(name string) (map[string]apiextensionsv1.CustomResourceDefinition, error) {
	text, err := crdFiles.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var file struct {
		apiextensionsv1.CustomResourceDefinition `json:",inline"`
		Items                                    []apiextensionsv1.CustomResourceDefinition `json:"items"`
	}
	if err := sigsyaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	out := map[string]apiextensionsv1.CustomResourceDefinition{}
	for _, def := range append(file.Items, file.CustomResourceDefinition) {
		out[def.Spec.Names.Kind] = def
	}
	return out, nil
}

// compileSchema prepares a schema for checks.
func compileSchema(v1props *apiextensionsv1.JSONSchemaProps) (*compiledCRD, error) {
	var props apiextensions.JSONSchemaProps
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1props, &props, nil)
	if err != nil {
		return nil, fmt.Errorf("convert the schema: %w", err)
	}
	c := &compiledCRD{}
	if c.schema, err = schema.NewStructural(&props); err != nil {
		return nil, fmt.Errorf("structural schema: %w", err)
	}
	if c.openAPI, _, err = validation.NewSchemaValidator(&props); err != nil {
		return nil, fmt.Errorf("validator: %w", err)
	}
	c.cel = cel.NewValidator(c.schema, true, celconfig.PerCallLimit)
	return c, nil
}

// runGateOne runs gate 1 on a tree, by a cluster's schemas if known.
func runGateOne(k model.Kind, obj map[string]any, by *Schemas) []Issue {
	errs := metadataErrors(k, obj)
	var issues []Issue
	switch {
	case embeddedCRDs.byKind[k] != nil:
		c, err := by.compiledFor(k)
		if err != nil {
			return []Issue{{Severity: model.SeverityError, Code: CodeSchema, Message: words.CleanText(err.Error())}}
		}
		issues = c.checkObject(obj, len(errs) > 0)
	case k == model.KindNP, k == model.KindMNP: // of the same spec
		if o, err := readTyped[MultiNetworkPolicy](obj); err == nil {
			issues = newIssues(CodeSchema, npErrors(&o.Spec))
		}
	case k == model.KindEF:
		if o, err := readTyped[EgressFirewall](obj); err == nil {
			issues = newIssues(CodeSchema, efErrors(o))
		}
	}
	issues = append(newIssues(CodeMetadata, errs), issues...)
	if len(issues) > MaxIssues {
		more := len(issues) - MaxIssues
		issues = append(issues[:MaxIssues], Issue{Severity: model.SeverityError, Code: CodeSchema,
			Message: fmt.Sprintf("and %d more errors", more)})
	}
	return issues
}

func metadataErrors(k model.Kind, obj map[string]any) field.ErrorList {
	var om struct {
		metav1.ObjectMeta `json:"metadata"`
	}
	md := map[string]any{"metadata": obj["metadata"]}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(md, &om); err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("metadata"), "", err.Error())}
	}
	if k.IsNamespaced() {
		om.Namespace = cmp.Or(om.Namespace, "default")
	}
	om.ManagedFields = nil // set by the server
	return apivalidation.ValidateObjectMeta(&om.ObjectMeta, k.IsNamespaced(), apivalidation.NameIsDNSSubdomain,
		field.NewPath("metadata"))
}

// checkObject prunes, defaults and validates a created object, by schema and rules, as the API server does.
func (c *compiledCRD) checkObject(obj map[string]any, metadataBad bool) []Issue {
	obj = runtime.DeepCopyJSON(obj)
	delete(obj, "status") // dropped on create
	var issues []Issue
	opts := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, f := range pruning.PruneWithOptions(obj, c.schema, true, opts) {
		issues = append(issues, Issue{Severity: model.SeverityError, Code: CodeUnknown, Field: words.CleanText(f),
			Message: "unknown field"})
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(obj, c.schema)
	defaulting.Default(obj, c.schema)
	errs := validation.ValidateCustomResource(nil, obj, c.openAPI)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, c.schema, obj)...)
	issues = append(issues, newIssues(CodeSchema, errs)...)
	// The API server evaluates rules only after the schema passes, and so reports the second mistake after the
	// first is fixed. Here, mistakes unrelated to the first are reported with it.
	rules, _ := c.cel.Validate(context.Background(), nil, c.schema, obj, nil, celconfig.RuntimeCELCostBudget)
	found := newIssues(CodeCEL, rules)
	keeps := func(e *field.Error) bool { return slices.Contains(keepsFromRules, e.Type) }
	if slices.ContainsFunc(errs, keeps) || metadataBad {
		found = UnrelatedIssues(found, issues)
	}
	return append(issues, found...)
}

// keepsFromRules are the errors after which the API server evaluates no rules.
var keepsFromRules = []field.ErrorType{field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong,
	field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid}

// UnrelatedIssues returns the issues whose fields neither contain nor lie within the fields of others. A rule
// may repeat a schema error, and the schema may repeat an unknown field.
func UnrelatedIssues(issues, others []Issue) (out []Issue) {
	within := func(a, b string) bool {
		rest, ok := strings.CutPrefix(a, b)
		return ok && (b == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
	}
	for _, i := range issues {
		if i.Code != CodeUnknown && !slices.ContainsFunc(others, func(o Issue) bool {
			return within(i.Field, o.Field) || within(o.Field, i.Field)
		}) {
			out = append(out, i)
		}
	}
	return out
}

func newIssues(code string, errs field.ErrorList) []Issue {
	var issues []Issue
	for _, e := range errs {
		i := Issue{Severity: model.SeverityError, Code: code, Field: words.CleanText(e.Field), Message: errorText(e)}
		if e.Field == "<nil>" { // about the whole object
			i.Field = ""
		}
		if s, ok := e.BadValue.(string); ok && strings.Contains(e.Detail, "CIDR") {
			i.Remedy = words.CleanText(CIDRRemedy(s))
		}
		issues = append(issues, i)
	}
	return issues
}

// errorText returns an API error without its field, which is shown already.
func errorText(e *field.Error) string {
	s := e.ErrorBody()
	detail := strings.TrimPrefix(e.Detail, e.Field+" in body ")
	_, noValue := e.BadValue.(field.OmitValueType)
	switch {
	case e.Type == field.ErrorTypeTooMany && detail == "must have at most 1 item", // also reported for fields
		e.Type == field.ErrorTypeInvalid && detail == "should have at most 1 properties":
		s = "must have one field set, has more"
	case e.Type != field.ErrorTypeInvalid:
	case detail == "should have at least 1 properties":
		s = "must have one field set, has none"
	case detail == "should have at least 1 items":
		s = "must have at least one item"
	case strings.HasPrefix(detail, "should "):
		s = fmt.Sprint(e.BadValue) + " " + detail
	case noValue || e.BadValue == "" && e.Detail != "":
		s = detail
	}
	return strings.TrimSuffix(words.CleanText(strings.ReplaceAll(s, "\n", " ")), ": ")
}
