package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"sigs.k8s.io/yaml"

	"rung/model"
)

// observeFolder returns the folder of the manifests of rung observe.
func observeFolder(t *testing.T) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "deploy", "observe")
}

func readObserve(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(observeFolder(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// unmarshal reads a YAML document in which every field must be known.
func unmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// splitDocuments returns the YAML documents of a text, without those of comments alone.
func splitDocuments(text string) (out []string) {
	for _, doc := range regexp.MustCompile(`(?m)^---\n`).Split(text, -1) {
		if strings.Trim(regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(doc, ""), "\n") != "" {
			out = append(out, doc)
		}
	}
	return out
}

// observeTypes are the types of the manifests, by kind.
var observeTypes = map[string]any{
	"ClusterRole": rbacv1.ClusterRole{}, "ClusterRoleBinding": rbacv1.ClusterRoleBinding{}, "Role": rbacv1.Role{},
	"RoleBinding": rbacv1.RoleBinding{}, "Namespace": corev1.Namespace{}, "ServiceAccount": corev1.ServiceAccount{},
	"DaemonSet": appsv1.DaemonSet{}, "Deployment": appsv1.Deployment{}, "NetworkPolicy": networkingv1.NetworkPolicy{},
	"CustomResourceDefinition":         apiextensionsv1.CustomResourceDefinition{},
	"ValidatingAdmissionPolicy":        admissionv1.ValidatingAdmissionPolicy{},
	"ValidatingAdmissionPolicyBinding": admissionv1.ValidatingAdmissionPolicyBinding{},
}

// observeObjects returns the objects of a manifest, each as a pointer to its type.
func observeObjects(t *testing.T, name string) (out []any) {
	t.Helper()
	for _, doc := range splitDocuments(readObserve(t, name)) {
		var is struct{ Kind string }
		if err := yaml.Unmarshal([]byte(doc), &is); err != nil {
			t.Fatal(err)
		}
		kind, ok := observeTypes[is.Kind]
		if !ok {
			t.Fatalf("%s: kind %q has no type in this test", name, is.Kind)
		}
		object := reflect.New(reflect.TypeOf(kind)).Interface()
		unmarshal(t, doc, object)
		out = append(out, object)
	}
	return out
}

// objectOf returns the only object of a type in a manifest.
func objectOf[T any](t *testing.T, name string) T {
	t.Helper()
	for _, o := range observeObjects(t, name) {
		if o, ok := o.(*T); ok {
			return *o
		}
	}
	t.Fatalf("%s has no %T", name, *new(T))
	panic("not reached")
}

func observeResources(t *testing.T) []string {
	t.Helper()
	var k struct{ Resources []string }
	if err := yaml.Unmarshal([]byte(readObserve(t, "kustomization.yaml")), &k); err != nil {
		t.Fatal(err)
	}
	return k.Resources
}

// TestObserveAll: all.yaml has the files of the kustomization in their order, and kustomize renders the same objects.
func TestObserveAll(t *testing.T) {
	want := ""
	for _, name := range observeResources(t) {
		want += "---\n" + readObserve(t, name)
	}
	if diff := cmp.Diff(want, readObserve(t, "all.yaml")); diff != "" {
		t.Errorf("all.yaml: run deploy/observe/all.sh\n%s", diff)
	}
	for _, name := range []string{"namespace.yaml", "crd.yaml"} {
		if i := slices.Index(observeResources(t), name); i < 0 || i > 1 {
			t.Errorf("%s is not among the first: other objects need it", name)
		}
	}
	observeObjects(t, "all.yaml") // each has a type
	rendered, err := exec.CommandContext(t.Context(), Server(t, "kubectl"), "kustomize", observeFolder(t)).Output()
	if err != nil {
		t.Fatal(err)
	}
	objects := func(text string) (out []any) {
		for _, doc := range splitDocuments(text) {
			var o any
			unmarshal(t, doc, &o)
			out = append(out, o)
		}
		return out
	}
	if diff := cmp.Diff(objects(want), objects(string(rendered))); diff != "" {
		t.Errorf("kustomize renders something else: %s", diff)
	}
}

// TestObservePods: the pods satisfy the pod security level "restricted", but for the agents' user and hostPath.
func TestObservePods(t *testing.T) {
	agents, cluster := objectOf[appsv1.DaemonSet](t, "daemonset.yaml"), objectOf[appsv1.Deployment](t, "deployment.yaml")
	for _, c := range []struct {
		name    string
		pod     corev1.PodTemplateSpec
		want    []string
		account string
		labels  map[string]string
	}{
		{"agents", agents.Spec.Template, []string{"hostPath nb", "runs as root"}, "rung-observe", agents.Spec.Selector.MatchLabels},
		{"cluster", cluster.Spec.Template, nil, "rung-observe-cluster", cluster.Spec.Selector.MatchLabels},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, beyondRestricted(&c.pod.Spec)); diff != "" {
				t.Errorf("exceptions to restricted: %s", diff)
			}
			if c.pod.Spec.ServiceAccountName != c.account || !reflect.DeepEqual(c.pod.Labels, c.labels) {
				t.Errorf("service account %s, labels %v", c.pod.Spec.ServiceAccountName, c.pod.Labels)
			}
			container := c.pod.Spec.Containers[0]
			if container.Ports[0].Name != "metrics" || container.Ports[0].ContainerPort != 9478 ||
				!slices.Contains(container.Args, "--metrics-address=:9478") {
				t.Errorf("the metrics are elsewhere: %v, %v", container.Ports, container.Args)
			}
			for _, p := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe} {
				if p.HTTPGet.Port.StrVal != "metrics" {
					t.Errorf("a probe asks port %v", p.HTTPGet.Port)
				}
			}
			for _, m := range container.VolumeMounts {
				if !m.ReadOnly {
					t.Errorf("volume %s is writable", m.Name)
				}
			}
		})
	}
	// The namespace admits what the agents need, and reports the rest.
	labels := objectOf[corev1.Namespace](t, "namespace.yaml").Labels
	for mode, level := range map[string]string{"enforce": "privileged", "audit": "restricted", "warn": "restricted"} {
		if got := labels["pod-security.kubernetes.io/"+mode]; got != level {
			t.Errorf("%s: got %q, want %q", mode, got, level)
		}
	}
}

