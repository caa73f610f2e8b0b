package edit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/change/write"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

const olderPolicy = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: first
spec:
  priority: 50
  subject:
    namespaces: {}
  ingress:
  - action: Deny # the whole house
    from:
    - PEER
`

// onOlder opens the editor on a policy whose peer is written in the first form.
func onOlder(t *testing.T, peer, script string) *world {
	t.Helper()
	dir := t.TempDir()
	text := strings.Replace(olderPolicy, "PEER", peer, 1) + "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: blue, labels: {tenant: blue}}\n"
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, g: uitest.NewGatedOn(t, write.FileOptions{Paths: []string{dir}}, nil), state: t.TempDir()}
	w.editor(script)
	w.s = uitest.OpenWith(t, w.g.Fake, ui.Options{Page: nav.Page{Kind: nav.Edit, Key: anp("first")}, StateDir: w.state})
	return w
}

// A policy in the first form is opened in today's, and saving that as it is writes it.
func TestOlderUpgrade(t *testing.T) {
	w := onOlder(t, "namespaces: {namespaceSelector: {matchLabels: {tenant: blue}}}", "true")
	got := w.seen("1")
	for _, want := range []string{"# rung: It is written in an older form", "# rung: - spec.ingress[0].from[0].namespaces.namespaceSelector moves up:",
		"- namespaces: {matchLabels: {tenant: blue}}", "# the whole house"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in what the editor was given:\n%s", want, got)
		}
	}
	w.s.Want("nothing is written yet")
	w.s.Press("a", "y")
	p := w.policy("first")
	if p.Older != nil || p.IsRejected() || p.Ingress[0].Peers[0].String() != "ns: tenant=blue" {
		t.Errorf("after it was applied: %+v\n%s", p.Invalid, p.YAML)
	}
}

// A policy of 2022 is opened in today's form, ports and all.
func TestOlderUpgradeOf2022(t *testing.T) {
	w := onOlder(t, "namespacedPods: {namespaces: {namespaceSelector: {matchLabels: {tenant: blue}}}, pods: {podSelector: {matchLabels: {app: web}}}}\n    ports:\n      list:\n      - port: 80 # the web", "true")
	got := strings.ReplaceAll(w.seen("1"), "\n# rung:", "")
	for _, want := range []string{"It is written in an older form", "namespacedPods becomes pods, with both selectors directly in it", "ports.list becomes ports", "# the whole house", "# the web", "portNumber"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in what the editor was given:\n%s", want, got)
		}
	}
	w.s.Want("nothing is written yet")
	w.s.Press("a", "y")
	if p := w.policy("first"); p.Older != nil || p.IsRejected() || p.Ingress[0].Peers[0].String() != "pods: app=web in ns: tenant=blue" || p.Ingress[0].Ports[0].Start != 80 {
		t.Errorf("after it was applied: %+v\n%s", p.Invalid, p.YAML)
	}
}

// Where today's form has no equivalent, the notes say why, and the text stays.
func TestOlderReason(t *testing.T) {
	w := onOlder(t, "namespaces: {sameLabels: [tenant]}", "true")
	got := w.seen("1")
	flat := strings.ReplaceAll(got, "\n# rung:", "")
	for _, want := range []string{"today's form has no equivalent", "write one policy for each", "- namespaces: {sameLabels: [tenant]}"} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in what the editor was given:\n%s", want, got)
		}
	}
	w.s.Want("unchanged: nothing to apply")
}
