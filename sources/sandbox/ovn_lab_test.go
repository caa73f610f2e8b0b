package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/sources/acllog"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/lab"
	"rung/test/wait"
)

const childEnv = "RUNG_TEST_OVN_CHILD"

func init() {
	if dir := os.Getenv(childEnv); dir != "" {
		sandbox.RunAsChild(func() {
			if err := doomed(dir); err != nil {
				fmt.Println(err)
			}
			os.Exit(0)
		})
	}
}

// doomed starts a zone, prints its processes and waits for its end.
func doomed(dir string) error {
	ctx := context.Background()
	tools, err := sandbox.FindTools(ctx, os.Getenv(install.OVNVar))
	if err != nil {
		return err
	}
	lab, err := lab.Start(ctx, tools, lab.Config{Dir: dir, Zones: []sandbox.ZoneConfig{{Name: "n1"}}})
	if err != nil {
		return err
	}
	fmt.Print("pids")
	for _, d := range lab.Zone("n1").Daemons() {
		fmt.Print(" ", d.Pid)
	}
	fmt.Println()
	time.Sleep(time.Hour)
	return nil
}

// folder is a private folder with a short name: sockets have to fit.
func folder(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "o")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		sandbox.RemoveLeftover(dir)
		if err := os.Remove(dir); err != nil {
			tb.Errorf("the lab left something: %v", err)
		}
	})
	return dir
}

