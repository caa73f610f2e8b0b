package flow

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"rung/model/words"
)

// Form is an output format of ovn-trace.
type Form string

// The forms.
const (
	Detailed Form = "detailed"
	Summary  Form = "summary"
	Minimal  Form = "minimal"
)

// Report is the parsed content of a text.
type Report struct {
	Traces  []*Trace
	Results []Result // of ovnkube-trace
	// Problems are error messages outside of traces.
	Problems []string
	// Lines counts all lines, Other the lines of other programs, Unknown the lines that were not parsed.
	Lines, Other, Unknown int
	UnparsedLines         []Line // the first unparsed lines
}

// Line is a line of the text with its number, from 1.
type Line struct {
	Number int    `json:"line"`
	Text   string `json:"text"`
}

// Result is the outcome that ovnkube-trace prints for a step.
type Result struct {
	What    string `json:"what"` // "ovn-trace source pod to destination pod"
	Success bool   `json:"success"`
	From    string `json:"from"`
	To      string `json:"to"`
}

// Trace is the path of one packet.
type Trace struct {
	// Title is ovnkube-trace's name for it; empty in ovn-trace's own output.
	Title    string
	Line     int // number of its first line
	Form     Form
	Packet   Packet
	Passes   []*Pass
	Outputs  []Output
	Problems []string
}

// Packet is the packet at the start of the trace; fields that the trace does not state are zero.
type Packet struct {
	Proto            string // tcp, udp, sctp, icmp, icmp6, or as written
	Src, Dst         netip.Addr
	SrcPort, DstPort int
}

// Output is a port by which the packet leaves. Type is the logical port's: empty for a pod, "patch" into the
// next datapath, "remote" to another zone.
type Output struct{ Port, Type string }

// Pass is a packet's way through one datapath pipeline.
type Pass struct {
	Pipeline        string // "ingress", "egress"
	Datapath        string
	Inport, Outport string
	Connection      string // last state of connection tracking: "new|trk"; empty if never asked
	Answer          bool   // the packet is OVN's answer to a rejected packet
	Steps           []*Step
	indent          int
}

// Step is a logical flow that a packet met. The summary and minimal forms do not show flows: there one Step
// has the actions of a whole pass.
type Step struct {
	Line     int
	Table    int
	Stage    string
	Match    string
	Priority int
	UUID     string // first eight hex digits of the flow's UUID
	Actions  []string
	Logs     []TraceLog
	NoMatch  bool // no flow matched: the packet is dropped
}

// TraceLog is a line that ovn-controller would log.
type TraceLog struct {
	Log
	Direction string // "IN", "OUT"
}

// Limits of the input.
const (
	MaxInput         = 32 << 20 // bytes
	MaxLine          = 64 << 10 // bytes; a longer line is unknown
	maxUnparsedLines = 20       // unknown lines to keep
	maxKept          = 200      // characters of each
)

// lazily compiles a pattern when it is first used. Most runs of Rung parse no trace, and the patterns would
// take a fifth of the time before the first frame.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// Patterns of the programs' lines, after cleaning.
var (
	reColour = lazily("\x1b\\[[0-9;]*m")
	reBanner = lazily(`^# (Detailed|Summary|Minimal) trace\.$`)
	rePacket = lazily(`^# [a-z0-9_]+(=[^ ]*)?(,[^ ]+)*$`)
	rePrompt = lazily(`^[^'"]*[#$>] +(\S+ )*\S*(ovn-trace|ovnkube-trace|oc|kubectl)\b`)
	rePass   = lazily(`^(ingress|egress|multicast)\((.*)\)( \{)?$`)
	reArg    = lazily(`(dp|inport|outport|mcgroup)="((?:[^"\\]|\\.)*)"`)
	reDashes = lazily(`^(-{3,}|={3,})$`)
	reTable  = lazily(`^(\d{1,3})\. (.*)$`)
	reStage  = lazily(`^([a-z_0-9]+)(?: \(([^)]*)\))?: (.*)$`)
	reFlow   = lazily(`^(.*), priority (\d{1,5}), uuid ([0-9a-f]{8})$`)
	reLog    = lazily(`^LOG: ACL name=(.*), direction=(IN|OUT), verdict=([a-z]+), severity=([a-z]+), packet="`)
	reOutput = lazily(`^/\* output to "((?:[^"\\]|\\.)*)", type "([a-z0-9]*)" \*/;?$`)
	reMinOut = lazily(`^output\("((?:[^"\\]|\\.)*)"\);?$`)
	reKlog   = lazily(`^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+ +\d+ [a-z_.-]+\.go:\d+\] ?(.*)$`)
	reResult = lazily(`^(ov[a-z-]+ .+) indicates (success|failure) from (\S+) to (\S+)$`)
	reVlog   = lazily(`^\d{4}-\d{2}-\d{2}T[0-9:.]+Z\|\d+\|[a-z_()0-9]+\|([A-Z]+)\|(.*)$`)
	reError  = lazily(`^(ovn-trace: |unknown (datapath|port) |error parsing flow: |failed to parse flow expression |` +
		`microflow does not specify |\*\*\* )`)
	reTurn  = lazily(`^([a-z0-9_]+)(\(.*\)| /\*.*\*/|: .*)?( /\*.*\*/)?( \{)?$`)
	reState = lazily(`ct_state=([a-z|]+)`)
	reEnd   = lazily(`^\};?$`)
	reOther = lazily(`^(Flow: |bridge\("|Final flow: |Megaflow: |Datapath actions: |recirc\(0x|Usage of )`)
)

// cleanLine cleans a line: no colours, no tabs, no line end.
func cleanLine(line string) string {
	return strings.TrimRight(words.CleanText(strings.ReplaceAll(reColour().ReplaceAllString(line, ""), "\t", "    ")), " \r")
}

// readStep parses "8. ls_in_acl_eval (northd.c:7447): match, priority 1, uuid d9d05c54"; ok is false for other
// numbered lines.
func readStep(text string) (s *Step, ok bool) {
	m := reTable().FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	s = &Step{}
	s.Table, _ = strconv.Atoi(m[1])
	rest := m[2]
	if m := reStage().FindStringSubmatch(rest); m != nil {
		s.Stage, rest = m[1], m[3]
	}
	if rest == "no match (implicit drop)" {
		s.NoMatch = true
		return s, true
	}
	f := reFlow().FindStringSubmatch(rest)
	if f == nil {
		return nil, false
	}
	s.Match, s.UUID = f[1], f[3]
	s.Priority, _ = strconv.Atoi(f[2])
	return s, true
}

// readPass parses the head of a pass; nil for other lines.
func readPass(text string) *Pass {
	m := rePass().FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := &Pass{Pipeline: m[1]}
	for _, a := range reArg().FindAllStringSubmatch(m[2], -1) {
		switch v := unescapeText(a[2]); a[1] {
		case "dp":
			p.Datapath = v
		case "inport":
			p.Inport = v
		case "outport", "mcgroup":
			p.Outport = v
		}
	}
	return p
}

// unescapeText parses the inside of a quoted text.
func unescapeText(s string) string {
	if v, err := strconv.Unquote(`"` + s + `"`); err == nil {
		return words.CleanText(v)
	}
	return s
}

func readTraceLog(text string) (TraceLog, bool) {
	m := reLog().FindStringSubmatch(text)
	if m == nil {
		return TraceLog{}, false
	}
	name := m[1]
	if name == "<unnamed>" {
		name = ""
	}
	return TraceLog{Log: Log{Name: name, Verdict: m[3], Severity: m[4]}, Direction: m[2]}, true
}
