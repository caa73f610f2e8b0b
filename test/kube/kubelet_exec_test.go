package kube_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	wire "k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"rung/sources/nbdb"
)

// exec runs a command for a client that upgrades to SPDY.
func (k *kubelet) exec(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if _, err := httpstream.Handshake(r, w, []string{wire.StreamProtocolV4Name}); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	opened := make(chan httpstream.Stream, 4)
	conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, _ <-chan struct{}) error {
		opened <- s
		return nil
	})
	if conn == nil {
		return // the library has answered
	}
	k.mu.Lock()
	k.execs[conn] = struct{}{}
	k.mu.Unlock()
	defer func() {
		_ = conn.Close()
		k.mu.Lock()
		delete(k.execs, conn)
		k.mu.Unlock()
	}()
	want := 1
	for _, name := range []string{"input", "output", "error"} {
		if q.Get(name) == "1" {
			want++
		}
	}
	streams := map[string]httpstream.Stream{}
	for len(streams) < want {
		select {
		case s := <-opened:
			streams[s.Headers().Get("streamType")] = s
		case <-conn.CloseChan():
			return
		case <-time.After(10 * time.Second):
			return
		}
	}
	err := k.command(node(r), q["command"], streams)
	status := metav1.Status{Status: metav1.StatusSuccess}
	if err != nil {
		status = metav1.Status{Status: metav1.StatusFailure, Reason: wire.NonZeroExitCodeReason, Message: err.Error(),
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: wire.ExitCodeCauseType, Message: "1"}}}}
	}
	text, _ := json.Marshal(status)     // a Status always marshals
	_, _ = streams["error"].Write(text) // the client has gone if this fails
}

// command runs a command in a node's pod.
func (k *kubelet) command(node string, args []string, streams map[string]httpstream.Stream) error {
	cmd := exec.Command(filepath.Join(k.bin, filepath.Base(args[0])))
	for _, a := range args[1:] {
		cmd.Args = append(cmd.Args, strings.ReplaceAll(a, filepath.Dir(nbdb.DefaultSocket), k.rundir[node]))
	}
	cmd.Env = []string{"PATH=" + k.bin, "LC_ALL=C", "OVN_RUNDIR=" + k.rundir[node], "OVS_RUNDIR=" + k.rundir[node]}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if s := streams["stdout"]; s != nil {
		cmd.Stdout = s
	}
	if s := streams["stderr"]; s != nil {
		cmd.Stderr = s
	}
	var stdin io.WriteCloser
	if streams["stdin"] != nil {
		var err error
		if stdin, err = cmd.StdinPipe(); err != nil {
			return err
		}
	}
	k.mu.Lock()
	err := cmd.Start()
	if err == nil {
		k.runs[cmd] = struct{}{}
	}
	k.mu.Unlock()
	if err != nil {
		return err
	}
	if stdin != nil {
		go func() {
			_, _ = io.Copy(stdin, streams["stdin"]) // either end may go
			_ = stdin.Close()
		}()
	}
	err = cmd.Wait()
	k.mu.Lock()
	delete(k.runs, cmd)
	k.mu.Unlock()
	return err
}