// beyondRestricted lists what a pod does that "restricted" forbids. It also wants a root file system that is read-only.
func beyondRestricted(pod *corev1.PodSpec) (out []string) {
	add := func(bad bool, format string, args ...any) {
		if bad {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(pod.HostNetwork || pod.HostPID || pod.HostIPC, "namespaces of the host")
	for _, v := range pod.Volumes {
		s := v.VolumeSource
		add(s.HostPath != nil, "hostPath %s", v.Name)
		add(s.HostPath == nil && s.ConfigMap == nil && s.EmptyDir == nil, "volume %s", v.Name)
	}
	add(len(pod.InitContainers) > 0 || len(pod.EphemeralContainers) > 0, "further containers")
	yes, no := func(b *bool) bool { return b != nil && *b }, func(b *bool) bool { return b != nil && !*b }
	for _, c := range pod.Containers {
		s := c.SecurityContext
		if s == nil {
			return append(out, "no security context")
		}
		add(!yes(s.RunAsNonRoot) || s.RunAsUser != nil && *s.RunAsUser == 0, "runs as root")
		add(s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault, "seccomp")
		add(s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(s.Capabilities.Add) > 0,
			"capabilities")
		add(!no(s.AllowPrivilegeEscalation), "privilege escalation")
		add(yes(s.Privileged), "privileged")
		add(!yes(s.ReadOnlyRootFilesystem), "writable root file system")
		add(s.ProcMount != nil || s.SELinuxOptions != nil || s.AppArmorProfile != nil, "proc, SELinux or AppArmor")
		for _, p := range c.Ports {
			add(p.HostPort != 0, "host port %d", p.HostPort)
		}
	}
	return out
}

// TestObserveRights: nothing is written but reports and Leases, by the accounts that must.
func TestObserveRights(t *testing.T) {
	accounts, writes := map[string][]string{}, map[string][]string{}
	for _, o := range observeObjects(t, "rbac.yaml") {
		var name string
		var rules []rbacv1.PolicyRule
		var subjects []rbacv1.Subject
		switch o := o.(type) {
		case *rbacv1.ClusterRole:
			name, rules = "cluster "+o.Name, o.Rules
			if o.Name == "rung-observe-reader" && o.Labels["rbac.authorization.k8s.io/aggregate-to-view"] != "true" {
				t.Errorf("%s is not a part of view", o.Name)
			}
		case *rbacv1.Role:
			name, rules = "namespace "+o.Name, o.Rules
		case *rbacv1.ClusterRoleBinding:
			name, subjects = "cluster "+o.RoleRef.Name, o.Subjects
		case *rbacv1.RoleBinding:
			name, subjects = "namespace "+o.RoleRef.Name, o.Subjects
		}
		for _, s := range subjects {
			accounts[name] = append(accounts[name], s.Name)
		}
		for _, r := range rules {
			for _, resource := range r.Resources {
				if strings.Contains(resource, "/") || resource == "*" || resource == "secrets" {
					t.Errorf("%s: resource %s", name, resource)
				}
				for _, verb := range r.Verbs {
					if !slices.Contains([]string{"get", "list", "watch"}, verb) {
						writes[name] = append(writes[name], strings.TrimSpace(verb+" "+resource+" "+strings.Join(r.ResourceNames, ",")))
					}
				}
			}
		}
	}
	agent, cluster := []string{"rung-observe"}, []string{"rung-observe-cluster"}
	if diff := cmp.Diff(map[string][]string{"cluster rung-observe-objects": {"rung-observe", "rung-observe-cluster"},
		"cluster rung-observe-report": agent, "namespace rung-observe-leases": agent, "cluster rung-observe-cluster": cluster,
		"namespace rung-observe-cluster": cluster}, accounts); diff != "" {
		t.Errorf("bindings: %s", diff)
	}
	if diff := cmp.Diff(map[string][]string{
		"cluster rung-observe-report":    {"create zonereports", "patch zonereports"},
		"namespace rung-observe-leases":  {"create leases", "update leases"},
		"namespace rung-observe-cluster": {"create leases", "update leases rung-observe-cluster"}}, writes); diff != "" {
		t.Errorf("rights to write: %s", diff)
	}
}

// TestObserveAdmission: a policy limits each account that writes, denies, and fails closed.
func TestObserveAdmission(t *testing.T) {
	bound := map[string]bool{}
	var accounts []string
	for _, o := range observeObjects(t, "admission.yaml") {
		switch o := o.(type) {
		case *admissionv1.ValidatingAdmissionPolicyBinding:
			bound[o.Spec.PolicyName] = slices.Equal(o.Spec.ValidationActions, []admissionv1.ValidationAction{admissionv1.Deny})
		case *admissionv1.ValidatingAdmissionPolicy:
			bound[o.Name] = false
			if *o.Spec.FailurePolicy != admissionv1.Fail {
				t.Errorf("%s fails open", o.Name)
			}
			for _, c := range o.Spec.MatchConditions {
				accounts = append(accounts, c.Expression)
			}
			for _, r := range o.Spec.MatchConstraints.ResourceRules {
				if !slices.Equal(r.Operations, []admissionv1.OperationType{admissionv1.Create, admissionv1.Update}) {
					t.Errorf("%s: operations %v", o.Name, r.Operations)
				}
			}
		}
	}
	for name, ok := range bound {
		if !ok {
			t.Errorf("policy %s denies nothing", name)
		}
	}
	if diff := cmp.Diff([]string{`request.userInfo.username == "system:serviceaccount:rung:rung-observe"`,
		`request.userInfo.username == "system:serviceaccount:rung:rung-observe-cluster"`}, accounts); diff != "" {
		t.Errorf("accounts: %s", diff)
	}
}

// TestObserveSchema: the resource's schema is structural, bounds every list and text, and has the fields of a report.
func TestObserveSchema(t *testing.T) {
	crd := objectOf[apiextensionsv1.CustomResourceDefinition](t, "crd.yaml")
	version := crd.Spec.Versions[0]
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, &internal, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	if errs := schema.ValidateStructural(nil, structural); len(errs) > 0 {
		t.Error(errs.ToAggregate())
	}
	report := version.Schema.OpenAPIV3Schema.Properties["report"]
	for _, problem := range schemaProblems("report", report, reflect.TypeFor[model.ZoneReport]()) {
		t.Error(problem)
	}
}

// schemaProblems compares a schema with the Go type that is written, and names lists and texts without a bound.
func schemaProblems(path string, s apiextensionsv1.JSONSchemaProps, is reflect.Type) (out []string) {
	if is.Kind() == reflect.Pointer {
		is = is.Elem()
	}
	want := map[reflect.Kind]string{reflect.String: "string", reflect.Int: "integer", reflect.Int32: "integer", reflect.Slice: "array",
		reflect.Struct: "object", reflect.Map: "object"}[is.Kind()]
	isTime, isRaw := is.String() == "time.Time", is == reflect.TypeFor[json.RawMessage]()
	switch {
	case isTime:
		want = "string"
	case isRaw:
		want = "object"
	}
	if s.Type != want {
		out = append(out, fmt.Sprintf("%s: type %s, and Rung writes %s", path, s.Type, is))
	}
	switch {
	case s.Type == "string" && s.MaxLength == nil:
		out = append(out, path+": no maxLength")
	case s.Type == "array" && s.MaxItems == nil:
		out = append(out, path+": no maxItems")
	}
	switch {
	case isTime || isRaw:
		if isTime && s.Format != "date-time" || isRaw && (s.XPreserveUnknownFields == nil || !*s.XPreserveUnknownFields) {
			out = append(out, path+": neither a time nor preserved")
		}
	case s.XPreserveUnknownFields != nil:
		out = append(out, path+": unknown fields are preserved")
	case is.Kind() == reflect.Slice && s.Items != nil && s.Items.Schema != nil:
		out = append(out, schemaProblems(path+"[]", *s.Items.Schema, is.Elem())...)
	case is.Kind() == reflect.Map && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		out = append(out, schemaProblems(path+"{}", *s.AdditionalProperties.Schema, is.Elem())...)
	case is.Kind() == reflect.Struct:
		known := map[string]bool{}
		for f := range is.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			known[name] = true
			if field, ok := s.Properties[name]; ok {
				out = append(out, schemaProblems(path+"."+name, field, f.Type)...)
			} else {
				out = append(out, fmt.Sprintf("%s.%s: Rung writes it, and the server drops it", path, name))
			}
		}
		for name := range s.Properties {
			if !known[name] {
				out = append(out, fmt.Sprintf("%s.%s: Rung does not write it", path, name))
			}
		}
	}
	return out
}

type ruleGroups struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr, For string
			KeepFiringFor    string `json:"keep_firing_for"`
			Labels           map[string]string
			Annotations      map[string]string
		}
	}
}

