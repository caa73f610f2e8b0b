package admission

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	read := func(dir string) map[string]string {
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
	if d := cmp.Diff(read(out), read("crds")); d != "" {
		t.Errorf("run go generate ./sources/manifests/admission: -generated +in the tree\n%s", d)
	}
	out = t.TempDir()
	if text, err := exec.Command("go", "run", "./gen", "-out", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	tree := read("schemas")
	delete(tree, "crd.antrea.io.yaml") // written by hand
	if d := cmp.Diff(read(out), tree); d != "" {
		t.Errorf("run go generate ./sources/manifests/admission: -generated +in the tree\n%s", d)
	}
}
