package kube_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/test/kube/cluster"
	"rung/test/wait"
)

// small fills a cluster: nodes n1 and n2, namespaces blue and red (tenant=…),
// two pods of each on every node, and one policy, guard-blue.
func small(t testing.TB, c *cluster.Cluster) {
	t.Helper()
	ctx := t.Context()
	for i, node := range smallNodes {
		must(t, c.AddNode(ctx, node, i+1))
	}
	ip := 2
	for _, ns := range []string{"blue", "red"} {
		must(t, c.AddNamespace(ctx, ns, "tenant", ns))
		for i, node := range smallNodes {
			for _, pod := range []string{"a", "b"} {
				must(t, c.AddPod(ctx, ns, pod+"-"+node, node, podIP(i+1, ip), "app", pod))
				ip++
			}
		}
	}
	must(t, c.Apply(ctx, anp("guard-blue", 20, "tenant=blue", "in Deny tenant=red", "out Allow tenant=red TCP:8080")))
}

var smallNodes = []string{"n1", "n2"}

// The console on a cluster: whose, read-only, and what is in it.
func TestConsole(t *testing.T) {
	c := demoCluster(t)
	done := phase(t, "start to ladder")
	d := console(t, c, cluster.Viewer)
	d.WaitFor("cluster-control", cluster.Viewer, c.Server[len("https://"):])
	done()
	d.WaitMatch(`(?i)read-?only`)
}

// Who may only look is told so at the key, with the command that shows the same, and
// page 8 lists what may be done.
func TestConsoleOfViewer(t *testing.T) {
	c := demoCluster(t)
	d := console(t, c, cluster.Viewer, "--write")
	d.WaitFor("cluster-control", "WRITES")
	d.Press("8")
	d.WaitFor("what the API server allows you to do")
	d.WaitMatch(`no: .*(patch|create)`)
	d.Press("1")
	d.WaitFor("break-glass")
	d.Press("m")
	d.WaitMatch(`no permission: cannot patch adminnetworkpolicies`)
}

// help is on the screen after "?". A key is answered by what it shows: other changes of the screen are no answer.
const help = "keys on this page"

// The API server dies, five times: the screen keeps what it knew and says since when it knows nothing. It comes back,
// and refuses its users for a moment, until it has read the roles: so do changes, without a key, and nobody is told
// that he has no permission.
func TestServerDiesAndReturns(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	small(t, c)
	d := console(t, c, cluster.Viewer)
	d.WaitFor("guard-blue")
	for round := range 5 {
		must(t, c.KillAPI())
		done := phase(t, "server killed to said")
		d.WaitMatch(`(?i)lost|unreachable|connection refused`)
		done()
		d.WaitMatch(`(?i)\b\d+ ?s(ec|econds)?( ago)?\b`)
		d.WaitFor("guard-blue")
		done = phase(t, "key without the server")
		d.Press("?").WaitFor(help)
		done()
		d.Press("esc").WaitGone(help)
		done = phase(t, "server restart to ready")
		must(t, c.StartAPI(t.Context()))
		done()
		name := fmt.Sprintf("after-restart-%d", round)
		must(t, c.Apply(t.Context(), anp(name, 30+round, "tenant=red", "in Deny tenant=blue")))
		done = phase(t, "server back to new policy on screen")
		_, err := d.Terminal.WaitFor(name, patience)
		must(t, err)
		done()
		if screen := d.Terminal.Screen(); strings.Contains(screen, "no permission") {
			t.Errorf("the restart is taken for a refusal:\n%s", screen)
		}
		d.WaitFor("guard-blue")
	}
}

// A server that hangs must not take the screen with it.
func TestServerStalls(t *testing.T) {
	t.Parallel()
	c := start(t, cluster.Config{})
	small(t, c)
	d := console(t, c, cluster.Admin)
	d.WaitFor("guard-blue")
	must(t, c.StopAPI())
	defer func() { _ = c.ContAPI() }()
	for range 10 {
		pressed := time.Now()
		d.Press("?").WaitFor(help)
		d.Press("esc").WaitGone(help)
		if took := time.Since(pressed); took > 2*time.Second {
			t.Errorf("two keys took %v while the server hung", took)
		}
	}
	must(t, c.ContAPI())
	must(t, c.Apply(t.Context(), anp("after-stall", 31, "tenant=red", "in Deny tenant=blue")))
	_, err := d.Terminal.WaitFor("after-stall", patience)
	must(t, err)
}

// While Rung looks away, what it watches from expires: policies that went
// meanwhile are gone on screen, those that came are there.
func TestWatchExpires(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{CompactEvery: 2 * time.Second})
	small(t, c)
	must(t, c.Apply(ctx, anp("goes-away", 40, "tenant=red", "in Deny tenant=blue")))
	d := console(t, c, cluster.Admin)
	d.WaitFor("guard-blue", "goes-away")
	old := live(t, c, "anp", "goes-away").Metadata.ResourceVersion
	must(t, d.Signal(syscall.SIGSTOP))
	_, err := c.Kubectl(ctx, cluster.Admin, "", "delete", "anp", "goes-away")
	must(t, err)
	must(t, c.Apply(ctx, anp("came-meanwhile", 41, "tenant=red", "in Deny tenant=blue")))
	must(t, c.KillAPI())
	must(t, c.StartAPI(ctx))
	// The server's cache begins with its restart, and etcd forgets the rest.
	wait.Within(t, patience, "the old version expires", func() bool {
		must(t, c.Apply(ctx, anp("came-meanwhile", 41+int(time.Now().UnixNano()%7), "tenant=red", "in Deny tenant=blue")))
		return expired(t, c, old)
	})
	must(t, d.Signal(syscall.SIGCONT))
	done := phase(t, "watch expired to relisted")
	_, err = d.Terminal.WaitFor("came-meanwhile", patience)
	must(t, err)
	done()
	_, err = d.Terminal.WaitGone("goes-away", patience)
	must(t, err)
	d.WaitFor("guard-blue")
}
