package cli

import (
	"bytes"
	"strings"
	"testing"
)

// What the demo's file states holds in the demo's cluster, by policies and by the rows that
// they compile to, and -f skips the file with words.
func TestDemoExpectations(t *testing.T) {
	for _, args := range [][]string{{"--by", "both"}, {"--as-if"}} {
		var out, errw bytes.Buffer
		args = append([]string{"verify", "../examples/expectations.yaml", "-f", "../examples", "--state-dir", t.TempDir()}, args...)
		if code := run(t.Context(), args, strings.NewReader(""), &out, &errw, nil); code != exitOK {
			t.Errorf("%v: exit %d\n%s%s", args, code, &out, &errw)
		}
		if s := errw.String(); strings.Contains(s, "expectations.yaml") || strings.Count(out.String(), "\npass ") < 8 {
			t.Errorf("%s%s", &out, s)
		}
	}
}
