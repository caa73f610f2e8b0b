package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKubectl(t *testing.T) {
	anp := Key{Kind: KindANP, Name: "cluster-control"}
	k, prod := Kubectl{}, Kubectl{Flags: "'--context=prod eu'"}
	got := []string{
		k.FromInput("apply"),
		k.Delete(anp),
		k.Delete(Key{Kind: KindBANP, Name: "default"}),
		k.Delete(Key{Kind: KindNP, Namespace: "blue", Name: "allow-web"}),
		k.SetPriority(anp, 34, 36),
		k.Annotate(anp, AnnotationLogging+`={"deny":"alert"}`),
		k.Annotate(anp, AnnotationLogging+"-"),
		prod.Get(anp),
	}
	want := []string{
		"kubectl apply -f -",
		"kubectl delete anp cluster-control",
		"kubectl delete banp default",
		"kubectl delete networkpolicy allow-web -n blue",
		`kubectl patch anp cluster-control --type=json -p '[{"op":"test","path":"/spec/priority","value":34},{"op":"replace","path":"/spec/priority","value":36}]'`,
		`kubectl annotate anp cluster-control 'k8s.ovn.org/acl-logging={"deny":"alert"}' --overwrite`,
		"kubectl annotate anp cluster-control k8s.ovn.org/acl-logging-",
		"kubectl '--context=prod eu' get anp cluster-control -o yaml",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
