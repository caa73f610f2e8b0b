package flow

import (
	"strconv"
	"strings"
)

// Codes of actions.
const (
	ActAllow     = "allow"
	ActDrop      = "drop"
	ActReject    = "reject"
	ActLog       = "log"
	ActCommit    = "commit"
	ActCut       = "cut"
	ActTier      = "tier"
	ActNext      = "next"
	ActHint      = "hint"
	ActStateless = "stateless"
	ActTrack     = "track"
	ActSample    = "sample"
	ActClear     = "clear"
	ActAnswer    = "answer"
	ActPersist   = "persist"
	ActReply     = "reply"
	ActOther     = "other"
)

// FlowAction is a logical flow's action with its meaning.
type FlowAction struct {
	Code string
	Text string // for people
	Raw  string // as the flow has it
	Log  *Log   // of ActLog
}

// Log is the line that a log() action writes.
type Log struct {
	Name     string `json:"name,omitempty"`
	Verdict  string `json:"verdict,omitempty"`
	Severity string `json:"severity,omitempty"`
	Meter    string `json:"meter,omitempty"`
}

// ReadActions parses the actions of a logical flow, as the database and ovn-trace write them. It includes
// actions that clear registers before the end of a stage, and the final "next;".
func ReadActions(text string) (out []FlowAction) {
	parts, whole := splitActions(text, true)
	if !whole {
		parts, _ = splitActions(text, false) // northd does not escape quotes in ACL names
	}
	for _, raw := range parts {
		out = append(out, readAction(raw))
	}
	return out
}

// splitActions splits actions at semicolons outside of braces, comments and, if quotes is true, quotes. whole
// is false if a quote is not closed.
func splitActions(text string, quotes bool) (out []string, whole bool) {
	depth, quoted, from := 0, false, 0
	add := func(to int) {
		if s := strings.TrimSpace(text[from:to]); s != "" {
			out = append(out, s)
		}
		from = to + 1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"' && quotes:
			quoted = !quoted
		case quoted:
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i:], "*/")
			if end < 0 {
				i = len(text)
				break
			}
			i += end + 1
			if depth == 0 && strings.TrimSpace(text[from:i+1]) != "" && strings.HasPrefix(strings.TrimSpace(text[from:i+1]), "/*") {
				add(i + 1)
				from = i + 1
			}
		case c == '{' || c == '(':
			depth++
		case c == '}' || c == ')':
			depth = max(0, depth-1)
		case c == ';' && depth == 0:
			add(i)
		}
	}
	if from < len(text) {
		add(len(text))
	}
	return out, !quoted
}

// fixed has actions that are always written the same.
var fixed = map[string]FlowAction{
	"next":                  {Code: ActNext, Text: "on to the next stage"},
	"/* drop */":            {Code: ActDrop, Text: "drop"},
	"drop":                  {Code: ActDrop, Text: "drop"},
	regAllow + " = 1":       {Code: ActAllow, Text: "allow"},
	regDrop + " = 1":        {Code: ActDrop, Text: "drop"},
	regReject + " = 1":      {Code: ActReject, Text: "reject"},
	regAllow + " = 0":       {Code: ActClear, Text: "forget the verdict"},
	regDrop + " = 0":        {Code: ActClear, Text: "forget the verdict"},
	regReject + " = 0":      {Code: ActClear, Text: "forget the verdict"},
	"reg0 = 0":              {Code: ActClear, Text: "forget the hints"},
	"reg0[0] = 1":           {Code: ActTrack, Text: "send to connection tracking"},
	"reg0[1] = 1":           {Code: ActCommit, Text: "remember the connection"},
	"reg0[7] = 1":           {Code: ActHint, Text: "may meet an allow, as a new connection"},
	"reg0[8] = 1":           {Code: ActHint, Text: "may meet an allow, as an established connection"},
	"reg0[9] = 1":           {Code: ActHint, Text: "may meet a drop, as a new connection"},
	"reg0[10] = 1":          {Code: ActHint, Text: "may meet a drop, as an established connection"},
	"reg0[9] = 0":           {Code: ActHint, Text: "meets no drop"},
	"reg0[10] = 0":          {Code: ActHint, Text: "meets no drop"},
	"reg0[16] = 1":          {Code: ActStateless, Text: "skip connection tracking"},
	"reg0[17] = 1":          {Code: ActReply, Text: "a reply or related: let through after load balancing, too"},
	"reg0[20] = 1":          {Code: ActPersist, Text: "let through for as long as the connection lasts"},
	"reg0[21] = 1":          {Code: ActPersist, Text: "let through for as long as the connection lasts"},
	"reg0[13] = 1":          {Code: ActSample, Text: "label or sample the connection"},
	"ct_commit_nat":         {Code: ActCommit, Text: "remember the connection"},
	"flags.pkt_sampled = 1": {Code: ActSample, Text: "mark as sampled"},
}

