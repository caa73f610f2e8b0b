package gate

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"rung/change"
	"rung/change/write"
	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/manifests"
	"rung/test/apiserver"
	"rung/test/changing"
	"rung/test/given"
)

// kubeWorld is a gate in front of a server, and a cluster that knows of the
// server's policies what it read last.
type kubeWorld struct {
	*world
	s *apiserver.Server
	g *Gate
}

func newKubeWorld(t *testing.T, policies ...string) *kubeWorld {
	t.Helper()
	s, kubeconfig := apiserver.New(t)
	c, err := kube.Open(kube.Options{Kubeconfig: kubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	w := &kubeWorld{world: newWorld(t), s: s}
	w.g = w.Gate(t.TempDir())
	writer := write.NewKubeWriter(c)
	w.g.Config.Writer, w.g.server = writer, writer.(serverWriter)
	w.g.Config.CurrentRevision = func() *revision.Revision {
		rev := *w.World.Current()
		rev.Mode.Name, rev.Mode.Title, rev.Mode.Server = revision.ClusterMode, c.Context(), c.Server()
		rev.Mode.Kubectl.Flags = "--context=lab"
		return &rev
	}
	for _, p := range policies {
		w.put(p)
	}
	w.sync()
	return w
}

func path(name string) string { return apiserver.ANPs + "/" + name }

// put stores a policy as somebody else would.
func (w *kubeWorld) put(text string) {
	w.T.Helper()
	var o map[string]any
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		w.T.Fatal(err)
	}
	w.s.Put(path(o["metadata"].(map[string]any)["name"].(string)), o)
}

// sync is the watch: the cluster has what the server has.
func (w *kubeWorld) sync() {
	w.T.Helper()
	live, err := w.g.server.LivePolicies(context.Background(), []model.PolicyKey{given.ANPKey("blue"), given.ANPKey("red"), given.ANPKey("navy")})
	if err != nil {
		w.T.Fatal(err)
	}
	w.Mu.Lock()
	defer w.Mu.Unlock()
	rev := withLiveObjects(w.Rev, live)
	w.Cluster = rev.Cluster
	w.Publish()
}

// on reads one value of the server's object: "spec.priority".
func (w *kubeWorld) on(name, at string) any {
	var v any = w.s.Object(path(name))
	for _, f := range strings.Split(at, "/") {
		m, _ := v.(map[string]any)
		v = m[f]
	}
	return v
}

func (w *kubeWorld) preview(m change.Mutation) *Preview {
	w.T.Helper()
	p, err := w.g.Preview(context.Background(), w.g.Config.CurrentRevision(), m)
	if err != nil {
		w.T.Fatal(err)
	}
	return p
}

// do previews and commits, and the watch follows.
func (w *kubeWorld) do(m change.Mutation, a Confirm) {
	w.T.Helper()
	p := w.preview(m)
	if p.Blocked != "" {
		w.T.Fatalf("%s: %s", p.Title, p.Blocked)
	}
	if _, err := w.g.Commit(context.Background(), p, a); err != nil {
		w.T.Fatal(err)
	}
	w.sync()
}

// writes are the requests that changed something, dry runs left out.
func (w *kubeWorld) writes() (out []string) {
	for _, r := range w.s.Requests() {
		_, dryDelete := r.Body["dryRun"]
		if r.Method != http.MethodGet && !strings.Contains(r.Query, "dryRun") && !dryDelete {
			out = append(out, r.Method+" "+r.Path[strings.LastIndexByte(r.Path, '/')+1:])
		}
	}
	return out
}

var blueText = given.ANP("blue", 40, "tenant=blue", "in allow tenant=blue", "in deny tenant=red")

func TestKubeVerbs(t *testing.T) {
	w := newKubeWorld(t, blueText)
	w.do(changing.Move("blue", 45), typed("blue"))
	w.do(change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("blue"), Levels: model.LogLevels{Deny: "alert"}}, typed("blue"))
	base := w.Current().Cluster.Policy(given.ANPKey("blue")).YAML
	w.do(change.Mutation{Op: change.OpApply, Base: []byte(base), YAML: []byte(strings.Replace(base, "tenant: red", "tenant: green", 1))}, typed("blue"))
	w.do(changing.Apply(given.ANP("navy", 50, "tenant=red", "in allow tenant=red")), typed("blue"))
	w.do(change.Mutation{Op: change.OpUndo}, typed("navy"))          // navy goes
	w.do(change.Mutation{Op: change.OpUndo}, typed("blue"))          // green is red again
	w.do(change.Mutation{Op: change.OpUndo, Undo: 5}, typed("blue")) // navy comes back
	w.do(changing.Remove("blue"), typed("blue"))                     // and blue goes
	server := changing.Apply(given.ANP("navy", 51, "tenant=red", "in allow tenant=red"))
	server.ServerSide, server.Force = true, true
	w.do(server, yes)
	want := []string{"PATCH blue", "PATCH blue", "PUT blue", "POST adminnetworkpolicies", "DELETE navy", "PUT blue",
		"POST adminnetworkpolicies", "DELETE blue", "PATCH navy"}
	if diff := cmp.Diff(want, w.writes()); diff != "" {
		t.Errorf("requests (-want +got)\n%s", diff)
	}
	var commands []string
	for _, r := range changing.ReadAudit(t, strings.TrimSuffix(w.g.Config.Audit.Path, "/audit.jsonl")) {
		if r.Mode != "cluster" || r.Context != "lab" || !strings.HasPrefix(r.Server, "http://127.0.0.1:") || r.Objects[0].UID == "" {
			t.Errorf("audit %+v", r)
		}
		commands = append(commands, strings.ReplaceAll(r.Commands[0], "kubectl --context=lab ", ""))
	}
	wantCommands := []string{
		`patch anp blue --type=json -p '[{"op":"test","path":"/spec/priority","value":40},{"op":"replace","path":"/spec/priority","value":45}]'`,
		`annotate anp blue 'k8s.ovn.org/acl-logging={"deny":"alert"}' --overwrite`,
		"replace -f -", "create -f -", "delete anp navy", "replace -f -", "create -f -", "delete anp blue",
		"apply --server-side --field-manager=rung --force-conflicts -f -",
	}
	if diff := cmp.Diff(wantCommands, commands); diff != "" {
		t.Errorf("commands (-want +got)\n%s", diff)
	}
}

