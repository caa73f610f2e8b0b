package ovntrace

import (
	"regexp"
	"strconv"
	"strings"

	"rung/model/clean"
	"rung/model/ovn/flow"
)

// Limits of what is read.
const (
	MaxInput = 32 << 20 // bytes
	MaxLine  = 64 << 10 // bytes; a longer line is unknown
	maxOdd   = 20       // unknown lines that are kept
	maxKept  = 200      // characters of them
)

// The lines of the programs. What is matched is cleaned.
var (
	reColour = regexp.MustCompile("\x1b\\[[0-9;]*m")
	reBanner = regexp.MustCompile(`^# (Detailed|Summary|Minimal) trace\.$`)
	rePacket = regexp.MustCompile(`^# [a-z0-9_]+(=[^ ]*)?(,[^ ]+)*$`)
	rePrompt = regexp.MustCompile(`^[^'"]*[#$>] +(\S+ )*\S*(ovn-trace|ovnkube-trace|oc|kubectl)\b`)
	rePass   = regexp.MustCompile(`^(ingress|egress|multicast)\((.*)\)( \{)?$`)
	reArg    = regexp.MustCompile(`(dp|inport|outport|mcgroup)="((?:[^"\\]|\\.)*)"`)
	reDashes = regexp.MustCompile(`^(-{3,}|={3,})$`)
	reTable  = regexp.MustCompile(`^(\d{1,3})\. (.*)$`)
	reStage  = regexp.MustCompile(`^([a-z_0-9]+)(?: \(([^)]*)\))?: (.*)$`)
	reFlow   = regexp.MustCompile(`^(.*), priority (\d{1,5}), uuid ([0-9a-f]{8})$`)
	reLog    = regexp.MustCompile(`^LOG: ACL name=(.*), direction=(IN|OUT), verdict=([a-z]+), severity=([a-z]+), packet="`)
	reOutput = regexp.MustCompile(`^/\* output to "((?:[^"\\]|\\.)*)", type "([a-z0-9]*)" \*/;?$`)
	reMinOut = regexp.MustCompile(`^output\("((?:[^"\\]|\\.)*)"\);?$`)
	reKlog   = regexp.MustCompile(`^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+ +\d+ [a-z_.-]+\.go:\d+\] ?(.*)$`)
	reResult = regexp.MustCompile(`^(ov[a-z-]+ .+) indicates (success|failure) from (\S+) to (\S+)$`)
	reVlog   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T[0-9:.]+Z\|\d+\|[a-z_()0-9]+\|([A-Z]+)\|(.*)$`)
	reError  = regexp.MustCompile(`^(ovn-trace: |unknown (datapath|port) |error parsing flow: |failed to parse flow expression |microflow does not specify |\*\*\* )`)
	reTurn   = regexp.MustCompile(`^([a-z0-9_]+)(\(.*\)| /\*.*\*/|: .*)?( /\*.*\*/)?( \{)?$`)
	reState  = regexp.MustCompile(`ct_state=([a-z|]+)`)
	reEnd    = regexp.MustCompile(`^\};?$`)
	reOther  = regexp.MustCompile(`^(Flow: |bridge\("|Final flow: |Megaflow: |Datapath actions: |recirc\(0x|Usage of )`)
)

// mended is a line as it is read: without colours, clean, without an end.
func mended(line string) string {
	return strings.TrimRight(clean.Text(strings.ReplaceAll(reColour.ReplaceAllString(line, ""), "\t", "    ")), " \r")
}

func indentOf(line string) (int, string) {
	text := strings.TrimLeft(line, " ")
	return len(line) - len(text), text
}

// stepOf reads "8. ls_in_acl_eval (northd.c:7447): match, priority 1, uuid d9d05c54"; ok
// is false for other lines with a number.
func stepOf(text string) (s *Step, ok bool) {
	m := reTable.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	s = &Step{}
	s.Table, _ = strconv.Atoi(m[1])
	rest := m[2]
	if m := reStage.FindStringSubmatch(rest); m != nil {
		s.Stage, rest = m[1], m[3]
	}
	if rest == "no match (implicit drop)" {
		s.NoMatch = true
		return s, true
	}
	f := reFlow.FindStringSubmatch(rest)
	if f == nil {
		return nil, false
	}
	s.Match, s.UUID = f[1], f[3]
	s.Priority, _ = strconv.Atoi(f[2])
	return s, true
}

// passOf reads the head of a pass.
func passOf(text string) *Pass {
	m := rePass.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := &Pass{Pipeline: m[1]}
	for _, a := range reArg.FindAllStringSubmatch(m[2], -1) {
		switch v := unescape(a[2]); a[1] {
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

// unescape reads the inside of a quoted text.
func unescape(s string) string {
	if v, err := strconv.Unquote(`"` + s + `"`); err == nil {
		return clean.Text(v)
	}
	return s
}

func logOf(text string) (Log, bool) {
	m := reLog.FindStringSubmatch(text)
	if m == nil {
		return Log{}, false
	}
	name := m[1]
	if name == "<unnamed>" {
		name = ""
	}
	return Log{Log: flow.Log{Name: name, Verdict: m[3], Severity: m[4]}, Direction: m[2]}, true
}
