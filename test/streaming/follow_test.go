//go:build unix

package streaming_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/sources/kube"
	"rung/sources/nbdb"
)

// ways are the images by the way they leave, the best first.
var ways = []struct {
	name  string
	tools []string
}{
	{"socat", []string{"sh", "socat", "ovsdb-client", "bash"}},
	{"python3", []string{"sh", "python3", "ovsdb-client", "bash"}},
	{"ovsdb-client", []string{"sh", "bash", "ovsdb-client"}},
	{"ovsdb-client without bash", []string{"sh", "ovsdb-client"}},
}

// By every way, over WebSocket and SPDY: the rows are those read directly, changes
// come, a cut connection comes back with what changed meanwhile, and nothing is
// left running.
func TestFollow(t *testing.T) {
	for i, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			w := newWorld(t, "n1", way.tools...)
			spdy := i%2 == 1
			w.server.SPDYOnly(spdy)
			z := w.zone("n1", func(c *nbdb.RemoteConfig) { c.Poll = 100 * time.Millisecond })
			f := follow(t, z)
			u, at := f.until("synced", 0, synced)
			w.same(u.DB)
			if want := "exec:openshift-ovn-kubernetes/ovnkube-node-a/nbdb"; z.Endpoint() != want {
				t.Errorf("endpoint %q, want %q", z.Endpoint(), want)
			}
			for n := range 3 {
				name := fmt.Sprintf("live-%d", n)
				w.transact(`{"op":"insert","table":"Address_Set","row":{"name":"` + name + `","addresses":["set",["10.0.0.1","10.0.0.2"]]}}`)
				u, at = f.until(name, at, func(u model.ZoneUpdate) bool { return synced(u) && u.DB.AddressSetByName(name) != nil })
			}
			w.transact(`{"op":"delete","table":"Address_Set","where":[["name","==","live-0"]]},` +
				`{"op":"mutate","table":"Address_Set","where":[["name","==","live-1"]],"mutations":[["addresses","delete","10.0.0.1"]]}`)
			u, at = f.until("delete and change", at, func(u model.ZoneUpdate) bool {
				return synced(u) && u.DB.AddressSetByName("live-0") == nil && len(u.DB.AddressSetByName("live-1").Addresses) == 1
			})
			w.same(u.DB)

			w.server.Cut()
			if slices.Contains(way.tools, "bash") { // else nothing may have been open
				_, at = f.until("lost", at, func(u model.ZoneUpdate) bool { return u.Conn == model.ConnLost && u.Error != "" })
			}
			w.transact(`{"op":"delete","table":"Address_Set","where":[["name","==","live-2"]]}`)
			u, _ = f.until("synced again", at, func(u model.ZoneUpdate) bool { return synced(u) && u.DB.AddressSetByName("live-2") == nil })
			w.same(u.DB)
			f.stop()
			w.nothingLingers()
			used := slices.Contains(w.server.Requests(), "exec spdy")
			if used != spdy {
				t.Errorf("SPDY used: %v, want %v", used, spdy)
			}
		})
	}
}

// A snapshot for a zone that is not on screen is one program, the place once
// known, and never a monitor.
func TestRead(t *testing.T) {
	for _, way := range ways[1:3] {
		t.Run(way.name, func(t *testing.T) {
			w := newWorld(t, "n1", way.tools...)
			z := w.zone("n1", nil)
			for range 3 {
				db, err := z.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				w.same(db)
			}
			var ran []string
			for _, c := range w.server.Commands() {
				ran = append(ran, c[0])
				if c[0] == "bash" || slices.Contains(c, "transact") {
					t.Errorf("ran %q", c)
				}
			}
			if want := []string{"sh", "ovsdb-client", "ovsdb-client", "ovsdb-client", "ovsdb-client"}; !slices.Equal(ran, want) {
				t.Errorf("ran %q, want %q: a look, the schema, three snapshots", ran, want)
			}
			w.nothingLingers()
		})
	}
}

