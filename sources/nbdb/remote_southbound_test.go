package nbdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// here runs programs on this machine, of which a shell finds those of a folder alone.
type here struct{ path string }

func (h here) Run(ctx context.Context, cmd []string, stdin io.Reader, stdout, stderr io.Writer) error {
	c := exec.CommandContext(ctx, cmd[0], cmd[1:]...)
	if cmd[0] == "sh" {
		c.Env = []string{"PATH=" + h.path}
	}
	c.Stdout, c.Stderr = stdout, stderr
	// Whoever reads standard input is not waited for: it may never end.
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	c.Cancel = in.Close // a program in a pod is not killed either
	c.WaitDelay = 2 * time.Second
	if stdin == nil {
		_ = in.Close()
	} else {
		go func() { _, _ = io.Copy(in, stdin); _ = in.Close() }()
	}
	if err = c.Run(); ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// server runs a real ovsdb-server with a Southbound database.
func remoteServer(t *testing.T) (socket string) {
	t.Helper()
	dir := t.TempDir()
	db, socket := filepath.Join(dir, "sb.db"), filepath.Join(dir, "s")
	if out, err := exec.Command(install.Server(t, "ovsdb-tool"), "create", db, "testdata/southbound.ovsschema").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(install.Server(t, "ovsdb-server"), "--no-chdir", "--unixctl="+filepath.Join(dir, "c"), "-vconsole:off",
		"--remote=punix:"+socket, db)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	wait.Socket(t, socket)
	return socket
}

// Flows are read and followed by whichever programs are there: a relay, or ovsdb-client,
// which is asked for those of the ACL stages only.
func TestSouthbound(t *testing.T) {
	for _, tools := range [][]string{{"python3", "sh"}, {"ovsdb-client", "sh"}, {"ovsdb-client", "sh", "bash"}} {
		t.Run(strings.Join(tools, "+"), func(t *testing.T) {
			bin := t.TempDir()
			for _, tool := range tools {
				path, err := exec.LookPath(tool)
				if err != nil {
					t.Skipf("%s is not installed", tool)
				}
				if err := os.Symlink(path, filepath.Join(bin, tool)); err != nil {
					t.Fatal(err)
				}
			}
			socket := remoteServer(t)
			run := func(ops ...string) {
				t.Helper()
				out := ovsdb.Client(t, "transact", "unix:"+socket, `["OVN_Southbound",`+strings.Join(ops, ",")+`]`)
				if strings.Contains(string(out), `"error"`) {
					t.Fatalf("%s", out)
				}
			}
			insert := func(stage, match string) string {
				return fmt.Sprintf(`{"op":"insert","table":"Logical_Flow","row":{"match":%q,"external_ids":["map",[["stage-name",%q]]]}}`, match, stage)
			}
			run(insert("ls_in_acl_eval", "1"), insert("ls_out_acl_eval", "1"), insert("lr_in_ip_routing", "1"), `{"op":"insert","table":"SB_Global","row":{"nb_cfg":1}}`)
			c := DialRemoteSouthbound(RemoteConfig{Name: "n1", Sockets: []string{socket}, Refresh: time.Millisecond, Poll: 50 * time.Millisecond,
				Open: func(context.Context) (Runner, string, error) { return here{bin}, "exec:here", nil }})
			count := func(db *flow.DB) string {
				rows, flows := db.Len()
				return fmt.Sprint(rows, " ", flows)
			}
			db, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := count(db); got != "3 2" {
				t.Errorf("read %s rows and flows, want 3 2", got)
			}
			ctx, cancel := context.WithCancel(t.Context())
			updates, done := make(chan SouthboundUpdate, 100), make(chan struct{})
			go func() { defer close(done); c.Run(ctx, func(u SouthboundUpdate) { updates <- u }) }()
			defer func() { cancel(); <-done }()
			until := func(want string) {
				t.Helper()
				last := ""
				wait.Within(t, wait.Patience, "rows and flows "+want, func() bool {
					for {
						select {
						case u := <-updates:
							last = u.Error
							if u.Conn == model.ConnSynced && count(u.DB) == want {
								return true
							}
						default:
							return false
						}
					}
				})
				if last != "" {
					t.Errorf("with %s", last)
				}
			}
			until("3 2")
			run(insert("ls_out_acl_eval", "2"), insert("lr_in_ip_routing", "2"))
			until("4 3")
			run(`{"op":"delete","table":"Logical_Flow","where":[["match","==","1"]]}`)
			until("2 1")
		})
	}
}

// Where the Southbound database does not listen, that is said.
func TestSouthboundAbsent(t *testing.T) {
	bin := t.TempDir()
	for _, tool := range []string{"sh", "ovsdb-client"} {
		if err := os.Symlink(install.Server(t, tool), filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	c := DialRemoteSouthbound(RemoteConfig{Name: "n1", Open: func(context.Context) (Runner, string, error) { return here{bin}, "exec:here", nil },
		Sockets: []string{filepath.Join(bin, "none")}})
	if _, err := c.Read(t.Context()); !errors.Is(err, ErrNoSocket) || !strings.Contains(err.Error(), "reading the flows of zone n1") {
		t.Errorf("got %v", err)
	}
}
