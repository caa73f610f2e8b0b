package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every packet is recognised by the number it was made with, and by no other.
func TestRecognise(t *testing.T) {
	v4, v6 := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("fd00::1")
	mac := groupMAC(netip.MustParseAddr("239.1.2.3"))
	for _, p := range []Packet{
		{Proto: TCP}, {Proto: TCP, Flags: SYN | ACK, Seq: 5, Ack: 7}, {Proto: UDP}, {Proto: ICMP}, {Proto: ICMP, Reply: true},
		{Proto: SCTP}, {Proto: SCTP, Chunk: SCTPInitAck}, {Proto: SCTP, Chunk: SCTPCookieEcho},
	} {
		for _, a := range []netip.Addr{v4, v6} {
			p.Src, p.Dst = a, a.Next()
			const id = 0xdeadbeef
			b, err := p.frameBytes(mac, mac, id)
			if err != nil {
				t.Fatal(err)
			}
			if got, kind := recogniseFrame(b); got != id || kind != marked {
				t.Errorf("%+v: %x, %v", p, got, kind)
			}
			for n := range b {
				recogniseFrame(b[:n]) // cut anywhere
			}
		}
	}
	if _, err := (&Packet{Src: v4, Dst: v6, Proto: UDP}).frameBytes(mac, mac, 1); err == nil {
		t.Error("a packet of two families")
	}
	if _, err := (&Packet{Src: v4, Dst: v4}).frameBytes(mac, mac, 1); err == nil {
		t.Error("a packet of no protocol")
	}
}

// answer is a router's to a packet whose time to live ended, with what it quotes.
func answer(quoted []byte) []byte {
	b := append(make([]byte, 12), 0x08, 0x00, 0x45)
	b = append(b, make([]byte, 19)...)
	b[14+9] = protoICMP
	return append(append(b, 11, 0, 0, 0, 0, 0, 0, 0), quoted...)
}

func TestRecogniseAnswer(t *testing.T) {
	p := Packet{Src: OutsideV4, Dst: ElsewhereV4, Proto: UDP, SrcPort: 0xdead, DstPort: 1}
	f, err := p.frameBytes(make([]byte, 6), make([]byte, 6), 0xbeef)
	if err != nil {
		t.Fatal(err)
	}
	b := answer(f[14:])
	if id, kind := recogniseFrame(b); id != 0xdeadbeef || kind != expired {
		t.Errorf("%x, %v", id, kind)
	}
	for n := range b {
		recogniseFrame(b[:n]) // cut anywhere
	}
}

