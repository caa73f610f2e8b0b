package flow

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/test/made"
)

const testDB = "unix:/var/run/ovn/ovnsb_db.sock"

// askOf is a good question, to be spoilt.
func askOf() PacketQuestion {
	return PacketQuestion{Zone: "n1", Datapath: "n1", Inport: "blue_api-0", EthSrc: "0A:58:0a:f4:01:03", EthDst: "0a:58:0a:f4:01:01",
		Src: netip.MustParseAddr("10.244.1.3"), Dst: netip.MustParseAddr("10.244.2.4"), Protocol: verdict.TCP, Port: 8080}
}

// What follows the fixed options are two arguments: the switch and the packet.
func TestCommand(t *testing.T) {
	const ends = `inport == "blue_api-0" && eth.src == 0a:58:0a:f4:01:03 && eth.dst == 0a:58:0a:f4:01:01 && `
	const v4 = ends + `ip4.src == 10.244.1.3 && ip4.dst == 10.244.2.4 && ip.ttl == 64 && `
	const v6 = ends + `ip6.src == fd01::3 && ip6.dst == fd01::4 && ip.ttl == 64 && `
	six := func(a *PacketQuestion) { a.Src, a.Dst = netip.MustParseAddr("fd01::3"), netip.MustParseAddr("fd01::4") }
	for _, c := range []struct {
		name string
		set  func(*PacketQuestion)
		want string
	}{
		{"tcp", func(*PacketQuestion) {}, v4 + "tcp && tcp.src == 40000 && tcp.dst == 8080"},
		{"udp", func(a *PacketQuestion) { a.Protocol, a.Port = verdict.UDP, 53 }, v4 + "udp && udp.src == 40000 && udp.dst == 53"},
		{"sctp over IPv6", func(a *PacketQuestion) { six(a); a.Protocol = verdict.SCTP }, v6 + "sctp && sctp.src == 40000 && sctp.dst == 8080"},
		{"icmp", func(a *PacketQuestion) { a.Protocol, a.Port = verdict.ICMP, 0 }, v4 + "icmp4.type == 8 && icmp4.code == 0"},
		{"icmp over IPv6", func(a *PacketQuestion) { six(a); a.Protocol, a.Port = verdict.ICMP, 0 }, v6 + "icmp6.type == 128 && icmp6.code == 0"},
		{"mapped", func(a *PacketQuestion) { a.Src = netip.MustParseAddr("::ffff:10.244.1.3") }, v4 + "tcp && tcp.src == 40000 && tcp.dst == 8080"},
	} {
		a := askOf()
		c.set(&a)
		got, err := a.CommandLine(testDB)
		want := append([]string{Program, "--db=" + testDB, "--no-leader-only", "--detailed"}, slices.Repeat([]string{"--ct=new"}, 8)...)
		if diff := cmp.Diff(append(want, "--", "n1", c.want), got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", c.name, err, diff)
		}
	}
}

// hostile is text that somebody may have put where a name or an address is expected.
var hostile = []string{"", "-", "--ovs", "--db=tcp:203.0.113.9:6642", `x" || 1 || inport == "y`, `x\`, "a b", "a\tb", "a\nb", "$(reboot)", "`reboot`", "a;b", "a|b",
	"a&&b", "a'b", "$as", "@pg", "{a}", "a=b", "a,b", "ä", "a\x00b", "\x1b[31m", strings.Repeat("a", 600)}

// Nothing hostile is passed on, wherever it stands.
func TestHostile(t *testing.T) {
	for where, set := range map[string]func(*PacketQuestion, string){
		"datapath": func(a *PacketQuestion, s string) { a.Datapath = s },
		"inport":   func(a *PacketQuestion, s string) { a.Inport = s },
		"eth.src":  func(a *PacketQuestion, s string) { a.EthSrc = s },
		"eth.dst":  func(a *PacketQuestion, s string) { a.EthDst = s },
		"protocol": func(a *PacketQuestion, s string) { a.Protocol = verdict.Protocol(s) },
		"source":   func(a *PacketQuestion, s string) { a.Src = netip.MustParseAddr("fe80::1").WithZone(s + "x") },
		"target":   func(a *PacketQuestion, s string) { a.Dst = netip.MustParseAddr("fe80::1").WithZone(s + "x") },
	} {
		for _, s := range hostile {
			a := askOf()
			set(&a, s)
			if cmd, err := a.CommandLine(testDB); !errors.Is(err, ErrUnsafe) {
				t.Errorf("%s %q: %q, %v", where, s, cmd, err)
			}
		}
	}
	for _, db := range append(hostile, "tcp:10.0.0.1:6642", "unix:relative", "unix:/a b", "unix:/a,unix:/b") {
		a := askOf()
		if cmd, err := a.CommandLine(db); !errors.Is(err, ErrUnsafe) {
			t.Errorf("database %q: %q, %v", db, cmd, err)
		}
	}
}

// FuzzCommand: whatever a name is, the command has the same shape: the options that are
// fixed, then two arguments, of which the first is the name and the second has it between
// its only quotes.
func FuzzCommand(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, s, s)
	}
	f.Add("n1", "blue_api-0", "0a:58:0a:f4:01:03")
	f.Fuzz(func(t *testing.T, datapath, inport, mac string) {
		a := askOf()
		a.Datapath, a.Inport, a.EthSrc = datapath, inport, mac
		cmd, err := a.CommandLine(testDB)
		if err != nil {
			return
		}
		n := len(cmd)
		if cmd[n-3] != "--" || cmd[n-2] != datapath || strings.HasPrefix(datapath, "-") || strings.Count(cmd[n-1], `"`) != 2 ||
			!strings.HasPrefix(cmd[n-1], `inport == "`+inport+`" && eth.src == `) || strings.Count(cmd[n-1], " && ") != 8 {
			t.Errorf("%q", cmd)
		}
	})
}

