package plugin

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd/api"

	"rung/model/clean"
)

// Command is the first argument of a child that runs RunChild with the others.
const Command = "login-plugin"

// The arguments of a child, behind Command; those of the plugin follow.
const (
	argParent = iota // the process that it ends with
	argWithin        // a duration; 0 is without end
	argPath          // the plugin's file
	argName          // its name as the kubeconfig has it
	argOwn           // where its own arguments begin
)

// Fence is the plugin with this program between it and client-go. One that cannot be
// found stays as it is: client-go says so, and how to install it.
func Fence(p *api.ExecConfig, within time.Duration) *api.ExecConfig {
	path, err := exec.LookPath(p.Command)
	if err != nil {
		return p
	}
	self, err := os.Executable()
	if err != nil {
		return p
	}
	fenced := p.DeepCopy()
	fenced.Command = self
	fenced.Args = append([]string{Command, strconv.Itoa(os.Getpid()), within.String(), path, p.Command}, p.Args...)
	return fenced
}

// PluginName is the plugin's name as the kubeconfig has it, fenced or not, clean; empty for
// none.
func PluginName(p *api.ExecConfig) string {
	switch {
	case p == nil:
		return ""
	case isFenced(p):
		return clean.Text(p.Args[1+argName])
	}
	return clean.Text(p.Command)
}

func isFenced(p *api.ExecConfig) bool { return len(p.Args) > argOwn && p.Args[0] == Command }

// Explain has an error of client-go name the plugin where it names this program.
func Explain(p *api.ExecConfig, err error) error {
	if p == nil || err == nil || !isFenced(p) || !strings.Contains(err.Error(), p.Command) {
		return err
	}
	return explainedError{err, strings.ReplaceAll(err.Error(), "exec: executable "+p.Command+" ", "exec: executable "+PluginName(p)+" ")}
}

type explainedError struct {
	error
	text string
}

func (e explainedError) Error() string { return e.text }
func (e explainedError) Unwrap() error { return e.error }