func FuzzRecognise(f *testing.F) {
	p := Packet{Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2"), Proto: SCTP}
	b, err := p.frameBytes(make([]byte, 6), make([]byte, 6), 7)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(answer(b[14:]))
	f.Fuzz(func(t *testing.T, b []byte) {
		if id, kind := recogniseFrame(b); kind == foreignFrame && id != 0 {
			t.Errorf("a strange frame has the number %d", id)
		}
	})
}

// stream is a pcap stream of frames, with a header before each of some.
func stream(frames ...string) []byte {
	var b []byte
	for i, f := range frames {
		if i%2 == 0 {
			b = binary.NativeEndian.AppendUint32(b, pcapMagic)
			b = append(b, make([]byte, pcapHeader-4)...)
		}
		b = append(b, make([]byte, 8)...)
		b = binary.NativeEndian.AppendUint32(b, uint32(len(f)))
		b = binary.NativeEndian.AppendUint32(b, uint32(len(f)))
		b = append(b, f...)
	}
	return b
}

// However the stream is cut, the frames are those that were written.
func TestReadPcap(t *testing.T) {
	want := []string{"one", "", "three", "four"}
	all := stream(want...)
	for size := 1; size <= len(all); size++ {
		var got []string
		var left []byte
		for rest := all; len(rest) > 0; {
			n := min(size, len(rest))
			var ok bool
			left, ok = readPcap(append(left, rest[:n]...), func(f []byte) { got = append(got, string(f)) })
			if !ok {
				t.Fatal("no pcap")
			}
			left = bytes.Clone(left)
			rest = rest[n:]
		}
		if diff := cmp.Diff(want, got); diff != "" || len(left) > 0 {
			t.Fatalf("in parts of %d: %s, left %d", size, diff, len(left))
		}
	}
	if _, ok := readPcap(bytes.Repeat([]byte{0xff}, 40), func([]byte) { t.Error("a frame of nonsense") }); ok {
		t.Error("nonsense is a pcap")
	}
}

func FuzzReadPcap(f *testing.F) {
	f.Add(stream("one", "two"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		rest, _ := readPcap(b, func(frame []byte) { n += len(frame) })
		if n+len(rest) > len(b) {
			t.Errorf("%d bytes of %d", n+len(rest), len(b))
		}
	})
}

func TestReadReceived(t *testing.T) {
	got := readReceived("dummy@ovs-dummy:\n  lookups: hit:0\n  port 0: ovs-dummy (dummy-internal)\n    RX packets:0 errors:?\n    TX packets:3\n" +
		"  port 2: p1 (dummy)\n    RX packets:17 errors:? dropped:?\n    RX bytes:0  TX bytes:0\n  port 3: p2 (dummy)\n    RX packets:x\n")
	if diff := cmp.Diff(map[string]uint64{"ovs-dummy": 0, "p1": 17}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCookies(t *testing.T) {
	got := flowCookies("Flow: udp\n 0. in_port=1, priority 100, cookie 0xf8c070b3\n    resubmit(,8)\n27. metadata=0x1, priority 0, cookie 0x5ce2e1d\n" +
		"64. priority 0\nDatapath actions: userspace(rule_cookie=0x6cace225)\n")
	if diff := cmp.Diff([]string{"f8c070b3", "05ce2e1d"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReadVersion(t *testing.T) {
	for out, want := range map[string]string{
		"ovn-northd 25.03.0\nOpen vSwitch Library 3.5.0\n": "25.03.0 3.5.0",
		"ovn-northd 23.06.3\n":                             "23.06.3 ",
		"ovn-northd 24.03\n":                               "24.03 ",
		"ovn-northd 23.03.1\nOpen vSwitch Library 3.1.0\n": "too old",
		"hello\n": "none",
	} {
		var tools Tools
		err := tools.readVersion(out)
		got := tools.Version + " " + tools.OVS
		if errors.Is(err, ErrTooOld) {
			got = "too old"
		} else if err != nil {
			got = "none"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

// Links lead where chroot(2) would lead, never out of the root.
func TestInside(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"usr/bin", "etc"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "usr/bin/real"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"bin": "usr/bin", "etc/alt": "/usr/bin/real", "usr/bin/prog": "/etc/alt",
		"etc/up": "../../../../usr/bin/real", "etc/loop": "loop", "etc/out": "/root"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"bin/real": "usr/bin/real", "bin/prog": "usr/bin/real", "etc/up": "usr/bin/real",
		"etc/loop": "", "etc/out": "", "none": "", "../usr/bin/real": "usr/bin/real"} {
		got, err := resolveInside(root, path)
		if want == "" && err == nil || want != "" && got != filepath.Join(root, want) {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
}

// What is missing is said in one line.
func TestFindMissing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	_, err := FindTools(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), "missing ovn-northd, ovn-controller, ovs-vswitchd, ovsdb-server, ovn-nb.ovsschema") ||
		strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
	if _, err := FindTools(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := FindTools(t.Context(), filepath.Join(dir, "file")); err == nil {
		t.Error("a file is no folder")
	}
}

// A network for a strange pod takes an address that nobody has.
func TestRoom(t *testing.T) {
	a := netip.MustParseAddr("172.20.1.7")
	taken := map[netip.Addr]string{netip.MustParseAddr("172.20.1.254"): ""}
	if got := networkAround(a, taken).String(); got != "172.20.1.253/24" {
		t.Error(got)
	}
	if got := networkAround(netip.MustParseAddr("fd00::7"), nil).String(); got != "fd00::fe/64" {
		t.Error(got)
	}
}

// Whatever a server says, the replica and what reads its rows do not panic.
func FuzzApply(f *testing.F) {
	f.Add([]byte(`{"Interface":{"u1":{"new":{"name":"p1","ofport":3,"external_ids":["map",[["iface-id","ns_a"]]],"addresses":["set",["a","b"]]}},"u2":{}}}`))
	f.Add([]byte(`{"Interface":{"u1":{"old":{},"new":{"name":["set",[]],"external_ids":["map",[["x"]]],"up":["set",[true]]}}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newReplica("", "", nil)
		r.applyUpdate(b, true)
		r.applyUpdate(b, false)
		tables, _, _ := r.currentRows("Interface")
		for _, row := range tables[0] {
			for column := range row {
				row.stringAt(column)
				row.stringsAt(column)
				row.mapAt(column)
				row.intAt(column)
				row.boolAt(column)
			}
		}
		if _, err := readResults("db", b); err == nil && !bytes.Contains(b, []byte("[")) && !bytes.Contains(b, []byte("null")) {
			t.Errorf("%q is an answer", b)
		}
		flowCookies(string(b))
		readReceived(string(b))
	})
}
