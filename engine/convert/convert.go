package convert

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests"
	"rung/system"
)

// Result is the outcome of a conversion.
type Result struct {
	// To is the target API. Verdicts of the given policies hold under the system Before, verdicts of the made
	// policies under After.
	To            Target
	Before, After *system.System
	// Converted are the converted policies, Rules their rules with the outcome of each, in the order in which
	// they decide.
	Converted []*model.Policy
	Rules     []Rule
	// Policies are the equivalent objects, in the order of Text.
	Policies []*model.Policy
	// Notes list omissions and other things to know.
	Notes []Note
	Proof Proof

	earlier []model.Key // results of an earlier conversion, made again
}

// Note is about an object of the input.
type Note struct {
	About model.Key
	Text  string
}

// String returns "NP blue/web: left out: …".
func (n Note) String() string { return n.About.Label() + ": " + words.CleanText(n.Text) }

// Remarks returns the lines in addition to the rules: the notes, the proof, and the connections on which the
// sides differ.
func (r *Result) Remarks() (out []string) {
	for _, n := range r.Notes {
		out = append(out, n.String())
	}
	if r.IsEmpty() {
		return out // a proof of nothing would only distract
	}
	out = append(out, r.ProofText())
	add := func(what string, found []Difference) {
		for i := range found {
			out = append(out, what+": "+found[i].String())
		}
	}
	add("differs", r.Proof.Differs)
	add("differs for labels not in use yet", r.Proof.FutureLabels)
	add("differs only by OVN-Kubernetes' rows for every pod", r.Proof.NodeRows)
	return out
}

// Text returns all objects as manifests, one document each.
func (r *Result) Text() string {
	var b strings.Builder
	for i, p := range r.Policies {
		if i > 0 {
			b.WriteString("---\n")
		}
		b.WriteString(strings.TrimSuffix(p.YAML, "\n") + "\n")
	}
	return b.String()
}

// IsEmpty reports whether there was nothing to convert, so that a proof says nothing.
func (r *Result) IsEmpty() bool {
	return len(r.Converted)+len(r.Policies)+len(r.Rules) == 0 && (r.To != "" || len(r.Notes) == 0) && r.Proof.Equal
}

// modelPolicy converts a typed object to the model, checked as the API server would.
func modelPolicy(object any) (*model.Policy, error) {
	p, err := manifests.FromObject(object, model.Origin{Source: "convert", Item: -1})
	if err != nil {
		return nil, fmt.Errorf("read the converted policy: %w", err)
	}
	if bad := manifests.Validate(p); len(bad) > 0 {
		return nil, fmt.Errorf("check the converted %s: %s", p.Key.Label(), bad[0].String())
	}
	return p, nil
}