// zoneRows are the rows of a node as OVN-Kubernetes has them.
func zoneRows(zone, mgmt string, pods map[string]string) *nb.DB {
	var ch []nb.RowChange
	sw := &nb.LogicalSwitch{UUID: "sw", Name: zone}
	add := func(name, addresses string) {
		ch = append(ch, nb.RowChange{New: &nb.LogicalSwitchPort{UUID: "p" + name, Name: name, Addresses: []string{addresses}}})
		sw.Ports = append(sw.Ports, "p"+name)
	}
	add(nb.RouterPort(zone), "router")
	add(nb.ManagementPort(zone), mgmt)
	for name, addresses := range pods {
		add(name, addresses)
	}
	return (*nb.DB)(nil).Apply(append(ch, nb.RowChange{New: sw}))
}

// Each zone is asked about its part of the way, where the packet comes onto its switch.
func TestPlan(t *testing.T) {
	pod := func(at, node, ip string) *model.Pod {
		p := made.Pod(at, "", ip)
		p.NodeName = node
		return p
	}
	host := pod("kube/host", "n1", "172.18.0.2")
	host.HostNetwork = true
	n1, n2 := made.Node("n1", "", "172.18.0.2"), made.Node("n2", "", "172.18.0.3")
	n1.MgmtIPs, n2.MgmtIPs = []string{"10.244.1.2"}, []string{"10.244.2.2"}
	c, _ := (*model.Cluster)(nil).Upsert([]model.Object{n1, n2, made.NS("a", ""), made.NS("kube", ""),
		pod("a/x", "n1", "10.244.1.3"), pod("a/y", "n1", "10.244.1.4"), pod("a/z", "n2", "10.244.2.3"), pod("a/new", "n1", "10.244.1.9"), host}, nil)
	rows := map[string]*nb.DB{
		"n1": zoneRows("n1", "0a:58:0a:f4:01:02 10.244.1.2 fd01::2", map[string]string{"a_x": "0a:58:0a:f4:01:03 10.244.1.3", "a_y": "02:00:00:00:00:01 10.244.1.4"}),
		"n2": zoneRows("n2", "0a:58:0a:f4:02:02 10.244.2.2", map[string]string{"a_z": "0a:58:0a:f4:02:03 10.244.2.3"}),
	}
	const r1, r2 = "0a:58:0a:f4:01:01", "0a:58:0a:f4:02:01"
	x := verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true}})
	for _, tt := range []struct {
		from, to verdict.Endpoint
		want     []string // zone, switch, port, hardware addresses
		why      string
	}{
		{verdict.PodEnd("a", "x"), verdict.PodEnd("a", "y"), []string{"n1 n1 a_x 0a:58:0a:f4:01:03 02:00:00:00:00:01"}, ""},
		{verdict.PodEnd("a", "x"), verdict.PodEnd("a", "z"), []string{"n1 n1 a_x 0a:58:0a:f4:01:03 " + r1, "n2 n2 stor-n2 " + r2 + " 0a:58:0a:f4:02:03"}, ""},
		{verdict.PodEnd("a", "x"), verdict.AddrEnd(netip.MustParseAddr("8.8.8.8")), []string{"n1 n1 a_x 0a:58:0a:f4:01:03 " + r1}, ""},
		{verdict.AddrEnd(netip.MustParseAddr("8.8.8.8")), verdict.PodEnd("a", "z"), []string{"n2 n2 stor-n2 " + r2 + " 0a:58:0a:f4:02:03"}, ""},
		{verdict.NodeEnd("n1"), verdict.PodEnd("a", "x"), []string{"n1 n1 k8s-n1 0a:58:0a:f4:01:02 0a:58:0a:f4:01:03"}, ""},
		{verdict.PodEnd("kube", "host"), verdict.PodEnd("a", "x"), []string{"n1 n1 k8s-n1 0a:58:0a:f4:01:02 0a:58:0a:f4:01:03"}, ""},
		{verdict.PodEnd("a", "x"), verdict.NodeEnd("n1"), []string{"n1 n1 a_x 0a:58:0a:f4:01:03 " + r1}, ""},
		{verdict.PodEnd("a", "x"), verdict.PodEnd("a", "new"), nil, "ovn-trace cannot be asked: zone n1: no logical port a_new"},
		{verdict.PodEnd("a", "x"), verdict.AddrEnd(netip.MustParseAddr("239.1.1.1")), nil, "ovn-trace cannot be asked about a multicast group"},
	} {
		q := verdict.Connection{From: tt.from, To: tt.to, Protocol: verdict.TCP, Port: 80}
		answer, err := verdict.FromPolicies(x, q)
		if err != nil {
			t.Fatal(err)
		}
		asks, err := PlanQuestions(c, &answer.Paths[0], q.Protocol, func(zone string) *nb.DB { return rows[zone] })
		var got []string
		for _, a := range asks {
			got = append(got, strings.Join([]string{a.Zone, a.Datapath, a.Inport, a.EthSrc, a.EthDst}, " "))
			if _, err := a.CommandLine(testDB); err != nil {
				t.Errorf("%s: %v", q, err)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil || tt.why != "") && (!errors.Is(err, ErrNotTraced) || err.Error() != tt.why) {
			t.Errorf("%s: %v\n%s", q, err, diff)
		}
	}
	if _, err := PlanQuestions(c, &verdict.Path{From: verdict.End{Endpoint: verdict.PodEnd("a", "x"), Zone: "n3"}}, verdict.TCP, func(string) *nb.DB { return nil }); !errors.Is(err, ErrNotTraced) {
		t.Errorf("of a zone that was not read: %v", err)
	}
}
