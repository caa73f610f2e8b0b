package kube

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOpenKeepsPluginsOffTheTerminal: a plugin that asks for a password would read
// the keys that are meant for the screen.
func TestOpenKeepsPluginsOffTheTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	text := `apiVersion: v1
kind: Config
current-context: prod
contexts: [{name: prod, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: login, interactiveMode: IfAvailable}}}]
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Open(Options{Kubeconfig: file})
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Config().ExecProvider; p == nil || !p.StdinUnavailable {
		t.Errorf("the plugin is given standard input: %+v", p)
	}
}
