package trace

import (
	"errors"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// Result is the outcome of probing a connection.
type Result struct {
	Connection verdict.Connection
	At         time.Time
	OVN        string // its version
	// Packets, Rows and Policies are the three answers, by path and stage. A stage that no packet reached is
	// not applicable.
	Packets, Rows, Policies verdict.Answer
	// Sent holds the packets of each path, none if it was not tried.
	Sent [][]PacketStep
	// Changed means that the rows changed during the probe: the answers belong to different moments, so
	// Findings is empty.
	Changed  bool
	Findings []model.Finding
}

// PacketStep is one packet in one zone.
type PacketStep struct {
	Packet    string // "SYN", "request"
	Reply     bool
	Zone      string
	EntryPort string   // logical port where the packet entered the zone
	ExitPorts []string // logical ports it left by
	Delivered bool
	Met       []MetACL
}

// MetACL is an ACL whose logical flow a packet matched.
type MetACL struct {
	Stage model.Stage
	// ACL is the beginning of the row's UUID, as OVN notes it in the flow.
	ACL string
	// Row is the row, nil if no UUID of the zone begins with ACL; Decider is its rule.
	Row     *nb.ACL
	Decider verdict.Decider
}

// ProbePhase is a phase of a running probe, in words for people.
type ProbePhase string

// The phases, in order.
const (
	Waits ProbePhase = "waiting until rows are flows"
	Sends ProbePhase = "sending packets"
)

// Delivered and Dropped are the outcomes of packets, for people.
const (
	Delivered = "delivered"
	Dropped   = "dropped"
)

// VerdictWord returns the word for a verdict on packets.
func VerdictWord(v verdict.Verdict) string {
	switch v {
	case verdict.Allow:
		return Delivered
	case verdict.Deny:
		return Dropped
	}
	return string(v)
}

// CheckPossible returns why no packets can be sent here, in one line; nil if they can.
func CheckPossible(m revision.Mode) error {
	why := "needs the sandbox on OVN: rung -f FILES --sandbox-ovn DIR"
	switch {
	case m.OVN != "":
		return nil
	case !m.Sandbox:
		return errors.New("needs a sandbox on OVN: rung -f FILES --sandbox-ovn DIR")
	case m.Name == "demo":
		why = "needs the sandbox on OVN: rung demo --sandbox-ovn DIR"
	}
	if m.NoOVNReported {
		why += "; why: 5, G" // the keys to the oldest activity line, which says why no OVN was found
	}
	return errors.New(why)
}

// NotSentReason returns why a path gets no packets; empty if it gets some. from and to are its ends' pods, nil
// if none.
func NotSentReason(p *verdict.Path, from, to *model.Pod) string {
	for _, pod := range []*model.Pod{from, to} {
		if pod != nil && pod.Assumed != "" {
			return pod.Namespace + "/" + pod.Name + " has no port in the sandbox: it " + pod.Assumed
		}
	}
	switch {
	case p.Verdict == verdict.NotApplicable:
		return p.Reason
	case p.Via != "":
		return "the sandbox has no load balancers: nothing forwards what arrives at node " + p.Via
	case p.To.Addr.IsMulticast():
		return "a multicast group answers no connection"
	case from != nil && to != nil && from.Key == to.Key:
		return "the sandbox has no load balancers: a pod cannot reach itself through a Service"
	}
	return ""
}

// CommandFor returns the rung command that sends the same.
func CommandFor(q Question) string {
	q.Network = "" // rung probe has no such flag
	return words.ShellJoin(q.commandWords("probe")...)
}
