package history

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestFileName(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []string{"", "demo", "files:policies/", "files:policies", "../../etc/passwd", "a\x00b", strings.Repeat("x", 300), "größe"} {
		f := fileName(s)
		if seen[f] || filepath.Base(f) != f || len(f) > 80 {
			t.Errorf("%q: %q", s, f)
		}
		seen[f] = true
	}
}
