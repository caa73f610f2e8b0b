package flows_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/sandbox"
	"rung/test/lab"
)

// Lines that are read: in make test, and before an issue is closed.
const (
	someLines = 20_000
	allLines  = 1_000_000
)

// atOnce is how many packets are put in before ovn-controller is waited for. Here nine ACLs
// log some of them; of more than some 260 lines at once those are discarded that it does
// not take in time (ovn-kubernetes.md#lost-lines).
const atOnce = 11

// firstPort is the port of the first case; the source ports of packets lie above all.
const (
	firstPort   = 1000
	firstSource = 10_000
)

// nasty are names that look like something else.
var nasty = []string{
	"<unnamed>", "NP:a:b:Ingress:0", `, verdict=allow, severity=info: tcp`, "name=x, verdict=drop", "a|acl_log(ovn_pinctrl0)|INFO|b",
	"a: b, c=d", "%s%n%d", "/* a */", "*/ drop; next; /*", "reg8[16] = 1; next;", "{}()[];", "ünïcödé — 日本語", "\u202eabc\u2066", "a\x1b[2Jb",
	"tab\tcr\rlf\nend", "\x01\x7f\u0085", "'single'", "  spaces  ", "$set @group", "-", `\n`, `a\tb`, `\\`, `\/`, `\"`, "é" + strings.Repeat("日", 20),
}

// names are the names of the cases: of every length the database takes, and nasty ones;
// the empty one stands for none.
func names() []string {
	out := []string{""}
	for n := 1; n <= 63; n++ {
		out = append(out, strings.Repeat("abcdefg:", 8)[:n])
	}
	return append(out, nasty...)
}

// ask is one kind of packet, told by its destination port, and what it meets.
type ask struct {
	port  uint16   // 0 for an echo
	lines []string // of one packet, in order: those of line
	acls  []map[string]any
}

// echo is the case of which the packets are pings.
const echo = 7

// cases give every name its ACLs: in each stage some that pass, tier by tier, and one that
// decides.
func cases() (out []*ask) {
	severities := []string{"alert", "warning", "notice", "info", "debug", ""}
	ends := []string{nb.ActionAllowRelated, nb.ActionDrop, nb.ActionReject, nb.ActionAllow, nb.ActionPass}
	stages := []model.Stage{model.StageFromLport, model.StageAfterLB, model.StageToLport}
	meters := []string{nb.LoggingMeter, nb.LoggingMeter, shared, ""}
	for i, name := range names() {
		c := &ask{port: uint16(firstPort + i)}
		if i == echo {
			c.port = 0
		}
		stopped := false
		for s, stage := range stages {
			for tier := range 3 {
				action, severity, m := nb.ActionPass, severities[(i+tier+s)%len(severities)], meters[(i+tier)%len(meters)]
				if tier == 2 {
					action = ends[(i/(1+2*s)+s)%len(ends)]
				}
				row := map[string]any{"priority": 1000 + i, "tier": tier, "direction": nb.FromLport, "action": action, "log": true}
				port := "inport"
				switch stage {
				case model.StageAfterLB:
					row["options"] = map[string]string{nb.OptAfterLB: "true"}
				case model.StageToLport:
					row["direction"], port = nb.ToLport, "outport"
				}
				row["match"] = fmt.Sprintf("%s == @%s && (tcp.dst == %d || udp.dst == %d || sctp.dst == %d)", port, group, c.port, c.port, c.port)
				if i == echo {
					row["match"] = port + " == @" + group + " && (icmp4.type == 8 || icmp6.type == 128)"
				}
				if name != "" {
					row["name"] = name
				}
				if severity != "" {
					row["severity"] = severity
				} else {
					severity = "info"
				}
				if m != "" {
					row["meter"] = m
				}
				c.acls = append(c.acls, row)
				if stopped {
					continue // it never gets there
				}
				c.lines = append(c.lines, fmt.Sprintf("%q %s %s %s", logged(name), strings.TrimSuffix(action, "-related"), severity, row["direction"]))
				stopped = action == nb.ActionDrop || action == nb.ActionReject
			}
		}
		out = append(out, c)
	}
	return out
}

