package engine

import (
	"strings"

	"rung/change/gate"
	"rung/model"
)

func applied(docs ...string) gate.Mutation {
	return gate.Mutation{Op: gate.OpApply, YAML: []byte(strings.Join(docs, "---\n"))}
}

func movedTo(name string, to int32) gate.Mutation {
	return gate.Mutation{Op: gate.OpMove, Policy: model.PolicyKey{Kind: model.KindANP, Name: name}, Priority: to}
}