// What can be wrong with a zone is a state with a reason, and goes away with it.
func TestTrouble(t *testing.T) {
	query := func(edit func(io.Writer) io.Writer) func(*world) {
		return func(w *world) {
			i := w.image("sh", "bash", "ovsdb-client")
			i.Edit = func(cmd []string, out io.Writer) io.Writer {
				if slices.Contains(cmd, "query") {
					return edit(out)
				}
				return out
			}
			w.server.Set(zonePod("ovnkube-node-a", "n1", "set-1"), i)
		}
	}
	for _, tt := range []struct {
		name  string
		zone  string // n1 when empty
		spoil func(*world)
		want  string
	}{
		{"no ovsdb-client, no socat", "", func(w *world) {
			w.server.Set(zonePod("ovnkube-node-a", "n1", "set-1"), w.image("sh", "bash"))
		}, "no tools in the image of exec:openshift-ovn-kubernetes/ovnkube-node-a/nbdb"},
		{"no shell", "", func(w *world) {
			w.server.Set(zonePod("ovnkube-node-a", "n1", "set-1"), w.image("ovsdb-client"))
		}, "no tools in the image"},
		{"no socket", "", func(w *world) {
			i := w.image("sh", "bash", "ovsdb-client")
			i.Replace = nil
			w.server.Set(zonePod("ovnkube-node-a", "n1", "set-1"), i)
		}, "no socket of the database OVN_Northbound"},
		{"slow pod", "", func(w *world) {
			i := w.image("sh", "bash", "ovsdb-client")
			i.Stall = true
			w.server.Set(zonePod("ovnkube-node-a", "n1", "set-1"), i)
		}, "not answering for 300ms"},
		{"another zone's database", "n2", func(w *world) {
			w.server.Set(zonePod("ovnkube-node-b", "n2", "set-1"), w.image("sh", "bash", "ovsdb-client"))
		}, `NB_Global is named "n1", not "n2"`},
		{"a pod of nobody", "", func(w *world) {
			p := zonePod("ovnkube-node-a", "n1", "set-1")
			p.OwnerReferences = nil
			w.server.Set(p, w.image(all...))
		}, "not owned by a DaemonSet"},
		{"a pod that names a DaemonSet with another UID", "", func(w *world) {
			w.server.Set(zonePod("ovnkube-node-a", "n1", "set-2"), w.image(all...))
		}, "with another UID"},
		{"no exec", "", func(w *world) {
			w.server.Refuse(func(_, resource string) bool { return resource == "pods/exec" })
		}, "kubectl auth can-i create pods/exec -n openshift-ovn-kubernetes"},
		{"no list", "", func(w *world) {
			w.server.Refuse(func(verb, _ string) bool { return verb == "list" })
		}, "kubectl auth can-i list pods"},
		{"truncated rows", "", query(func(out io.Writer) io.Writer { return &cut{out: out, left: 2000} }), "unusable output"},
		{"rows without end", "", query(func(out io.Writer) io.Writer { return flood{out} }), "unusable output: more than 1048576 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "n1", "sh", "bash", "ovsdb-client")
			tt.spoil(w)
			zone := tt.zone
			if zone == "" {
				zone = "n1"
			}
			z := w.zone(zone, func(c *nbdb.RemoteConfig) {
				c.Quiet, c.MaxOutput = 300*time.Millisecond, 1<<20
				if tt.name != "slow pod" {
					c.Quiet = 5 * time.Second
				}
			})
			f := follow(t, z)
			u, _ := f.until(tt.want, 0, failed(tt.want))
			if denied := strings.Contains(tt.want, "can-i"); denied != (u.Conn == model.ConnDenied) {
				t.Errorf("state %q", u.Conn)
			}
			f.until("a second attempt", 0, func(u model.ZoneUpdate) bool { return u.Attempts >= 2 })
			if tt.zone != "" {
				return // it stays another's
			}
			w.server.Refuse(nil)
			w.server.Set(zonePod("ovnkube-node-a", "n1", "set-1"), w.image("sh", "bash", "ovsdb-client"))
			u, _ = f.until("synced", 0, synced)
			w.same(u.DB)
			f.stop()
		})
	}
}

// A pod that comes anew under another name is found, and what is gone is not
// asked again.
func TestPodComesAnew(t *testing.T) {
	w := newWorld(t, "n1", "sh", "bash", "ovsdb-client")
	z := w.zone("n1", nil)
	f := follow(t, z)
	_, at := f.until("synced", 0, synced)
	w.server.Remove(namespace, "ovnkube-node-a")
	w.server.Set(zonePod("ovnkube-node-z", "n1", "set-1"), w.image("sh", "python3"))
	w.server.Cut()
	_, at = f.until("lost", at, func(u model.ZoneUpdate) bool { return u.Conn == model.ConnLost })
	u, _ := f.until("synced", at, synced)
	w.same(u.DB)
	if want := "exec:openshift-ovn-kubernetes/ovnkube-node-z/nbdb"; z.Endpoint() != want {
		t.Errorf("endpoint %q, want %q", z.Endpoint(), want)
	}
}

// A database that answers no more is noticed although its monitors are merely
// silent.
func TestStopped(t *testing.T) {
	w := newWorld(t, "n1", "sh", "bash", "ovsdb-client")
	f := follow(t, w.zone("n1", func(c *nbdb.RemoteConfig) { c.Check, c.Quiet = 100*time.Millisecond, 500*time.Millisecond }))
	_, at := f.until("synced", 0, synced)
	stalled := w.image("sh", "bash", "ovsdb-client")
	stalled.Stall = true
	w.server.Set(zonePod("ovnkube-node-a", "n1", "set-1"), stalled)
	f.until("lost", at, failed("not answering for 500ms"))
}

// Nothing is ever written through exec.
func TestWriteIsRefused(t *testing.T) {
	w := newWorld(t, "n1", "sh", "bash", "ovsdb-client")
	z := w.zone("n1", nil)
	f := follow(t, z)
	f.until("synced", 0, synced)
	if _, err := z.Transact(t.Context(), nil); !errors.Is(err, model.ErrRejected) {
		t.Errorf("a write: %v, want %v", err, model.ErrRejected)
	}
	for _, c := range w.server.Commands() {
		if slices.Contains(c, "transact") {
			t.Errorf("ran %q", c)
		}
	}
}