// Somebody else writes while a change is made.
func TestKubeConflict(t *testing.T) {
	w := newKubeWorld(t, blueText)
	base := w.Current().Cluster.Policy(given.ANPKey("blue")).YAML
	edit := change.Mutation{Op: change.OpApply, Base: []byte(base), YAML: []byte(strings.Replace(base, "tenant: red", "tenant: green", 1))}
	p := w.preview(edit)
	// After the preview, and the watch has not brought it yet.
	w.put(strings.Replace(blueText, "priority: 40", "priority: 41", 1))
	if _, err := w.g.Commit(context.Background(), p, yes); !errors.Is(err, change.ErrBlocked) {
		t.Fatalf("%v", err)
	}
	p = w.preview(edit)
	if p.Conflict == nil || p.Conflict.Merged == "" || p.Blocked != "ANP blue was changed meanwhile: spec.priority from 40 to 41" {
		t.Fatalf("%q %+v", p.Blocked, p.Conflict)
	}
	w.do(change.Mutation{Op: change.OpApply, YAML: []byte(p.Conflict.Merged), Base: []byte(p.Conflict.Now)}, typed("blue"))
	if w.on("blue", "spec/priority") != 41.0 || !strings.Contains(w.Current().Cluster.Policy(given.ANPKey("blue")).YAML, "tenant: green") {
		t.Errorf("merged wrongly: %v", w.s.Object(path("blue")))
	}
	// Between reading and writing: the last moment.
	p = w.preview(changing.Move("blue", 45))
	w.s.Before(func(_ http.ResponseWriter, r apiserver.Request) bool {
		if r.Method == http.MethodPatch && !strings.Contains(r.Query, "dryRun") {
			w.put(strings.Replace(blueText, "priority: 40", "priority: 44", 1))
		}
		return false
	})
	if _, err := w.g.Commit(context.Background(), p, yes); !errors.Is(err, change.ErrStale) || w.on("blue", "spec/priority") != 44.0 {
		t.Errorf("%v, at %v", err, w.on("blue", "spec/priority"))
	}
	w.s.Before(nil)
	w.sync()
	// Undo of the merge, which is not what is there any more.
	if p := w.preview(change.Mutation{Op: change.OpUndo}); p.Conflict == nil || !strings.HasPrefix(p.Blocked, "ANP blue was changed meanwhile: ") {
		t.Errorf("%q %+v", p.Blocked, p.Conflict)
	}
	w.s.Requests()
}

