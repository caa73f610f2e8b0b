package engine

import (
	"strings"

	"rung/model"
)

func applied(docs ...string) Mutation {
	return Mutation{Op: OpApply, YAML: []byte(strings.Join(docs, "---\n"))}
}

func movedTo(name string, to int32) Mutation {
	return Mutation{Op: OpMove, Policy: model.PolicyKey{Kind: model.KindANP, Name: name}, Priority: to}
}
