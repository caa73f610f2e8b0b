package model

import (
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShellQuote(t *testing.T) {
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
			t.Errorf("ShellQuote(%q) = %s, want %s", c.in, got, c.want)
		}
	}
}

// A real shell is the judge of what it reads back.
func TestShellReadsBack(t *testing.T) {
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

func TestKubectl(t *testing.T) {
	anp := Key{Kind: KindANP, Name: "cluster-control"}
	k, prod := Kubectl{}, Kubectl{Flags: "'--context=prod eu'"}
	got := []string{
		k.FromInput("apply"),
		k.Delete(anp),
		k.Delete(Key{Kind: KindBANP, Name: "default"}),
		k.Delete(Key{Kind: KindNP, Namespace: "blue", Name: "allow-web"}),
		k.SetPriority(anp, 34, 36),
		k.Annotate(anp, AnnotationLogging+`={"deny":"alert"}`),
		k.Annotate(anp, AnnotationLogging+"-"),
		prod.Get(anp),
	}
	want := []string{
		"kubectl apply -f -",
		"kubectl delete anp cluster-control",
		"kubectl delete banp default",
		"kubectl delete networkpolicy allow-web -n blue",
		`kubectl patch anp cluster-control --type=json -p '[{"op":"test","path":"/spec/priority","value":34},{"op":"replace","path":"/spec/priority","value":36}]'`,
		`kubectl annotate anp cluster-control 'k8s.ovn.org/acl-logging={"deny":"alert"}' --overwrite`,
		"kubectl annotate anp cluster-control k8s.ovn.org/acl-logging-",
		"kubectl '--context=prod eu' get anp cluster-control -o yaml",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
