package manifests

import (
	"strings"
	"testing"

	"rung/model"
)

// A Template of OpenShift is skipped, and its policies are counted in a warning that says how to judge them.
func TestTemplateWithPolicies(t *testing.T) {
	const text = `apiVersion: template.openshift.io/v1
kind: Template
metadata: {name: new-project}
parameters: [{name: PROJECT}]
objects:
- {apiVersion: project.openshift.io/v1, kind: Project, metadata: {name: "${PROJECT}"}}
- apiVersion: networking.k8s.io/v1
  kind: NetworkPolicy
  metadata: {name: closed, namespace: "${PROJECT}"}
  spec: {podSelector: {}}
- {apiVersion: k8s.ovn.org/v1, kind: EgressFirewall, metadata: {name: default}}
`
	r := Parse("t.yaml", []byte(text), Options{})
	if len(r.Objects) != 0 || len(r.Broken) != 1 {
		t.Fatalf("objects %v, broken %v", r.Objects, r.Broken)
	}
	b := r.Broken[0]
	if b.Severity != model.SeverityWarning || b.Key.Name != "new-project" ||
		!strings.Contains(b.Message, "this Template holds 2 policies, which Rung does not read") || !strings.Contains(b.Remedy, "oc process") {
		t.Errorf("got %+v", b)
	}
	without := text[:strings.Index(text, "- apiVersion: networking")]
	if r := Parse("t.yaml", []byte(without), Options{}); len(r.Broken) != 1 || r.Broken[0].Severity != model.SeverityInfo {
		t.Errorf("without policies: %+v", r.Broken)
	}
}
