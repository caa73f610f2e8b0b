package kube

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// The roles of rung reconcile and of the console let Rung list and watch what it follows, and
// nothing else.
func TestRolesAreWhatIsFollowed(t *testing.T) {
	var want []string
	for _, r := range watchedResources(1) {
		want = append(want, r.name+" list,watch")
	}
	slices.Sort(want)
	want = slices.Compact(want)
	deploy, err := os.ReadFile("../../deploy/00-rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/clusters.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"rung-reconcile": deploy, "rung-look": doc} {
		if diff := cmp.Diff(want, followedBy(t, name, text)); diff != "" {
			t.Errorf("ClusterRole %s (-followed +allowed)\n%s", name, diff)
		}
	}
}

// followedBy returns what a ClusterRole lets a user watch, with the verbs, sorted.
func followedBy(t *testing.T, name string, text []byte) (out []string) {
	t.Helper()
	_, text, _ = bytes.Cut(text, []byte("kind: ClusterRole\nmetadata:\n  name: "+name+"\n"))
	text, _, _ = bytes.Cut(text, []byte("---\n"))
	text, _, _ = bytes.Cut(text, []byte("```"))
	var role struct {
		Rules []struct{ APIGroups, Resources, Verbs []string }
	}
	if err := yaml.Unmarshal(text, &role); err != nil {
		t.Fatal(err)
	}
	for _, r := range role.Rules {
		if !slices.Contains(r.Verbs, "watch") {
			continue
		}
		for _, resource := range r.Resources {
			for _, group := range r.APIGroups {
				out = append(out, strings.TrimSuffix(resource+"."+group, ".")+" "+strings.Join(r.Verbs, ","))
			}
		}
	}
	slices.Sort(out)
	return out
}
