//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A part that fails does not keep the others from running, and the answer is no.
func TestRun(t *testing.T) {
	program := filepath.Join(t.TempDir(), "make")
	text := "#!/bin/sh\necho running $2\n[ $2 != race ] || { printf 'FAIL\\trung/cli\\t1s\\n'; exit 2; }\n"
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	for want, targets := range map[string][]string{
		"1 of 3 parts failed": {"race", "timing", "fuzz"},
		"":                    {"timing", "fuzz"},
	} {
		var out bytes.Buffer
		err := run(t.Context(), &out, program, targets)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
		for _, part := range targets {
			if !strings.Contains(out.String(), "running "+part+"\n") {
				t.Errorf("%s did not run", part)
			}
		}
		if want != "" && !strings.HasSuffix(out.String(), "\nFAIL race         0s  exit status 2\n     rung/cli\nok   timing       0s\nok   fuzz         0s\n") {
			t.Errorf("%s", out.String())
		}
	}
}