// A controller set a field to a third value after Rung changed it: undo says who set which field to
// what, leaves it, and says how the change before it is undone.
func TestKubeUndoOfAThirdValue(t *testing.T) {
	w := newKubeWorld(t, blueText)
	w.do(changing.Move("blue", 45), yes)
	w.do(changing.Move("blue", 46), yes)
	w.put(strings.NewReplacer("priority: 40", "priority: 50", "name: blue", "name: blue\n  managedFields: "+
		`[{manager: kustomize-controller, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:priority": {}}}}]`).Replace(blueText))
	w.sync()
	p := w.preview(change.Mutation{Op: change.OpUndo})
	want := "ANP blue was changed meanwhile: kustomize-controller (Flux) set spec.priority from 46 to 50; " +
		"the change before it: rung undo 1 (Move ANP blue from 40 to 45)"
	if p.Blocked != want {
		t.Errorf("%q, want %q", p.Blocked, want)
	}
	if _, err := w.g.Commit(t.Context(), p, yes); !errors.Is(err, change.ErrBlocked) || w.on("blue", "spec/priority") != 50.0 {
		t.Errorf("%v, at %v", err, w.on("blue", "spec/priority"))
	}
	w.s.Requests()
}

func TestKubeRefused(t *testing.T) {
	w := newKubeWorld(t, blueText)
	answer := func(code int, reason, message string, details map[string]any) {
		w.s.Before(func(rw http.ResponseWriter, r apiserver.Request) bool {
			if !strings.Contains(r.Query, "dryRun") {
				return false
			}
			apiserver.Fail(rw, code, reason, message, details)
			return true
		})
	}
	answer(422, "Invalid", "…", map[string]any{"causes": []any{map[string]any{"reason": "FieldValueInvalid", "field": "spec.egress[0]", "message": "Invalid value: no"}}})
	p := w.preview(changing.Move("blue", 45))
	if p.Blocked != "not valid: AdminNetworkPolicy/blue: spec.egress[0]: Invalid value: no" || len(p.Errors) != 1 {
		t.Errorf("%q %v", p.Blocked, p.Errors)
	}
	answer(403, "Forbidden", `admission webhook "guard.example" denied the request: freeze`, nil)
	if p := w.preview(changing.Move("blue", 45)); p.Blocked != `the API server refuses to patch ANP blue: admission webhook "guard.example" denied the request: freeze` {
		t.Errorf("%q", p.Blocked)
	}
	answer(409, "Conflict", "x", map[string]any{"causes": []any{map[string]any{"reason": "FieldManagerConflict", "field": ".spec.priority", "message": `conflict with "kubectl" using v1`}}})
	m := changing.Apply(strings.Replace(blueText, "priority: 40", "priority: 41", 1))
	m.ServerSide = true
	if p := w.preview(m); p.Blocked != `ANP blue: fields are owned by "kubectl" using v1: .spec.priority; --force-conflicts takes them over` {
		t.Errorf("%q", p.Blocked)
	}
	// Read-only: nothing is even tried.
	w.SetWrites(false)
	w.s.Requests()
	p = w.preview(changing.Move("blue", 45))
	for _, r := range w.s.Requests() {
		if r.Method != http.MethodGet {
			t.Errorf("read-only, and yet %+v", r)
		}
	}
	if p.Blocked != "read-only: changes are switched off (W in the console, --write on the command line)" {
		t.Errorf("%q", p.Blocked)
	}
	if diff := cmp.Diff([]string(nil), w.writes()); diff != "" {
		t.Error(diff)
	}
}

