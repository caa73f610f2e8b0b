package arch

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// apiGroups are the versions of the Kubernetes API whose types are in the program: those
// that sources/kube asks for and sources/manifests reads, and what validation of CRDs
// brings along (authentication). Each one more is up to a megabyte.
var apiGroups = []string{"apps/v1", "authentication/v1", "authorization/v1", "coordination/v1", "core/v1", "discovery/v1",
	"events/v1", "networking/v1"}

// unlinked are packages of others that no package of the program may bring along: they
// import all groups of the Kubernetes API.
var unlinked = []string{"k8s.io/client-go/kubernetes", "k8s.io/client-go/applyconfigurations", "k8s.io/client-go/informers",
	"k8s.io/client-go/listers", "k8s.io/client-go/tools/leaderelection"}

// running are libraries that run programs or fetch files which their input names: kustomize (git,
// helm), kubectl and Helm themselves, Go's plugins, and the auth-providers of old kubeconfigs.
var running = []string{"sigs.k8s.io/kustomize", "k8s.io/kubectl", "k8s.io/cli-runtime", "helm.sh/helm", "plugin",
	"k8s.io/client-go/plugin/pkg/client/auth/azure", "k8s.io/client-go/plugin/pkg/client/auth/gcp", "k8s.io/client-go/plugin/pkg/client/auth/oidc"}

// The program has the types of those API groups only that it uses, and no library that runs programs.
func TestLinked(t *testing.T) {
	list := exec.Command("go", "list", "-deps", ".")
	list.Dir = root(t)
	text, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var groups []string
	for _, pkg := range strings.Fields(string(text)) {
		if group, ok := strings.CutPrefix(pkg, "k8s.io/api/"); ok {
			groups = append(groups, group)
		}
		if under(pkg, running...) {
			t.Errorf("the program has %s, which runs programs or fetches files that its input names: see docs/security.md", pkg)
		}
		if under(pkg, unlinked...) {
			t.Errorf("the program has %s, and with it all groups of the Kubernetes API: see kube.Builtin", pkg)
		}
	}
	slices.Sort(groups)
	if diff := cmp.Diff(apiGroups, groups); diff != "" {
		t.Errorf("groups of the Kubernetes API in the program (-want +got)\n%s", diff)
	}
}