func start(tb testing.TB, cfg lab.Config) *lab.Lab {
	tb.Helper()
	tools := install.OVN(tb, sandbox.FindTools)
	cfg.Dir = folder(tb)
	lab, err := lab.Start(tb.Context(), tools, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(lab.Close)
	return lab
}

func sync1(tb testing.TB, z *sandbox.Zone) sandbox.ZoneProgress {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), wait.Patience)
	defer cancel()
	p, err := z.WaitSynced(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// pod is a pod's row, and its place on the node's switch.
func pod(zone, name string, ips ...string) []nb.Op {
	id := strings.NewReplacer("-", "_", ".", "_").Replace(name)
	address := strings.Join(append([]string{sandbox.DeriveMAC(ips[0], "")}, ips...), " ")
	return []nb.Op{sandbox.PodPortOp(id, zone, nb.PortName("ns", name), "ns", "uid-"+name, address)}
}

// read is the rows of the zone's Northbound database, by ovn-nbctl's own means.
func uuid(tb testing.TB, z *sandbox.Zone, table, column, value string) string {
	tb.Helper()
	cmd, err := install.OVN(tb, sandbox.FindTools).CommandContext(tb.Context(), "ovn-nbctl", "--db="+z.NB(), "--bare", "--columns=_uuid", "find", table, column+"="+value)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func addPods(tb testing.TB, z *sandbox.Zone, ops ...nb.Op) {
	tb.Helper()
	var refs []nb.Ref
	for _, op := range ops {
		refs = append(refs, nb.Ref{Name: op.UUIDName})
	}
	ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: uuid(tb, z, nb.TableSwitch, "name", z.Name()),
		Mutations: []nb.Mutation{{Column: "ports", Insert: true, Refs: refs}}})
	if err := z.Transact(tb.Context(), ops...); err != nil {
		tb.Fatal(err)
	}
}

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func send(tb testing.TB, z *sandbox.Zone, packets ...sandbox.Packet) []sandbox.PacketOutcome {
	tb.Helper()
	out, err := z.Send(tb.Context(), packets)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// logLines are the ACL lines that ovn-controller has written.
func logLines(tb testing.TB, z *sandbox.Zone) []logline.Line {
	tb.Helper()
	if err := z.WaitLogged(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	text, err := os.ReadFile(z.LogFile())
	if err != nil {
		tb.Fatal(err)
	}
	var out []logline.Line
	for line := range strings.Lines(string(text)) {
		l, err := acllog.Parse(line)
		if errors.Is(err, acllog.ErrNotACL) {
			continue
		}
		if err != nil {
			tb.Errorf("%v: %s", err, line)
		}
		out = append(out, l)
	}
	return out
}

func twoPods(tb testing.TB, cfg sandbox.ZoneConfig) *sandbox.Zone {
	cfg.Name = "n1"
	cfg.Subnets = []netip.Prefix{netip.MustParsePrefix("10.244.1.0/24"), netip.MustParsePrefix("fd01:0:0:1::/64")}
	lab := start(tb, lab.Config{Zones: []sandbox.ZoneConfig{cfg}})
	z := lab.Zone("n1")
	addPods(tb, z, append(pod("n1", "a", "10.244.1.3", "fd01:0:0:1::3"), pod("n1", "b", "10.244.1.4", "fd01:0:0:1::4")...)...)
	p := sync1(tb, z)
	if p.HV < 1 || p.SB < p.HV {
		tb.Fatalf("progress %+v", p)
	}
	return z
}

// A pod without a UID has an empty version in its row, and gets its port bound.
func TestPodWithoutUID(t *testing.T) {
	z := twoPods(t, sandbox.ZoneConfig{})
	addPods(t, z, sandbox.PodPortOp("c", "n1", nb.PortName("ns", "c"), "ns", "", sandbox.DeriveMAC("10.244.1.5", "")+" 10.244.1.5"))
	sync1(t, z)
}

// Behind the rows of a zone comes the rest of it, and it may end before.
func TestBehind(t *testing.T) {
	tools := install.OVN(t, sandbox.FindTools)
	for _, wait := range []bool{true, false} {
		lab, err := lab.Start(t.Context(), tools, lab.Config{Dir: folder(t), Behind: true, Zones: []sandbox.ZoneConfig{{Name: "n1"}}})
		if err != nil {
			t.Fatal(err)
		}
		z := lab.Zone("n1")
		if db, err := nbdb.Dial(nbdb.Config{Addr: z.NB(), AnyName: true}).Read(t.Context()); err != nil || db.Global() == nil || db.SwitchByName("n1") == nil {
			t.Errorf("the first rows are not there: %v", err)
		}
		if wait {
			if err := z.WaitReady(t.Context()); err != nil {
				t.Error(err)
			}
			for _, d := range z.Daemons() {
				if d.State != sandbox.Running || d.Pid == 0 {
					t.Errorf("%+v", d)
				}
			}
			sync1(t, z)
		}
		lab.Close()
		for _, d := range z.Daemons() {
			if d.Pid != 0 {
				t.Errorf("still there: %+v", d)
			}
		}
	}
}

// Every protocol and family goes from pod to pod, to another zone, to the outside, to
// the node, and back in.
func TestDelivery(t *testing.T) {
	host := addr("192.168.7.7")
	z := twoPods(t, sandbox.ZoneConfig{Host: []netip.Addr{host}})
	// Rung's own client reads the database as one of OVN-Kubernetes'.
	db, err := nbdb.Dial(nbdb.Config{Addr: z.NB(), AnyName: true}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sw := db.SwitchByName("n1"); sw == nil || len(sw.Ports) != 4 || db.Global().Name != "n1" || db.PortByName("ns_a") == nil {
		t.Errorf("the Northbound database has %d rows, switch %+v", db.Len(), sw)
	}
	type hop struct {
		name, in, src, dst string
		want               string
	}
	far := map[bool]string{true: "10.244.9.9", false: "fd01:0:0:9::9"}
	out := map[bool]string{true: "198.51.100.1", false: "2001:db8::1"}
	for _, fam := range []struct{ a, b, node string }{{"10.244.1.3", "10.244.1.4", "10.244.1.2"}, {"fd01:0:0:1::3", "fd01:0:0:1::4", "fd01:0:0:1::2"}} {
		is4 := addr(fam.a).Is4()
		hops := []hop{
			{"pod to pod", "ns_a", fam.a, fam.b, "ns_b"},
			{"pod to another zone", "ns_a", fam.a, far[is4], z.ElsewherePort()},
			{"pod to outside", "ns_a", fam.a, out[is4], z.OutsidePort()},
			{"pod to node", "ns_a", fam.a, fam.node, z.NodePort()},
			{"node to pod", z.NodePort(), fam.node, fam.b, "ns_b"},
			{"another zone to pod", z.ElsewherePort(), far[is4], fam.b, "ns_b"},
			{"outside to pod", z.OutsidePort(), out[is4], fam.b, "ns_b"},
		}
		if is4 {
			hops = append(hops, hop{"pod to the node's own address", "ns_a", fam.a, host.String(), z.NodePort()})
		}
		for proto, name := range map[sandbox.PacketProto]string{sandbox.TCP: "tcp", sandbox.UDP: "udp", sandbox.SCTP: "sctp", sandbox.ICMP: "icmp"} {
			var packets []sandbox.Packet
			for i, h := range hops {
				packets = append(packets, sandbox.Packet{EntryPort: h.in, Src: addr(h.src), Dst: addr(h.dst), Proto: proto, SrcPort: uint16(1000 + i), DstPort: 80})
			}
			for _, p := range packets {
				if _, text, err := z.Trace(t.Context(), p, sandbox.StateFirst); err != nil || !strings.Contains(text, "output:") {
					t.Errorf("%s v4=%v from %s: %v\n%s", name, is4, p.EntryPort, err, text)
				}
			}
			for i, o := range send(t, z, packets...) {
				if diff := cmp.Diff([]string{hops[i].want}, o.Ports); diff != "" {
					t.Errorf("%s v4=%v %s: (-want +got)\n%s", name, is4, hops[i].name, diff)
				}
			}
		}
	}
	if got := send(t, z, sandbox.Packet{EntryPort: "ns_a", Src: addr("10.244.1.3"), Dst: addr("239.1.1.1"), Proto: sandbox.UDP, SrcPort: 1, DstPort: 2}); !got[0].Delivered("ns_b") {
		t.Errorf("multicast came out at %v", got[0].Ports)
	}
	if _, err := z.Send(t.Context(), []sandbox.Packet{{EntryPort: "ns_none", Src: host, Dst: host, Proto: sandbox.UDP}}); !errors.Is(err, sandbox.ErrNoPort) {
		t.Errorf("an unknown port: %v", err)
	}
}

// acl is an ACL on a group that holds the pod.
func acl(tb testing.TB, z *sandbox.Zone, lport string, acls ...map[string]any) {
	tb.Helper()
	var ops []nb.Op
	var refs []string
	for i, row := range acls {
		id := "acl" + strconv.Itoa(i)
		refs = append(refs, id)
		row["meter"] = nb.LoggingMeter
		ops = append(ops, sandbox.InsertOp(nb.TableACL, id, row))
	}
	ops = append(ops, sandbox.InsertOp(nb.TablePortGroup, "", map[string]any{"name": "pg", "acls": sandbox.NamedRefs(refs...),
		"ports": []nb.Ref{{UUID: uuid(tb, z, nb.TablePort, "name", lport)}}}))
	if err := z.Transact(tb.Context(), ops...); err != nil {
		tb.Fatal(err)
	}
	sync1(tb, z)
}

// The first tier decides, whatever the second says; ovn-controller says so.
func TestACLsOfTwoTiers(t *testing.T) {
	z := twoPods(t, sandbox.ZoneConfig{MeterRate: 1000})
	acl(t, z, "ns_b",
		map[string]any{"priority": 1000, "tier": 1, "direction": nb.ToLport, "action": nb.ActionDrop, "match": "outport == @pg && ip4 && tcp.dst == 81",
			"log": true, "name": "ANP:deny:Ingress:0", "severity": "alert"},
		map[string]any{"priority": 900, "tier": 1, "direction": nb.ToLport, "action": nb.ActionPass, "match": "outport == @pg && ip4 && tcp",
			"log": true, "name": "ANP:pass:Ingress:1", "severity": "info"},
		map[string]any{"priority": 2000, "tier": 2, "direction": nb.ToLport, "action": nb.ActionAllowRelated, "match": "outport == @pg && ip4 && tcp",
			"log": true, "name": "NP:ns:allow:Ingress:0", "severity": "debug"})
	packet := func(port uint16) sandbox.Packet {
		return sandbox.Packet{EntryPort: "ns_a", Src: addr("10.244.1.3"), Dst: addr("10.244.1.4"), Proto: sandbox.TCP, SrcPort: 40000 + port, DstPort: port}
	}
	got := send(t, z, packet(80), packet(81))
	if !got[0].Delivered("ns_b") || len(got[1].Ports) > 0 {
		t.Errorf("delivered at %v", got)
	}
	// The answer of a connection that was let in needs no rule of its own; its third
	// packet finds it established.
	answer := sandbox.Packet{EntryPort: "ns_b", Src: addr("10.244.1.4"), Dst: addr("10.244.1.3"), Proto: sandbox.TCP, SrcPort: 80, DstPort: 40080, Flags: sandbox.SYN | sandbox.ACK, Ack: 1}
	if got := send(t, z, answer); !got[0].Delivered("ns_a") {
		t.Errorf("the answer came out at %v", got[0].Ports)
	}
	third := packet(80)
	third.Flags, third.Seq, third.Ack = sandbox.ACK, 1, 1
	if got := send(t, z, third); !got[0].Delivered("ns_b") {
		t.Errorf("the third packet came out at %v", got[0].Ports)
	}
	lines := map[string]string{}
	for _, l := range logLines(t, z) {
		lines[fmt.Sprintf("%d %s", l.DstPort, l.Name)] = fmt.Sprintf("%s %s %s %s %s→%s", l.Verdict, l.Severity, l.Direction, l.Proto, l.Src, l.Dst)
	}
	want := map[string]string{
		"81 ANP:deny:Ingress:0":    "drop alert to-lport tcp 10.244.1.3→10.244.1.4",
		"80 ANP:pass:Ingress:1":    "pass info to-lport tcp 10.244.1.3→10.244.1.4",
		"80 NP:ns:allow:Ingress:0": "allow debug to-lport tcp 10.244.1.3→10.244.1.4",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// The flows that a packet meets are those of the ACLs that logged it, or that
	// would; nothing of it is sent.
	before := len(logLines(t, z))
	for port, want := range map[uint16][]string{80: {"ANP:pass:Ingress:1", "NP:ns:allow:Ingress:0"}, 81: {"ANP:deny:Ingress:0"}} {
		p := packet(port)
		p.SrcPort++
		met, text, err := z.Trace(t.Context(), p, sandbox.StateFirst)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range met {
			for _, name := range want {
				if strings.HasPrefix(uuid(t, z, nb.TableACL, "name", strconv.Quote(name)), m.ACL) && m.Stage == "ls_out_acl_eval" {
					got = append(got, name)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(met) != len(want) {
			t.Errorf("port %d: (-want +got)\n%s%+v\n%s", port, diff, met, text)
		}
	}
	if n := len(logLines(t, z)); n != before {
		t.Errorf("traces were logged: %d lines, then %d", before, n)
	}
	// A packet of a connection that stands meets the ACLs as they are for it.
	if met, text, err := z.Trace(t.Context(), third, sandbox.StateOpened); err != nil || len(met) == 0 {
		t.Errorf("%v, %+v\n%s", err, met, text)
	}
	if _, err := z.Control(t.Context(), sandbox.VSwitchd, "dpctl/flush-conntrack"); err != nil {
		t.Error(err)
	}
	if got := send(t, z, answer); got[0].Delivered("ns_a") {
		t.Log("an answer without its connection is let out")
	}
}

// Pods come and go while the zone runs, with addresses outside of the node's subnets,
// too; their interfaces and pipes go with them.
func TestPodsComeAndGo(t *testing.T) {
	z := twoPods(t, sandbox.ZoneConfig{})
	addPods(t, z, pod("n1", "c", "172.20.1.7")...)
	sync1(t, z)
	in := sandbox.Packet{EntryPort: z.ElsewherePort(), Src: addr("10.244.9.9"), Dst: addr("172.20.1.7"), Proto: sandbox.UDP, SrcPort: 1, DstPort: 2}
	if got := send(t, z, in); !got[0].Delivered("ns_c") {
		t.Errorf("from another zone it came out at %v", got[0].Ports)
	}
	row := uuid(t, z, nb.TablePort, "name", "ns_c")
	if err := z.Transact(t.Context(), nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: uuid(t, z, nb.TableSwitch, "name", "n1"),
		Mutations: []nb.Mutation{{Column: "ports", Refs: []nb.Ref{{UUID: row}}}}}); err != nil {
		t.Fatal(err)
	}
	sync1(t, z)
	if _, err := z.Send(t.Context(), []sandbox.Packet{{EntryPort: "ns_c", Src: addr("172.20.1.7"), Dst: addr("10.244.1.3"), Proto: sandbox.UDP}}); !errors.Is(err, sandbox.ErrNoPort) {
		t.Errorf("a pod that is gone sends: %v", err)
	}
	soon(t, "the pipe is gone", func() bool {
		left, err := filepath.Glob(filepath.Join(filepath.Dir(z.LogFile()), "p*.pcap"))
		return err == nil && len(left) == 5 // two pods, the node, elsewhere, outside
	})
	// Again, under the same name but with another uid.
	op := sandbox.PodPortOp("again", "n1", "ns_c", "ns", "another", sandbox.DeriveMAC("172.20.1.8", "")+" 172.20.1.8")
	addPods(t, z, op)
	sync1(t, z)
	in.Dst = addr("172.20.1.8")
	if got := send(t, z, in); !got[0].Delivered("ns_c") {
		t.Errorf("to the pod that replaced it, it came out at %v", got[0].Ports)
	}
}

func soon(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	for end := time.Now().Add(wait.Patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("never: %s", what)
		}
	}
}

// Each daemon that is killed is told, with a reason, comes back, and the zone decides
// as before.
func TestDaemonsDie(t *testing.T) {
	var mu sync.Mutex
	told := map[string]error{}
	z := start(t, lab.Config{Zones: []sandbox.ZoneConfig{{Name: "n1"}}, OnDaemon: func(_ string, d sandbox.Daemon) {
		mu.Lock()
		defer mu.Unlock()
		if d.State == sandbox.Died {
			told[d.Name] = d.Err
		}
	}}).Zone("n1")
	addPods(t, z, append(pod("n1", "a", "10.244.0.3"), pod("n1", "b", "10.244.0.4")...)...)
	sync1(t, z)
	for i, d := range z.Daemons() {
		if d.State != sandbox.Running || d.Pid == 0 {
			t.Fatalf("%+v", d)
		}
		if err := lab.Kill(z, d.Name); err != nil {
			t.Fatal(err)
		}
		soon(t, d.Name+" is back", func() bool {
			now := z.Daemons()[i]
			return now.State == sandbox.Running && now.Pid != d.Pid && now.Pid != 0
		})
		mu.Lock()
		if told[d.Name] == nil {
			t.Errorf("the death of %s was not told", d.Name)
		}
		mu.Unlock()
		sync1(t, z)
		packet := sandbox.Packet{EntryPort: "ns_a", Src: addr("10.244.0.3"), Dst: addr("10.244.0.4"), Proto: sandbox.TCP, SrcPort: uint16(2000 + i), DstPort: 80}
		soon(t, "a packet comes out after the death of "+d.Name, func() bool {
			out, err := z.Send(t.Context(), []sandbox.Packet{packet})
			return err == nil && out[0].Delivered("ns_b")
		})
	}
}

// SIGKILL of the process that started it leaves none of a zone's processes, and what it
// left of files is removed.
func TestOVNDeath(t *testing.T) {
	install.OVN(t, sandbox.FindTools)
	dir := folder(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pids, ok := strings.CutPrefix(strings.TrimSpace(line), "pids ")
	if err != nil || !ok {
		t.Fatalf("%q, %v", line, err)
	}
	if n := len(strings.Fields(pids)); n != 6 {
		t.Fatalf("%d processes: %s", n, pids)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, pid := range strings.Fields(pids) {
		soon(t, "process "+pid+" ends", func() bool {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			return err != nil || strings.Contains(string(stat), ") Z ")
		})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) == 0 {
		t.Fatalf("the test proves nothing: no file was left (%v)", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "z0", "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sandbox.RemoveLeftover(dir)
	left, err := os.ReadDir(filepath.Join(dir, "z0"))
	if err != nil || len(left) != 1 || left[0].Name() != "mine" {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := os.Remove(filepath.Join(dir, "z0", "mine")); err != nil {
		t.Error(err)
	}
}

// A connection between two zones is decided in both, there and back; what a rule of the
// second denies is lost there.
// The pods have addresses of OVN-Kubernetes' default range, in which a node has a /23.
func TestTry(t *testing.T) {
	pods := []netip.Prefix{netip.MustParsePrefix("10.128.0.0/14")}
	lab := start(t, lab.Config{Zones: []sandbox.ZoneConfig{
		{Name: "n0", Management: []string{"10.128.2.2"}, Subnets: []netip.Prefix{netip.MustParsePrefix("10.128.2.0/23")}, Cluster: pods},
		{Name: "n1", Management: []string{"10.131.254.2"}, Subnets: []netip.Prefix{netip.MustParsePrefix("10.131.254.0/23")}, Cluster: pods}}})
	a, b := lab.Zone("n0"), lab.Zone("n1")
	addPods(t, a, pod("n0", "a", "10.128.3.3")...)
	addPods(t, b, pod("n1", "b", "10.131.255.4")...)
	sync1(t, a)
	acl(t, b, "ns_b",
		map[string]any{"priority": 1000, "tier": 1, "direction": nb.ToLport, "action": nb.ActionAllowRelated, "match": "outport == @pg && ip4 && (tcp.dst == 80 || udp.dst == 80 || sctp.dst == 80 || icmp4)"},
		map[string]any{"priority": 999, "tier": 1, "direction": nb.ToLport, "action": nb.ActionDrop, "match": "outport == @pg && ip4"},
		// Answers leave because their connection is known, not because of a rule.
		map[string]any{"priority": 1000, "tier": 1, "direction": nb.FromLport, "action": nb.ActionDrop, "match": "inport == @pg && ip4"})
	for proto, want := range map[sandbox.PacketProto][]string{
		sandbox.TCP:  {"SYN n0", "SYN n1", "SYN-ACK n1", "SYN-ACK n0", "ACK n0", "ACK n1"},
		sandbox.UDP:  {"request n0", "request n1", "answer n1", "answer n0"},
		sandbox.SCTP: {"INIT n0", "INIT n1", "INIT ACK n1", "INIT ACK n0", "COOKIE ECHO n0", "COOKIE ECHO n1"},
		sandbox.ICMP: {"echo request n0", "echo request n1", "echo reply n1", "echo reply n0"},
	} {
		for _, port := range []uint16{80, 81} {
			c := sandbox.Connection{From: a, To: b, FromPort: "ns_a", ToPort: "ns_b", Src: addr("10.128.3.3"), Dst: addr("10.131.255.4"), Proto: proto,
				SrcPort: 50000 + port, DstPort: port}
			steps, made, err := sandbox.TryConnection(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, s := range steps {
				got = append(got, s.Packet+" "+s.Zone)
				if s.Passed != (made || i < len(steps)-1) {
					t.Errorf("%+v", s)
				}
			}
			expect := want
			if denied := port == 81 && proto != sandbox.ICMP; denied {
				expect = want[:2]
			} else if !made {
				t.Errorf("%v to %d: not made", proto, port)
			}
			if diff := cmp.Diff(expect, got); diff != "" {
				t.Errorf("%v to %d: (-want +got)\n%s", proto, port, diff)
			}
		}
	}
}

// A folder that another lab uses is left alone.
func TestFolderInUse(t *testing.T) {
	tools := install.OVN(t, sandbox.FindTools)
	dir := folder(t)
	cfg := lab.Config{Dir: dir, Zones: []sandbox.ZoneConfig{{Name: "n1"}}}
	first, err := lab.Start(t.Context(), tools, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if second, err := lab.Start(t.Context(), tools, cfg); !errors.Is(err, os.ErrExist) {
		t.Errorf("%v, %v", second, err)
	}
	if _, err := os.Stat(first.Zone("n1").LogFile()); err != nil {
		t.Error(err)
	}
	sync1(t, first.Zone("n1"))
}

func TestOVNZonesComeAndGo(t *testing.T) {
	lab := start(t, lab.Config{})
	z, err := lab.AddZone(t.Context(), sandbox.ZoneConfig{Name: "late"})
	if err != nil {
		t.Fatal(err)
	}
	sync1(t, z)
	if _, err := lab.AddZone(t.Context(), sandbox.ZoneConfig{Name: "late"}); err == nil {
		t.Error("two zones of one name")
	}
	if err := lab.RemoveZone("late"); err != nil {
		t.Error(err)
	}
	if err := lab.RemoveZone("late"); err == nil || lab.Zone("late") != nil {
		t.Error("the zone is still there")
	}
}

// Three zones of a demo's size are up in 4 s and fit into 400 MB.
func TestTimingThreeZones(t *testing.T) {
	slack := install.Timing(t)
	began := time.Now()
	lab := start(t, lab.Config{Zones: []sandbox.ZoneConfig{{Name: "n0"}, {Name: "n1"}, {Name: "n2"}}})
	answered := time.Since(began)
	var wg sync.WaitGroup
	for _, z := range lab.Zones() {
		wg.Go(func() {
			if _, err := z.WaitSynced(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	for n, z := range lab.Zones() {
		var ops []nb.Op
		for i := range 15 {
			ops = append(ops, pod(z.Name(), "p"+strconv.Itoa(i), fmt.Sprintf("10.244.%d.%d", n, 10+i))...)
		}
		addPods(t, z, ops...)
		sync1(t, z)
	}
	total := 0
	for _, z := range lab.Zones() {
		for _, d := range z.Daemons() {
			total += pss(t, d.Pid)
		}
	}
	t.Logf("processes answer after %v, rows are flows after %v; %d kB with 45 pods", answered, took, total)
	if took > 4*time.Second*time.Duration(slack) {
		t.Errorf("three zones took %v", took)
	}
	if total > 400<<10 {
		t.Errorf("three zones hold %d kB", total)
	}
}

// pss is the memory of a process in kB, what it shares counted in parts.
func pss(tb testing.TB, pid int) int {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		tb.Skipf("memory cannot be measured here: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "Pss:" {
			n, err := strconv.Atoi(f[1])
			if err != nil {
				tb.Fatal(err)
			}
			return n
		}
	}
	tb.Fatal("no Pss")
	return 0
}

// While ovn-controller stands still, lines of many packets are lost; SendLogged waits, and
// loses none.
func TestSlowController(t *testing.T) {
	z := twoPods(t, sandbox.ZoneConfig{MeterRate: 1_000_000})
	acl(t, z, "ns_b", map[string]any{"priority": 1000, "tier": 1, "direction": nb.ToLport, "action": nb.ActionDrop,
		"match": "outport == @pg && udp", "log": true, "name": "ANP:deny:Ingress:0", "severity": "alert"})
	packets := func(first int) (out []sandbox.Packet) {
		for i := range 3000 {
			out = append(out, sandbox.Packet{EntryPort: "ns_a", Src: addr("10.244.1.3"), Dst: addr("10.244.1.4"), Proto: sandbox.UDP,
				SrcPort: uint16(first + i), DstPort: 9})
		}
		return out
	}
	if err := lab.Stop(z, sandbox.Controller); err != nil {
		t.Fatal(err)
	}
	send(t, z, packets(10000)...)
	if err := lab.Cont(z, sandbox.Controller); err != nil {
		t.Fatal(err)
	}
	if n := len(logLines(t, z)); n == 3000 {
		t.Log("no line was lost: the test proves nothing")
	} else {
		t.Logf("%d of 3000 lines while ovn-controller stood still", n)
	}
	if err := lab.Stop(z, sandbox.Controller); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		time.Sleep(100 * time.Millisecond)
		if err := lab.Cont(z, sandbox.Controller); err != nil {
			t.Error(err)
		}
	})
	if _, err := lab.SendLogged(t.Context(), z, packets(20000)); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	got := map[uint16]bool{}
	for _, l := range logLines(t, z) {
		if l.SrcPort >= 20000 {
			got[l.SrcPort] = true
		}
	}
	if len(got) != 3000 {
		t.Errorf("%d of 3000 lines", len(got))
	}
}

// Thousands of packets are told apart, and every one that should be logged is.
func TestTimingPackets(t *testing.T) {
	slack := install.Timing(t)
	z := twoPods(t, sandbox.ZoneConfig{MeterRate: 1_000_000})
	acl(t, z, "ns_b", map[string]any{"priority": 1000, "tier": 1, "direction": nb.ToLport, "action": nb.ActionDrop,
		"match": "outport == @pg && udp.dst >= 30000", "log": true, "name": "ANP:deny:Ingress:0", "severity": "alert"})
	n := 5000
	if os.Getenv(install.SoakVar) == "1" {
		n = 50000
	}
	var packets []sandbox.Packet
	for i := range n {
		p := sandbox.Packet{EntryPort: "ns_a", Src: addr("10.244.1.3"), Dst: addr("10.244.1.4"), Proto: sandbox.UDP, SrcPort: uint16(1000 + i), DstPort: 20000}
		if i%3 == 0 {
			p.DstPort = 30000
		}
		if i%2 == 1 {
			p.EntryPort, p.Src = z.ElsewherePort(), addr("10.244.9.9")
		}
		packets = append(packets, p)
	}
	began := time.Now()
	out := send(t, z, packets...)
	took := time.Since(began)
	want := map[uint16]bool{}
	for i, o := range out {
		if drop := i%3 == 0; o.Delivered("ns_b") == drop {
			t.Fatalf("packet %d came out at %v", i, o.Ports)
		} else if drop {
			want[packets[i].SrcPort] = true
		}
	}
	got := map[uint16]bool{}
	for _, l := range logLines(t, z) {
		got[l.SrcPort] = true
	}
	t.Logf("%d packets in %v; %d lines after %v", n, took, len(got), time.Since(began))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines: %d, want %d", len(got), len(want))
	}
	if took > time.Duration(n)*time.Millisecond*time.Duration(slack) {
		t.Errorf("%d packets took %v", n, took)
	}
}
