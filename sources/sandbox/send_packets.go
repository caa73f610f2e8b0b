package sandbox

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"rung/sources/retry"
)

const (
	// atOnce is how many packets are sent at a port before waiting: a dummy port queues 100, and drops more.
	atOnce = 64
	// sendWithin limits one round of packets.
	sendWithin = 20 * time.Second
)

// ErrNoPort means that a logical port does not exist, or is not bound yet.
var ErrNoPort = errors.New("no such port")

// PacketOutcome lists the logical ports where a packet came out, sorted; empty if it was dropped.
type PacketOutcome struct{ Ports []string }

// Delivered reports whether the packet came out at a port.
func (o PacketOutcome) Delivered(lport string) bool { return slices.Contains(o.Ports, lport) }

// packetsUnderWay holds the packets under way in a zone.
type packetsUnderWay struct {
	zone    *Zone
	sending sync.Mutex // held during a round of packets

	mu              sync.Mutex
	lastNumber      uint32              // number of the last packet
	receivedPackets map[uint32][]string // ports of each awaited packet, by its number
	awaitedAnswers  map[uint32]chan struct{}
}

// takeOutput processes a frame that came out of a port.
func (k *packetsUnderWay) takeOutput(lport string, frame []byte) {
	id, kind := recogniseFrame(frame)
	k.mu.Lock()
	defer k.mu.Unlock()
	switch kind {
	case marked:
		if at, looked := k.receivedPackets[id]; looked && !slices.Contains(at, lport) {
			k.receivedPackets[id] = append(at, lport)
		}
	case expired:
		if done := k.awaitedAnswers[id]; done != nil {
			close(done)
			delete(k.awaitedAnswers, id)
		}
	}
}

// takeNumbers reserves n packet numbers and returns the first.
func (k *packetsUnderWay) takeNumbers(n int) uint32 {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := k.lastNumber + 1
	k.lastNumber += uint32(n)
	k.receivedPackets = make(map[uint32][]string, n)
	for i := range n {
		k.receivedPackets[first+uint32(i)] = nil
	}
	return first
}

// Send sends packets and returns where each came out, once all are processed. Packets of one port keep their
// order; packets of different ports do not.
func (z *Zone) Send(ctx context.Context, packets []Packet) ([]PacketOutcome, error) {
	k := &z.packets
	k.sending.Lock()
	defer k.sending.Unlock()
	first := k.takeNumbers(len(packets))
	known, _ := z.bridge.wantedVIFs()
	around := z.bridge.portNeighbours(known)
	queues := map[string][]string{}
	ports := map[string]*bridgePort{}
	for i := range packets {
		p := &packets[i]
		at := z.bridge.findPort(p.EntryPort)
		if at == nil {
			return nil, fmt.Errorf("zone %s: sending a packet at %q: %w", z.cfg.Name, p.EntryPort, ErrNoPort)
		}
		f, err := k.buildFrame(p, known[p.EntryPort], around[p.EntryPort], first+uint32(i))
		if err != nil {
			return nil, fmt.Errorf("zone %s: packet %d: %w", z.cfg.Name, i, err)
		}
		queues[at.iface] = append(queues[at.iface], hex.EncodeToString(f))
		ports[at.iface] = at
	}
	for len(queues) > 0 {
		round := map[string][]string{}
		for iface, q := range queues {
			n := min(len(q), atOnce)
			round[iface] = q[:n]
			queues[iface] = q[n:]
			if len(q) == n {
				delete(queues, iface)
			}
		}
		if err := k.sendRound(ctx, round); err != nil {
			return nil, fmt.Errorf("zone %s: sending packets: %w", z.cfg.Name, err)
		}
	}
	return k.collectOutcomes(first, len(packets)), nil
}

// collectOutcomes drains the pipes, which already have all output, and returns the outcomes.
func (k *packetsUnderWay) collectOutcomes(first uint32, n int) []PacketOutcome {
	b := &k.zone.bridge
	b.mu.Lock()
	for _, p := range b.ports {
		p.drainPipe()
	}
	b.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]PacketOutcome, n)
	for i := range out {
		out[i].Ports = k.receivedPackets[first+uint32(i)]
		slices.Sort(out[i].Ports)
	}
	k.receivedPackets = nil
	return out
}

// buildFrame returns a packet as its port would send it: to the destination's port if it is on the same switch,
// else to the router.
func (k *packetsUnderWay) buildFrame(p *Packet, in vif, around *neighbours, id uint32) ([]byte, error) {
	from, err := net.ParseMAC(in.mac)
	if err != nil {
		return nil, fmt.Errorf("the address of port %s: %w", p.EntryPort, err)
	}
	dst, err := net.ParseMAC(around.nextHopMAC(p))
	if err != nil {
		return nil, fmt.Errorf("the address of the port of %s: %w", p.Dst, err)
	}
	return p.frameBytes(from, dst, id)
}

