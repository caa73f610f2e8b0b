package lab

import (
	"os"
	"testing"

	"rung/sources/sandbox"
	"rung/test/install"
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
	lab, err := sandbox.StartLab(t.Context(), tools, sandbox.OVNConfig{Dir: dir, Zones: []sandbox.ZoneConfig{{Name: "n1"}}})
	if err != nil {
		_ = os.Remove(dir)
		t.Fatal(err)
	}
	return lab.Zone("n1"), dir, func() {
		lab.Close()
		_ = os.Remove(dir) // it is empty then
	}
}
