package model

import "slices"

// Stage is a stage of OVN's pipeline. Each walks the tiers from 0 to 3 independently, and every stage must
// allow a connection (ovn-kubernetes.md#stages).
type Stage string

// The stages, as `rung trace` and OVN's rows name them.
const (
	StageFromLport Stage = "from-lport"          // leaving a pod, before load balancing
	StageAfterLB   Stage = "from-lport-after-lb" // leaving a pod: egress rules
	StageToLport   Stage = "to-lport"            // arriving at a pod: ingress rules, and EgressFirewalls
)

// The stages of plugins that apply rules at the ends, each with all tiers (antrea.md#order).
const (
	StageEgress  Stage = "egress"  // rules of the pod that begins the connection
	StageIngress Stage = "ingress" // rules of the destination pod
)

// IsArriving reports whether a connection arrives at a pod in the stage; otherwise it leaves one.
func (s Stage) IsArriving() bool { return s == StageToLport || s == StageIngress }

// PipelineStages returns OVN's stages in the order of the pipeline.
func PipelineStages() []Stage { return []Stage{StageFromLport, StageAfterLB, StageToLport} }

// Index returns the stage's index in OVN's pipeline, from 0; -1 for a stage that OVN does not have.
func (s Stage) Index() int { return slices.Index(PipelineStages(), s) }

// NextStage cycles: all stages (""), first … last, all.
func (s Stage) NextStage() Stage {
	if i := s.Index() + 1; i < len(PipelineStages()) {
		return PipelineStages()[i]
	}
	return ""
}

// StageForDirection returns the stage in which rules of a direction decide (ovn-kubernetes.md#direction-and-action).
func StageForDirection(d Direction) Stage {
	if d == Ingress {
		return StageToLport
	}
	return StageAfterLB
}

// DecidesIn reports whether a policy of tier 1 or 3 has rules in a stage.
func (p *Policy) DecidesIn(s Stage) bool {
	return s == StageToLport && len(p.Ingress) > 0 || s == StageAfterLB && len(p.Egress) > 0
}
