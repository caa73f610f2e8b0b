package ladder

import (
	"strconv"

	"rung/model"
	"rung/model/ladder"
	"rung/revision/finding"
	"rung/ui/nav"
	"rung/ui/widget"
)

// kind is what a line of the ladder is.
type kind int

const (
	policy    kind = iota // a policy, or one that could not be read
	band                  // the heading of a tier or of a part of it
	gap                   // a run of free priorities
	slot                  // one free priority
	namespace             // what tier 2 holds of a namespace
	unit                  // rows of tier 2 that no object stands for
	rows                  // live rows that nothing else on the ladder stands for
)

// item is one line. Its texts are made once per revision.
type item struct {
	kind kind
	id   string
	full widget.Line // lines without columns

	key    model.PolicyKey
	stands model.Key // the unit whose rows the line stands for, where no object does
	whose  string    // the label of live rows that are in no unit
	prio   int32
	order  string // its priority within a band of Antrea
	listed bool   // it has a priority of its own: tier 1
	ovn    int    // the OVN priority of its first row: tier 2
	gap    ladder.Gap
	folds  bool // a band that unfolds
	broken *model.Broken
	to     nav.Page // where a line leads that is no policy

	name, ingress, egress, rules, zones, state widget.Line
	sign                                       widget.Line   // of the state, for where its words have no room
	levels                                     []widget.Line // what it logs, level by level
	marks                                      []widget.Line // short forms of its notes, the worst first
	stand                                      []int         // for how many each mark stands
	notes                                      []finding.Note
	whole                                      widget.Line // of a heading that is cut
	hold                                       int         // cells of full that stay where one scrolls sideways
	subject, pods, acls                        string
	rank                                       int // how bad its state is, lower is worse
	place                                      int // where it stands on the ladder: in the order in which lines decide
}

func policyID(k model.PolicyKey) string { return "policy " + k.String() }
func gapID(from int32) string           { return "gap " + strconv.Itoa(int(from)) }
func slotID(p int32) string             { return "slot " + strconv.Itoa(int(p)) }
func namespaceID(ns string) string      { return "namespace " + ns }
func unitID(k model.Key, s model.Stage) string {
	return "unit " + k.String() + " " + string(s)
}

func (it *item) priority() string {
	switch {
	case it.order != "":
		return it.order
	case it.ovn > 0:
		return strconv.Itoa(it.ovn)
	case it.listed:
		return strconv.Itoa(int(it.prio))
	}
	return ""
}

// policyName is the name to sort by, without the sign before it.
func (it *item) policyName() string { return it.key.Name }

func (it *item) worry() int { return it.rank }

func (it *item) page() nav.Page {
	switch it.kind {
	case policy:
		if it.broken == nil {
			return nav.ToPolicy(it.key)
		}
	case gap:
		return nav.ToNew((it.gap.From + it.gap.To) / 2)
	case slot:
		return nav.ToNew(it.prio)
	}
	return it.to
}
