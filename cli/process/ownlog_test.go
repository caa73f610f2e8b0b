package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnLogTakesStderr: what an exec plugin of the kubeconfig says goes to Rung's
// own log while a screen is shown, and to the terminal again after it.
func TestOwnLogTakesStderr(t *testing.T) {
	terminal, dir := os.Stderr, t.TempDir()
	log, err := OpenOwnLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stderr.WriteString("open this address in a browser\n")
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if os.Stderr != terminal {
		t.Error("stderr is not the terminal's again")
	}
	text, err := os.ReadFile(filepath.Join(dir, "rung.log"))
	if err != nil || !strings.Contains(string(text), "browser") {
		t.Errorf("the log has %q, %v", text, err)
	}
}
