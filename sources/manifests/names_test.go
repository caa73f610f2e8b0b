package manifests

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

var hostileNames = []string{"../../etc", "..", "a/b", "n1\x1b[2J", "n1\n", "N1", "-n1", "n1-", "a..b", "n1:6641", "n1,metadata.name=n2", "$(reboot)", "n1\u202e",
	strings.Repeat("n", 1000), strings.Repeat("n", 254)}

// An object with a name that no API server takes is left aside and said, in one
// line, from files and from the API alike; the others stay.
func TestHostileNames(t *testing.T) {
	for _, name := range hostileNames {
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"Node", "Namespace", "Pod", "Service"} {
			text := "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + string(quoted) + "}\n" +
				"---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
			r := Parse("x.yaml", []byte(text), Options{})
			objects, broken := r.Objects, r.Broken
			if len(objects) != 1 || objects[0].ObjectKey() != (model.Key{Kind: model.KindNode, Name: "n1"}) {
				t.Errorf("%s %.20q: %v", kind, name, objects)
			}
			if len(broken) != 1 || !broken[0].IsError() || !strings.Contains(broken[0].String(), "is not a valid name") ||
				len(broken[0].String()) > 600 || strings.ContainsAny(broken[0].String(), "\n\x1b\u202e") {
				t.Errorf("%s %.20q: %v", kind, name, broken)
			}
		}
		o, broken := NewTyped("context").ReadObject(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil)
		if o != nil || len(broken) != 1 || !broken[0].IsError() {
			t.Errorf("from the API, %.20q: %v, %v", name, o, broken)
		}
	}
	for _, name := range []string{"n1", "ip-10-0-0-1.eu-west-1.compute.internal", "0", strings.Repeat("n", 253)} {
		if o, broken := NewTyped("context").ReadObject(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil); o == nil || len(broken) > 0 {
			t.Errorf("%s: %v", name, broken)
		}
	}
}
