package manifests

import (
	"bytes"
	"errors"
	"testing"

	"sigs.k8s.io/network-policy-api/apis/v1alpha1"

	"rung/model"
	"rung/model/clean"
)

func seeds(f *testing.F) {
	for _, c := range editCases {
		f.Add([]byte(c.text))
	}
	f.Add([]byte(podDump(2)))
	f.Add([]byte(policySet(1)))
	f.Add([]byte(goodANP + "---\n" + nsText))
	f.Add([]byte("a: &a [*a]\n<<: {x: y}\n? {b: c}\n: - d\n"))
	f.Add([]byte("apiVersion: v1\nkind: List\nitems:\n- \"x\n- y\"\n"))
}

// FuzzRead reads anything: no panic, every object has a name, what is said is
// clean, and what was read is read again from its own text.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		r := Parse("x.yaml", text, Options{Limits: Limits{AliasNodes: 1000}})
		for _, b := range r.Broken {
			if s := b.String(); !clean.Is(s) {
				t.Errorf("not clean: %q", s)
			}
		}
		for _, o := range r.Objects {
			if k := o.ObjectKey(); k.Kind == "" || k.Name == "" || !clean.Is(k.String()) {
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

// FuzzRewrite changes a policy wherever it stands: either it is refused, or the
// policy means what it should and the text around the change is the same.
func FuzzRewrite(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, p := range Parse("x.yaml", text, Options{SkipSchema: true, Limits: Limits{AliasNodes: 1000}}).Policies() {
			o, ok := p.Original.(*v1alpha1.AdminNetworkPolicy)
			if !ok {
				continue
			}
			o = o.DeepCopy()
			o.Spec.Priority = p.Priority/2 + 1
			o.Annotations = map[string]string{model.AnnotationLogging: `{"deny":"alert"}`}
			if len(o.Spec.Ingress) > 0 {
				o.Spec.Ingress = o.Spec.Ingress[1:]
			}
			for _, e := range []Edit{
				{Op: EditSet, Key: p.Key, Origin: p.Origin, Object: o},
				{Op: EditDelete, Key: p.Key, Origin: p.Origin},
				{Op: EditAppend, Object: o},
			} {
				out, err := rewrite("x.yaml", text, []Edit{e})
				var ee *EditError
				switch {
				case err != nil && !errors.As(err, &ee):
					t.Errorf("%s: an error of another kind: %v", e.Op, err)
				case err == nil && e.Op == EditAppend && !bytes.HasPrefix(out, text):
					t.Errorf("append changed the text before")
				}
			}
		}
	})
}
