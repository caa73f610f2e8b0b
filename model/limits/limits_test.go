package limits

import (
	"os"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "freebsd"} {
		if line, err := Line(goos), Error(goos, Servers); line != "" || err != nil {
			t.Errorf("%s: %q, %v", goos, line, err)
		}
	}
	line := Line("windows")
	if !strings.HasPrefix(line, "on Windows: the sandbox runs neither ovsdb-server nor OVN · ctrl+z does not suspend Rung") {
		t.Errorf("%q", line)
	}
	const want = "on Windows the sandbox runs neither ovsdb-server nor OVN: its databases are Rung's own (--sandbox-ovsdb builtin)"
	if err := Error("windows", Servers); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	for f := Servers; f <= Privacy; f++ {
		if err := Error("windows", f); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("feature %d: %v", f, err)
		}
	}
}

// docs/configuration.md has every limit in the words of the console.
func TestLimitsAreTold(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(strings.Fields(string(text)), " ")
	for goos, of := range systems {
		for _, l := range of.limits {
			if !strings.Contains(told, l.what) {
				t.Errorf("docs/configuration.md does not say of %s: %s", goos, l.what)
			}
		}
	}
}
