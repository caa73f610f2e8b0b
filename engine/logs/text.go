package logs

import (
	"strconv"

	"rung/engine/revision"
	"rung/model"
)

// Sentence says the line for people:
//
//	restricted/restricted-b2hhj → monitoring/prom-0 icmp dropped by cluster-control egress 5 "default-deny"
func (e *Entry) Sentence() string {
	if e.Gap != nil {
		return e.Line.Zone + ": " + e.Gap.String()
	}
	return e.sentence(" → ")
}

// sentence is the sentence with this arrow between the ends.
func (e *Entry) sentence(arrow string) string {
	return e.Src.String() + arrow + e.Dst.String() + " " + e.Traffic() + " " + e.Action + " by " + e.By()
}

// Text is what a filter and a search look at: time, zone and sentence. It has no letters
// beyond ASCII where names have none, which makes folding case cheap.
func (e *Entry) Text() string {
	at := e.Line.At.Format("15:04:05.000 ")
	if e.Gap != nil {
		return at + e.Sentence()
	}
	return at + e.Line.Zone + " " + e.sentence(" > ")
}

// Traffic is what was sent: "tcp 443", "icmp".
func (e *Entry) Traffic() string {
	if e.Line.DstPort == 0 {
		return e.Line.Proto
	}
	return e.Line.Proto + " " + strconv.Itoa(int(e.Line.DstPort))
}

// By names the rule that decided: `cluster-control egress 5 "default-deny"`.
func (e *Entry) By() string {
	k := e.Rule.Policy
	switch {
	case !e.Attributed && e.Line.Name == "":
		return "an ACL without a name"
	case !e.Attributed:
		return "an unknown rule, ACL " + strconv.Quote(e.Line.Name)
	case k.Kind == model.KindNP && k.Name == "":
		return "the " + revision.DefaultDeny(k.Namespace, e.Rule.Direction).Label() + ": no NetworkPolicy allows it"
	}
	return k.Brief() + " " + revision.RuleLabel(e.Rule.Direction, e.Rule.Rule, e.RuleName)
}

// Unit is what the row that logged the line was compiled for: the policy of the
// rule, or the default deny of a namespace. It is zero when that is not known.
func (e *Entry) Unit() model.Key {
	k := e.Rule.Policy
	switch {
	case !e.Attributed:
		return model.Key{}
	case k.Kind == model.KindNP && k.Name == "":
		return revision.DefaultDeny(k.Namespace, e.Rule.Direction)
	}
	return k
}

// Brief is String without what is known about the address: "blue/api-7", "8.8.8.8", and
// the name alone of who had the address.
func (d End) Brief() string {
	switch {
	case d.Addr == "":
		return "?"
	case d.Note == noteGone:
		return d.name() + " (gone)"
	case d.name() == "":
		return d.Addr
	}
	return d.name()
}

// name is the pod or node, empty where none has the address.
func (d End) name() string {
	switch d.Key.Kind {
	case model.KindPod:
		return d.Key.Namespace + "/" + d.Key.Name
	case model.KindNode:
		return "node " + d.Key.Name
	}
	return ""
}

// String is the end's pod or node, or its address with what is known about it:
// "blue/api-7", "node ovn-worker", "8.8.8.8 (outside)",
// "10.244.1.99 (gone 14:15:58: green/job-x)".
func (d End) String() string {
	name := d.name()
	switch {
	case d.Addr == "":
		return "?"
	case d.Note == noteGone:
		return d.Addr + " (gone " + d.Gone.Format("15:04:05") + ": " + name + ")"
	case name == "":
		return d.Addr + " (" + noteOutside + ")"
	case d.Note != "":
		return name + " (" + d.Note + ")"
	}
	return name
}
