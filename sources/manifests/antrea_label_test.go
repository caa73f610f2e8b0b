package manifests

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/antrea"
)

// webhook is how Antrea's documentation has namespaces labelled by name on clusters before
// 1.21, and byItsLabel the policy it shows next to it, which selects by that label.
const webhook = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  # Do not edit this name.
  name: "labelsmutator.antrea.io"
webhooks:
- name: "namelabelmutator.antrea.io"
  clientConfig:
    service:
      name: "antrea"
      namespace: "kube-system"
      path: "/mutate/namespace"
  rules:
  - operations: ["CREATE", "UPDATE"]
    apiGroups: [""]
    apiVersions: ["v1"]
    resources: ["namespaces"]
    scope: "Cluster"
  admissionReviewVersions: ["v1", "v1beta1"]
  sideEffects: None
  timeoutSeconds: 5
---
`

const byItsLabel = `apiVersion: crd.antrea.io/v1beta1
kind: NetworkPolicy
metadata:
  name: test-annp-by-name
  namespace: default
spec:
  priority: 5
  tier: application
  appliedTo:
  - podSelector: {}
  egress:
  - action: Allow
    to:
    - podSelector:
        matchLabels:
          k8s-app: kube-dns
      namespaceSelector:
        matchLabels:
          antrea.io/metadata.name: kube-system
    ports:
    - protocol: TCP
      port: 53
    - protocol: UDP
      port: 53
    name: AllowToCoreDNS
---
`

// The policy that the documentation shows for clusters whose namespaces Antrea labels is
// read as it stands, whether or not they are; the configuration that has them labelled
// is no policy, which is said in one line, and nothing beside it is lost.
func TestAntreaDocumentNameLabel(t *testing.T) {
	const (
		labelled = "apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system, labels: {antrea.io/metadata.name: kube-system}}\n---\n"
		plain    = "apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system}\n---\n"
	)
	for _, tt := range []struct {
		name, text string
		findings   []string
	}{
		{"labelled", webhook + labelled + byItsLabel, nil},
		{"not labelled", plain + byItsLabel + webhook, []string{antrea.NameLabel}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := Read(t.Context(), Options{FS: fstest.MapFS{"all.yaml": {Data: []byte(tt.text)}}, Paths: []string{"."}})
			if err != nil {
				t.Fatal(err)
			}
			var broken []string
			for _, b := range res.Broken {
				broken = append(broken, string(b.Severity)+" "+b.Code+" "+b.Key.String()+" "+b.Message)
			}
			if diff := cmp.Diff([]string{"info unknown-kind MutatingWebhookConfiguration/labelsmutator.antrea.io skipped: unsupported kind"}, broken); diff != "" {
				t.Errorf("set aside (-want +got):\n%s", diff)
			}
			if len(res.Objects) != 2 {
				t.Errorf("%d objects, want the namespace and the policy", len(res.Objects))
			}
			c, _ := (&model.Cluster{}).Upsert(res.Objects, nil)
			p := c.Policy(model.Key{Kind: model.KindANNP, Namespace: "default", Name: "test-annp-by-name"})
			if p == nil {
				t.Fatal("the policy was not read")
			}
			if diff := cmp.Diff([]string{
				`ANNP default/test-annp-by-name application 5: ns: default`,
				`egress Allow Allow "AllowToCoreDNS" pods: k8s-app=kube-dns in ns: antrea.io/metadata.name=kube-system tcp 53, udp 53`,
			}, said(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var findings []string
			for _, f := range antrea.CheckCluster(c) {
				if f.Code == antrea.NameLabel {
					findings = append(findings, f.Code)
				}
			}
			if diff := cmp.Diff(tt.findings, findings); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
