package ladder

import (
	"strconv"

	"rung/model"
	"rung/ui/nav"
	"rung/ui/widget"
)

// kind is what a line of the ladder is.
type kind int

const (
	policy kind = iota // a policy, or one that could not be read
	band               // the heading of a tier
	gap                // a run of free priorities
	slot               // one free priority
)

// item is one line. Its texts are made once per revision.
type item struct {
	kind kind
	id   string
	full widget.Line // lines without columns

	key    model.PolicyKey
	prio   int32
	listed bool // it has a priority of its own: tier 1
	gap    model.Gap
	folds  bool // a band that unfolds
	broken *model.Broken

	name, ingress, egress, zones, log, state, mark widget.Line
	subject, pods, acls                            string
	rank                                           int // how bad its state is, lower is worse
}

func policyID(k model.PolicyKey) string { return "policy " + k.String() }
func gapID(from int32) string           { return "gap " + strconv.Itoa(int(from)) }
func slotID(p int32) string             { return "slot " + strconv.Itoa(int(p)) }

func (it *item) priority() string {
	if !it.listed {
		return ""
	}
	return strconv.Itoa(int(it.prio))
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
	return nav.Page{}
}
