package cli

import (
	"os"
	"path/filepath"
	"testing"
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
			a := &app{}
			a.flags.ui.config = path
			got, err := a.contextSettings(t.Context(), "lab")
			if err != nil || got.Write != tt.want {
				t.Errorf("write is %v (%v), want %v", got.Write, err, tt.want)
			}
		})
	}
}
