package kube

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
)

func listNamespaces(ctx context.Context, c *Cluster) error {
	_, err := c.Dynamic().Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).List(ctx, metav1.ListOptions{})
	return err
}

// A login in the server's URL reaches the server, as with kubectl, and nothing that is shown has it.
func TestLoginInTheURLIsNotShown(t *testing.T) {
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		sent = append(sent, user+" "+password)
		http.Error(w, "no", http.StatusServiceUnavailable)
	}))
	host := strings.TrimPrefix(server.URL, "http://")
	for _, name := range []string{"kubeconfig", "flag"} {
		o := Options{Kubeconfig: kubeconfigFile(t, "http://ada:hush%21hush@"+host)}
		if name == "flag" {
			o = Options{Kubeconfig: filepath.Join(t.TempDir(), "none"), Overrides: clientcmd.ConfigOverrides{
				ClusterInfo: clientcmdapi.Cluster{Server: "http://ada:hush%21hush@" + host}}}
			if err := os.WriteFile(o.Kubeconfig, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		sent = nil
		err = listNamespaces(t.Context(), c)
		if err == nil || len(sent) == 0 || sent[0] != "ada hush!hush" {
			t.Errorf("%s: sent %q, %v", name, sent, err)
		}
		if name == "flag" {
			server.Close()
			err = listNamespaces(t.Context(), c) // refused: the error has the address
		}
		shown := fmt.Sprint(c.Server(), c.Context(), c.Flags(), c.Kubectl("get", "pods"), c.User(), err)
		if strings.Contains(shown, "hush") || strings.Contains(shown, "ada") || c.Server() != server.URL {
			t.Errorf("%s: shown: %s", name, shown)
		}
	}
}

// Addresses that cannot be used are in the errors about them, without their logins.
func TestLoginInABrokenURLIsNotShown(t *testing.T) {
	for _, server := range []string{"http://ada:hush@127.0.0.1:99999999/%zz", "http://ada:hush@[::1", "http://hush@ x"} {
		c, err := Open(Options{Kubeconfig: kubeconfigFile(t, server)})
		if err == nil {
			err = listNamespaces(t.Context(), c)
		}
		if err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", server, err)
		}
	}
	file := kubeconfigFile(t, "http://127.0.0.1:1")
	_, err := Open(Options{Kubeconfig: file, Overrides: clientcmd.ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{ProxyURL: "ftp://ada:hush@proxy"}}})
	if err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("a proxy: %v", err)
	}
}

// A server that repeats what it was sent, in a warning or a refusal, does not get credentials into
// logs, answers and errors.
func TestEchoedCredentialsAreHidden(t *testing.T) {
	const token = "token-of-ada-1234"
	basic := base64.StdEncoding.EncodeToString([]byte("ada:hush-hush"))
	for _, tt := range []struct {
		name    string
		user    clientcmdapi.AuthInfo
		secrets []string
	}{
		{"token", clientcmdapi.AuthInfo{Token: token}, []string{token}},
		{"password", clientcmdapi.AuthInfo{Username: "ada", Password: "hush-hush"}, []string{"hush-hush", basic}},
	} {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, password, _ := r.BasicAuth()
			echo := r.Header.Get("Authorization") + " or " + password
			w.Header().Set("Warning", fmt.Sprintf("299 - %q", "sent with "+echo+", see http://u:hush-hush@help"))
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no to %s"}`, echo)
		}))
		defer server.Close()
		c, err := Open(Options{Kubeconfig: kubeconfigFile(t, server.URL), Overrides: clientcmd.ConfigOverrides{AuthInfo: tt.user, ClusterInfo: clientcmdapi.Cluster{InsecureSkipTLSVerify: true},
			Context: clientcmdapi.Context{AuthInfo: "none"}}})
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		klog.LogToStderr(false)
		klog.SetOutput(&log)
		logged := listNamespaces(t.Context(), c)
		klog.Flush()
		ctx, warnings := collectWarnings(t.Context())
		err = listNamespaces(ctx, c)
		all := fmt.Sprint(log.String(), logged, warnings.text, err)
		if !strings.Contains(log.String(), "sent with") || len(warnings.text) != 1 || err == nil || !strings.Contains(err.Error(), "no to ") {
			t.Errorf("%s: nothing was said: %s", tt.name, all)
		}
		for _, s := range tt.secrets {
			if strings.Contains(all, s) {
				t.Errorf("%s: %s is in %s", tt.name, s, all)
			}
		}
	}
}

// A host without a scheme keeps its form.
func TestTakeLogin(t *testing.T) {
	for host, want := range map[string]string{"ada:pw@api:6443": "api:6443 ada pw", "https://t@api/x": "https://api/x t ", "api:6443": "api:6443  ", "": "  "} {
		cfg := &rest.Config{Host: host}
		takeLogin(cfg)
		if got := cfg.Host + " " + cfg.Username + " " + cfg.Password; got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}

// A kubeconfig of an old form names a program beside the name of an auth-provider: it is refused,
// and nothing is started or asked.
func TestAuthProvidersRunNothing(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) }))
	defer server.Close()
	for _, name := range []string{"gcp", "azure", "oidc", "openstack", "x"} {
		file := filepath.Join(dir, name)
		text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}],
users: [{name: u, user: {auth-provider: {name: %s, config: {cmd-path: touch, cmd-args: %q, idp-issuer-url: %q, client-id: a}}}}]}`,
			server.URL, name, ran, server.URL)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Open(Options{Kubeconfig: file})
		if err == nil {
			err = listNamespaces(t.Context(), c)
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Lstat(ran); err == nil {
			t.Errorf("%s: its program was started", name)
		}
	}
}

// The files that a kubeconfig names are sent to the server of their own context alone: other servers
// and proxies in the same kubeconfig are neither asked nor told.
func TestKubeconfigFilesReachOneServer(t *testing.T) {
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("token-of-ada"), 0o600); err != nil {
		t.Fatal(err)
	}
	var told []string // by both servers; Open and a list ask one after the other
	answer := func(name string) *httptest.Server {
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			told = append(told, name+" "+r.Header.Get("Authorization"))
			http.Error(w, "no", http.StatusServiceUnavailable)
		}))
		t.Cleanup(server.Close)
		return server
	}
	mine, other := answer("mine"), answer("other")
	file := filepath.Join(dir, "config")
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: mine,
contexts: [{name: mine, context: {cluster: mine, user: ada}}, {name: other, context: {cluster: other, user: bob}}, {name: bare, context: {cluster: mine, user: bob}}],
clusters: [{name: mine, cluster: {server: %q, insecure-skip-tls-verify: true}},
  {name: other, cluster: {server: %q, insecure-skip-tls-verify: true, proxy-url: %q}}],
users: [{name: ada, user: {tokenFile: %q}}, {name: bob, user: {}}]}`, mine.URL, other.URL, other.URL, token)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for context, want := range map[string]string{"mine": "mine Bearer token-of-ada", "bare": "mine "} {
		told = nil
		c, err := Open(Options{Kubeconfig: file, Overrides: clientcmd.ConfigOverrides{CurrentContext: context}})
		if err != nil {
			t.Fatal(err)
		}
		if err := listNamespaces(t.Context(), c); err == nil {
			t.Errorf("%s: no error", context)
		}
		if len(told) == 0 {
			t.Errorf("%s: nobody was asked", context)
		}
		for _, got := range told {
			if got != want {
				t.Errorf("%s: told %q, want %q", context, got, want)
			}
		}
	}
}
