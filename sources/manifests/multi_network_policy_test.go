package manifests

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
)

// A MultiNetworkPolicy is changed where it stands, of either version.
func TestRewriteMultiNetworkPolicy(t *testing.T) {
	for _, version := range []string{"v1beta1", "v1beta2"} {
		text := "# of the tenants\napiVersion: k8s.cni.cncf.io/" + version + "\nkind: MultiNetworkPolicy\nmetadata:\n  name: a # one\n  namespace: blue\n  annotations:\n    k8s.v1.cni.cncf.io/policy-for: l2 # the network\n" +
			"spec:\n  podSelector: {}\n  policyTypes: [Ingress]\n"
		want := "# of the tenants\napiVersion: k8s.cni.cncf.io/" + version + "\nkind: MultiNetworkPolicy\nmetadata:\n  name: a # one\n  namespace: blue\n  annotations:\n    k8s.v1.cni.cncf.io/policy-for: 'l2,red/l3' # the network\n" +
			"spec:\n  podSelector: {}\n  policyTypes: [Ingress]\n"
		p := find(t, "x.yaml", text)
		o := p.Original.(*unstructured.Unstructured).DeepCopy()
		o.SetAnnotations(map[string]string{model.AnnotationPolicyFor: "l2,red/l3"})
		got, err := rewriteText("x.yaml", []byte(text), []Edit{{Op: EditSet, Key: p.Key, Origin: p.Origin, Object: o}})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(got)); d != "" {
			t.Errorf("%s: -want +got\n%s", version, d)
		}
	}
}
