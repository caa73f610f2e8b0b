package plugin

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd/api"
)

// TestSaid: whatever a plugin writes, and in whatever pieces, arrives as clean lines.
func TestSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   []string
		want string
	}{
		{"lines", []string{"a\nb", "c\n"}, "a\nbc\n"},
		{"no end", []string{"a"}, "a\n"},
		{"escapes", []string{"\x1b[31mred\a\n"}, "\ufffd[31mred\ufffd\n"},
		{"an escape in two", []string{"\x1b", "[31m\n"}, "\ufffd[31m\n"},
		{"a character in two", []string{"gr\xc3", "\xbcn\n"}, "grün\n"},
		{"DOS", []string{"a\r", "\nb\r\n"}, "a\nb\n"},
		{"a carriage return", []string{"rung: no drift\rx\n"}, "rung: no drift\ufffdx\n"},
		{"long", []string{strings.Repeat("x", lineMost+1) + "\n"}, strings.Repeat("x", lineMost) + "\nx\n"},
		{"long, with a character at the limit", []string{strings.Repeat("x", lineMost-1) + "ü\n"}, strings.Repeat("x", lineMost-1) + "\nü\n"},
		{"bytes that are no text", []string{"\xc3\n"}, "\ufffd\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			s := &stderrLines{output: &b}
			for _, in := range c.in {
				if n, err := s.Write([]byte(in)); n != len(in) || err != nil {
					t.Fatal(n, err)
				}
			}
			s.flush()
			s.mu.Lock()
			defer s.mu.Unlock()
			if b.String() != c.want {
				t.Errorf("%q, want %q", b.String(), c.want)
			}
		})
	}
}

// TestFence: client-go starts this program, and all that the kubeconfig says is kept.
func TestFence(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &api.ExecConfig{Command: self, Args: []string{"-a", "b c"}, Env: []api.ExecEnvVar{{Name: "A", Value: "b"}},
		APIVersion: "client.authentication.k8s.io/v1", InstallHint: "hint", ProvideClusterInfo: true,
		InteractiveMode: api.AlwaysExecInteractiveMode, StdinUnavailable: true, StdinUnavailableMessage: "why"}
	f := Fence(p, time.Minute)
	want := p.DeepCopy()
	want.Args = []string{Command, strconv.Itoa(os.Getpid()), "1m0s", self, self, "-a", "b c"}
	if f.GoString() != want.GoString() || f.InstallHint != want.InstallHint || f.InteractiveMode != want.InteractiveMode {
		t.Errorf("%#v", f)
	}
	if len(p.Args) != 2 {
		t.Errorf("it is changed itself: %#v", p)
	}
	missing := &api.ExecConfig{Command: "there-is-no-such-plugin\x1b", InstallHint: "hint"}
	if Fence(missing, 0) != missing {
		t.Error("who is missing is for client-go to say")
	}
	if n := PluginName(missing); n != "there-is-no-such-plugin\ufffd" {
		t.Errorf("%q", n)
	}
	f.Args[1+argName] = "aws"
	was := errors.New("getting credentials: exec: executable " + self + " failed with exit code 7")
	if err := Explain(f, was); err.Error() != "getting credentials: exec: executable aws failed with exit code 7" || !errors.Is(err, was) {
		t.Error(err)
	}
	if Explain(p, was) != was || Explain(nil, was) != was || Explain(f, nil) != nil {
		t.Error("nothing is to be explained")
	}
}
