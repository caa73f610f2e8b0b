package ovntrace

import (
	"net/netip"

	"rung/model/ovn/flow"
)

// Form is one of the three forms of ovn-trace's output.
type Form string

// The forms.
const (
	Detailed Form = "detailed"
	Summary  Form = "summary"
	Minimal  Form = "minimal"
)

// Report is what was read of a text.
type Report struct {
	Traces  []*Trace
	Results []Result // of ovnkube-trace
	// Problems are what the programs complained of outside of any trace.
	Problems []string
	// Lines are all, Other those of other programs, Unknown those that nothing is made of.
	Lines, Other, Unknown int
	Odd                   []Line // the first of the unknown
}

// Line is a line of the text by its number, from 1.
type Line struct {
	Number int
	Text   string
}

// Result is what ovnkube-trace says of one of its steps.
type Result struct {
	What     string // "ovn-trace source pod to destination pod"
	Success  bool
	From, To string
}

// Trace is the way of one packet.
type Trace struct {
	// Title is what ovnkube-trace calls it; empty for ovn-trace's own output.
	Title    string
	Line     int // where it begins
	Form     Form
	Packet   Packet
	Passes   []*Pass
	Outputs  []Output
	Problems []string
}

// Packet is the packet as the trace begins; what was not said is zero.
type Packet struct {
	Proto            string // tcp, udp, sctp, icmp, icmp6, or as written
	Src, Dst         netip.Addr
	SrcPort, DstPort int
}

// Output is a port that the packet leaves by. Type is empty for a pod's, else that of the
// logical port: "patch" leads into the next datapath, "remote" to another zone.
type Output struct{ Port, Type string }

// Pass is a packet in one pipeline of one datapath.
type Pass struct {
	Pipeline        string // "ingress", "egress"
	Datapath        string
	Inport, Outport string
	Connection      string // what connection tracking said last: "new|trk"; empty: not asked
	Answer          bool   // it is OVN's answer to a packet it rejects
	Steps           []*Step
	indent          int
}

// Step is a logical flow that a packet met. In the summary and minimal form flows are not
// shown: then a Step holds the actions of a whole pass.
type Step struct {
	Line     int
	Table    int
	Stage    string
	Match    string
	Priority int
	UUID     string // the first eight hex digits of the flow's
	Actions  []string
	Logs     []Log
	NoMatch  bool // no flow matched: the packet is dropped
}

// Log is a line that ovn-controller would log.
type Log struct {
	flow.Log
	Direction string // "IN", "OUT"
}
