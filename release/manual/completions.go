package manual

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// WriteCompletions writes the scripts that the program prints for each shell, by the names that
// shells look for, and kubectl's.
func WriteCompletions(dir, rung string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of completions: %w", err)
	}
	for shell, name := range map[string]string{"bash": "rung", "zsh": "_rung", "fish": "rung.fish", "powershell": "rung.ps1", "kubectl": "kubectl_complete-rung"} {
		script, err := exec.Command(rung, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("asking %s for the completion of %s: %w", rung, shell, err)
		}
		mode := os.FileMode(0o644)
		if shell == "kubectl" {
			mode = 0o755
		}
		if err := os.WriteFile(filepath.Join(dir, name), script, mode); err != nil {
			return fmt.Errorf("writing the completion of %s: %w", shell, err)
		}
	}
	return nil
}
