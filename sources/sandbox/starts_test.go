//go:build unix

package sandbox

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/install"
	"rung/test/made"
	"rung/test/wait"
)

// Starts: in the suite, and with RUNG_SOAK=1 beside programs that want every core.
const (
	startsShort = 2
	startsLong  = 60
	busy        = 4
)

// Zones on OVN come up with all their ports, however busy the machine is: pods are told
// at once, before OVN is up, and then some come and go. A packet passes in each zone.
func TestStartsOnOVN(t *testing.T) {
	tools := install.OVN(t, FindTools)
	starts := startsShort
	if os.Getenv(install.SoakVar) == "1" {
		starts = startsLong
		for range busy {
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "while :; do :; done")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Wait() }) // its end is the context's
		}
	}
	var slowest, all time.Duration
	for range starts {
		took := startOnOVN(t, tools)
		slowest, all = max(slowest, took), all+took
		if t.Failed() {
			break
		}
	}
	t.Logf("%d starts of 3 zones with 30 pods, %v each, the slowest %v", starts, (all / time.Duration(starts)).Round(time.Millisecond), slowest.Round(time.Millisecond))
}

func startOnOVN(t *testing.T, tools *Tools) time.Duration {
	t.Helper()
	names := []string{"a", "b", "c"}
	objects := []model.Object{made.NS("ns", "")}
	var replaced []model.Object
	var gone []model.Key
	for z, zone := range names {
		node := made.Node(zone, "")
		node.MgmtIPs = []string{fmt.Sprintf("10.244.%d.2", z)}
		objects = append(objects, node)
		for i := range 10 {
			p := made.Pod(fmt.Sprintf("ns/%s%d", zone, i), "app=x", fmt.Sprintf("10.244.%d.%d", z, 10+i))
			p.NodeName, p.UID = zone, fmt.Sprint(zone, i)
			objects = append(objects, p)
			switch i {
			case 8:
				gone = append(gone, p.Key)
			case 9:
				next := *p
				next.UID += "again"
				replaced = append(replaced, &next)
			}
		}
	}
	began := time.Now()
	c := cluster(objects...)
	s, err := Start(t.Context(), Config{Zones: names, Dir: shortDir(t), OVN: tools, OVNOnly: true, Node: c.Node})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.SetPods(c, nil)
	s.SetPods(c.Upsert(replaced, gone))
	for z, zone := range names {
		ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
		defer cancel()
		err := s.WithZone(ctx, zone, func(ctx context.Context, z *Zone) error {
			if err := z.WaitReady(ctx); err != nil {
				return err
			}
			_, err := z.WaitSynced(ctx)
			return err
		})
		if err != nil {
			t.Errorf("zone %s did not come up: %v", zone, err)
			continue
		}
		p := Packet{EntryPort: nb.PortName("ns", zone+"0"), Src: netip.MustParseAddr(fmt.Sprintf("10.244.%d.10", z)),
			Dst: netip.MustParseAddr(fmt.Sprintf("10.244.%d.11", z)), Proto: UDP, SrcPort: 1000, DstPort: 53}
		var out []PacketOutcome
		wait.Within(t, wait.Patience, "a packet comes out in zone "+zone, func() bool {
			_ = s.WithZone(ctx, zone, func(ctx context.Context, z *Zone) (err error) {
				out, err = z.Send(ctx, []Packet{p})
				return err
			})
			return len(out) == 1 && out[0].Delivered(nb.PortName("ns", zone+"1"))
		})
	}
	return time.Since(began)
}
