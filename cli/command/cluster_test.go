package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"rung/engine"
)

// The configuration file allows changes for a context by name, whatever else is
// wrong in it.
func TestContextSettings(t *testing.T) {
	tests := map[string]struct {
		text string
		want bool
	}{
		"no such context":         {"contexts: {prod: {write: true}}", false},
		"allowed":                 {"contexts: {lab: {write: true}}", true},
		"not allowed":             {"contexts: {lab: {write: false}}", false},
		"beside unknown keys":     {"theme: dark\nfoo: bar\ncontexts: {lab: {write: true}}", true},
		"of another type":         {"contexts: {lab: {write: perhaps}}", false},
		"no YAML":                 {"contexts: [", false},
		"nothing":                 {"", false},
		"read-only":               {"contexts: {lab: {readonly: true, theme: light}}", false},
		"beside a wrong list":     {"contexts: {lab: {write: true}, prod: [1]}", true},
		"a list of contexts":      {"contexts: [lab]", false},
		"keys of the screen only": {"keys: {app.quit: [ctrl+q]}", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			a := &App{}
			a.Flags.UI.config = path
			got, err := a.contextSettings(t.Context(), "lab")
			if err != nil || got.Write != tt.want {
				t.Errorf("write is %v (%v), want %v", got.Write, err, tt.want)
			}
			if readOnly := strings.Contains(tt.text, "readonly"); got.ReadOnly != readOnly {
				t.Errorf("readonly is %v", got.ReadOnly)
			}
		})
	}
}

func clusterFlagsOf(t *testing.T, args ...string) *clusterFlags {
	t.Helper()
	c, p := &clusterFlags{}, pflag.NewFlagSet("rung", pflag.ContinueOnError)
	c.register(p)
	if err := p.Parse(args); err != nil {
		t.Fatal(err)
	}
	return c
}

// kubectl's flags are taken; those that lead elsewhere than the context says are known
// as such.
func TestKubectlsFlags(t *testing.T) {
	for args, want := range map[string]struct{ given, elsewhere bool }{
		"":                              {false, false},
		"--kube-qps=5":                  {false, false},
		"--kubeconfig=x":                {true, false},
		"--context=lab":                 {true, false},
		"--as=jane --as-group=sre":      {true, false},
		"--as-uid=7":                    {true, false},
		"--request-timeout=5s":          {true, false},
		"--cluster=prod":                {true, true},
		"--user=root":                   {true, true},
		"-s=https://x":                  {true, true},
		"--server=https://x":            {true, true},
		"--token=t":                     {true, true},
		"--username=u --password=p":     {true, true},
		"--client-certificate=c":        {true, true},
		"--client-key=k":                {true, true},
		"--certificate-authority=ca":    {true, true},
		"--tls-server-name=y":           {true, true},
		"--insecure-skip-tls-verify":    {true, true},
		"--proxy-url=http://p":          {true, true},
		"--disable-compression":         {true, true},
		"--context=lab --server=http:x": {true, true},
	} {
		c := clusterFlagsOf(t, strings.Fields(args)...)
		if c.NamesCluster() != want.given || c.LeadsElsewhere() != want.elsewhere {
			t.Errorf("%s: given %v, elsewhere %v", args, c.NamesCluster(), c.LeadsElsewhere())
		}
	}
}

// That changes of a context's policies are allowed by the configuration file does not
// hold for another server under the context's name.
func TestWritesOfAContextAreNotAnothersServers(t *testing.T) {
	dir := t.TempDir()
	kubeconfig, config := filepath.Join(dir, "kubeconfig"), filepath.Join(dir, "config.yaml")
	for path, text := range map[string]string{
		config: "contexts: {lab: {write: true}, prod: {write: true, readonly: true}}",
		kubeconfig: "apiVersion: v1\nkind: Config\ncurrent-context: lab\ncontexts: [{name: lab, context: {cluster: c, user: u}}, {name: prod, context: {cluster: c, user: u}}]\n" +
			"clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\nusers: [{name: u, user: {token: t}}]\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]bool{"": true, "--as=jane": true, "--server=http://127.0.0.1:2": false,
		"--token=x":                           false,
		"--server=http://127.0.0.1:2 --write": true,
		"--context=prod":                      false,
		"--context=prod --write --reconcile":  false} {
		a := &App{}
		a.Flags.Kube = *clusterFlagsOf(t, strings.Fields("--kubeconfig="+kubeconfig+" "+args)...)
		a.Flags.UI.config = config
		cfg := engine.Config{}
		if err := a.configureCluster(t.Context(), &cfg, false); err != nil {
			t.Fatal(err)
		}
		if cfg.Writes != want {
			t.Errorf("%q: writes %v, want %v", args, cfg.Writes, want)
		}
		why := ""
		if strings.Contains(args, "prod") {
			why = "the configuration sets readonly for context prod"
		}
		if cfg.WhyReadOnly != why || cfg.ReadOnly != (why != "") || cfg.Reconcile {
			t.Errorf("%q: read-only %v: %q, reconciles %v; want %q", args, cfg.ReadOnly, cfg.WhyReadOnly, cfg.Reconcile, why)
		}
	}
}
