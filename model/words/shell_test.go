package words

import (
	"os/exec"
	"testing"
)

func TestQuote(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"cluster-control", "cluster-control"},
		{"k8s.ovn.org/acl-logging-", "k8s.ovn.org/acl-logging-"},
		{"--context=prod-eu", "--context=prod-eu"},
		{"", "''"},
		{"two words", "'two words'"},
		{"it's", `'it'\''s'`},
		{"$(reboot)", "'$(reboot)'"},
		{"~root", "'~root'"},
		{"a\nb", `$'a\nb'`},
		{"\x1b[31m0", `$'\033[31m0'`},
		{"\x1b1'\\", `$'\0331\'\\'`},
		{"größe", "'größe'"},
		{`{"deny":"alert"}`, `'{"deny":"alert"}'`},
	} {
		if got := ShellQuote(c.in); got != c.want {
			t.Errorf("Quote(%q) = %s, want %s", c.in, got, c.want)
		}
	}
}

// A real shell is the judge of what it reads back.
func TestReadsBack(t *testing.T) {
	sh, err := exec.LookPath("bash")
	if err != nil {
		t.Log("no bash on PATH: the quoting is judged by the table alone")
		return
	}
	for _, s := range []string{"", "a b", "it's", `"$HOME" \ !`, "a\nb\tc", "\x1b[2J1", "*?[a]", "größe", "-n", "#x", "a;b|c&d", "{a,b}"} {
		out, err := exec.Command(sh, "--norc", "-c", "printf %s "+ShellQuote(s)).Output()
		if s == "-n" {
			out, err = exec.Command(sh, "--norc", "-c", "printf -- %s "+ShellQuote(s)).Output()
		}
		if err != nil || string(out) != s {
			t.Errorf("%q comes back as %q (%v)", s, out, err)
		}
	}
}
