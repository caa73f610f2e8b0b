package kube

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd/api"

	"rung/model/words"
)

// LoginPlugin is the first argument of a child process that calls RunLoginPlugin with the others. client-go
// waits for a kubeconfig's login plugin (users[].user.exec) for ever and cannot end it. So client-go starts
// Rung itself, and that child runs the plugin.
const LoginPlugin = "login-plugin"

// Exit codes of the child itself, like those of timeout(1) and shells.
const (
	exitPluginEnded   = 124
	exitPluginMissing = 127
)

// fencePlugin returns an exec section that runs a plugin through RunLoginPlugin. It returns p itself if the
// plugin is not installed: client-go reports that, and how to install it.
func fencePlugin(p *api.ExecConfig, within time.Duration) *api.ExecConfig {
	path, err := exec.LookPath(p.Command)
	self, err2 := os.Executable()
	if err != nil || err2 != nil {
		return p
	}
	fenced := p.DeepCopy()
	fenced.Command = self
	fenced.Args = append([]string{LoginPlugin, strconv.Itoa(os.Getpid()), within.String(), path, p.Command}, p.Args...)
	return fenced
}

func isFenced(p *api.ExecConfig) bool { return p != nil && len(p.Args) > 4 && p.Args[0] == LoginPlugin }

// pluginName returns the plugin's name in the kubeconfig, clean; empty without a plugin.
func pluginName(p *api.ExecConfig) string {
	switch {
	case p == nil:
		return ""
	case isFenced(p):
		return words.CleanText(p.Args[4])
	}
	return words.CleanText(p.Command)
}

// namePlugin replaces this program's name by the plugin's in an error of client-go.
func namePlugin(p *api.ExecConfig, err error) error {
	if err == nil || !isFenced(p) || !strings.Contains(err.Error(), p.Command) {
		return err
	}
	return pluginError{err, strings.ReplaceAll(err.Error(), "exec: executable "+p.Command+" ", "exec: executable "+pluginName(p)+" ")}
}

type pluginError struct {
	error
	text string
}

func (e pluginError) Error() string { return e.text }
func (e pluginError) Unwrap() error { return e.error }

// RunLoginPlugin runs a plugin until it ends, its time is over, or Rung has ended, and returns the exit code.
// args are the parent's process id, the time limit (0 for none), the plugin's file, its name and its own
// arguments. The plugin has no terminal; its messages on stderr are cleaned line by line.
func RunLoginPlugin(args []string, in *os.File, out, errs io.Writer) int {
	if len(args) < 4 {
		fmt.Fprintln(errs, "rung: "+LoginPlugin+" is for Rung itself")
		return 2
	}
	parent, err := strconv.Atoi(args[0])
	within, err2 := time.ParseDuration(args[1])
	if err := errors.Join(err, err2); err != nil {
		fmt.Fprintln(errs, "rung: "+words.CleanText(err.Error()))
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), pluginEnds...)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if within > 0 {
		ctx, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	go func() {
		for os.Getppid() == parent {
			time.Sleep(100 * time.Millisecond)
		}
		cancel()
	}()

	cmd := exec.CommandContext(ctx, args[2], args[4:]...)
	cmd.Args[0], cmd.Stdin, cmd.Stdout, cmd.WaitDelay = args[3], in, out, time.Second
	ownSession(cmd)
	read, write := io.Pipe()
	cmd.Stderr = write
	said := make(chan struct{})
	go func() {
		defer close(said)
		for lines := bufio.NewReader(read); ; {
			line, _, err := lines.ReadLine()
			if err != nil {
				return
			}
			fmt.Fprintln(errs, words.CleanBlock(string(line)))
		}
	}()
	err = cmd.Run()
	_ = write.Close()
	<-said
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return exitPluginEnded
	case cmd.Process == nil:
		fmt.Fprintln(errs, "rung: "+words.CleanText(err.Error()))
		return exitPluginMissing
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		fmt.Fprintf(errs, "rung: %s: %s\n", words.CleanText(args[3]), words.CleanText(err.Error()))
		return 1
	}
	return 0
}
