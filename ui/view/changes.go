package view

import (
	"fmt"
	"strconv"
	"strings"

	"rung/change"
	"rung/model"
)

// The questions that several views ask before a change is previewed.

// AskDelete previews the removal of a policy.
func AskDelete(env *Env, k model.PolicyKey) {
	env.Preview(change.Mutation{Op: change.OpDelete, Policy: k})
}

// AskMove asks for another priority of a policy that has one.
func AskMove(env *Env, k model.PolicyKey) {
	p := env.Rev.Cluster.Policy(k)
	if p == nil || !k.Kind.Ranked() {
		env.Fail("%s has no priority", k.Label())
		return
	}
	env.Ask(&Prompt{Title: "Move " + k.Label(), Label: fmt.Sprintf("New priority (now %d; lower decides first):", p.Priority),
		Check: func(s string) string {
			if n, err := strconv.Atoi(strings.TrimSpace(s)); err != nil || n < 0 || n > 1000 {
				return "a number from 0 to 1000"
			}
			return ""
		},
		Done: func(env *Env, s string) {
			n, _ := strconv.Atoi(strings.TrimSpace(s)) // checked above
			env.Preview(change.Mutation{Op: change.OpMove, Policy: k, Priority: int32(n)})
		}})
}
