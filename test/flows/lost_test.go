package flows_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/lab"
	"rung/test/wait"
)

// deny puts an ACL on the pods that drops what goes to a port.
func (n *node) deny(port uint16, meter string, logs bool) *nb.ACL {
	n.t.Helper()
	name := fmt.Sprint("deny-", port)
	if err := n.swap(nil, map[string]any{"priority": 1000, "tier": 1, "direction": nb.ToLport, "action": nb.ActionDrop, "name": name, "severity": "info",
		"log": logs, "meter": meter, "match": fmt.Sprintf("outport == @%s && udp.dst == %d", group, port)}); err != nil {
		n.t.Fatal(err)
	}
	db, err := nbdb.Dial(nbdb.Config{Addr: n.NB(), AnyName: true}).Read(n.t.Context())
	if err != nil {
		n.t.Fatal(err)
	}
	for a := range db.ACLs() {
		if a.Name == name {
			n.sync()
			return a
		}
	}
	n.t.Fatalf("no ACL %s", name)
	return nil
}

// packet is one of a new connection to a port.
func (n *node) packet(i int, port uint16) sandbox.Packet {
	return sandbox.Packet{EntryPort: n.pods[0].lport, Src: n.pods[0].v4, Dst: n.pods[1].v4, Proto: sandbox.UDP, SrcPort: uint16(firstSource + i%50_000), DstPort: port}
}

var overflow = regexp.MustCompile(`(?m)^rconn_overflow .*total: (\d+)`)

// overflowed is how many messages ovs-vswitchd discarded because ovn-controller was slow.
func (n *node) overflowed() int {
	n.t.Helper()
	text, err := n.Control(n.t.Context(), sandbox.VSwitchd, "coverage/show")
	if err != nil {
		n.t.Fatal(err)
	}
	m := overflow.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	total, _ := strconv.Atoi(m[1])
	return total
}

// seen counts the lines of the log, and the gaps in the numbers of the thread that
// writes them.
func (n *node) seen() (lines, gaps int) {
	n.t.Helper()
	last := uint64(0)
	for _, text := range n.written() {
		if !strings.Contains(text, "(ovn_pinctrl") { // another thread, which counts for itself
			continue
		}
		number, err := strconv.ParseUint(strings.SplitN(text, "|", 3)[1], 10, 64)
		if err != nil {
			n.t.Fatal(err)
		}
		if last != 0 && number != last+1 {
			gaps++
		}
		n.thread = strings.SplitN(text, "|", 4)[2]
		last = number
		if strings.Contains(text, "|acl_log(") {
			lines++
		}
	}
	return lines, gaps
}