// logged is a name as the reader gives it.
func logged(name string) string {
	if name == "<unnamed>" {
		return ""
	}
	if said := ""; strings.Contains(name, `\`) && json.Unmarshal([]byte(`"`+name+`"`), &said) == nil {
		name = said // northd escapes nothing, and ovn-controller reads what it finds
	}
	return words.CleanText(name)
}

var protocols = map[sandbox.PacketProto]string{sandbox.TCP: "tcp", sandbox.UDP: "udp", sandbox.SCTP: "sctp"}

// line is everything of a line that a packet determines.
func line(head, proto string, src, dst netip.Addr, from, to uint16, flags string) string {
	return fmt.Sprint(head, " ", proto, " ", src, " ", from, " ", dst, " ", to, " ", flags)
}

// The reader takes every line that a real ovn-controller writes about packets of many
// kinds, and finds in it what was put in.
func TestLinesRead(t *testing.T) {
	total := someLines
	if long() {
		total = allLines
	}
	n := alone(t, unbound)
	asks := cases()
	for _, c := range asks {
		if err := n.swap(nil, c.acls...); err != nil {
			t.Fatalf("%q: %v", c.lines, err)
		}
	}
	n.sync()
	n.written()
	began, read, packets, reading := time.Now(), 0, 0, time.Duration(0)
	kinds := map[string]int{}
	last, gaps := uint64(0), 0
	source := uint16(firstSource)
	for round := 0; read < total; round++ {
		want := map[string]int{}
		var batch []sandbox.Packet
		for i, c := range asks {
			from, to := n.pods[(i+round)%podsOn], n.pods[(i+round+1+round/podsOn%(podsOn-1))%podsOn]
			p := sandbox.Packet{EntryPort: from.lport, Src: from.v4, Dst: to.v4, Proto: sandbox.PacketProto(1 + (i+round)%3), SrcPort: source, DstPort: c.port}
			if (i+round/3)%2 == 0 {
				p.Src, p.Dst = from.v6, to.v6
			}
			source++
			if source == 0 {
				source = firstSource
			}
			what, flags := protocols[p.Proto], ""
			from16, to16 := p.SrcPort, p.DstPort
			switch {
			case c.port == 0:
				p.Proto, p.DstPort, what, from16, to16 = sandbox.ICMP, 1, "icmp", 0, 0
				if p.Src.Is6() {
					what = "icmp6"
				}
			case p.Proto == sandbox.TCP:
				flags = "syn"
			}
			for _, head := range c.lines {
				want[line(head, what, p.Src, p.Dst, from16, to16, flags)]++
			}
			batch = append(batch, p)
		}
		for some := range slices.Chunk(batch, atOnce) {
			if _, err := lab.SendLogged(t.Context(), n.Zone, some); err != nil {
				t.Fatal(err)
			}
		}
		packets += len(batch)
		text := n.written()
		parse := time.Now()
		lines := aclLines(t, text)
		reading += time.Since(parse)
		for _, l := range lines {
			read++
			if last != 0 && l.Seq != last+1 {
				gaps++
			}
			last = l.Seq
			k := line(fmt.Sprintf("%q %s %s %s", l.Name, l.Verdict, l.Severity, l.Direction), l.Proto, l.Src, l.Dst, l.SrcPort, l.DstPort, l.TCPFlags)
			want[k]--
			if want[k] < 0 {
				t.Errorf("no packet for %s: %s", k, l.Raw)
			}
			kinds[l.Verdict]++
			kinds[l.Severity]++
			kinds[l.Direction]++
			kinds[l.Proto]++
			if l.Unnamed {
				kinds["unnamed"]++
			}
		}
		for k, left := range want {
			if left > 0 {
				t.Errorf("%d lines too few: %s", left, k)
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%s: %d packets, %d lines, none unread, none missing, %d gaps in their numbers, in %v, %v of it reading: %v", n.tools.Describe(), packets, read,
		gaps, time.Since(began).Round(time.Millisecond), reading.Round(time.Millisecond), kinds)
}