// TestServerWarns: what an API server warns of in the dry run is a warning of the preview.
func TestServerWarns(t *testing.T) {
	w := newKubeWorld(t, blueText)
	w.s.Before(func(rw http.ResponseWriter, r apiserver.Request) bool {
		if strings.Contains(r.Query, "dryRun") {
			rw.Header().Set("Warning", `299 - "v1alpha1 goes away"`)
		}
		return false
	})
	const want = "the server warns of ANP blue: v1alpha1 goes away"
	if p := w.preview(changing.Move("blue", 45)); !slices.Contains(p.Warnings, want) || !slices.Contains(p.Notes, want) {
		t.Errorf("warnings %q, notes %q", p.Warnings, p.Notes)
	}
}

// Something in Git keeps the policy.
func TestKubeKept(t *testing.T) {
	kept := strings.Replace(blueText, "  name: blue\n", `  name: blue
  managedFields: [{manager: kustomize-controller, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:priority": {}}}}]
`, 1)
	w := newKubeWorld(t, kept)
	p := w.preview(changing.Move("blue", 45))
	if len(p.Guards) != 1 || p.Guards[0].Code != GuardKept || p.ConfirmName != "blue" ||
		p.Guards[0].Message != "the change of ANP blue will be reverted by kustomize-controller (Flux); make the change at its source" {
		t.Fatalf("%+v", p)
	}
	if _, err := w.g.Commit(context.Background(), p, yes); !errors.Is(err, change.ErrNotConfirmed) {
		t.Errorf("%v", err)
	}
	w.do(changing.Move("blue", 45), typed("blue"))
}

