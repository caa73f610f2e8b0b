//go:build unix

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/test/install"
)

// mortalOVN is what TestDeathOnOVN kills: zones on OVN that say their processes' ids.
func mortalOVN() {
	ctx := context.Background()
	tools, err := FindTools(ctx, os.Getenv(install.OVNVar))
	if err == nil {
		var s *Sandbox
		if s, err = Start(ctx, Config{Zones: []string{"a"}, OVN: tools, OVNOnly: true}); err == nil {
			z := s.labZones()["a"].zone
			if err = z.WaitReady(ctx); err == nil {
				fmt.Print(s.Dir())
				for _, d := range z.Daemons() {
					fmt.Print(" ", d.Pid)
				}
				fmt.Println()
				time.Sleep(time.Hour)
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// SIGKILL leaves no process of OVN behind, and the folders of its zones go at the next
// start; those of a folder where none ran stay.
func TestDeathOnOVN(t *testing.T) {
	install.OVN(t, FindTools)
	base, dir := killed(t, "ovn", 6)
	if _, err := os.Stat(filepath.Join(dir, "z0", "nb.db")); err != nil {
		t.Error(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", base)
	f, err := openFolder("")
	if err != nil {
		t.Fatal(err)
	}
	defer f.removeFiles()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the dead instance's folder is still there: %v", err)
	}
}

// Only where zones ran on OVN are folders of its zones removed.
func TestFoldersOfOVN(t *testing.T) {
	for mark, want := range map[string]string{"": "rung-sandbox z0", labMark + "\n": "rung-sandbox"} {
		dir := shortDir(t)
		zone := filepath.Join(dir, "z0")
		if err := os.MkdirAll(zone, 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, zone, "nb.db", "p3.pcap")
		if err := os.WriteFile(filepath.Join(dir, markName), []byte(markHead+"\n"+mark), 0o600); err != nil {
			t.Fatal(err)
		}
		sweepFolder(dir)
		if got := listing(t, dir); got != want {
			t.Errorf("mark %q: left %q, want %q", mark, got, want)
		}
	}
}

// An OVN that does not start leaves the zones as they are without it, unless it is the
// one that was asked for.
func TestOVNThatDoesNotStart(t *testing.T) {
	broken := &Tools{Version: "25.03.0"} // without schemas
	cfg := Config{Zones: []string{"a"}, Server: ServerBuiltin, Dir: shortDir(t), OVN: broken}
	s, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if s.OVN() != "" || s.WithoutOVN() == nil || s.Describe() != ServerBuiltin {
		t.Errorf("on OVN %q, without for %v, %s", s.OVN(), s.WithoutOVN(), s.Describe())
	}
	s.Close()
	cfg.OVNOnly = true
	if s, err := Start(t.Context(), cfg); err == nil {
		s.Close()
		t.Error("it starts without the OVN that was asked for")
	}
}

func TestSubnets(t *testing.T) {
	for mgmt, want := range map[string]string{"10.244.1.2": "10.244.1.0/24", "10.128.2.2": "10.128.2.0/24", "10.1.1.130": "10.1.1.128/25",
		"fd01:0:0:2::2": "fd01:0:0:2::/64", "10.1.1.9": ""} {
		got, ok := guessSubnet(netip.MustParseAddr(mgmt))
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s: %s, %v", mgmt, got, ok)
		}
	}
	s := &Sandbox{cfg: Config{Node: func(string) *model.Node {
		return &model.Node{MgmtIPs: []string{"10.244.7.2", "fd01:0:0:7::2"}, InternalIPs: []string{"172.18.0.3", "bad"}}
	}}}
	if c := s.labConfig("n", 3); fmt.Sprint(c.Subnets, c.Host) != "[10.244.7.0/24 fd01:0:0:7::/64] [172.18.0.3]" {
		t.Errorf("%+v", c)
	}
	s.cfg.Zones, s.cfg.PodSubnets = []string{"n"}, func() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("10.128.0.0/14")} }
	if c := s.labConfig("n", 3); fmt.Sprint(c.Cluster) != "[10.128.0.0/14 10.244.0.0/16 fd01::/48]" {
		t.Errorf("a node without subnets: %v", c.Cluster)
	}
	s.cfg.Node = func(string) *model.Node {
		return &model.Node{MgmtIPs: []string{"10.128.4.2"}, Subnets: []string{"10.128.4.0/23"}}
	}
	if c := s.labConfig("n", 3); fmt.Sprint(c.Subnets, c.Cluster) != "[10.128.4.0/23] [10.128.0.0/14]" {
		t.Errorf("a node with its subnet: %v, all %v", c.Subnets, c.Cluster)
	}
}

// A log is read by whole lines of ACLs, and emptied when it was read and is long.
func TestLogTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write := func(s string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	var l logTail
	read := func() { l.readOn(path, func(line string) { got = append(got, line) }) }
	read() // not there yet
	write("x|main|INFO|up\nx|acl_log(ovn_pinctrl0)|INFO|one\nx|acl_log(ovn_pinctrl0)|IN")
	read()
	write("FO|two\n")
	read()
	if want := "x|acl_log(ovn_pinctrl0)|INFO|one x|acl_log(ovn_pinctrl0)|INFO|two"; strings.Join(got, " ") != want {
		t.Errorf("%q", got)
	}
	got = nil
	long := strings.Repeat("y", 99) + "\n"
	for range longLog/len(long) + 2 {
		write(long)
	}
	for range 3 {
		read()
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() != 0 {
		t.Errorf("the log has %v bytes, %v", fi.Size(), err)
	}
	write("x|acl_log(ovn_pinctrl0)|INFO|three\n")
	read()
	if len(got) != 1 || !strings.HasSuffix(got[0], "three") {
		t.Errorf("%q", got)
	}
}
