package trace

import (
	"errors"
	"fmt"
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
	// Packets, Rows and Policies are the three answers, path by path and stage by stage.
	// A stage that no packet reached is not applicable.
	Packets, Rows, Policies verdict.Answer
	// Sent are the packets of each path, none where it was not tried.
	Sent [][]PacketStep
	// Changed says that the rows changed while the packets were under way: the answers
	// are not of one moment, and nothing is found.
	Changed  bool
	Findings []model.Finding
}

// PacketStep is one packet in one zone.
type PacketStep struct {
	Packet    string // "SYN", "request"
	Reply     bool
	Zone      string
	EntryPort string   // the logical port where it was put in
	ExitPorts []string // and those where it came out
	Delivered bool
	Met       []MetACL
}

// MetACL is an ACL whose logical flow a packet met.
type MetACL struct {
	Stage model.Stage
	// ACL begins the row's UUID, as OVN notes it at the flow.
	ACL string
	// Row is the row, nil where the zone has none that begins so, and Decider what it says
	// of itself.
	Row     *nb.ACL
	Decider verdict.Decider
}

// ProbePhase is a stage of a probe in progress, in words for people.
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

// Why a probe is not possible.
var (
	errOtherZones = errors.New("needs a sandbox on OVN: rung -f FILES --sandbox-ovn DIR")
	errDemo       = errors.New("needs the sandbox on OVN: rung demo --sandbox-ovn DIR")
	errFiles      = errors.New("needs the sandbox on OVN: rung -f FILES --sandbox-ovn DIR")
)

// CheckPossible says in one line why no packets can be put in here, nil where they can.
func CheckPossible(m revision.Mode) error {
	switch {
	case m.OVN != "":
		return nil
	case !m.Sandbox:
		return errOtherZones
	case m.Name == "demo":
		return whereTold(m, errDemo)
	}
	return whereTold(m, errFiles)
}

// whereTold names the keys that lead to why no OVN was found: to the oldest line of the activity.
func whereTold(m revision.Mode, err error) error {
	if m.ToldNoOVN {
		return fmt.Errorf("%w; why: 5, G", err)
	}
	return err
}

// NotSentReason says why no packets are put in for a path, empty where they are. from and to
// are its ends' pods, nil for none.
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
		return "the sandbox has no load balancers: nothing sends on what comes to node " + p.Via
	case p.To.Addr.IsMulticast():
		return "a probe is a connection, and a multicast group answers none"
	case from != nil && to != nil && from.Key == to.Key:
		return "the sandbox has no load balancers: a pod cannot reach itself through a Service"
	}
	return ""
}

// CommandFor is the rung command that sends the same.
func CommandFor(q Question) string {
	q.Network = "" // a probe has no such flag
	return words.ShellJoin(q.commandWords("probe")...)
}
