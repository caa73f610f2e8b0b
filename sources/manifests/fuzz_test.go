package manifests

import (
	"strings"
	"testing"

	"rung/model"
	"rung/model/words"
)

// FuzzRead reads anything: no panic, every object has a name, what is said is
// clean, a wrong type is told with its field, and what was read is read again from
// its own text.
func FuzzRead(f *testing.F) {
	f.Add([]byte(podDump(2)))
	f.Add([]byte(firstForm + "---\n" + of2022))
	f.Add([]byte(policySet(1)))
	f.Add([]byte(goodANP + "---\n" + nsText))
	f.Add([]byte(networkTexts))
	f.Add([]byte(mnpText + "---\n" + strings.Replace(mnpText, "v1beta1", "v1beta2", 1)))
	f.Add([]byte("apiVersion: v1\nkind: Pod\nmetadata: {name: x, annotations: {k8s.ovn.org/pod-networks: '{\"a/b\":{\"ip_address\":\"1\"}}', k8s.v1.cni.cncf.io/networks: 'a,b@c', k8s.ovn.org/open-default-ports: '[{protocol: tcp}]'}}\n"))
	f.Add([]byte("a: &a [*a]\n<<: {x: y}\n? {b: c}\n: - d\n"))
	f.Add([]byte("apiVersion: v1\nkind: List\nitems:\n- \"x\n- y\"\n"))
	for _, kind := range []string{"Namespace", "Pod", "Node", "Service", "Event"} {
		f.Add([]byte("apiVersion: v1\nkind: " + kind + "\nmetadata: {name: x, namespace: y, creationTimestamp: 2026-01-02T03:04:05Z}\n" +
			"eventTime: 2026-01-02T03:04:05Z\nseries: {count: 1}\nspec: {ports: [{port: 1, targetPort: 9999999999}]}\nstatus: {capacity: {cpu: 1e400}}\n"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := Parse("x.yaml", text, Options{Limits: Limits{AliasNodes: 1000}})
		for _, b := range r.Broken {
			if s := b.String(); !words.IsClean(s) {
				t.Errorf("not clean: %q", s)
			}
			if b.Code == CodeType && b.Field == "" && !strings.HasSuffix(b.Message, "more errors like these") {
				t.Errorf("which field? %s", b)
			}
		}
		for _, o := range r.Objects {
			if k := o.ObjectKey(); k.Kind == "" || k.Name == "" || !words.IsClean(k.String()) {
				t.Errorf("key %q", k)
			}
			p, ok := o.(*model.Policy)
			if !ok {
				continue
			}
			if broken := Validate(p); len(broken) > 0 {
				t.Errorf("gate 1 refuses it now: %v", broken)
			}
			out, err := Marshal(p)
			if err != nil {
				t.Errorf("cannot be written: %v", err)
			}
			q, broken := ParsePolicy(out)
			if q == nil || q.Key != p.Key || q.Priority != p.Priority || len(q.Ingress) != len(p.Ingress) || len(q.Egress) != len(p.Egress) {
				t.Errorf("reads otherwise once written: %v\n%s", broken, out)
			}
		}
	})
}
