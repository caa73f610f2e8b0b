package kube

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"rung/model"
	"rung/test/apiserver"
)

func kubeconfigFile(t *testing.T, server string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: lab
contexts: [{name: lab, context: {cluster: c, user: u}}, {name: "my prod", context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: %q}}, {name: d, cluster: {server: "http://127.0.0.1:2"}}]
users: [{name: u, user: {token: old}}, {name: v, user: {token: other}}, {name: none, user: {}}]
`, server)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The commands that Rung names ask the cluster that Rung asks, as whom it asks it, and
// have no secret in them.
func TestFlagsOfACommand(t *testing.T) {
	path := kubeconfigFile(t, "http://127.0.0.1:1")
	file := "--kubeconfig=" + path
	for name, c := range map[string]struct {
		over               clientcmd.ConfigOverrides
		flags, user, title string
	}{
		"none":      {clientcmd.ConfigOverrides{}, "--context=lab " + file, "u", "lab"},
		"a context": {clientcmd.ConfigOverrides{CurrentContext: "my prod"}, "'--context=my prod' " + file, "u", "my prod"},
		"another cluster and user": {clientcmd.ConfigOverrides{Context: clientcmdapi.Context{Cluster: "d", AuthInfo: "v"}},
			"--context=lab " + file + " --cluster=d --user=v", "v", "lab"},
		"everything": {clientcmd.ConfigOverrides{
			ClusterInfo: clientcmdapi.Cluster{Server: "https://x:6443", TLSServerName: "y", InsecureSkipTLSVerify: true, ProxyURL: "http://me:secret@proxy:1"},
			AuthInfo: clientcmdapi.AuthInfo{Token: "secret", Impersonate: "jane", ImpersonateUID: "7",
				ImpersonateGroups: []string{"sre", "net"}}},
			"--context=lab " + file + " --server=https://x:6443 --tls-server-name=y --insecure-skip-tls-verify=true --proxy-url=http://proxy:1 --as=jane --as-uid=7 --as-group=sre --as-group=net",
			"token of --token as jane", "lab"},
		"a password": {clientcmd.ConfigOverrides{Context: clientcmdapi.Context{AuthInfo: "none"}, AuthInfo: clientcmdapi.AuthInfo{Username: "me", Password: "secret"}},
			"--context=lab " + file + " --user=none --username=me", "me", "lab"},
	} {
		t.Run(name, func(t *testing.T) {
			c2, err := Open(Options{Kubeconfig: path, Overrides: c.over})
			if err != nil {
				t.Fatal(err)
			}
			if got := c2.Flags(); got != c.flags {
				t.Errorf("flags %s\nwant  %s", got, c.flags)
			}
			if got := c2.Kubectl("get", "pods"); got != "kubectl get pods "+c.flags {
				t.Errorf("command %s", got)
			}
			if got := c2.User(); got != c.user || c2.Context() != c.title {
				t.Errorf("user %q in %q, want %q in %q", got, c2.Context(), c.user, c.title)
			}
			if all := fmt.Sprint(c2.Flags(), c2.User(), c2.Server(), c2.Context()); strings.Contains(all, "secret") {
				t.Errorf("a secret is shown: %s", all)
			}
		})
	}
}

// Without a kubeconfig a server and a token are enough.
func TestServerByFlag(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("HOME", t.TempDir())
	token := make(chan string, 1)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token <- r.Header.Get("Authorization")
		w.WriteHeader(200)
	}))
	defer s.Close()
	c, err := Open(Options{Overrides: clientcmd.ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{Server: s.URL, InsecureSkipTLSVerify: true},
		AuthInfo: clientcmdapi.AuthInfo{Token: "given"}}})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Builtin().Get("/version").Do(t.Context())
	if got := <-token; got != "Bearer given" {
		t.Errorf("logged in with %q", got)
	}
	if c.Context() != s.URL || c.Flags() != "--server="+s.URL+" --insecure-skip-tls-verify=true" {
		t.Errorf("context %q, flags %q", c.Context(), c.Flags())
	}
}

// A time limit bounds answers, and no watch: that stays open for as long as the server
// has it.
func TestRequestTimeout(t *testing.T) {
	const limit = 150 * time.Millisecond
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			w.WriteHeader(200)
			_, _ = w.Write([]byte(`{"kind":`)) // and stands still in the middle of it
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		w.(http.Flusher).Flush()
		time.Sleep(3 * limit)
		_, _ = w.Write([]byte(`{"type":"ADDED","object":{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"late"}}}` + "\n"))
	}))
	defer s.Close()
	c, err := Open(Options{Kubeconfig: kubeconfigFile(t, s.URL), Overrides: clientcmd.ConfigOverrides{Timeout: limit.String()}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	namespaces := newResourceClient[corev1.Namespace, corev1.NamespaceList](c.Builtin(), corev1.SchemeGroupVersion, "namespaces", "")
	if _, err := namespaces.List(ctx, metav1.ListOptions{}); err == nil || ctx.Err() != nil {
		t.Errorf("a list that never ends: %v", err)
	}
	w, err := namespaces.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if ev, ok := <-w.ResultChan(); !ok || ev.Type != "ADDED" {
		t.Errorf("the watch was cut: %v %v", ev, ok)
	}
}

// The commands that errors name ask the same cluster as the same user.
func TestHintsCarryTheFlags(t *testing.T) {
	s, kubeconfig := apiserver.New(t)
	s.Before(func(w http.ResponseWriter, _ apiserver.Request) bool {
		apiserver.Fail(w, http.StatusForbidden, "Forbidden", `x is forbidden: User "jane" cannot do this`, nil)
		return true
	})
	c, err := Open(Options{Kubeconfig: kubeconfig, Overrides: clientcmd.ConfigOverrides{AuthInfo: clientcmdapi.AuthInfo{Impersonate: "jane"}}})
	if err != nil {
		t.Fatal(err)
	}
	web := model.Key{Kind: model.KindNP, Namespace: "blue", Name: "web"}
	for asked, ask := range map[string]func() error{
		"list pods -n ovn":    func() error { _, err := c.ZonePod(t.Context(), "w", []string{"ovn"}); return err },
		"get configmaps -n n": func() error { return c.readOVNKube(t.Context(), "n", &OVNKube{}) },
		"create pods/exec -n ovn": func() error {
			return c.Exec(t.Context(), ExecTarget{Namespace: "ovn", Pod: "p"}, []string{"true"}, ExecIO{})
		},
		"get networkpolicies.networking.k8s.io -n blue": func() error { _, err := c.Policies().Get(t.Context(), web); return err },
		"delete networkpolicies.networking.k8s.io -n blue": func() error {
			_, err := c.Policies().MakeChange(t.Context(), PolicyChange{Verb: VerbDelete, Key: web}, true)
			return err
		},
	} {
		want := "kubectl auth can-i " + asked + " " + c.Flags()
		if err := ask(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}