// groupMAC returns the MAC address of a multicast group.
func groupMAC(a netip.Addr) net.HardwareAddr {
	b := a.AsSlice()
	if a.Is4() {
		return net.HardwareAddr{0x01, 0x00, 0x5e, b[1] & 0x7f, b[2], b[3]}
	}
	return net.HardwareAddr{0x33, 0x33, b[12], b[13], b[14], b[15]}
}

// sendRound sends a few packets at each interface and waits until ovs-vswitchd has taken them from its queues.
// ovs-vswitchd takes a packet and processes it completely in one go.
func (k *packetsUnderWay) sendRound(ctx context.Context, queues map[string][]string) error {
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	daemon, err := k.zone.control.connectDaemon(ctx, VSwitchd)
	if err != nil {
		return err
	}
	before, err := receivedCounts(ctx, daemon)
	if err != nil {
		return err
	}
	errs := make(chan error, len(queues))
	for iface, q := range queues {
		if _, there := before[iface]; !there {
			return fmt.Errorf("%s: %w", iface, ErrNoPort)
		}
		params, err := json.Marshal(append([]string{iface}, q...))
		if err != nil {
			return err
		}
		daemon.sendRequest("netdev-dummy/receive", params, func(_ []byte, err error) { errs <- err })
	}
	for range queues {
		select {
		case err := <-errs:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for {
		now, err := receivedCounts(ctx, daemon)
		if err != nil {
			return err
		}
		left := 0
		for iface, q := range queues {
			left += max(0, int(before[iface])+len(q)-int(now[iface]))
		}
		if left == 0 {
			return nil
		}
	}
}

// receivedCounts returns the number of packets each interface has received.
func receivedCounts(ctx context.Context, k *socketClient) (map[string]uint64, error) {
	out, err := k.callMethod(ctx, "dpctl/show", []byte(`["-s"]`))
	if err != nil {
		return nil, err
	}
	var text string
	if err := json.Unmarshal(out, &text); err != nil {
		return nil, fmt.Errorf("reading dpctl/show: %w", err)
	}
	return readReceived(text), nil
}

func readReceived(text string) map[string]uint64 {
	out := map[string]uint64{}
	name := ""
	for line := range strings.Lines(text) {
		words := append(strings.Fields(line), "", "", "")
		if words[0] == "port" && strings.HasSuffix(words[1], ":") {
			name = words[2]
		}
		if n, ok := strings.CutPrefix(words[1], "packets:"); ok && words[0] == "RX" {
			if v, err := strconv.ParseUint(n, 10, 64); err == nil && name != "" {
				out[name] = v
			}
		}
	}
	return out
}

// loggedAgain is how long to wait for the answer to the last packet before sending another.
const loggedAgain = 500 * time.Millisecond

// WaitLogged waits until ovn-controller has written the log lines of all earlier packets. It sends a packet
// whose time to live ends at the router. That packet follows them to ovn-controller on the same connection,
// and is answered.
func (z *Zone) WaitLogged(ctx context.Context) error {
	k := &z.packets
	for {
		id := rand.Uint32()
		answered := make(chan struct{})
		k.mu.Lock()
		k.awaitedAnswers[id] = answered
		k.mu.Unlock()
		err := k.lastPacket(ctx, id)
		if err == nil {
			select {
			case <-answered:
				return nil
			case <-ctx.Done():
			case <-time.After(loggedAgain):
			}
		}
		k.mu.Lock()
		delete(k.awaitedAnswers, id)
		k.mu.Unlock()
		if err != nil || !retry.Sleep(ctx, time.Millisecond) {
			return fmt.Errorf("zone %s: waiting for ovn-controller's log: %w", z.cfg.Name, errors.Join(err, ctx.Err()))
		}
	}
}

// lastPacket sends a numbered packet that ovn-controller answers.
func (k *packetsUnderWay) lastPacket(ctx context.Context, id uint32) error {
	k.sending.Lock()
	defer k.sending.Unlock()
	b, outside := &k.zone.bridge, k.zone.OutsidePort()
	known, _ := b.wantedVIFs()
	at := b.findPort(outside)
	if at == nil {
		return ErrNoPort
	}
	p := Packet{EntryPort: outside, Src: OutsideV4, Dst: ElsewhereV4, Proto: UDP, SrcPort: uint16(id >> 16), DstPort: 33434, TTL: 1}
	f, err := k.buildFrame(&p, known[p.EntryPort], b.portNeighbours(known)[outside], id)
	if err != nil {
		return err
	}
	return k.sendRound(ctx, map[string][]string{at.iface: {hex.EncodeToString(f)}})
}
