package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"rung/cli/command"
	"rung/test/install"
	"rung/test/uitest"
	"rung/test/wait"
)

// listPaths are the lists of a cluster by kind.
var listPaths = map[string]string{
	"Namespace": "/api/v1/namespaces", "Pod": "/api/v1/pods", "Node": "/api/v1/nodes", "Service": "/api/v1/services",
	"Event": "/api/v1/events", "EndpointSlice": "/apis/discovery.k8s.io/v1/endpointslices",
	"NetworkPolicy":              "/apis/networking.k8s.io/v1/networkpolicies",
	"AdminNetworkPolicy":         "/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies",
	"BaselineAdminNetworkPolicy": "/apis/policy.networking.k8s.io/v1alpha1/baselineadminnetworkpolicies",
}

// serveFolder starts an API server that has the objects of a folder, and refuses the paths that
// refuses names.
func serveFolder(t *testing.T, folder string, refuses func(path string) bool) *httptest.Server {
	t.Helper()
	lists, objects := map[string]map[string]any{}, map[string]any{}
	for kind, path := range listPaths {
		version := strings.TrimPrefix(strings.TrimPrefix(filepath.Dir(path), "/apis/"), "/api/")
		lists[path] = map[string]any{"kind": kind + "List", "apiVersion": version, "metadata": map[string]any{"resourceVersion": "1"}, "items": []any{}}
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for doc := range strings.SplitSeq(string(text), "\n---\n") {
			var obj map[string]any
			if err := yaml.Unmarshal([]byte(doc), &obj); err != nil {
				t.Fatal(err)
			}
			md := obj["metadata"].(map[string]any)
			md["resourceVersion"], md["uid"] = "1", fmt.Sprint(obj["kind"], md["namespace"], md["name"])
			path := listPaths[obj["kind"].(string)]
			lists[path]["items"] = append(lists[path]["items"].([]any), obj)
			objects[path+"/"+md["name"].(string)] = obj // of kinds without namespace
		}
	}
	say := func(w http.ResponseWriter, code int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(v)
	}
	fail := func(w http.ResponseWriter, code int, reason, message string) {
		say(w, code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code, "message": message})
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		switch list, object := lists[path], objects[path]; {
		case strings.HasSuffix(path, "/selfsubjectaccessreviews"):
			_, _ = io.Copy(io.Discard, r.Body)
			say(w, 201, map[string]any{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": map[string]any{"allowed": true}})
		case refuses(path):
			fail(w, 403, "Forbidden", `User "jane" cannot read `+path)
		case list != nil && r.URL.Query().Has("watch"):
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case list != nil:
			say(w, 200, list)
		case object != nil && r.Method == http.MethodGet:
			say(w, 200, object)
		case lists[filepath.Dir(path)] != nil:
			say(w, 404, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404,
				"message": "not found", "details": map[string]any{"name": filepath.Base(path)}})
		default:
			fail(w, 404, "NotFound", "the server could not find the requested resource")
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// unreadAsked are the command lines of the walk: each command that reads a cluster.
var unreadAsked = []string{
	"ladder", "policy allow-web", "pod", "pod blue/web-0", "namespace blue", "trace green/web-0 blue/web-0 80", "trace 10.244.0.4 10.244.0.3 80", "trace web-1 10.244.0.3 80",
	"matrix", "connections", "diff cluster context:lab", "diff context:lab context:lab", "verify holds.yaml", "lint", "report -o markdown", "convert --to cnp",
	"zones", "zones --check", "zones --nb alpha=file:whole.db", "drift", "drift --nb alpha=file:whole.db", "rows", "compile", "activity",
	"logs --for 1s", "logs --log acl.log", "logs --aggregate --log acl.log", "logs --why allow-web", "explain met.txt", "can",
	"new quarantine --defaults --dry-run", "delete allow-web --dry-run", askedLevel, "undo --dry-run",
	"preview --delete guard-db", "apply --change new.yaml --dry-run", "move allow-web 25 --dry-run", "plan", "plan --step 5",
}

// wholeUnread are command lines, with their mode, whose answer does not depend on what is missing.
var wholeUnread = map[string]string{
	"policy allow-web networkpolicies":     "one policy does not depend on others",
	"logs --why allow-web networkpolicies": "one policy does not depend on others",
	askedLevel + " namespaces":             "levels decide about no connection",
	"undo --dry-run namespaces":            "the history is on this machine",
	askedLevel + " pods":                   "levels decide about no connection",
	askedLevel + " networkpolicies":        "levels decide about no connection",
	askedLevel + " nodes":                  "levels decide about no connection",
	"undo --dry-run pods":                  "the history is on this machine",
	"undo --dry-run networkpolicies":       "the history is on this machine",
	"undo --dry-run nodes":                 "the history is on this machine",
}

const askedLevel = "log-level allow-web --deny alert --dry-run"

// calm are texts that say of something unread that it is not there. diff names the connections of
// its other side.
var calm = []string{"findings none", "nothing found", "100 free", " 0 pods", "no pods", "no drift: all", "nothing may connect", "no such connection", "does not exist",
	"nothing differs\n", "neither end is a pod", "pods: none", "no log lines", "among the 0", "behind",
	"no verdict changes"}

// kubeconfig writes the kubeconfig of a server.
func (b *bench) kubeconfig(name, url string) {
	b.t.Helper()
	b.file(name+".kubeconfig", fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: lab\nclusters: [{name: lab, cluster: {server: %q}}]\n"+
		"users: [{name: ada, user: {token: secret}}]\ncontexts: [{name: lab, context: {cluster: lab, user: ada}}]\n", url))
}

// TestUnreadCommands runs every command that reads a cluster while its server is lost, refuses all
// lists, or refuses one kind. None calls unread objects absent, and none ends with 0 unless its
// answer is whole. What each says first is in testdata/unread.txt.
func TestUnreadCommands(t *testing.T) {
	install.WithoutRace(t)
	golden, err := filepath.Abs("testdata/unread.txt")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	var got strings.Builder
	for _, mode := range []string{"lost", "refused", "pods", "namespaces", "networkpolicies", "nodes"} {
		srv := serveFolder(t, "clean", func(path string) bool {
			return mode == "refused" || strings.HasPrefix(path, "/api") && strings.HasSuffix(path, "/"+mode)
		})
		if mode == "lost" {
			srv.Close()
		}
		b.kubeconfig(mode, srv.URL)
		var lines []string
		for _, q := range unreadAsked {
			lines = append(lines, q+" --kubeconfig "+mode+".kubeconfig")
		}
		ran := b.all(lines)
		fmt.Fprintf(&got, "== %s\n", mode)
		said, alike := "", 0
		for i, q := range unreadAsked {
			e := ran[lines[i]]
			why, isWhole := wholeUnread[q+" "+mode]
			if !isWhole && e.code != command.ExitFailed {
				t.Errorf("%s: rung %s: exit %d\n%s%s", mode, q, e.code, e.out, e.errs)
			}
			text := e.out + e.errs
			if !isWhole && !strings.Contains(text, "jane") && mode != "lost" || mode == "lost" && !strings.Contains(text, "connection refused") {
				t.Errorf("%s: rung %s does not say what was not read\n%s", mode, q, text)
			}
			for _, c := range calm {
				if mode != "nodes" && mode != "networkpolicies" && strings.Contains(text, c) {
					t.Errorf("%s: rung %s says %q\n%s", mode, q, c, text)
				}
			}
			if text := firstSaid(e, srv.URL); said != text {
				fmt.Fprintf(&got, "%-34s exit %d  %s\n", q, e.code, text)
				said = text
			} else {
				alike++
			}
			if why != "" {
				fmt.Fprintf(&got, "  # %s\n", why)
			}
		}
		if alike > 0 {
			fmt.Fprintf(&got, "and %d more that say what the one before says\n", alike)
		}
	}
	uitest.CompareGolden(t, golden, got.String())
}

// TestUnreadWatches watches a cluster whose pods may not be read: every answer says so, and calls nothing absent.
func TestUnreadWatches(t *testing.T) {
	b := newBench(t)
	srv := serveFolder(t, "clean", func(path string) bool { return strings.HasPrefix(path, "/api") && strings.HasSuffix(path, "/pods") })
	b.file("config", fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: lab\nclusters: [{name: lab, cluster: {server: %q}}]\n"+
		"users: [{name: ada, user: {token: secret}}]\ncontexts: [{name: lab, context: {cluster: lab, user: ada}}]\n", srv.URL))
	for _, q := range []string{"ladder", "pod", "trace green/web-0 blue/web-0 80", "matrix", "connections", "lint", "zones", "drift", "rows"} {
		t.Run(q, func(t *testing.T) {
			r := startWith(t, strings.NewReader(""), append(strings.Fields(q), "--watch", "--kubeconfig", "config")...)
			wait.Within(t, wait.Patience, "an answer and the refusal", func() bool {
				return (r.out.String() != "" || strings.Contains(r.errs.String(), "unknown")) && strings.Contains(r.out.String()+r.errs.String(), "jane")
			})
			r.end()
			for _, c := range calm {
				if text := r.out.String() + r.errs.String(); strings.Contains(text, c) {
					t.Errorf("it says %q\n%s", c, text)
				}
			}
		})
	}
}

// TestLoadingCommands runs every command that reads a cluster while its server does not come to an end
// with pods: each names what it waited for, and none answers.
func TestLoadingCommands(t *testing.T) {
	install.WithoutRace(t)
	limit := command.StartTimeout
	command.StartTimeout = 2 * time.Second
	defer func() { command.StartTimeout = limit }()
	b := newBench(t)
	whole := serveFolder(t, "clean", func(string) bool { return false })
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == listPaths["Pod"] {
			<-r.Context().Done()
			return
		}
		whole.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	b.kubeconfig("loading", srv.URL)
	var lines []string
	for _, q := range unreadAsked {
		lines = append(lines, q+" --kubeconfig loading.kubeconfig")
	}
	for line, e := range b.all(lines) {
		if text := e.out + e.errs; e.code != command.ExitFailed || !strings.Contains(text, "wait for ") || !strings.Contains(text, "the API server "+srv.URL) {
			t.Errorf("rung %s: exit %d\n%s", line, e.code, text)
		}
	}
}

// firstSaid returns the first line of an answer that says what is unknown or was not read, without
// what differs from run to run.
func firstSaid(e ended, url string) string {
	found := ""
	for _, telling := range []string{"lab: no permission", "unknown:", "unknown", "not comparable", "not compared", "could not be read", "ignored", "not read", "may not list", "refused"} {
		for line := range strings.SplitSeq(e.out+"\n"+e.errs, "\n") {
			// Left out are the legend of a matrix, and zones in a state of a moment.
			if found == "" && strings.Contains(line, telling) && !strings.Contains(line, "? unknown") && !strings.Contains(line, "dialling") {
				found = line
			}
		}
	}
	found, _, _ = strings.Cut(found, "; see: kubectl")
	found, _, _ = strings.Cut(found, "; is the API server")
	if before, after, ok := strings.Cut(found, ": list "); ok { // the kind that failed first
		_, after, _ = strings.Cut(after, ": ")
		found = before + ": list KIND: " + after
	}
	if before, _, ok := strings.Cut(found, " could not be read: "); ok { // how often it was tried decides about the rest
		found = before + " could not be read"
	}
	found = strings.ReplaceAll(found, strings.TrimPrefix(url, "http://"), "SERVER")
	return strings.Join(strings.Fields(found), " ")
}
