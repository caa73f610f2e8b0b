package kube

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Where no cluster is configured, every place is named in the order in which kubectl
// looks, with why there is none.
func TestNoCluster(t *testing.T) {
	dir := t.TempDir()
	none, empty := filepath.Join(dir, "none"), filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, []byte("apiVersion: v1\nkind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kubeconfig, variable, host string
		want                       []TriedPlace
	}{
		"the variable": {"", none + string(filepath.ListSeparator) + empty, "",
			[]TriedPlace{{"KUBECONFIG=" + none, "does not exist"}, {"KUBECONFIG=" + empty, "has no context"},
				{"the service account of a pod", "not in a pod"}}},
		"a pod without a token": {"", none, "10.0.0.1",
			[]TriedPlace{{"KUBECONFIG=" + none, "does not exist"}, {"the service account of a pod", "no token mounted"}}},
		"the flag": {empty, none, "", []TriedPlace{{"--kubeconfig " + empty, "has no context"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", c.variable)
			t.Setenv("KUBERNETES_SERVICE_HOST", c.host)
			_, err := Open(Options{Kubeconfig: c.kubeconfig})
			var got *NoClusterError
			if !errors.As(err, &got) || !errors.Is(err, ErrNoCluster) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(c.want, got.Looked); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			for _, p := range c.want {
				if !strings.Contains(err.Error(), p.Name+" ("+p.Why+")") {
					t.Errorf("%q does not say %v", err, p)
				}
			}
		})
	}
}

// Names of a kubeconfig are those flags can give, sorted.
func TestNamesIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	text := "apiVersion: v1\nkind: Config\ncontexts: [{name: b, context: {cluster: c, user: u}}, {name: a, context: {cluster: c, user: u}}]\n" +
		"clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\nusers: [{name: u, user: {token: t}}]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := KubeconfigNames(Options{Kubeconfig: path})
	if diff := cmp.Diff(Names{[]string{"a", "b"}, []string{"c"}, []string{"u"}}, got); err != nil || diff != "" {
		t.Errorf("%v -want +got\n%s", err, diff)
	}
	if _, err := KubeconfigNames(Options{Kubeconfig: path + ".none"}); err == nil {
		t.Error("a file that does not exist has names")
	}
}
