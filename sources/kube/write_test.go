package kube

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"
	"sigs.k8s.io/yaml"

	"rung/model"
	"rung/sources/manifests"
	"rung/test/apiserver"
)

const bluePolicy = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: blue
  uid: uid-blue
  creationTimestamp: "2026-01-02T03:04:05Z"
  generation: 3
  labels: {team: ops}
  annotations:
    note: kept
    kubectl.kubernetes.io/last-applied-configuration: '{"a":1}'
  finalizers: [example.com/hold]
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: o, uid: u}]
  managedFields: [{manager: kubectl-client-side-apply, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {}}}]
spec:
  priority: 40
  subject: {namespaces: {matchLabels: {tenant: blue}}}
  ingress: [{name: a, action: Allow, from: [{namespaces: {matchLabels: {tenant: blue}}}]}]
status:
  conditions: [{type: Ready-In-Zone-a, status: "True", reason: SetupSucceeded, message: ok, lastTransitionTime: "2026-01-02T03:04:05Z"}]
`

func tree(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func parsed(t *testing.T, text string) *model.Policy {
	t.Helper()
	p, broken := manifests.ParsePolicy([]byte(text))
	if p == nil {
		t.Fatalf("%v", broken)
	}
	return p
}

var blueKey = model.PolicyKey{Kind: model.KindANP, Name: "blue"}

// serve makes a server and a cluster for it.
func serve(t *testing.T) (*apiserver.Server, *Cluster) {
	t.Helper()
	s, kubeconfig := apiserver.New(t)
	c, err := Open(Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// start serves the policy and reads it.
func start(t *testing.T, text string) (*apiserver.Server, *Policies, *LivePolicy) {
	t.Helper()
	s, c := serve(t)
	s.Put(apiserver.ANPs+"/blue", tree(t, text))
	p := c.Policies()
	l, err := p.Get(t.Context(), blueKey)
	if err != nil {
		t.Fatal(err)
	}
	s.Requests()
	return s, p, l
}

func unchanged(old *model.Policy) func(*model.Policy) bool {
	return func(live *model.Policy) bool { return live.YAML == old.YAML }
}

func TestGet(t *testing.T) {
	_, _, l := start(t, bluePolicy)
	for _, s := range []string{"managedFields", "status", "resourceVersion", "uid: uid-blue", "generation", "creationTimestamp", "last-applied"} {
		if strings.Contains(l.Policy.YAML, s) {
			t.Errorf("%s is shown:\n%s", s, l.Policy.YAML)
		}
	}
	if l.Policy.Version != "101" || l.Policy.UID != "uid-blue" {
		t.Errorf("version %q, uid %q", l.Policy.Version, l.Policy.UID)
	}
}

const strictly = "fieldManager=rung&fieldValidation=Strict"

func TestUpdateKeepsWhatItIsNotAbout(t *testing.T) {
	s, p, l := start(t, bluePolicy)
	now := parsed(t, strings.Replace(strings.Replace(l.Policy.YAML, "priority: 40", "priority: 41", 1), "team: ops", "team: net", 1))
	ch := PolicyChange{Verb: VerbUpdate, Key: blueKey, Old: l.Policy, New: now, Unchanged: unchanged(l.Policy)}
	if _, err := p.MakeChange(t.Context(), ch, true); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests(); got[1].Method != "PUT" || got[1].Query != "dryRun=All&"+strictly {
		t.Errorf("%+v", got[1])
	}
	// Only the status moves between reading and writing: tried over.
	moved := false
	s.Before(func(_ http.ResponseWriter, r apiserver.Request) bool {
		if r.Method == "PUT" && !moved {
			moved = true
			o := tree(t, bluePolicy)
			o["status"] = map[string]any{}
			s.Put(apiserver.ANPs+"/blue", o)
		}
		return false
	})
	w, err := p.MakeChange(t.Context(), ch, false)
	if err != nil {
		t.Fatal(err)
	}
	got := s.Requests()
	if len(got) != 4 || got[3].Query != strictly || w.Policy.Priority != 41 {
		t.Fatalf("%+v", got)
	}
	want := tree(t, strings.Replace(strings.Replace(bluePolicy, "priority: 40", "priority: 41", 1), "team: ops", "team: net", 1))
	md := want["metadata"].(map[string]any)
	delete(md, "managedFields")
	md["resourceVersion"] = "102"
	want["status"] = map[string]any{}
	if diff := cmp.Diff(want, got[3].Body); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
	// Now its spec is another.
	if _, err := p.MakeChange(t.Context(), ch, false); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	if got := s.Requests(); len(got) != 1 {
		t.Errorf("written over somebody's change: %+v", got)
	}
}

func TestUpdateRefusesToLoseUnknownFields(t *testing.T) {
	_, p, l := start(t, strings.Replace(bluePolicy, "  priority: 40\n", "  priority: 40\n  shiny: {new: 1}\n", 1))
	if diff := cmp.Diff([]string{"spec.shiny"}, l.Unknown); diff != "" {
		t.Fatal(diff)
	}
	now := parsed(t, strings.Replace(bluePolicy, "priority: 40", "priority: 41", 1))
	_, err := p.MakeChange(t.Context(), PolicyChange{Verb: VerbUpdate, Key: blueKey, Old: l.Policy, New: now, Unchanged: unchanged(l.Policy)}, false)
	if !errors.Is(err, model.ErrRejected) || !strings.Contains(err.Error(), "spec.shiny") {
		t.Errorf("%v", err)
	}
}

// annotate gives a policy an annotation, or takes it away, in its typed object too.
func annotate(p *model.Policy, name, value string) {
	o := p.Original.(*v1alpha1.AdminNetworkPolicy).DeepCopy()
	if value == "" {
		delete(o.Annotations, name)
	} else {
		if o.Annotations == nil {
			o.Annotations = map[string]string{}
		}
		o.Annotations[name] = value
	}
	p.Original = o
	p.Logging, p.HasLogging = o.Annotations[model.AnnotationLogging]
}

func TestPatch(t *testing.T) {
	const logging = "k8s.ovn.org/acl-logging"
	const at = "/metadata/annotations/k8s.ovn.org~1acl-logging"
	bare := strings.Replace(bluePolicy, "  annotations:\n    note: kept\n    kubectl.kubernetes.io/last-applied-configuration: '{\"a\":1}'\n", "", 1)
	logs := strings.Replace(bluePolicy, "note: kept", logging+`: '{"deny":"info"}'`, 1)
	test := func(path string, v any) any { return map[string]any{"op": "test", "path": path, "value": v} }
	uid := test("/metadata/uid", "uid-blue")
	for _, c := range []struct {
		name, text string
		change     func(*model.Policy)
		want       []any
	}{
		{"priority", bluePolicy, func(p *model.Policy) { p.Priority = 42 },
			[]any{uid, test("/spec/priority", 40.0), map[string]any{"op": "replace", "path": "/spec/priority", "value": 42.0}}},
		{"no annotations", bare, func(p *model.Policy) { annotate(p, logging, "x") },
			[]any{uid, test("/metadata/annotations", nil), map[string]any{"op": "add", "path": "/metadata/annotations", "value": map[string]any{logging: "x"}}}},
		{"no such annotation", bluePolicy, func(p *model.Policy) { annotate(p, logging, "x") },
			[]any{uid, test(at, nil), map[string]any{"op": "add", "path": at, "value": "x"}}},
		{"another level", logs, func(p *model.Policy) { annotate(p, logging, "x") },
			[]any{uid, test(at, `{"deny":"info"}`), map[string]any{"op": "replace", "path": at, "value": "x"}}},
		{"off", logs, func(p *model.Policy) { annotate(p, logging, "") },
			[]any{uid, test(at, `{"deny":"info"}`), map[string]any{"op": "remove", "path": at}}},
		{"a session begins", logs, func(p *model.Policy) { annotate(p, logging, "x"); annotate(p, model.AnnotationLogSession, "s") },
			[]any{uid, test(at, `{"deny":"info"}`), test("/metadata/annotations/rung~1log-session", nil),
				map[string]any{"op": "replace", "path": at, "value": "x"}, map[string]any{"op": "add", "path": "/metadata/annotations/rung~1log-session", "value": "s"}}},
		{"of the same level", logs, func(p *model.Policy) { annotate(p, model.AnnotationLogSession, "s") },
			[]any{uid, test(at, `{"deny":"info"}`), test("/metadata/annotations/rung~1log-session", nil),
				map[string]any{"op": "add", "path": "/metadata/annotations/rung~1log-session", "value": "s"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p, l := start(t, c.text)
			now := *l.Policy
			c.change(&now)
			ch := PolicyChange{Verb: VerbPatch, Key: blueKey, Old: l.Policy, New: &now}
			w, err := p.MakeChange(t.Context(), ch, false)
			if err != nil {
				t.Fatal(err)
			}
			got := s.Requests()
			if len(got) != 1 || got[0].Query != strictly || got[0].Type != "application/json-patch+json" {
				t.Fatalf("%+v", got)
			}
			if diff := cmp.Diff(c.want, got[0].Patch); diff != "" {
				t.Errorf("patch (-want +got)\n%s", diff)
			}
			if w.Policy.Priority != now.Priority || w.Policy.Logging != now.Logging || w.Policy.HasLogging != now.HasLogging {
				t.Errorf("stored %+v", w.Policy)
			}
			// A second time the old value is not there any more.
			if _, err := p.MakeChange(t.Context(), ch, false); !errors.Is(err, ErrChanged) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestCreateDeleteApply(t *testing.T) {
	s, p, l := start(t, bluePolicy)
	newText := strings.Replace(l.Policy.YAML, "name: blue", "name: navy", 1)
	navy := model.PolicyKey{Kind: model.KindANP, Name: "navy"}
	if _, err := p.MakeChange(t.Context(), PolicyChange{Verb: VerbCreate, Key: navy, New: parsed(t, newText)}, false); err != nil {
		t.Fatal(err)
	}
	if got := s.Requests(); got[0].Method != "POST" || got[0].Query != strictly || got[0].Body["status"] != nil {
		t.Errorf("%+v", got)
	}
	if _, err := p.MakeChange(t.Context(), PolicyChange{Verb: VerbCreate, Key: navy, New: parsed(t, newText)}, false); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	del := PolicyChange{Verb: VerbDelete, Key: blueKey, Old: l.Policy, Unchanged: unchanged(l.Policy)}
	if _, err := p.MakeChange(t.Context(), del, true); err != nil || s.Object(apiserver.ANPs+"/blue") == nil {
		t.Fatalf("a dry run deletes, or fails: %v", err)
	}
	s.Requests()
	if _, err := p.MakeChange(t.Context(), del, false); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"uid": "uid-blue", "resourceVersion": "101"}
	if got := s.Requests(); !reflect.DeepEqual(got[1].Body["preconditions"], want) || s.Object(apiserver.ANPs+"/blue") != nil {
		t.Errorf("%+v", got)
	}
	if _, err := p.MakeChange(t.Context(), del, false); !errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
	s.Requests()
	// A document as kubectl prints it: what the server keeps is not sent.
	if _, err := p.MakeChange(t.Context(), PolicyChange{Verb: VerbApply, Key: blueKey, New: parsed(t, bluePolicy), Force: true}, true); err != nil {
		t.Fatal(err)
	}
	got := s.Requests()[0]
	// Rung's own patches before do not stand against its apply.
	s.Before(func(w http.ResponseWriter, r apiserver.Request) bool {
		if strings.Contains(r.Query, "force=true") {
			return false
		}
		apiserver.Fail(w, 409, "Conflict", "x", map[string]any{"causes": []any{map[string]any{
			"reason": "FieldManagerConflict", "field": ".spec.priority", "message": `conflict with "rung" using v1`}}})
		return true
	})
	if _, err := p.MakeChange(t.Context(), PolicyChange{Verb: VerbApply, Key: blueKey, New: parsed(t, bluePolicy)}, false); err != nil {
		t.Error(err)
	}
	md := got.Body["metadata"].(map[string]any)
	if got.Query != "dryRun=All&"+"fieldManager=rung&fieldValidation=Strict&force=true" || got.Type != "application/apply-patch+yaml" ||
		md["managedFields"] != nil || md["uid"] != nil || md["resourceVersion"] != nil || got.Body["kind"] != "AdminNetworkPolicy" {
		t.Errorf("%+v", got)
	}
}

func TestRefusals(t *testing.T) {
	s, p, l := start(t, bluePolicy)
	now := *l.Policy
	now.Priority = 42
	do := func() error {
		_, err := p.MakeChange(context.Background(), PolicyChange{Verb: VerbPatch, Key: blueKey, Old: l.Policy, New: &now}, true)
		return err
	}
	answer := func(code int, reason, message string, details map[string]any) {
		s.Before(func(w http.ResponseWriter, _ apiserver.Request) bool {
			apiserver.Fail(w, code, reason, message, details)
			return true
		})
	}
	cause := func(typ, field, message string) map[string]any {
		return map[string]any{"causes": []any{map[string]any{"reason": typ, "field": field, "message": message}}}
	}
	answer(422, "Invalid", "…", cause("FieldValueInvalid", "spec", "networks\x1b[31m peer\nwith namedPort"))
	var no *RejectedError
	if err := do(); !errors.As(err, &no) || !reflect.DeepEqual(no.Fields, []FieldError{{"spec", "networks\ufffd[31m peer with namedPort"}}) {
		t.Errorf("%v", no)
	}
	answer(403, "Forbidden", `adminnetworkpolicies is forbidden: User "ada" cannot patch resource`, nil)
	if err := do(); !errors.As(err, &no) || no.Remedy != "see kubectl auth can-i patch adminnetworkpolicies.policy.networking.k8s.io "+p.cluster.Flags() {
		t.Errorf("%v", err)
	}
	answer(403, "Forbidden", `exceeded quota: q`, nil)
	if err := do(); !errors.As(err, &no) || no.Remedy != "" {
		t.Errorf("%v", err)
	}
	answer(409, "Conflict", "x", cause("FieldManagerConflict", ".spec.priority", `conflict with "flux"`))
	var contested *ContestedError
	if err := do(); !errors.As(err, &contested) || contested.Error() != `owned by "flux": .spec.priority` {
		t.Errorf("%v", err)
	}
	answer(404, "NotFound", `namespaces "nowhere" not found`, map[string]any{"name": "nowhere", "kind": "namespaces"})
	if err := do(); !errors.As(err, &no) || no.Reason != `namespaces "nowhere" not found` {
		t.Errorf("%v", err)
	}
	answer(404, "NotFound", `namespaces "blue" not found`, map[string]any{"name": "blue", "kind": "namespaces"})
	if err := do(); errors.Is(err, ErrGone) {
		t.Errorf("a namespace is not the policy of its name: %v", err)
	}
	answer(404, "NotFound", "the server could not find the requested resource", nil)
	if err := do(); !errors.As(err, &no) || !strings.Contains(no.Reason, "is the CRD installed?") {
		t.Errorf("%v", err)
	}
	s.Before(func(w http.ResponseWriter, _ apiserver.Request) bool {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = c.Close()
		}
		return true
	})
	if err := do(); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("%v", err)
	}
	s.Before(func(w http.ResponseWriter, _ apiserver.Request) bool {
		w.Header().Add("Warning", `299 - "this will go"`)
		return false
	})
	w, err := p.MakeChange(t.Context(), PolicyChange{Verb: VerbPatch, Key: blueKey, Old: l.Policy, New: &now}, true)
	if err != nil || !reflect.DeepEqual(w.Warnings, []string{"this will go"}) {
		t.Errorf("%v %v", w, err)
	}
}

// An apply of an object that is there is an apply of that very one: it neither
// brings back what somebody deleted, nor changes another of its name.
func TestApplyKeepsToTheObject(t *testing.T) {
	s, p, l := start(t, bluePolicy)
	ch := PolicyChange{Verb: VerbApply, Key: blueKey, Old: l.Policy, New: parsed(t, bluePolicy)}
	if _, err := p.MakeChange(t.Context(), ch, true); err != nil {
		t.Fatal(err)
	}
	md, _ := s.Requests()[0].Body["metadata"].(map[string]any)
	if md["uid"] != "uid-blue" {
		t.Errorf("%v", md)
	}
	s.Before(func(w http.ResponseWriter, _ apiserver.Request) bool {
		apiserver.Fail(w, 422, "Invalid", "metadata.uid: Invalid value: field is immutable", map[string]any{"causes": []any{map[string]any{
			"reason": "FieldValueInvalid", "field": "metadata.uid", "message": "field is immutable"}}})
		return true
	})
	if _, err := p.MakeChange(t.Context(), ch, false); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
}

// A webhook chooses its code: none of them makes its refusal a conflict, and its message stays.
// A conflict over another object is none of the policy.
func TestRefusalIsNoConflict(t *testing.T) {
	const denied = `admission webhook "guard.example.org" denied the request: change windows are closed`
	const quota = `Operation cannot be fulfilled on resourcequotas "objects": the object has been modified`
	for _, verb := range []Verb{VerbUpdate, VerbPatch, VerbDelete} {
		for _, c := range []struct {
			code            int
			reason, message string
			details         map[string]any
		}{
			{409, "Conflict", denied, nil},
			{409, "", denied, nil},
			{409, "AlreadyExists", denied, map[string]any{"name": "blue"}},
			{409, "Conflict", denied, map[string]any{"name": "blue"}},
			{422, "Invalid", denied, nil},
			{422, "", denied, nil},
			{403, "Forbidden", denied, nil},
			{409, "Conflict", quota, map[string]any{"name": "objects", "kind": "resourcequotas"}},
		} {
			s, p, l := start(t, bluePolicy)
			asked := 0
			s.Before(func(w http.ResponseWriter, r apiserver.Request) bool {
				if r.Method == "GET" {
					return false
				}
				asked++
				apiserver.Fail(w, c.code, c.reason, c.message, c.details)
				return true
			})
			now := parsed(t, strings.Replace(l.Policy.YAML, "priority: 40", "priority: 41", 1))
			_, err := p.MakeChange(t.Context(), PolicyChange{Verb: verb, Key: blueKey, Old: l.Policy, New: now, Unchanged: unchanged(l.Policy)}, false)
			var no *RejectedError
			if errors.Is(err, ErrChanged) || !errors.As(err, &no) || no.Reason != c.message || no.Code != c.code {
				t.Errorf("%s, %d %s: %v", verb, c.code, c.reason, err)
			}
			if asked != 1 {
				t.Errorf("%s, %d %s: sent %d times", verb, c.code, c.reason, asked)
			}
		}
	}
}
