package convert

import (
	"fmt"

	"rung/model"
	"rung/model/words"
)

// Warnings are notes to acknowledge by name before the converted policies are applied: for each
// policy that was made of rules that are not exact the first of them, and how many more; where
// all are exact and the proof found a difference, that.
func (r *Result) Warnings() (out []Note) {
	more := map[model.PolicyKey]int{}
	for _, rule := range r.InexactRules() {
		key := rule.Policy
		if made := r.PolicyOfRule(rule); made != nil {
			key = made.Key
		}
		more[key]++
		if more[key] == 1 {
			out = append(out, Note{About: key, Text: rule.Title() + " is " + string(rule.Label) + ": " + rule.Why})
		}
	}
	for i := range out {
		if n := more[out[i].About] - 1; n > 0 {
			out[i].Text += fmt.Sprintf(" (and %s more)", words.Thousands(n))
		}
	}
	if len(out) == 0 && !r.Proof.Equal && len(r.Policies) > 0 {
		out = []Note{{About: r.Policies[0].Key, Text: r.ProofText()}}
	}
	return out
}
