package sandbox

import (
	"context"
	"os"
	"testing"

	"rung/test/install"
	"rung/test/wait"
)

// A port whose row was written and whose pipe was not kept, because the answer was
// lost, gets its pipe.
func TestPortWithoutPipe(t *testing.T) {
	tools := install.OVN(t, FindTools)
	dir, err := os.MkdirTemp("", "o")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(dir)
	lab, err := NewLab(tools, OVNConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	z, err := lab.NewZone(ZoneConfig{Name: "n"})
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if err := z.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := z.WaitSynced(t.Context()); err != nil {
		t.Fatal(err)
	}
	z.bridge.mu.Lock()
	p := z.bridge.ports[z.OutsidePort()]
	delete(z.bridge.ports, z.OutsidePort())
	z.bridge.mu.Unlock()
	if err := os.Remove(p.path); err != nil {
		t.Fatal(err)
	}
	p.closePipe()
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
	defer cancel()
	if _, err := z.WaitSynced(ctx); err != nil {
		t.Fatal(err)
	}
	out, err := z.Send(t.Context(), []Packet{{EntryPort: z.ElsewherePort(), Src: ElsewhereV4, Dst: OutsideV4, Proto: UDP, SrcPort: 1, DstPort: 2}})
	if err != nil || !out[0].Delivered(z.OutsidePort()) {
		t.Errorf("%v, %v", out, err)
	}
}
