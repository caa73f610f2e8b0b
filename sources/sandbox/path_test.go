//go:build unix

package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/model"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/lab"
)

// An OVN whose programs are in PATH is found, with its schemas beside them, and zones run
// on it. Of one that is too old, or that does not say how old it is, it is said in a line.
func TestFindInPath(t *testing.T) {
	given := install.OVN(t, sandbox.FindTools)
	bin := install.OVNPath(t, given.CommandContext)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, place := range []string{sandbox.Auto, ""} {
		found, err := sandbox.FindTools(t.Context(), place)
		if err != nil {
			t.Fatalf("%q: %v", place, err)
		}
		if found.Version != given.Version || found.OVS != given.OVS {
			t.Errorf("%q: found %s on OVS %s, there is %s on %s", place, found.Version, found.OVS, given.Version, given.OVS)
		}
		if place == "" {
			continue
		}
		lab, err := lab.Start(t.Context(), found, lab.Config{Dir: folder(t), Zones: []sandbox.ZoneConfig{{Name: "n1"}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(lab.Close)
		z := lab.Zone("n1")
		addPods(t, z, append(pod("n1", "a", "10.244.0.3"), pod("n1", "b", "10.244.0.4")...)...)
		sync1(t, z)
		if got := send(t, z, sandbox.Packet{EntryPort: "ns_a", Src: addr("10.244.0.3"), Dst: addr("10.244.0.4"), Proto: sandbox.TCP, SrcPort: 2000, DstPort: 80}); !got[0].Delivered("ns_b") {
			t.Errorf("a packet came out at %v", got[0].Ports)
		}
	}

	// Programs that a zone does not need are looked for when somebody runs them, from
	// several zones at once; the race detector judges.
	var wg sync.WaitGroup
	for range 4 {
		for _, name := range []string{"ovn-trace", "ovn-northd"} {
			wg.Go(func() {
				if _, err := given.CommandContext(t.Context(), name); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()

	for said, want := range map[string]string{
		"ovn-northd 23.06.0\nOpen vSwitch Library 3.1.90": "",
		"ovn-northd 23.03.1\nOpen vSwitch Library 3.1.2":  "OVN 23.06 or newer is needed: this is 23.03.1",
		"ovn-northd (Open vSwitch) 2.12.0":                "OVN 23.06 or newer is needed: this is 2.12.0",
		"what?":                                           "asking ovn-northd for its version: it prints none",
	} {
		install.Script(t, filepath.Join(bin, "ovn-northd"), "printf '"+strings.ReplaceAll(said, "\n", `\n`)+`\n'`)
		_, err := sandbox.FindTools(t.Context(), sandbox.Auto)
		if got := fmt.Sprint(err); got != want && !(want == "" && err == nil) {
			t.Errorf("%q: %s, want %q", said, got, want)
		}
		if strings.HasPrefix(want, "OVN") && !errors.Is(err, sandbox.ErrTooOld) {
			t.Errorf("%q: %v", said, err)
		}
	}
}

// A process that takes longer to come up than anybody waits for it, on a machine that
// reads its programs from a slow disk say, is said to be late; and the zone comes up
// with it.
func TestSlowStart(t *testing.T) {
	install.Soak(t)
	given := install.OVN(t, sandbox.FindTools)
	bin := install.OVNPath(t, given.CommandContext)
	cmd, err := given.CommandContext(t.Context(), "ovs-vswitchd")
	if err != nil {
		t.Fatal(err)
	}
	install.Script(t, filepath.Join(bin, "ovs-vswitchd"), fmt.Sprintf("sleep %d\nexec '%s' \"$@\"", int(sandbox.ReadyWithin/time.Second)+2, strings.Join(cmd.Args, "' '")))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	found, err := sandbox.FindTools(t.Context(), sandbox.Auto)
	if err != nil {
		t.Fatal(err)
	}
	lab, err := lab.Start(t.Context(), found, lab.Config{Dir: folder(t), Zones: []sandbox.ZoneConfig{{Name: "n1"}}, Behind: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	z := lab.Zone("n1")
	addPods(t, z, pod("n1", "a", "10.244.0.3")...)
	soon(t, "it is said to be late", func() bool {
		return slices.ContainsFunc(z.Faults(), func(f model.Fault) bool { return f.Text() == "ovs-vswitchd not up yet" })
	})
	sync1(t, z)
	if f := z.Faults(); len(f) > 0 {
		t.Errorf("still wrong: %v", f)
	}
}
