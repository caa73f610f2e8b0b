package words

import (
	"os"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "freebsd"} {
		if line, err := LimitsText(goos), ServersError(goos); line != "" || err != nil {
			t.Errorf("%s: %q, %v", goos, line, err)
		}
	}
	const line = "on Windows: the sandbox runs neither ovsdb-server nor OVN · ctrl+z does not suspend Rung · access to the state folder is not checked"
	if got := LimitsText("windows"); got != line {
		t.Errorf("%s", got)
	}
	const want = "on Windows the sandbox runs neither ovsdb-server nor OVN: its databases are Rung's own (--sandbox-ovsdb builtin)"
	if err := ServersError("windows"); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

// docs/configuration.md has every limit in the words of the console.
func TestLimitsAreTold(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(strings.Fields(string(text)), " ")
	for goos, limits := range systemLimits {
		for _, l := range limits {
			if !strings.Contains(told, l) {
				t.Errorf("docs/configuration.md does not say of %s: %s", goos, l)
			}
		}
	}
}
