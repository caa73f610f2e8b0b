package kube

import (
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd/api"
)

// client-go starts this program, and keeps all that the kubeconfig says of the plugin.
func TestFence(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &api.ExecConfig{Command: self, Args: []string{"-a", "b c"}, Env: []api.ExecEnvVar{{Name: "A", Value: "b"}},
		APIVersion: "client.authentication.k8s.io/v1", InstallHint: "hint", ProvideClusterInfo: true,
		InteractiveMode: api.AlwaysExecInteractiveMode, StdinUnavailable: true, StdinUnavailableMessage: "why"}
	f := fencePlugin(p, time.Minute)
	want := p.DeepCopy()
	want.Args = []string{LoginPlugin, strconv.Itoa(os.Getpid()), "1m0s", self, self, "-a", "b c"}
	if f.GoString() != want.GoString() || f.InstallHint != want.InstallHint || f.InteractiveMode != want.InteractiveMode {
		t.Errorf("%#v", f)
	}
	if len(p.Args) != 2 {
		t.Errorf("the kubeconfig's own section changed: %#v", p)
	}
	missing := &api.ExecConfig{Command: "there-is-no-such-plugin\x1b", InstallHint: "hint"}
	if fencePlugin(missing, 0) != missing {
		t.Error("a missing plugin is fenced")
	}
	if n := pluginName(missing); n != "there-is-no-such-plugin\ufffd" {
		t.Errorf("%q", n)
	}
	f.Args[4] = "aws"
	was := errors.New("getting credentials: exec: executable " + self + " failed with exit code 7")
	if err := namePlugin(f, was); err.Error() != "getting credentials: exec: executable aws failed with exit code 7" || !errors.Is(err, was) {
		t.Error(err)
	}
	if namePlugin(p, was) != was || namePlugin(nil, was) != was || namePlugin(f, nil) != nil {
		t.Error("an error that does not name this program changed")
	}
}
