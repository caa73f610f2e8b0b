package kube_test

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/test/install"
	"rung/test/kube/cluster"
)

// Times of the leases of these tests: short, so that a lost leader is missed
// soon.
const (
	leaseDuration = 4 * time.Second
	renewDeadline = 3 * time.Second
	retryPeriod   = 500 * time.Millisecond
)

// replica is a running `rung reconcile` or `rung observe`.
type replica struct {
	t       testing.TB
	name    string
	cmd     *exec.Cmd
	log     string
	metrics string // host:port
	done    chan struct{}
}

// reconcile starts a replica for all zones. It ends with the test.
func reconcile(t testing.TB, c *cluster.Cluster, z databases, name string, more ...string) *replica {
	t.Helper()
	return replicaWith(t, c, name, append(z.NB(), more...)...)
}

// replicaWith starts a replica of the administrator with these options; they name its zones.
func replicaWith(t testing.TB, c *cluster.Cluster, name string, more ...string) *replica {
	t.Helper()
	return replicaAs(t, c, cluster.Admin, name, append([]string{"--lease-namespace", "default"}, more...)...)
}

// replicaAs is replicaWith as a user, with a namespace for its Leases among the options.
func replicaAs(t testing.TB, c *cluster.Cluster, user, name string, more ...string) *replica {
	t.Helper()
	return serviceAs(t, c, user, name, append([]string{"reconcile", "--identity", name,
		"--lease-duration", leaseDuration.String(), "--renew-deadline", renewDeadline.String(), "--retry-period", retryPeriod.String()}, more...)...)
}

// serviceAs starts a command that runs until it is told to stop, as a user. It ends with the test.
func serviceAs(t testing.TB, c *cluster.Cluster, user, name string, command ...string) *replica {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().String()
	must(t, l.Close())
	home := t.TempDir()
	args := on(c, user, append(command, "--metrics-address", address)...)
	r := &replica{t: t, name: name, cmd: exec.Command(install.Binary(t), args...), log: filepath.Join(home, "log"), metrics: address, done: make(chan struct{})}
	log, err := os.Create(r.log)
	must(t, err)
	r.cmd.Stdout, r.cmd.Stderr = log, log
	r.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home}
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, r.cmd.Start())
	must(t, log.Close())
	go func() {
		_ = r.cmd.Wait()
		close(r.done)
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.done
		if t.Failed() {
			t.Logf("%s said:\n%s", name, r.said())
		}
	})
	return r
}

// said is the end of the replica's log.
func (r *replica) said() string {
	text, _ := os.ReadFile(r.log)
	return string(text[max(0, len(text)-6000):])
}

func (r *replica) signal(s syscall.Signal) {
	r.t.Helper()
	must(r.t, r.cmd.Process.Signal(s))
}

// running says whether it has not ended.
func (r *replica) running() bool {
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

// get reads a page of the replica's HTTP server; "" when it does not answer.
func (r *replica) get(path string) (body string, code int) {
	client := http.Client{Timeout: 2 * time.Second}
	res, err := client.Get("http://" + r.metrics + path)
	if err != nil {
		return "", 0
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 4<<20))
	if err != nil {
		return "", 0
	}
	return string(text), res.StatusCode
}

// metric returns the lines of a metric.
func (r *replica) metric(name string) (out []string) {
	text, _ := r.get("/metrics")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, name+"{") || strings.HasPrefix(line, name+" ") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}
