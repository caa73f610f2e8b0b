package manifests

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"rung/model"
)

// typedObjects decodes every object of a text as client-go would.
func typedObjects(t *testing.T, text []byte) (out []any) {
	t.Helper()
	dec := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var raw map[string]any
		if err := dec.Decode(&raw); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		u := &unstructured.Unstructured{Object: raw}
		k := findWrittenKind(u.GetAPIVersion(), u.GetKind())
		if k == nil {
			continue
		}
		if k.kind.IsAdmin() || k.kind == model.KindEF {
			out = append(out, u)
			continue
		}
		typed := reflect.New(k.goType).Interface()
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, typed); err != nil {
			t.Fatal(err)
		}
		out = append(out, typed)
	}
}

// TestTypedReadsAsText: an object from a server is what the same object in a
// manifest is. The examples and the odd ones here are read both ways.
func TestTypedReadsAsText(t *testing.T) {
	files, err := filepath.Glob("../../examples/[0-9]*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	texts := map[string][]byte{"odd.yaml": []byte(oddObjects)}
	for _, f := range files {
		if strings.Contains(f, "broken") {
			continue // no server would have it
		}
		if texts[f], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for name, text := range texts {
		want := map[model.Key]model.Object{}
		for _, o := range Parse(name, text, Options{SkipSchema: true}).Objects {
			if objectOrigin(o).Line > 0 { // not a namespace that is only lived in
				want[o.ObjectKey()] = o
			}
		}
		got := map[model.Key]model.Object{}
		conv := NewTyped("prod")
		for _, o := range typedObjects(t, text) {
			obj, _ := conv.ReadObject(o, nil)
			if obj == nil {
				t.Fatalf("%s: %v was not taken in", name, o)
			}
			if objectOrigin(obj) != conv.clusterOrigin() {
				t.Errorf("%s: origin %v", obj.ObjectKey(), objectOrigin(obj))
			}
			got[obj.ObjectKey()] = obj
		}
		if d := cmp.Diff(want, got, compareModel, cmpopts.IgnoreTypes(model.Origin{})); d != "" {
			t.Errorf("%s: -text +typed\n%s", name, d)
		}
		for k, o := range got {
			if p, ok := o.(*model.Policy); ok {
				anew := *p
				anew.Digested = model.PolicyDigests{}
				if was := want[k].(*model.Policy).Digested; p.Digested != was || p.Digested != anew.Digests() || was == (model.PolicyDigests{}) {
					t.Errorf("%s: digests %v as a text, %v as an object, %v worked out anew", k, was, p.Digested, anew.Digests())
				}
			}
		}
		n += len(got)
	}
	if n < 50 {
		t.Errorf("only %d objects were compared", n)
	}
}

const oddObjects = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: blue, uid: u-1, deletionTimestamp: "2026-01-02T03:04:05Z", labels: {"a": "\u202ereversed"},
  annotations: {k8s.ovn.org/pod-networks: '{"default":{"ip_addresses":["10.244.1.9/24"]},"b/c":{"role":"primary"}}', other: kept by nobody}}
spec:
  nodeName: w
  containers: [{name: c, ports: [{name: http, containerPort: 8080}, {containerPort: 9, protocol: DCCP}]}]
status: {phase: Running, podIP: 10.0.0.1, podIPs: [{ip: nonsense}], conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Node
metadata: {name: w, annotations: {k8s.ovn.org/host-cidrs: '["200.200.200.0"]', k8s.ovn.org/node-subnets: '{"default":"10.244.1.0/24"}'}}
status: {addresses: [{type: InternalIP, address: 172.18.0.3}]}
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: blue}
spec: {selector: {app: web}, clusterIP: 10.96.0.1, ports: [{name: h, port: 80, targetPort: http}, {port: 53, protocol: UDP, targetPort: 53}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: s-1, namespace: blue, labels: {kubernetes.io/service-name: s}}
addressType: IPv4
endpoints: [{addresses: [10.0.0.1]}, {addresses: [10.0.0.2]}]
---
apiVersion: v1
kind: Event
metadata: {name: e, namespace: default}
involvedObject: {kind: AdminNetworkPolicy, name: a}
type: Warning
reason: ANPWithDuplicatePriority
message: "one\ttwo"
source: {component: ovnk, host: w}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-02T03:04:05Z"
count: 3
---
apiVersion: k8s.ovn.org/v1
kind: EgressFirewall
metadata: {name: default, namespace: blue}
spec: {egress: [{type: Allow, to: {dnsName: example.com}}, {type: Deny, to: {cidrSelector: 0.0.0.0/0}, ports: [{protocol: TCP, port: 80}]}]}
`

// TestTypedPolicy: what a server adds to a policy does not stay, what a newer CRD
// adds does, and is told.
func TestTypedPolicy(t *testing.T) {
	read := func(spec map[string]any) (*model.Policy, []model.Broken) {
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": "AdminNetworkPolicy",
			"metadata": map[string]any{"name": "a", "uid": "u-1", "resourceVersion": "12", "managedFields": []any{map[string]any{"manager": "kubectl"}},
				"labels": map[string]any{"team": "net"}},
			"spec":   spec,
			"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready-In-Zone-w", "status": "True", "reason": "SetupSucceeded", "message": "ok\x1b[2J"}}, "newer": "x"},
		}}
		o, broken := NewTyped("prod").ReadObject(u, nil)
		p, _ := o.(*model.Policy)
		return p, broken
	}
	spec := map[string]any{"priority": int64(5), "subject": map[string]any{"namespaces": map[string]any{}}}
	p, broken := read(spec)
	if len(broken) > 0 || p.Version != "12" || p.UID != "u-1" || p.Labels.Get("team") != "net" {
		t.Errorf("policy %+v, broken %v", p.Meta, broken)
	}
	if len(p.Conditions) != 1 || p.Conditions[0].Message != "ok\ufffd[2J" {
		t.Errorf("conditions %+v", p.Conditions)
	}
	if strings.Contains(p.YAML, "managedFields") || p.Original.(metav1.Object).GetManagedFields() != nil || strings.Contains(p.YAML, "status") {
		t.Errorf("text %s", p.YAML)
	}

	newer := maps.Clone(spec)
	newer["mode"] = "Audit"
	newer["ingress"] = []any{map[string]any{"action": "Deny", "from": []any{map[string]any{"namespaces": map[string]any{}, "services": "x"}}}}
	p, broken = read(newer)
	var fields []string
	for _, b := range broken {
		if b.Severity != model.SeverityWarning || b.Key != p.Key || b.Code != CodeUnknown {
			t.Errorf("entry %+v", b)
		}
		fields = append(fields, b.Field)
	}
	if d := cmp.Diff([]string{"spec.ingress[0].from[0].services", "spec.mode"}, fields); d != "" {
		t.Errorf("unknown fields: -want +got\n%s", d)
	}
	if !strings.Contains(p.YAML, "mode: Audit") {
		t.Errorf("the field is not in the text:\n%s", p.YAML)
	}

	wrong := maps.Clone(spec)
	wrong["priority"] = map[string]any{"relative": "high"}
	p, broken = read(wrong)
	if p != nil || len(broken) != 1 || !broken[0].IsError() || broken[0].Key.Name != "a" {
		t.Errorf("a spec of another shape gave %v, %v", p, broken)
	}
}

// TestTypedRestated: a policy of which only the status moved is what reading it
// anew gives; any other change is read.
func TestTypedRestated(t *testing.T) {
	object := func(change func(o map[string]any)) *unstructured.Unstructured {
		o := map[string]any{"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": "AdminNetworkPolicy",
			"metadata": map[string]any{"name": "a", "uid": "u-1", "generation": int64(1), "resourceVersion": "1", "creationTimestamp": "2026-01-01T00:00:00Z", "labels": map[string]any{"x": "y"}},
			"spec":     map[string]any{"priority": int64(5), "subject": map[string]any{"namespaces": map[string]any{}}}}
		change(o)
		return &unstructured.Unstructured{Object: o}
	}
	sub := func(o map[string]any, name string) map[string]any { return o[name].(map[string]any) }
	conv := NewTyped("prod")
	old, _ := conv.ReadObject(object(func(map[string]any) {}), nil)
	for _, c := range []struct {
		name   string
		change func(o map[string]any)
		quick  bool
	}{
		{"a condition", func(o map[string]any) {
			sub(o, "metadata")["resourceVersion"] = "2"
			o["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready-In-Zone-w", "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z"}}}
		}, true},
		{"the priority", func(o map[string]any) {
			sub(o, "metadata")["generation"] = int64(2)
			sub(o, "spec")["priority"] = int64(6)
		}, false},
		{"a label", func(o map[string]any) { sub(o, "metadata")["labels"] = map[string]any{"x": "z"} }, false},
		{"an annotation", func(o map[string]any) {
			sub(o, "metadata")["annotations"] = map[string]any{model.AnnotationLogging: "{}"}
		}, false},
		{"another object of the name", func(o map[string]any) { sub(o, "metadata")["uid"] = "u-2" }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if quick := restatedPolicy(old.(*model.Policy), object(c.change)) != nil; quick != c.quick {
				t.Errorf("taken from the old one: %v", quick)
			}
			want, _ := NewTyped("prod").ReadObject(object(c.change), nil)
			got, _ := conv.ReadObject(object(c.change), old)
			whole := cmp.Options{cmp.Comparer(func(a, b model.Labels) bool { return a.Key() == b.Key() }),
				cmp.Comparer(func(a, b model.Selector) bool { return a.Key() == b.Key() }), cmpopts.EquateEmpty()}
			if d := cmp.Diff(want, got, whole); d != "" {
				t.Errorf("-anew +from the old one\n%s", d)
			}
		})
	}
}
