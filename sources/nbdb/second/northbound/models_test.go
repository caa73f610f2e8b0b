package northbound

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rung/test/install"
)

// The models are what the generator makes of the schema and of what Rung reads.
func TestGenerate(t *testing.T) {
	install.Generated(t)
	out := t.TempDir()
	cmd := exec.Command("go", "run", "./gen", "-schema", "../../../sandbox/ovn-nb.ovsschema", "-out", out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	made, err := filepath.Glob(filepath.Join(out, "*.go"))
	if err != nil || len(made) != len(Models()) {
		t.Fatalf("%d files for %d models: %v", len(made), len(Models()), err)
	}
	for _, path := range made {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Base(path)); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the generator writes (%v): run make generate", filepath.Base(path), err)
		}
	}
}
