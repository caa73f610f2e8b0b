package flows_test

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/acllog"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/lab"
)

// node is one zone of OVN with a few pods and a port group of them.
type node struct {
	*sandbox.Zone
	t     *testing.T
	tools *sandbox.Tools
	pods  []pod
	read  int64 // of the log
	// thread of ovn-controller wrote the last line that was counted.
	thread string
	left   string
}

type pod struct {
	lport  string
	v4, v6 netip.Addr
}

const (
	group   = "lines"
	shared  = "shared-meter" // one that all its ACLs share
	unbound = 1_000_000      // lines a second
	podsOn  = 4
)

// alone starts a zone whose fair meter lets so many lines a second of an ACL through.
func alone(t *testing.T, rate int) *node {
	t.Helper()
	n := &node{t: t, tools: install.OVN(t, sandbox.FindTools)}
	dir, err := os.MkdirTemp("", "l") // short: sockets have to fit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		sandbox.RemoveLeftover(dir)
		if err := os.Remove(dir); err != nil {
			t.Errorf("the lab left something: %v", err)
		}
	})
	lab, err := lab.Start(t.Context(), n.tools, lab.Config{Dir: dir, Zones: []sandbox.ZoneConfig{{Name: "n", MeterRate: rate,
		Subnets: []netip.Prefix{netip.MustParsePrefix("10.244.0.0/24"), netip.MustParsePrefix("fd01::/64")}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	n.Zone = lab.Zone("n")
	db, err := nbdb.Dial(nbdb.Config{Addr: n.NB(), AnyName: true}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ops []nb.Op
	var ports []nb.Ref
	for i := range podsOn {
		p := pod{fmt.Sprint("pod", i), netip.AddrFrom4([4]byte{10, 244, 0, byte(10 + i)}), netip.MustParseAddr(fmt.Sprintf("fd01::%d", 10+i))}
		ops = append(ops, sandbox.PodPortOp(p.lport, "n", p.lport, "ns", "uid-"+p.lport, fmt.Sprint(sandbox.DeriveMAC(p.v4.String(), ""), " ", p.v4, " ", p.v6)))
		ports = append(ports, nb.Ref{Name: p.lport})
		n.pods = append(n.pods, p)
	}
	ops = append(ops, sandbox.InsertOp(nb.TablePortGroup, "", map[string]any{"name": group, "ports": ports}),
		sandbox.InsertOp(nb.TableMeterBand, "wide", map[string]any{"action": "drop", "rate": unbound, "burst_size": 0}),
		sandbox.InsertOp(nb.TableMeter, "", map[string]any{"name": shared, "unit": "pktps", "bands": sandbox.NamedRefs("wide")}),
		nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: db.SwitchByName("n").UUID, Mutations: []nb.Mutation{{Column: "ports", Insert: true, Refs: ports}}})
	if err := n.Transact(t.Context(), ops...); err != nil {
		t.Fatal(err)
	}
	return n
}

// sync waits until the rows decide about packets.
func (n *node) sync() {
	n.t.Helper()
	ctx, cancel := bounded(n.t)
	defer cancel()
	if _, err := n.WaitSynced(ctx); err != nil {
		n.t.Fatal(err)
	}
}

// longLog is where the log is emptied, as who follows it does.
const longLog = 32 << 20

// written are the whole lines that ovn-controller wrote since the last call.
func (n *node) written() []string {
	n.t.Helper()
	b, err := tail(n.LogFile(), n.read)
	if err != nil {
		n.t.Fatal(err)
	}
	n.read += int64(len(b))
	text := n.left + string(b)
	end := strings.LastIndexByte(text, '\n') + 1
	n.left = text[end:]
	if n.read > longLog && n.left == "" {
		if err := os.Truncate(n.LogFile(), 0); err != nil {
			n.t.Fatal(err)
		}
		n.read = 0
	}
	return slices.Collect(strings.Lines(text[:end]))
}

func tail(path string, from int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || fi.Size() <= from {
		return nil, err
	}
	b := make([]byte, fi.Size()-from)
	_, err = f.ReadAt(b, from)
	return b, err
}

// aclLines reads lines as the product does; those of other modules are left out.
func aclLines(t *testing.T, lines []string) (out []logline.Line) {
	t.Helper()
	for _, line := range lines {
		if l, err := acllog.Parse(line); err == nil {
			out = append(out, l)
		} else if strings.Contains(line, "acl_log") {
			t.Fatalf("unread: %v: %s", err, words.CleanText(line))
		}
	}
	return out
}

// meter is what the datapath counted at the meter of an ACL.
type meter struct{ in, dropped int }

var (
	meterIn   = regexp.MustCompile(`packet_in_count:(\d+)`)
	meterDrop = regexp.MustCompile(`(?s)bands:.*packet_count:(\d+)`)
	meterID   = regexp.MustCompile(`^(\S+?):? +(\d+)`)
)

// metered asks ovs-vswitchd for the meter that ovn-controller made of a name.
func (n *node) metered(name string) meter {
	n.t.Helper()
	list, err := n.Control(n.t.Context(), sandbox.Controller, "meter-table-list")
	if err != nil {
		n.t.Fatal(err)
	}
	id := ""
	for line := range strings.Lines(list) {
		if m := meterID.FindStringSubmatch(line); m != nil && strings.TrimSuffix(m[1], ":") == name {
			id = m[2]
		}
	}
	if id == "" {
		n.t.Fatalf("no meter %s in %s", name, list)
	}
	cmd, err := n.tools.CommandContext(n.t.Context(), "ovs-ofctl", "-O", "OpenFlow15", "meter-stats",
		"unix:"+filepath.Join(filepath.Dir(n.LogFile()), "br-int.mgmt"), "meter="+id)
	if err != nil {
		n.t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		n.t.Fatalf("%v: %s", err, out)
	}
	number := func(re *regexp.Regexp) int {
		m := re.FindSubmatch(out)
		if m == nil {
			n.t.Fatalf("no %s in %s", re, out)
		}
		v, _ := strconv.Atoi(string(m[1]))
		return v
	}
	return meter{number(meterIn), number(meterDrop)}
}
