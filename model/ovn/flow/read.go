package flow

import (
	"slices"
	"strconv"
	"strings"

	"rung/model"
)

// PriorityOffset is added by northd to the priority of an ACL (ovn-kubernetes.md#priorities).
const PriorityOffset = 1000

// StagePart is the task of an ACL stage of the pipeline.
type StagePart string

// The parts, in the order of the pipeline.
const (
	PartBefore StagePart = "before" // before connection tracking: what skips it
	PartHint   StagePart = "hint"   // sorts packets by their connection
	PartEval   StagePart = "eval"   // the ACLs
	PartSample StagePart = "sample" // samples for observability
	PartAction StagePart = "action" // carries out the verdict, or goes on to the next tier
)

// ParseStage parses the name of a stage, as written in external_ids:stage-name and by ovn-trace; ok is false
// for stages without ACLs.
func ParseStage(name string) (stage model.Stage, part StagePart, ok bool) {
	stage = model.StageFromLport
	rest, in := strings.CutPrefix(name, "ls_in_")
	if !in {
		rest, ok = strings.CutPrefix(name, "ls_out_")
		if !ok {
			return "", "", false
		}
		stage = model.StageToLport
	}
	if rest == "pre_acl" {
		return stage, PartBefore, true
	}
	rest, ok = strings.CutPrefix(rest, "acl_")
	if !ok {
		return "", "", false
	}
	if after, is := strings.CutPrefix(rest, "after_lb_"); is && in {
		stage, rest = model.StageAfterLB, after
	}
	switch part = StagePart(rest); part {
	case PartHint, PartEval, PartSample, PartAction:
		return stage, part, true
	}
	return "", "", false
}

// Hint selects the packets of an ACL's flow by their connection tracking state. Its value is a bit number of
// reg0 (ovn-kubernetes.md#hints); 0 means every packet.
type Hint int

// The hints.
const (
	HintAllowNew Hint = 7  // of an ACL that allows: new connections
	HintAllow    Hint = 8  // of an ACL that allows: established ones
	HintDrop     Hint = 9  // of an ACL that drops: new connections
	HintBlock    Hint = 10 // of an ACL that drops: established ones
)

// String describes the packets.
func (h Hint) String() string {
	switch h {
	case 0:
		return "every packet"
	case HintAllowNew:
		return "new connections, or cut ones"
	case HintAllow:
		return "established connections, or untracked packets"
	case HintDrop:
		return "new, cut or untracked connections"
	case HintBlock:
		return "established connections"
	}
	return "reg0[" + strconv.Itoa(int(h)) + "]"
}

// NoTier stands for a flow that does not match on the tier, since all ACLs of its stage have tier 0.
const NoTier = -1

// Reading is a logical flow with stage, match and actions parsed.
type Reading struct {
	Stage model.Stage
	Part  StagePart
	// Tier is the tier of a flow of part eval, or NoTier; Hint its packets.
	Tier int
	Hint Hint
	// Match is the match without the terms for tier and hint: for an ACL's flow, the ACL's match.
	Match string
	Acts  []FlowAction
	// Verdict is the decision of the actions: "allow", "drop", "reject", or "".
	Verdict string
	Log     *Log // nil if nothing is logged
	// UnknownActions counts unknown actions.
	UnknownActions int
}

// ReadFlow parses a flow of a stage; ok is false for stages without ACLs. The texts must be clean.
func ReadFlow(stage, match, actions string) (r Reading, ok bool) {
	r.Stage, r.Part, ok = ParseStage(stage)
	if !ok {
		return Reading{}, false
	}
	r.Tier, r.Match = NoTier, match
	if r.Part == PartEval {
		r.Tier, r.Hint, r.Match = cutGuards(match)
	}
	r.Acts = ReadActions(actions)
	for _, a := range r.Acts {
		switch a.Code {
		case ActAllow, ActDrop, ActReject:
			r.Verdict = a.Code
		case ActLog:
			r.Log = a.Log
		case ActOther:
			r.UnknownActions++
		}
	}
	if r.Part == PartAction {
		r.Verdict = carriedOut[match]
	}
	return r, true
}

// Registers, as northd names them in matches and actions.
const (
	regTier   = "reg8[30..31]"
	regAllow  = "reg8[16]"
	regDrop   = "reg8[17]"
	regReject = "reg8[18]"
)

// cutGuards removes the terms for tier and hint that northd puts before an ACL's match, and the parentheses
// around it.
func cutGuards(match string) (tier int, hint Hint, rest string) {
	tier, rest = NoTier, match
	if text, ok := strings.CutPrefix(rest, regTier+" == "); ok {
		number, behind, found := strings.Cut(text, " && ")
		n, err := strconv.Atoi(number)
		if !found || err != nil || n < 0 || n > 3 {
			return NoTier, 0, match
		}
		tier, rest = n, behind
	}
	if text, ok := strings.CutPrefix(rest, "reg0["); ok {
		number, behind, found := strings.Cut(text, "] == 1 && ")
		n, err := strconv.Atoi(number)
		if h := Hint(n); found && err == nil && h >= HintAllowNew && h <= HintBlock {
			hint, rest = h, behind
		}
	}
	if inner, ok := insideParens(rest); ok {
		rest = inner
	}
	return tier, hint, rest
}

// insideParens removes parentheses that enclose the whole text.
func insideParens(s string) (inner string, ok bool) {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return "", false
	}
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
			if depth == 0 && i < len(s)-1 {
				return "", false
			}
		}
	}
	if depth != 0 || quoted {
		return "", false
	}
	return s[1 : len(s)-1], true
}

// carriedOut has the verdicts that flows of part action carry out: they match the bit that an ACL set.
var carriedOut = map[string]string{regAllow + " == 1": ActAllow, regDrop + " == 1": ActDrop, regReject + " == 1": ActReject}

// HasAction reports whether the flow has an action with a code.
func (r *Reading) HasAction(code string) bool {
	return slices.ContainsFunc(r.Acts, func(a FlowAction) bool { return a.Code == code })
}
