package kube_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"

	"rung/sources/sandbox"
	"rung/test/kube/cluster"
)

// question is a connection as `rung trace --cases` reads it.
type question struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Protocol string `json:"protocol"`
	Port     int    `json:"port,omitempty"`
}

// attempt is a connection as it is put in as packets, and as Rung is asked about it.
type attempt struct {
	question
	sandbox.Connection
}

func (a attempt) String() string {
	return fmt.Sprintf("%s %s to %s port %d (%s to %s)", a.Protocol, a.question.From, a.question.To, a.Port, a.FromPort, a.ToPort)
}

// passage is the part of a connection's way in one zone: from a logical port to another.
type passage struct{ zone, in, out string }

// passages are the zones in the order in which the first packet comes through them.
func (a *attempt) passages() []passage {
	from, to := a.Connection.From, a.Connection.To
	if from == to {
		return []passage{{from.Name(), a.FromPort, a.ToPort}}
	}
	return []passage{{from.Name(), a.FromPort, from.ElsewherePort()}, {to.Name(), to.ElsewherePort(), a.ToPort}}
}

var labProtocols = map[string]sandbox.PacketProto{"TCP": sandbox.TCP, "UDP": sandbox.UDP, "SCTP": sandbox.SCTP, "ICMP": sandbox.ICMP}

// attempt is a connection between two ends; those that are no pod are addresses, seen
// from the pod at the other end.
func (w *labWorld) attempt(from, to, protocol string, port int) attempt {
	w.t.Helper()
	w.port++
	if protocol == "ICMP" {
		port = 0
	}
	a := attempt{question: question{from, to, protocol, port}}
	a.Proto, a.SrcPort, a.DstPort = labProtocols[protocol], w.port, uint16(port)
	if protocol == "ICMP" {
		a.DstPort = w.port
	}
	src, srcPod := w.end(from, "")
	dst, dstPod := w.end(to, from)
	a.Src, a.Dst = src, dst
	near := srcPod
	if near == nil {
		near = dstPod
	}
	a.Connection.From, a.Connection.To = w.lab.Zone(near.node), w.lab.Zone(near.node)
	a.FromPort, a.ToPort = a.Connection.From.OutsidePort(), a.Connection.From.OutsidePort()
	if srcPod != nil {
		a.FromPort = srcPod.lport()
	}
	switch own := slices.Index(smallNodes, near.node); {
	case dstPod != nil:
		a.Connection.To, a.ToPort = w.lab.Zone(dstPod.node), dstPod.lport()
		if srcPod == nil {
			a.Connection.From = a.Connection.To
		}
	case slices.Contains(nodeAddrs(own), dst):
		a.ToPort = a.Connection.From.NodePort()
	}
	return a
}

// end is the address of an end, and its pod. A pod by its name has the one of the family
// of the other end.
func (w *labWorld) end(text, other string) (netip.Addr, *labPod) {
	six := false
	if a, err := netip.ParseAddr(other); err == nil {
		six = a.Is6()
	}
	for i := range w.pods {
		p := &w.pods[i]
		switch text {
		case p.v6:
			return netip.MustParseAddr(p.v6), p
		case p.v4:
			return netip.MustParseAddr(p.v4), p
		case p.String():
			if six {
				return netip.MustParseAddr(p.v6), p
			}
			return netip.MustParseAddr(p.v4), p
		}
	}
	return netip.MustParseAddr(text), nil
}

// nodeAddrs are the addresses of a node itself, by its place in smallNodes.
func nodeAddrs(n int) []netip.Addr {
	return []netip.Addr{netip.MustParseAddr(fmt.Sprintf("172.18.0.%d", n+2)), netip.MustParseAddr(fmt.Sprintf("fc00:18::%d", n+2))}
}

