package manifests

import (
	"strings"
	"testing"
)

// What stands in a List within a List is read, and not written: the file says so.
func TestNestedList(t *testing.T) {
	text := "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - apiVersion: policy.networking.k8s.io/v1alpha1\n    kind: AdminNetworkPolicy\n    metadata: {name: a}\n    spec: {priority: 1, subject: {namespaces: {}}}\n"
	for _, e := range []Edit{setEdit(find(t, "x.yaml", text), setPriority(2)), {Op: Delete, Key: find(t, "x.yaml", text).Key, Origin: find(t, "x.yaml", text).Origin}} {
		if _, err := rewriteText("x.yaml", []byte(text), []Edit{e}); err == nil || !strings.Contains(err.Error(), "is in a List within a List: change the file by hand") {
			t.Errorf("%v: %v", e.Op, err)
		}
	}
}
