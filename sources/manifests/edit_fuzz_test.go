package manifests

import (
	"bytes"
	"strings"
	"testing"

	"sigs.k8s.io/network-policy-api/apis/v1alpha1"

	"rung/model"
)

// FuzzRewrite changes a policy wherever it stands: either it is refused, or the
// policy means what it should and the text around the change is the same.
func FuzzRewrite(f *testing.F) {
	for _, c := range editCases {
		f.Add([]byte(c.text))
	}
	f.Add([]byte("a: &a [*a]\n<<: {x: y}\n? {b: c}\n: - d\n---\n" + commented))
	f.Add([]byte("apiVersion: v1\nkind: List\nitems:\n- \"x\n- y\"\n"))
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
				{Op: Delete, Key: p.Key, Origin: p.Origin},
				{Op: Append, Object: o},
			} {
				out, err := rewriteText("x.yaml", text, []Edit{e})
				switch {
				case err != nil && !strings.HasPrefix(err.Error(), "x.yaml: "):
					t.Errorf("%s: an error without its file: %v", e.Op, err)
				case err == nil && e.Op == Delete:
					goesBack(t, text, out, p)
				case err == nil && e.Op == Append && !bytes.HasPrefix(out, text):
					t.Errorf("append changed the text before")
				}
			}
		}
	})
}

// goesBack puts a policy back that was taken out of a text: to the byte from what was
// kept of the change, and as itself where its neighbours stand.
func goesBack(t *testing.T, text, out []byte, p *model.Policy) {
	c := NewTextChange("x.yaml", text, out)
	if back, ok := c.TextBefore(out); !ok || !bytes.Equal(back, text) {
		t.Errorf("the text is not given back: %q", back)
	}
	for i := range c.Spots {
		if !c.Spots[i].Object.NamesKey(p.Key) {
			continue
		}
		changed := append([]byte("# changed\n"), out...)
		again, err := rewriteText("x.yaml", changed, []Edit{{Op: Restore, Key: p.Key, Object: p.Original, Spot: &c.Spots[i]}})
		if err != nil {
			continue // refused
		}
		for _, q := range Parse("x.yaml", again, Options{SkipSchema: true}).Policies() {
			if q.Key == p.Key {
				return
			}
		}
		t.Errorf("it is not back:\n%s", again)
	}
}
