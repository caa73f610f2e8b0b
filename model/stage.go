package model

import "slices"

// Stage is a stage of OVN's pipeline. Each walks the tiers from 0 to 3 on its own,
// and a connection must be let through by every one (ovn-kubernetes.md#stages).
type Stage string

// The stages, as `rung trace` and OVN's rows name them.
const (
	StageFromLport Stage = "from-lport"          // leaving a pod, before load balancing
	StageAfterLB   Stage = "from-lport-after-lb" // leaving a pod: egress rules
	StageToLport   Stage = "to-lport"            // arriving at a pod: ingress rules, and EgressFirewalls
)

// The stages where rules are asked at the ends: each where the pod is, and each with all tiers
// (antrea.md#order).
const (
	StageEgress  Stage = "egress"  // rules of the pod that begins the connection
	StageIngress Stage = "ingress" // rules of the pod that it goes to
)

// IsArriving says whether a connection arrives at a pod in the stage, else it leaves one.
func (s Stage) IsArriving() bool { return s == StageToLport || s == StageIngress }

// PipelineStages are all of OVN's of them in the order of the pipeline.
func PipelineStages() []Stage { return []Stage{StageFromLport, StageAfterLB, StageToLport} }

// Index is the stage's place in the pipeline, from 0; -1 for one that OVN does not
// know.
func (s Stage) Index() int { return slices.Index(PipelineStages(), s) }

// NextStage is the stage after this one where all stages together, the empty one, stand
// before the first and after the last.
func (s Stage) NextStage() Stage {
	if i := s.Index() + 1; i < len(PipelineStages()) {
		return PipelineStages()[i]
	}
	return ""
}

// StageOf is the stage in which rules of a direction decide
// (ovn-kubernetes.md#direction-and-action).
func StageOf(d Direction) Stage {
	if d == Ingress {
		return StageToLport
	}
	return StageAfterLB
}

// DecidesIn says whether a policy of tier 1 or 3 has rules in a stage.
func (p *Policy) DecidesIn(s Stage) bool {
	return s == StageToLport && len(p.Ingress) > 0 || s == StageAfterLB && len(p.Egress) > 0
}
