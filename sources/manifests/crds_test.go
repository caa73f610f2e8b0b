package manifests

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"rung/test/install"
)

// The CRDs in the tree are what the generator makes of the API module's types.
func TestGenerate(t *testing.T) {
	install.Generated(t)
	out := t.TempDir()
	cmd := exec.Command("go", "tool", "controller-gen", "crd:maxDescLen=0", "paths=sigs.k8s.io/network-policy-api/apis/v1alpha1;sigs.k8s.io/network-policy-api/apis/v1alpha2", "output:dir="+out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if d := cmp.Diff(folder(t, out), folder(t, "crds")); d != "" {
		t.Errorf("run go generate ./sources/manifests: -generated +in the tree\n%s", d)
	}
}

// folder is what the files of a folder hold, by their names.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		m[e.Name()] = string(text)
	}
	return m
}

var update = flag.Bool("update", false, "write the CRDs of the earlier release anew")

// The CRDs of the earlier release are those it has, without descriptions. It is downloaded as
// a module outside of Rung's own, which needs another one.
func TestGenerateEarlier(t *testing.T) {
	if !*update {
		install.Generated(t)
	}
	const module = "sigs.k8s.io/network-policy-api"
	cmd := exec.Command("go", "mod", "download", "-json", module+"@"+ReleaseEarlier)
	cmd.Dir, cmd.Stderr = os.TempDir(), os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("downloading the release: %v: %s", err, text)
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for _, kind := range []string{"adminnetworkpolicies", "baselineadminnetworkpolicies"} {
		name := "policy.networking.k8s.io_" + kind
		text, err := os.ReadFile(filepath.Join(got.Dir, "config/crd/experimental", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		name += "." + ReleaseEarlier + ".yaml"
		made[name] = "# Of " + module + " " + ReleaseEarlier + ", config/crd/experimental, without descriptions.\n# Licensed under Apache-2.0.\n" +
			withoutDescriptions(t, text)
		if *update {
			if err := os.WriteFile(filepath.Join("schemas", name), []byte(made[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	tree := folder(t, "schemas")
	delete(tree, "crd.antrea.io.yaml") // written by hand, as the next
	delete(tree, "k8s.ovn.org.yaml")
	if d := cmp.Diff(made, tree); d != "" {
		t.Errorf("run go generate ./sources/manifests: -generated +in the tree\n%s", d)
	}
}

func withoutDescriptions(t *testing.T, text []byte) string {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var strip func(*yaml.Node)
	strip = func(n *yaml.Node) {
		for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); {
			// A text, not a field of that name.
			if n.Content[i].Value == "description" && n.Content[i+1].Kind == yaml.ScalarNode {
				n.Content = slices.Delete(n.Content, i, i+2)
				continue
			}
			i += 2
		}
		for _, c := range n.Content {
			strip(c)
		}
	}
	strip(&doc)
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
