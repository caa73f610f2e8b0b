//go:build unix

package sandbox

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"rung/test/wait"
)

// A server that is a script around others ends with all of them.
func TestNothingStaysBehind(t *testing.T) {
	for name, script := range map[string]string{
		"it waits":              `sleep 1000 & echo up >&3; wait`,
		"it hears no signal":    `trap "" TERM INT HUP; (trap "" TERM INT HUP; sleep 1000) & echo up >&3; while :; do sleep 1; done`,
		"it prints for ever":    `while :; do echo x; done & echo up >&3; wait`,
		"it ends before others": `sleep 1000 & echo up >&3`,
	} {
		for kind, guard := range map[string]func() (Guard, error){"guard": NewGuard, "watchdog": NewWatchdog} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				g, err := guard()
				if err != nil {
					t.Fatal(err)
				}
				defer g.Close()
				r, w, err := os.Pipe() // its end comes when nobody has it any more
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				_ = r.SetReadDeadline(time.Now().Add(wait.Patience))
				p := NewProcess(ChildConfig{Zone: "z", Name: "script", Socket: filepath.Join(t.TempDir(), "s"), Guard: g,
					Report: func(State, error) {}, Command: func() *exec.Cmd {
						cmd := exec.Command("/bin/sh", "-c", script)
						cmd.ExtraFiles = []*os.File{w}
						return cmd
					}})
				l, err := p.launchProcess()
				if err != nil {
					t.Fatal(err)
				}
				p.wg.Go(func() { p.superviseProcess(l) })
				out := bufio.NewReader(r)
				if line, err := out.ReadString('\n'); err != nil || line != "up\n" {
					t.Errorf("%q %v", line, err)
				}
				p.Close()
				_ = w.Close()
				if _, err := io.Copy(io.Discard, out); err != nil {
					t.Errorf("somebody is left: %v", err)
				}
			})
		}
	}
}
