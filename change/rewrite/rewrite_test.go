package rewrite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/model"
	"rung/sources/manifests"
	"rung/test/given"
)

// A move or a change of logging touches one line of the author's text.
func TestRewritten(t *testing.T) {
	const commented = `# who may reach the tenants
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: a # the first
  annotations:
    owner: ada
spec:
  subject: {namespaces: {}} # all
  priority: 34   # between the others
`
	const logged = "    k8s.ovn.org/acl-logging: '{\"deny\":\"alert\"}'\n"
	deny := model.LogLevels{Deny: "alert"}
	for _, c := range []struct {
		name, text string
		m          change.Mutation
		want       string
	}{
		{"priority", commented, change.Mutation{Op: change.OpMove, Policy: given.ANPKey("a"), Priority: 7}, strings.Replace(commented, "34", "7", 1)},
		{"logging on", commented, change.Mutation{Op: change.OpLogLevel, Levels: deny}, ""},
		{"logging off", strings.Replace(commented, "    owner: ada\n", "    owner: ada\n"+logged, 1), change.Mutation{Op: change.OpLogLevel}, commented},
		{"flow style", "{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: a}, spec: {priority: 34, subject: {namespaces: {}}}}\n",
			change.Mutation{Op: change.OpMove, Policy: given.ANPKey("a"), Priority: 7},
			"{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: a}, spec: {priority: 7, subject: {namespaces: {}}}}\n"},
		{"JSON", `{"apiVersion":"policy.networking.k8s.io/v1alpha1","kind":"AdminNetworkPolicy","metadata":{"name":"a"},"spec":{"priority":34,"subject":{"namespaces":{}}}}`,
			change.Mutation{Op: change.OpMove, Policy: given.ANPKey("a"), Priority: 7},
			`{"apiVersion":"policy.networking.k8s.io/v1alpha1","kind":"AdminNetworkPolicy","metadata":{"name":"a"},"spec":{"priority":7,"subject":{"namespaces":{}}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, broken := manifests.ParsePolicy([]byte(c.text))
			if old == nil {
				t.Fatal(broken)
			}
			now, broken := edited(old, c.m)
			if now == nil {
				t.Fatal(broken)
			}
			if diff := cmp.Diff(c.want, now.YAML); diff != "" && c.want != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if c.want != "" {
				return
			}
			// Where a new line goes is not ours to say; that nothing else goes is.
			if d := UnifiedDiff("a", "b", c.text, now.YAML); strings.Count(d, "\n-") != 0 || strings.Count(d, "\n+") != 2 || !strings.Contains(d, "acl-logging") {
				t.Errorf("diff\n%s", d)
			}
		})
	}
	// Without a text of its own, and for what cannot be moved.
	old, _ := manifests.ParsePolicy([]byte(commented))
	bare := *old
	bare.YAML = ""
	if now, broken := WithPlace(&bare, "", 7, manifests.Options{}); now == nil || now.Priority != 7 || now.YAML == "" {
		t.Errorf("%+v %v", now, broken)
	}
	base, _ := manifests.ParsePolicy([]byte(given.BANP("", "in deny *")))
	if now, broken := WithPlace(base, "", 7, manifests.Options{}); now != nil || len(broken) != 1 {
		t.Errorf("%+v %v", now, broken)
	}
}

// edited is a policy as a change of one value makes it.
func edited(old *model.Policy, m change.Mutation) (*model.Policy, []model.Broken) {
	switch {
	case m.Op == change.OpMove:
		return WithPlace(old, "", m.Priority, manifests.Options{})
	case m.Levels.IsOn():
		return WithAnnotations(old, map[string]string{model.AnnotationLogging: m.Levels.AnnotationText()}, manifests.Options{})
	}
	return WithAnnotations(old, nil, manifests.Options{})
}