// random draws connections: between pods, to and from the outside, to nodes; of each
// family and protocol.
func (w *labWorld) random(r *rand.Rand, n int) (out []attempt) {
	for range n {
		from, to := oneOf(r, w.pods...), oneOf(r, w.pods...)
		for from == to {
			to = oneOf(r, w.pods...)
		}
		six := r.IntN(3) == 0
		of := func(v4, v6 string) string {
			if six {
				return v6
			}
			return v4
		}
		src, dst := of(from.v4, from.v6), of(to.v4, to.v6)
		switch r.IntN(8) {
		case 0:
			dst = of(oneOf(r, "198.51.100.9", "8.8.8.8"), oneOf(r, "2001:db8:9::9", "2001:4860::8888"))
		case 1:
			src = of("198.51.100.9", "2001:db8:9::9")
		case 2:
			at := nodeAddrs(r.IntN(len(smallNodes)))
			dst = of(at[0].String(), at[1].String())
		}
		out = append(out, w.attempt(src, dst, oneOf(r, "TCP", "TCP", "UDP", "SCTP", "ICMP"), oneOf(r, 8080, 8080, 80, 81, 82)))
	}
	return out
}

// answers are what `rung trace --by both` says of connections, through the pods of the
// nodes; more are options beside that.
func (w *labWorld) answers(all []attempt, more ...string) (out []traceAnswer) {
	w.t.Helper()
	questions := make([]question, len(all))
	for i := range all {
		questions[i] = all[i].question
	}
	text, err := json.Marshal(questions)
	must(w.t, err)
	r := rung(w.t, string(text), on(w.c, cluster.Admin, append([]string{"trace", "--cases", "-", "--by", "both", "-o", "json"}, more...)...)...)
	if r.code == 2 {
		w.t.Fatalf("rung trace: %s", r.err)
	}
	must(w.t, json.Unmarshal([]byte(r.out), &out))
	if len(out) != len(all) {
		w.t.Fatalf("rung trace has %d answers to %d questions", len(out), len(all))
	}
	return out
}

// traceAnswer is what `rung trace` prints of a connection.
type traceAnswer struct {
	Verdict, Reason string
	Stages          []traceStage
	Rows            *traceAnswer
	OVN             *ovnAnswer // with --ovn
}

// ovnAnswer is what Rung's own ovn-trace comes to.
type ovnAnswer struct {
	Verdict, Agreement string
	Ways               []struct {
		NotAsked string `json:"not_asked"`
		Zones    []struct {
			Zone, Where, Error string
			Cause              string `json:"likely_cause"`
			Text               string
			Stages             []struct {
				Stage, Verdict, Agreement string
				FoundBy                   string      `json:"found_by"`
				DecidedBy                 []decidedBy `json:"decided_by"`
			}
		}
	}
}

type traceStage struct {
	Stage, Zone, Verdict string
	DecidedBy            *decidedBy `json:"decided_by"`
	Candidates, Passed   []decidedBy
}

type decidedBy struct {
	ACL string `json:"acl_id"`
}

// try puts a connection in as packets.
func (w *labWorld) try(a attempt) (steps []sandbox.PacketStep, made bool) {
	w.t.Helper()
	steps, made, err := sandbox.TryConnection(w.t.Context(), a.Connection)
	must(w.t, err)
	return steps, made
}

// judge holds connections, put in as packets, against what `rung trace --by both` says,
// and counts those delivered. Undefined ones, where rules of one priority disagree, are
// left out.
func (w *labWorld) judge(all []attempt, more ...string) (said []traceAnswer, delivered int) {
	w.t.Helper()
	said = w.answers(all, more...)
	for i, a := range all {
		s := said[i]
		if s.Rows == nil || s.Verdict != s.Rows.Verdict {
			w.t.Errorf("%s: by policies %s %s, by rows %+v", a, s.Verdict, s.Reason, s.Rows)
			continue
		}
		if s.Verdict == "undefined" {
			continue
		}
		steps, made := w.try(a)
		if made {
			delivered++
		}
		if want := map[string]bool{"allow": true, "deny": false}; made != want[s.Verdict] || s.Verdict != "allow" && s.Verdict != "deny" {
			w.t.Errorf("%s: %s %s, and OVN made it: %v %+v\n%+v", a, s.Verdict, s.Reason, made, steps, s.Rows)
		}
		if zone := s.Rows.denies(); !made && zone != "" && steps[len(steps)-1].Zone != zone {
			w.t.Errorf("%s: denied in zone %s, and lost in %+v", a, zone, steps)
		}
	}
	return said, delivered
}

// denies is the zone of the first stage that denies.
func (s *traceAnswer) denies() string {
	for i := range s.Stages {
		if s.Stages[i].Verdict == "deny" {
			return s.Stages[i].Zone
		}
	}
	return ""
}
