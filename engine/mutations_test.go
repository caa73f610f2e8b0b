package engine

import (
	"strings"

	"rung/change"
	"rung/model"
)

func applied(docs ...string) change.Mutation {
	return change.Mutation{Op: change.OpApply, YAML: []byte(strings.Join(docs, "---\n"))}
}

func movedTo(name string, to int32) change.Mutation {
	return change.Mutation{Op: change.OpMove, Policy: model.PolicyKey{Kind: model.KindANP, Name: name}, Priority: float64(to)}
}