// TestObserveRules: the rules are valid, each alert names its severity and a command, and the copy for the operator is
// the same. Each alert fires and resolves in rules_test.yaml.
func TestObserveRules(t *testing.T) {
	var rules, copied ruleGroups
	unmarshal(t, readObserve(t, "rules.yaml"), &rules)
	var object struct {
		APIVersion, Kind string
		Metadata         map[string]string
		Spec             ruleGroups
	}
	unmarshal(t, readObserve(t, "../observe-prometheus/prometheusrule.yaml"), &object)
	copied = object.Spec
	if diff := cmp.Diff(rules, copied); diff != "" {
		t.Errorf("prometheusrule.yaml differs from rules.yaml: %s", diff)
	}
	tests := readObserve(t, "rules_test.yaml")
	for _, r := range rules.Groups[0].Rules {
		if r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
			t.Errorf("%s: labels %v, annotations %v", r.Alert, r.Labels, r.Annotations)
		}
		if !regexp.MustCompile(`\brung (drift|policy|verify|zones)\b`).MatchString(r.Annotations["description"]) {
			t.Errorf("%s names no command: %s", r.Alert, r.Annotations["description"])
		}
		if !strings.Contains(tests, "alertname: "+r.Alert) {
			t.Errorf("%s is not tested", r.Alert)
		}
	}
	promtool := Server(t, "promtool")
	for _, args := range [][]string{{"check", "rules", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = observeFolder(t)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// TestObserveDashboard: the dashboard is JSON, panels do not overlap, and every query is valid.
func TestObserveDashboard(t *testing.T) {
	type query struct {
		RefID, Expr, LegendFormat string
	}
	var d struct {
		Title, UID string
		Panels     []struct {
			ID          int
			Title, Type string
			GridPos     struct{ X, Y, W, H int }
			Targets     []query
		}
	}
	if err := json.Unmarshal([]byte(readObserve(t, "dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	var rules bytes.Buffer
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	taken, all := map[[2]int]string{}, ""
	for _, p := range d.Panels {
		g := p.GridPos
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("panel %q lies on %q, or outside", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if len(p.Targets) == 0 {
			t.Errorf("panel %q asks nothing", p.Title)
		}
		for _, q := range p.Targets {
			expr, err := json.Marshal(strings.NewReplacer("$__rate_interval", "5m", "$zone", "n1").Replace(q.Expr))
			if err != nil {
				t.Fatal(err)
			}
			all += q.Expr
			fmt.Fprintf(&rules, "  - {record: 'dashboard:panel%d:%s', expr: %s}\n", p.ID, strings.ToLower(q.RefID), expr)
		}
	}
	for _, name := range []string{"rung_policies", "rung_policy_in_force_timestamp_seconds", "rung_zone_drift_rows",
		"rung_policy_rows_seconds_bucket", "rung_agents", "rung_findings", "rung_expectations"} {
		if !strings.Contains(all, name+"{") && !strings.Contains(all, name+")") {
			t.Errorf("no panel shows %s", name)
		}
	}
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, rules.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), Server(t, "promtool"), "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
