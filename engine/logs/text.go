package logs

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
)

// Sentence describes the line for people:
//
//	restricted/restricted-b2hhj → monitoring/prom-0 icmp dropped by cluster-control egress 5 "default-deny"
func (e *Entry) Sentence() string {
	if e.Gap != nil {
		return e.Line.Zone + ": " + e.Gap.String()
	}
	return e.sentenceWith(" → ")
}

// sentenceWith is Sentence with this arrow between the ends.
func (e *Entry) sentenceWith(arrow string) string {
	s := e.Src.String() + arrow + e.Dst.String() + " " + e.Traffic() + " " + e.Action + " by " + e.RuleText()
	if a := e.Line.Named; a != nil && a.Packets > 1 {
		s += ", " + words.Count(a.Packets, "packet") + " in " + a.Over.Round(time.Millisecond).String()
	}
	return s
}

// Text returns the text that filters and searches match: time, zone and sentence. It adds only ASCII letters
// to names, which makes folding case cheap.
func (e *Entry) Text() string {
	at := e.Line.At.Format("15:04:05.000 ")
	if e.Gap != nil {
		return at + e.Sentence()
	}
	return at + e.Line.Zone + " " + e.sentenceWith(" > ")
}

// Traffic returns the protocol and port of the packet: "tcp 443", "icmp".
func (e *Entry) Traffic() string {
	return words.Choose(e.Line.DstPort == 0, e.Line.Proto, e.Line.Proto+" "+strconv.Itoa(int(e.Line.DstPort)))
}

// The texts of Entry.Gone.
const (
	PolicyGone = "this policy does not exist now"
	RuleGone   = "this rule does not exist now"
)

// RuleText names the rule that decided: `cluster-control egress 5 "default-deny"`, and says if it is gone.
func (e *Entry) RuleText() string {
	return e.presentRule() + words.Between(" (", e.Gone, ")")
}

func (e *Entry) presentRule() string {
	switch unit := unitOf(e.Rule); {
	case !e.Attributed:
		return e.doubtfulRule()
	case unit != e.Rule.Policy:
		return "the " + unit.Label() + ": no NetworkPolicy allows it"
	}
	return ruleText(e.Rule, e.RuleName)
}

// doubtfulRule describes a rule that was not found.
func (e *Entry) doubtfulRule() string {
	switch {
	case len(e.Candidates) > 0:
		texts := make([]string, len(e.Candidates))
		for i, ref := range e.Candidates {
			texts[i] = ruleText(ref, "")
		}
		list := words.List(texts, len(texts))
		if n := e.CandidateCount - len(texts); n > 0 {
			list = strings.Join(texts, ", ") + " and " + words.Thousands(n) + " more"
		}
		return "one of " + words.Count(e.CandidateCount, "rule") + " with the same truncated name: " + list
	case e.Line.Named != nil && unitOf(e.Rule) != e.Rule.Policy:
		return "a default deny: no NetworkPolicy allows it"
	case e.Line.Named != nil:
		return ruleText(e.Rule, e.RuleName) // as written: Rung does not read that kind
	case e.Line.Name == "":
		return "an ACL without a name"
	case e.Rule.Policy.Name != "" && e.Rule.Exact: // its direction is unknown
		return e.Rule.Policy.ShortLabel() + " rule " + strconv.Itoa(e.Rule.Rule)
	}
	return "an unknown rule, ACL " + strconv.Quote(e.Line.Name)
}

// ruleText names a rule, or the default deny of a namespace, with its policy.
func ruleText(ref logline.RuleRef, name string) string {
	if unit := unitOf(ref); unit != ref.Policy {
		return unit.Label()
	}
	return ref.Policy.ShortLabel() + " " + revision.RuleLabel(ref.Direction, ref.Rule, name)
}

// unitOf returns what the rows of a rule were compiled for: its policy, or the default deny of a namespace.
func unitOf(ref logline.RuleRef) model.Key {
	if ref.Policy.Kind == model.KindNP && ref.Policy.Name == "" {
		return revision.DefaultDeny(ref.Policy.Namespace, ref.Direction)
	}
	return ref.Policy
}

// UnitKey returns what the row that logged the line was compiled for, zero if unknown.
func (e *Entry) UnitKey() model.Key {
	if !e.Attributed {
		return model.Key{}
	}
	return unitOf(e.Rule)
}

// Brief returns only the name or address: "blue/api-7", "8.8.8.8", and "blue/api-7 (gone)" for who had the
// address.
func (d End) Brief() string {
	switch {
	case d.Addr == "":
		return "?"
	case d.Note == noteGone:
		return EntityName(d.Key) + " (gone)"
	}
	return cmp.Or(EntityName(d.Key), d.Addr)
}

// EntityName names a pod, node or Service for sentences; empty for other kinds.
func EntityName(k model.Key) string {
	switch k.Kind {
	case model.KindPod:
		return k.Namespace + "/" + k.Name
	case model.KindNode:
		return "node " + k.Name
	case model.KindService:
		return "service " + k.Namespace + "/" + k.Name
	}
	return ""
}

// String returns the end's pod, node or Service, or its address with a note: "blue/api-7", "node ovn-worker",
// "service blue/api", "8.8.8.8 (outside)", "10.9.1.2 (outside, in 10.9.0.0/16)", "10.244.1.99 (gone 14:15:58:
// green/job-x)", "10.244.1.99 (now green/job-y)" if that pod did not exist yet.
func (d End) String() string {
	name := EntityName(d.Key)
	switch {
	case d.Addr == "":
		return "?"
	case d.Note == noteGone:
		return d.Addr + " (gone " + d.Gone.Format("15:04:05") + ": " + name + ")"
	case d.Note == noteLater:
		return d.Addr + " (" + noteNow + " " + EntityName(d.Later) + ")"
	case name == "" && d.Network != "":
		return d.Addr + " (" + d.Note + ", in " + d.Network + ")"
	case name == "" && d.Note == "":
		return d.Addr
	case name == "":
		return d.Addr + " (" + d.Note + ")"
	case d.Note != "":
		return name + " (" + d.Note + ")"
	}
	return name
}

// NameAndTime splits String if only the present holder of the address is known: "blue/api-7" and "now".
// Otherwise text is all of String, and when is empty.
func (d End) NameAndTime() (text, when string) {
	if name := EntityName(d.Key); name != "" && d.Note == noteNow {
		return name, noteNow
	}
	return d.String(), ""
}
