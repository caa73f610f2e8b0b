package packets_test

import (
	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
	"rung/model/verdict"
)

// judge says of single packets what a zone's rows decide, by the evaluator that verdicts
// and simulated traffic use.
type judge struct{ zone *verdict.Zone }

// newJudge makes a judge of the rows a zone has now.
func newJudge(zone string, db *nb.DB) *judge {
	return &judge{verdict.NewZone(zone, db, &verdict.MatchCache{}, nil)}
}

// decision is a row that decided in its tier. tied are all rows of its tier and priority
// that match, itself among them: OVN may take any of these.
type decision struct {
	acl  *nb.ACL
	tied []*nb.ACL
}

// pass judges a packet on its way over the switch that the logical port at is on:
// through all stages, until one drops it. unjudged is how many rows could not be
// decided about it and were passed over.
func (j *judge) pass(at string, p match.Packet) (met []decision, passed bool, unjudged int) {
	passed = true
	for _, stage := range model.PipelineStages() {
		q := p
		if stage != model.StageToLport {
			q.OutPort = "" // not known yet
		}
		deciders, not := j.zone.WalkStage(stage, at, q)
		unjudged += int(not)
		for _, acl := range deciders {
			passed = acl.Action != nb.ActionDrop && acl.Action != nb.ActionReject
			met = append(met, decision{acl, j.zone.TiedRows(stage, at, q, acl)})
		}
		if !passed {
			break
		}
	}
	return met, passed, unjudged
}
