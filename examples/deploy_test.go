package examples

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// deployed is what the folder deploy holds, by kind.
type deployed struct {
	cluster  []rbacv1.ClusterRole
	roles    []rbacv1.Role
	pods     map[string]*corev1.PodTemplateSpec
	accounts []string
}

func readDeploy(t *testing.T) deployed {
	t.Helper()
	d := deployed{pods: map[string]*corev1.PodTemplateSpec{}}
	files, err := filepath.Glob("../deploy/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no manifests", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, doc := range bytes.Split(text, []byte("\n---\n")) {
			var meta metav1.TypeMeta
			if err := yaml.Unmarshal(doc, &meta); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			strict := func(into any) {
				if err := yaml.UnmarshalStrict(doc, into); err != nil {
					t.Errorf("%s: %s: %v", file, meta.Kind, err)
				}
			}
			switch meta.APIVersion + " " + meta.Kind {
			case "v1 Namespace":
				strict(&corev1.Namespace{})
			case "v1 ServiceAccount":
				var o corev1.ServiceAccount
				strict(&o)
				d.accounts = append(d.accounts, o.Namespace+"/"+o.Name)
			case "rbac.authorization.k8s.io/v1 ClusterRole":
				var o rbacv1.ClusterRole
				strict(&o)
				d.cluster = append(d.cluster, o)
			case "rbac.authorization.k8s.io/v1 Role":
				var o rbacv1.Role
				strict(&o)
				d.roles = append(d.roles, o)
			case "rbac.authorization.k8s.io/v1 ClusterRoleBinding":
				strict(&rbacv1.ClusterRoleBinding{})
			case "rbac.authorization.k8s.io/v1 RoleBinding":
				strict(&rbacv1.RoleBinding{})
			case "apps/v1 DaemonSet":
				var o appsv1.DaemonSet
				strict(&o)
				d.pods[o.Name] = &o.Spec.Template
			case "apps/v1 Deployment":
				var o appsv1.Deployment
				strict(&o)
				d.pods[o.Name] = &o.Spec.Template
			default:
				t.Errorf("%s: nobody looks at %s %s", file, meta.APIVersion, meta.Kind)
			}
		}
	}
	return d
}

// The manifests say what an API server takes, and ask for no more than is needed.
func TestDeploy(t *testing.T) {
	d := readDeploy(t)
	writes := map[string][]string{}
	note := func(rules []rbacv1.PolicyRule) {
		for _, r := range rules {
			for _, res := range r.Resources {
				for _, v := range r.Verbs {
					if v == "*" || res == "*" || strings.Contains(res, "secrets") || strings.Contains(res, "exec") {
						t.Errorf("%s on %s", v, res)
					}
					if !slices.Contains([]string{"get", "list", "watch"}, v) {
						writes[res] = append(writes[res], v)
					}
				}
			}
		}
	}
	for _, r := range d.cluster {
		note(r.Rules)
	}
	for _, r := range d.roles {
		note(r.Rules)
	}
	if len(writes) != 4 || len(writes["adminnetworkpolicies/status"]) != 1 || len(writes["baselineadminnetworkpolicies/status"]) != 1 ||
		len(writes["leases"]) != 2 || len(writes["events"]) != 2 {
		t.Errorf("writes %v", writes)
	}
	if len(d.pods) != 2 {
		t.Fatalf("%d workloads, want 2", len(d.pods))
	}
	for name, p := range d.pods {
		c := p.Spec.Containers[0]
		if !slices.Contains(d.accounts, "rung/"+p.Spec.ServiceAccountName) {
			t.Errorf("%s runs as %q", name, p.Spec.ServiceAccountName)
		}
		if c.Args[0] != "reconcile" || slices.ContainsFunc(c.Args, func(a string) bool { return strings.Contains(a, "nobody-else") }) {
			t.Errorf("%s: arguments %q", name, c.Args)
		}
		if s := c.SecurityContext; s == nil || s.Privileged != nil || !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation {
			t.Errorf("%s: security context %+v", name, s)
		}
		for _, v := range p.Spec.Volumes {
			if !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == v.Name }) {
				t.Errorf("%s: volume %s is not mounted", name, v.Name)
			}
		}
	}
}

// A program built where there is a C compiler is not static by itself.
func TestReadmeSaysHowItIsStatic(t *testing.T) {
	text, err := os.ReadFile("../deploy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); strings.Contains(s, "static") && !strings.Contains(s, "CGO_ENABLED=0 make") {
		t.Error("says that bin/rung is static, and not how that is built")
	}
}