// The server dies, or says no, in the middle of a set.
func TestKubeSet(t *testing.T) {
	red := given.ANP("red", 50, "tenant=red", "in allow tenant=red")
	set := func(w *kubeWorld) *Preview {
		m := changing.Apply(strings.Replace(blueText, "priority: 40", "priority: 41", 1) + "---\n" + given.ANP("navy", 60, "tenant=green", "in deny tenant=red") +
			"---\n" + strings.Replace(red, "priority: 50", "priority: 51", 1))
		p := w.preview(m)
		if p.Blocked != "" || len(p.Objects) != 3 {
			w.T.Fatalf("%q %+v", p.Blocked, p.Objects)
		}
		return p
	}
	cut := func(rw http.ResponseWriter) bool {
		if c, _, err := rw.(http.Hijacker).Hijack(); err == nil {
			_ = c.Close()
		}
		return true
	}
	real := func(r apiserver.Request) bool {
		return r.Method != http.MethodGet && !strings.Contains(r.Query, "dryRun")
	}
	for _, c := range []struct {
		name   string
		answer func(w *kubeWorld, rw http.ResponseWriter, r apiserver.Request) bool
		err    string // part of it; empty: done
		blue   float64
		navy   bool
	}{
		{"refused", func(_ *kubeWorld, rw http.ResponseWriter, r apiserver.Request) bool {
			if real(r) && strings.HasSuffix(r.Path, "/red") {
				apiserver.Fail(rw, 403, "Forbidden", "quota", nil)
				return true
			}
			return false
		}, "update ANP red: quota; reverted: ANP navy and ANP blue", 40, false},
		{"refused, and what was done was changed since", func(w *kubeWorld, rw http.ResponseWriter, r apiserver.Request) bool {
			if real(r) && strings.HasSuffix(r.Path, "/red") {
				w.put(strings.Replace(blueText, "priority: 40", "priority: 48", 1))
				apiserver.Fail(rw, 403, "Forbidden", "quota", nil)
				return true
			}
			return false
		}, "ANP blue remains changed (update ANP blue: was changed meanwhile); reverted: ANP navy", 48, false},
		{"the answer is lost, the change was made", func(w *kubeWorld, rw http.ResponseWriter, r apiserver.Request) bool {
			if real(r) && strings.HasSuffix(r.Path, "/red") {
				w.put(strings.Replace(red, "priority: 50", "priority: 51", 1))
				return cut(rw)
			}
			return false
		}, "", 41, true},
		{"the server is gone", func(w *kubeWorld, rw http.ResponseWriter, r apiserver.Request) bool {
			if real(r) && strings.HasSuffix(r.Path, "/red") {
				w.s.Before(func(rw http.ResponseWriter, _ apiserver.Request) bool { return cut(rw) })
				w.s.Leave()
				return cut(rw)
			}
			return false
		}, "unknown whether ANP red was written", 41, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newKubeWorld(t, blueText, red)
			p := set(w)
			w.s.Before(func(rw http.ResponseWriter, r apiserver.Request) bool { return c.answer(w, rw, r) })
			_, err := w.g.Commit(context.Background(), p, typed(p.ConfirmName))
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v", err)
			}
			if w.on("blue", "spec/priority") != c.blue || (w.s.Object(path("navy")) != nil) != c.navy {
				t.Errorf("blue at %v, navy %v", w.on("blue", "spec/priority"), w.s.Object(path("navy")) != nil)
			}
			if c.name == "the server is gone" && !strings.Contains(err.Error(), "ANP blue remains changed") {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAccess(t *testing.T) {
	blue := given.ANPKey("blue")
	const policies = "adminnetworkpolicies.policy.networking.k8s.io"
	const canI = "kubectl '--context=my lab' auth can-i "
	a := revision.NewAccess([]revision.Permission{
		{Verb: "patch", Resource: policies, Why: "RBAC: no", Command: canI + "patch " + policies},
		{Verb: "update", Resource: policies, Allowed: true},
		{Verb: "create", Resource: policies, Command: canI + "create " + policies},
	})
	const patch = "no permission: cannot patch adminnetworkpolicies.policy.networking.k8s.io: RBAC: no" +
		" (kubectl '--context=my lab' auth can-i patch adminnetworkpolicies.policy.networking.k8s.io)"
	for _, c := range []struct {
		op   change.Op
		key  model.PolicyKey
		want string
	}{
		{change.OpMove, blue, patch}, {change.OpLogLevel, blue, patch}, {change.OpApply, blue, ""}, {change.OpDelete, blue, ""}, {change.OpUndo, blue, ""},
		{change.OpApply, model.PolicyKey{}, "no permission: cannot create adminnetworkpolicies.policy.networking.k8s.io" +
			" (kubectl '--context=my lab' auth can-i create adminnetworkpolicies.policy.networking.k8s.io)"},
		{change.OpMove, model.PolicyKey{Kind: model.KindNP, Namespace: "a", Name: "b"}, ""},
	} {
		if got := c.op.DeniedText(a, c.key); got != c.want {
			t.Errorf("%s %s: %q", c.op, c.key, got)
		}
	}
	if why := change.OpMove.DeniedText(revision.Access{}, blue); why != "" {
		t.Errorf("what nobody answered is refused: %q", why)
	}
}

// The texts that the gate compares are free of what the server keeps.
func TestKubeTexts(t *testing.T) {
	w := newKubeWorld(t, strings.Replace(blueText, "  name: blue\n", "  name: blue\n  annotations: {kubectl.kubernetes.io/last-applied-configuration: x}\n  generation: 4\n", 1))
	p := w.preview(changing.Move("blue", 45))
	for _, text := range []string{p.Objects[0].Old.YAML, p.Objects[0].New.YAML, p.Objects[0].Diff} {
		for _, s := range []string{"uid", "resourceVersion", "last-applied", "generation", "status"} {
			if strings.Contains(text, s) {
				t.Errorf("%s in\n%s", s, text)
			}
		}
	}
	w.do(changing.Move("blue", 45), yes)
	md := w.on("blue", "metadata").(map[string]any)
	if md["annotations"].(map[string]any)["kubectl.kubernetes.io/last-applied-configuration"] != "x" {
		t.Errorf("kubectl's record is lost: %v", md)
	}
	if q, _ := manifests.ParsePolicy([]byte(p.Objects[0].New.YAML)); q == nil {
		t.Error("the text cannot be read back")
	}
}