// What is lost between a packet and its line, and who knows of it
// (ovn-kubernetes.md#lost-lines): the meter counts what it discards, the queue to
// ovn-controller is counted for the whole node, and the numbers of lines show neither.
func TestLinesLost(t *testing.T) {
	const fill = 2000 // packets that the queue to ovn-controller does not hold
	seconds := 1
	if long() {
		seconds = 10
	}
	n := alone(t, sandbox.MeterRate)
	for i, c := range []struct {
		what  string
		meter string
		each  int // packets of a tick
		tick  time.Duration
	}{
		{"10 packets/s", nb.LoggingMeter, 1, 100 * time.Millisecond}, {"100 packets/s", nb.LoggingMeter, 1, 10 * time.Millisecond},
		{"1000 packets/s", nb.LoggingMeter, 10, 10 * time.Millisecond}, {"as fast as they go", nb.LoggingMeter, 4096, 0},
		{"while ovn-controller stands still, without a limit", shared, 64, 10 * time.Millisecond},
	} {
		port := uint16(3000 + i)
		acl := n.deny(port, c.meter, true)
		n.written()
		id := acl.Meter
		if c.meter == nb.LoggingMeter {
			id += "__" + acl.UUID
		}
		before, over := n.metered(id), n.overflowed()
		if c.meter == shared {
			if err := lab.Stop(n.Zone, sandbox.Controller); err != nil {
				t.Fatal(err)
			}
		}
		put, discarded, began := 0, 0, time.Now()
		for time.Since(began) < time.Duration(seconds)*time.Second || c.meter == shared && put < fill {
			var batch []sandbox.Packet
			for range c.each {
				batch = append(batch, n.packet(put, port))
				put++
			}
			out, err := n.Send(t.Context(), batch)
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(out, func(o sandbox.PacketOutcome) bool { return len(o.Ports) > 0 }) {
				t.Fatal("a packet came out that should be dropped")
			}
			time.Sleep(c.tick)
		}
		took := time.Since(began)
		if c.meter == shared {
			if err := lab.Cont(n.Zone, sandbox.Controller); err != nil {
				t.Fatal(err)
			}
		}
		waits := time.Now()
		if err := n.WaitLogged(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The packet that Logged waits for is discarded, too, where the queue is still full, and
		// is sent again after half a second.
		most := int(time.Since(waits) / (500 * time.Millisecond))
		lines, gaps := n.seen()
		after := n.metered(id)
		all, err := n.Meters(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := all[id]; got != (flow.MeterStat{In: uint64(after.in), Dropped: uint64(after.dropped)}) {
			t.Errorf("%s: read as %+v, the datapath counted %+v", c.what, got, after)
		}
		m := meter{after.in - before.in, after.dropped - before.dropped}
		wait.Poll(10*time.Second, func() bool { // its threads add to these counts now and then
			discarded = n.overflowed() - over
			return m.in-m.dropped-discarded == lines
		})
		if own := discarded + lines - (m.in - m.dropped); own > 0 && own <= most {
			discarded -= own
		}
		t.Logf("%s for %v: %d packets put in, %d lines; the meter counts %d in, %d dropped; %d discarded before ovn-controller; %d gaps in the numbers of lines of %s",
			c.what, took.Round(10*time.Millisecond), put, lines, m.in, m.dropped, discarded, gaps, n.thread)
		if m.in != put || m.in-m.dropped-discarded != lines {
			t.Errorf("%s: the counts do not add up", c.what)
		}
		if gaps != 0 {
			t.Errorf("%s: %d gaps in the numbers of lines", c.what, gaps)
		}
		if c.meter == shared {
			if m.dropped != 0 || discarded == 0 {
				t.Errorf("%s: the meter dropped %d, %d were discarded behind it", c.what, m.dropped, discarded)
			}
			continue
		}
		// On a busy machine fewer packets are put in than were meant, perhaps no more than
		// the meter lets through.
		if limit := (int(took/time.Second) + 2) * sandbox.MeterRate; lines > limit || m.dropped == 0 && put > limit {
			t.Errorf("%s: %d lines in %v, at most %d; %d of %d dropped", c.what, lines, took, limit, m.dropped, put)
		}
	}
}

// How long it takes from log=true in the row to the first line, under traffic.
func TestFirstLine(t *testing.T) {
	times := 10
	if long() {
		times = 200
	}
	n := alone(t, unbound)
	acl := n.deny(4000, nb.LoggingMeter, false)
	put := 0
	send := func() {
		t.Helper()
		put++
		if _, err := n.Send(t.Context(), []sandbox.Packet{n.packet(put, 4000)}); err != nil {
			t.Fatal(err)
		}
	}
	set := func(on bool) {
		t.Helper()
		if err := n.Transact(t.Context(), nb.Op{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: acl.UUID, Row: map[string]any{"log": on}}); err != nil {
			t.Fatal(err)
		}
	}
	var took []time.Duration
	for range times {
		for range 20 {
			send()
		}
		n.written()
		began := time.Now()
		set(true)
		for end := began.Add(10 * time.Second); ; {
			send()
			if slices.ContainsFunc(n.written(), func(line string) bool { return strings.Contains(line, acl.Name) }) {
				break
			}
			if time.Now().After(end) {
				t.Fatal("no line")
			}
		}
		took = append(took, time.Since(began))
		set(false)
		n.sync()
		if err := n.WaitLogged(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s: log=true to the first line: %s", n.tools.Describe(), spread(took))
}