// Values from outside are never text of a program.
func TestNothingReachesAShell(t *testing.T) {
	const node = `n1'"$(touch /tmp/rung-was-here);` + "`id`"
	w := newWorld(t, "n1", all...)
	w.server.Set(zonePod("ovnkube-node-q", node, "set-1"), w.image(all...))
	f := follow(t, w.zone(node, nil))
	f.until("refused as another zone", 0, failed("NB_Global is named"))
	for _, c := range w.server.Commands() {
		for _, arg := range c {
			if strings.Contains(arg, "touch") || strings.Contains(arg, "`id`") {
				t.Errorf("the node's name is in %q", c)
			}
		}
	}
}

// Errors of exec are told apart.
func TestExecErrors(t *testing.T) {
	w := newWorld(t, "n1", "sh")
	stalled := w.image("sh")
	stalled.Stall = true
	w.server.Set(zonePod("stalled", "n3", "set-1"), stalled)
	at := kube.ExecTarget{Namespace: namespace, Pod: "ovnkube-node-a", Container: "nbdb"}
	pod := func(name string) kube.ExecTarget { a := at; a.Pod = name; return a }
	container := at
	container.Container = "other"
	for _, spdy := range []bool{false, true} {
		w.server.SPDYOnly(spdy)
		var out bytes.Buffer
		err := w.kube.Exec(t.Context(), at, []string{"sh", "-c", `read x; echo "$x-$1"`, "sh", `$(id) 'a"`},
			kube.ExecIO{Stdin: strings.NewReader("in\n"), Stdout: &out})
		if err != nil || out.String() != "in-$(id) 'a\"\n" {
			t.Errorf("spdy %v: %q, %v", spdy, out.String(), err)
		}
		for _, tt := range []struct {
			name string
			in   kube.ExecTarget
			cmd  []string
			want error
		}{
			{"no such pod", pod("nobody"), []string{"sh", "-c", "exit 0"}, kube.ErrNoPod},
			{"no such container", container, []string{"sh", "-c", "exit 0"}, kube.ErrNotRunning},
			{"no such program", at, []string{"socat"}, kube.ErrNoCommand},
			{"stalled", pod("stalled"), []string{"sh"}, context.DeadlineExceeded},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			began := time.Now()
			err := w.kube.Exec(ctx, tt.in, tt.cmd, kube.ExecIO{Stdin: strings.NewReader(""), Stdout: &out})
			cancel()
			if !errors.Is(err, tt.want) || time.Since(began) > 5*time.Second {
				t.Errorf("spdy %v: %s: %v after %v, want %v", spdy, tt.name, err, time.Since(began), tt.want)
			}
		}
		var exit *kube.ExitError
		if err := w.kube.Exec(t.Context(), at, []string{"sh", "-c", "exit 7"}, kube.ExecIO{Stdout: &out}); !errors.As(err, &exit) || exit.Code != 7 {
			t.Errorf("spdy %v: exit 7: %v", spdy, err)
		}
	}
	w.server.Refuse(func(_, resource string) bool { return resource == "pods/exec" })
	if err := w.kube.Exec(t.Context(), at, []string{"sh"}, kube.ExecIO{Stdout: io.Discard}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("refused: %v", err)
	}
}

// Fifty zones ask for their pods once, and no more than the limit dial at a time.
func TestManyZones(t *testing.T) {
	w := newWorld(t, "n1", "sh", "ovsdb-client")
	w.kube = openKube(t, t.TempDir(), w.server, time.Hour) // however long the test takes
	limit := nbdb.NewLimiter(5)
	done := make(chan error, 50)
	image := w.image("sh", "ovsdb-client")
	for i := range 50 {
		node := fmt.Sprintf("m%d", i)
		w.server.Set(zonePod("ovnkube-node-"+node, node, "set-1"), image)
	}
	for i := range 50 {
		node := fmt.Sprintf("m%d", i)
		z := w.zone(node, func(c *nbdb.RemoteConfig) { c.Limit = limit })
		go func() { _, err := z.Read(t.Context()); done <- err }()
	}
	for range 50 {
		if err := <-done; !errors.Is(err, nbdb.ErrWrongZone) {
			t.Errorf("%v, want %v", err, nbdb.ErrWrongZone)
		}
	}
	lists := 0
	for _, r := range w.server.Requests() {
		if r == "list pods" {
			lists++
		}
	}
	if lists > 4 { // two namespaces, the empty one by two labels
		t.Errorf("%d lists of pods for 50 zones", lists)
	}
}

// cut passes on so many bytes and hides the rest.
type cut struct {
	out  io.Writer
	left int
}

func (c *cut) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.left -= n
	if _, err := c.out.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// flood writes for ever.
type flood struct{ out io.Writer }

func (f flood) Write(p []byte) (int, error) {
	for {
		if _, err := f.out.Write(p); err != nil {
			return 0, err
		}
	}
}
