package manifests

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// podDump is what kubectl prints for n pods.
func podDump(n int) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nitems:\n")
	for i := range n {
		fmt.Fprintf(&b, `- apiVersion: v1
  kind: Pod
  metadata:
    annotations:
      k8s.ovn.org/pod-networks: '{"default":{"ip_addresses":["10.%[2]d.%[3]d.%[4]d/24"],"mac_address":"0a:58:0a:f4:01:05","gateway_ips":["10.244.1.1"],"routes":[{"dest":"10.244.0.0/16","nextHop":"10.244.1.1"}],"ip_address":"10.%[2]d.%[3]d.%[4]d/24","gateway_ip":"10.244.1.1","role":"primary"}}'
    creationTimestamp: "2026-01-01T00:00:00Z"
    labels:
      app: web-%[5]d
      pod-template-hash: 5d9b7bf788
      tier: front
    name: web-%[1]d
    namespace: ns-%[5]d
    resourceVersion: "12345"
    uid: 0b5c7a0e-1c1e-4c58-8e5f-5c7a0e1c1e4c
  spec:
    containers:
    - image: registry.example/web:1
      imagePullPolicy: IfNotPresent
      name: web
      ports:
      - containerPort: 8080
        name: http
        protocol: TCP
      resources: {}
      terminationMessagePath: /dev/termination-log
      terminationMessagePolicy: File
      volumeMounts:
      - mountPath: /var/run/secrets/kubernetes.io/serviceaccount
        name: kube-api-access-x
        readOnly: true
    dnsPolicy: ClusterFirst
    nodeName: ovn-worker
    restartPolicy: Always
    tolerations:
    - effect: NoExecute
      key: node.kubernetes.io/not-ready
      operator: Exists
      tolerationSeconds: 300
  status:
    conditions:
    - lastProbeTime: null
      lastTransitionTime: "2026-01-01T00:00:00Z"
      status: "True"
      type: Ready
    hostIP: 172.18.0.3
    phase: Running
    podIP: 10.%[2]d.%[3]d.%[4]d
    podIPs:
    - ip: 10.%[2]d.%[3]d.%[4]d
`, i, i>>16, i>>8&255, i&255, i%100)
	}
	b.WriteString("kind: List\nmetadata:\n  resourceVersion: \"\"\n")
	return b.String()
}

// policySet is n policies of 20 rules, a document each.
func policySet(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\n%smetadata:\n  name: p-%d\nspec:\n  priority: %d\n  subject:\n    namespaces: {}\n", anpHead, i, i)
		b.WriteString("  ingress:\n")
		for r := range 10 {
			fmt.Fprintf(&b, "  - name: in-%d\n    action: Allow\n    from:\n    - pods:\n        namespaceSelector:\n          matchLabels:\n            tenant: t-%d\n        podSelector: {}\n    ports:\n    - portNumber:\n        protocol: TCP\n        port: %d\n", r, r, 8000+r)
		}
		b.WriteString("  egress:\n")
		for r := range 10 {
			fmt.Fprintf(&b, "  - name: eg-%d\n    action: Deny\n    to:\n    - networks:\n      - 10.%d.0.0/16\n      - fd00:%d::/32\n", r, r, r)
		}
	}
	return b.String()
}

func benchRead(b *testing.B, skip bool, texts map[string]string) {
	dir := b.TempDir()
	size := 0
	for name, text := range texts {
		size += len(text)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		r, err := Read(context.Background(), Options{Paths: []string{dir}, SkipSchema: skip})
		if err != nil || len(r.Objects) == 0 {
			b.Fatal(err, r.Broken)
		}
		for _, x := range r.Broken {
			if x.IsError() {
				b.Fatal(x)
			}
		}
	}
}

// 1,000 pods and 50 policies of 20 rules, both gates.
func BenchmarkRead(b *testing.B) {
	benchRead(b, false, map[string]string{"pods.yaml": podDump(1000), "anp.yaml": policySet(50)})
}

// The same without gate 1, as before the first frame.
func BenchmarkReadSkipSchema(b *testing.B) {
	benchRead(b, true, map[string]string{"pods.yaml": podDump(1000), "anp.yaml": policySet(50)})
}

func BenchmarkRead10kPods(b *testing.B) {
	benchRead(b, false, map[string]string{"pods.yaml": podDump(10_000)})
}

func BenchmarkValidate(b *testing.B) {
	ps := Parse("x.yaml", []byte(policySet(1)), Options{}).Policies()
	for b.Loop() {
		if broken := Validate(ps[0]); len(broken) > 0 {
			b.Fatal(broken)
		}
	}
}
