package lab

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/servers"
)

// One starts a lab of one zone, n1, in a folder of its own: sockets have short paths. It
// skips the test, or fails it, where there is no OVN. end ends the lab.
func One(t testing.TB) (z *sandbox.Zone, dir string, end func()) {
	t.Helper()
	tools := install.OVN(t, sandbox.FindTools)
	dir, err := os.MkdirTemp("", "o")
	if err != nil {
		t.Fatal(err)
	}
	lab, err := Start(t.Context(), tools, Config{Dir: dir, Zones: []sandbox.ZoneConfig{{Name: "n1"}}})
	if err != nil {
		_ = os.Remove(dir)
		t.Fatal(err)
	}
	return lab.Zone("n1"), dir, func() {
		lab.Close()
		_ = os.Remove(dir) // it is empty then
	}
}

// atOnceLogged is how many packets are sent before waiting for ovn-controller. Beyond some 260 unread
// lines, lines are lost (ovn-kubernetes.md#lost-lines). Six ACLs may log a packet, two in each stage.
const atOnceLogged = 40

// SendLogged is Send, but waits until ovn-controller has written the log lines. A slow ovn-controller makes
// ovs-vswitchd drop lines that do not fit in a socket and a short queue. So it sends few packets at a time.
func SendLogged(ctx context.Context, z *sandbox.Zone, packets []sandbox.Packet) ([]sandbox.PacketOutcome, error) {
	out := make([]sandbox.PacketOutcome, 0, len(packets))
	for some := range slices.Chunk(packets, atOnceLogged) {
		got, err := z.Send(ctx, some)
		if err == nil {
			err = z.WaitLogged(ctx)
		}
		if err != nil {
			return out, err
		}
		out = append(out, got...)
	}
	return out, nil
}

// Kill kills a process of a zone, which is started again. Stop makes one stand still until Cont.
func Kill(z *sandbox.Zone, name string) error { return toDaemon(z, name, servers.KillProcess) }

// Stop makes a process of a zone stand still.
func Stop(z *sandbox.Zone, name string) error { return toDaemon(z, name, servers.StopProcess) }

// Cont lets a process of a zone go on.
func Cont(z *sandbox.Zone, name string) error { return toDaemon(z, name, servers.ContProcess) }

func toDaemon(z *sandbox.Zone, name string, do func(pid int) error) error {
	for _, d := range z.Daemons() {
		if d.Name == name && d.Pid != 0 {
			return do(d.Pid)
		}
	}
	return fmt.Errorf("no %s of zone %s is running", name, z.Name())
}

// FlushConntrack clears a node's connection tracking.
func FlushConntrack(ctx context.Context, z *sandbox.Zone) error {
	_, err := z.Control(ctx, sandbox.VSwitchd, "dpctl/flush-conntrack")
	return err
}