// sampled has the registers of labels and samples (ovn-kubernetes.md#logical-flows-of-an-acl).
var sampled = []string{"reg3 = ", "reg9 = ", "reg8[0..7] = ", "reg8[8..15] = ", "reg8[19..20] = "}

func readAction(raw string) FlowAction {
	if a, ok := fixed[raw]; ok {
		a.Raw = raw
		return a
	}
	a := FlowAction{Code: ActOther, Text: raw, Raw: raw}
	switch {
	case strings.HasPrefix(raw, "log("):
		a.Log = readLog(raw)
		a.Code, a.Text = ActLog, a.Log.String()
	case strings.HasPrefix(raw, regTier+" = "):
		tier := raw[len(regTier+" = "):]
		if n, err := strconv.Atoi(tier); err == nil {
			a.Code, a.Text = ActTier, "go on to tier "+strconv.Itoa(n)
			if n == 0 {
				a.Code, a.Text = ActClear, "back to tier 0"
			}
		}
	case strings.HasPrefix(raw, "next("):
		a.Code, a.Text = ActNext, "search the ACLs again"
	case strings.HasPrefix(raw, "ct_commit {") && strings.Contains(raw, "ct_mark.blocked = 1"):
		a.Code, a.Text = ActCut, "mark the connection as denied"
	case strings.HasPrefix(raw, "ct_commit"):
		a.Code, a.Text = ActCommit, "remember the connection"
	case strings.HasPrefix(raw, "reject {"):
		a.Code, a.Text = ActAnswer, "answer with a TCP reset or ICMP unreachable"
	case strings.HasPrefix(raw, "sample("):
		a.Code, a.Text = ActSample, "send a sample"
	case strings.HasPrefix(raw, "reg2[16..31] = "):
		a.Code, a.Text = ActPersist, "note which ACL let it through"
	}
	for _, reg := range sampled {
		if value, ok := strings.CutPrefix(raw, reg); ok {
			a.Code, a.Text = ActSample, "label or sample: "+value
		}
	}
	return a
}

// String describes what is logged. With a fair meter every ACL has its own meter with the ACL's UUID in the
// name, which is left out.
func (l *Log) String() string {
	s := "log"
	meter, of, own := strings.Cut(l.Meter, "__")
	own = own && len(of) == uuidLength
	if !own {
		meter = l.Meter
	}
	for _, part := range []struct{ before, value string }{
		{" as ", l.Name}, {", verdict ", l.Verdict}, {", severity ", l.Severity}, {", meter ", meter},
	} {
		if part.value != "" {
			s += part.before + part.value
		}
	}
	if own {
		s += " (this ACL's own)"
	}
	return s
}

// uuidLength is a UUID's length as text.
const uuidLength = 36

// readLog parses log(name="…", severity=…, verdict=…, meter="…").
func readLog(raw string) *Log {
	l := &Log{}
	fields := map[string]*string{"name": &l.Name, "verdict": &l.Verdict, "severity": &l.Severity, "meter": &l.Meter}
	text := strings.TrimSuffix(strings.TrimPrefix(raw, "log("), ")")
	for text != "" {
		text = strings.TrimLeft(text, ", ")
		key, rest, ok := strings.Cut(text, "=")
		if !ok {
			break
		}
		var value string
		value, text = cutValue(rest)
		if to := fields[strings.TrimSpace(key)]; to != nil {
			*to = value
		}
	}
	return l
}

// cutValue cuts a quoted or bare value off the front.
func cutValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		value, rest, _ = strings.Cut(s, ",")
		return strings.TrimSpace(value), rest
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			if v, err := strconv.Unquote(s[:i+1]); err == nil {
				return v, s[i+1:]
			}
			return s[1:i], s[i+1:]
		}
	}
	return s[1:], ""
}

// ActionTexts describes the actions in order, omitting next and clearing registers, which every flow has.
func ActionTexts(acts []FlowAction) (out []string) {
	samples := 0
	for _, a := range acts {
		switch a.Code {
		case ActNext, ActClear:
			continue
		case ActSample:
			samples++
			if samples > 1 {
				continue
			}
		}
		out = append(out, a.Text)
	}
	return out
}
