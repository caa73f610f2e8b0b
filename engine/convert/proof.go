package convert

import (
	"context"
	"fmt"

	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
)

// Proof is the result of comparing the verdicts of both sides.
type Proof struct {
	// Equal means that the policies of both sides decide every connection alike.
	Equal bool
	// Unknown says why the comparison failed; empty if it succeeded.
	Unknown string
	// Pods is the number of pods compared. Imagined is the number of further pods that do not exist, with
	// labels that selectors could match. Partly means that the selectors distinguish more kinds of pods than
	// were imagined.
	Pods, Imagined int
	Incomplete     bool
	// Differs are the connections that the policies of both sides decide differently. Besides holds
	// connections on which only OVN-Kubernetes' rows for every pod differ, not the policies. Later differ only
	// for pods with labels that nobody has yet.
	Differs, NodeRows, FutureLabels []Difference
}

// Difference is a group of connections on which the sides disagree.
type Difference struct {
	Before verdict.Verdict `json:"before"`
	After  verdict.Verdict `json:"after"`
	// From and To are the ends, Ports the ports, Pairs the number of pairs of ends. ByBefore and ByAfter are
	// the deciding rules of each side.
	From     string `json:"from"`
	To       string `json:"to"`
	Ports    string `json:"ports"`
	Pairs    int    `json:"pairs"`
	ByBefore string `json:"decided_before"`
	ByAfter  string `json:"decided_after"`
	Text     string `json:"text"`
	Example  string `json:"example"`

	identity string             // the same for the same connections in another comparison
	rules    map[rulePlace]bool // met by the example, on both sides
}

// String returns "deny → allow: blue (2 pods) → red (2 pods), TCP 80: …; for example …".
func (d *Difference) String() string {
	text := fmt.Sprintf("%s → %s: %s", d.Before, d.After, d.Text)
	if d.Example != "" {
		text += "; for example " + d.Example
	}
	return text
}

// Text returns the proof in a line.
func (p *Proof) Text() string {
	pods := words.Count(p.Pods, "pod")
	if p.Imagined > 0 {
		pods += fmt.Sprintf(", and %s imagined with labels that the policies name", words.Count(p.Imagined, "pod"))
		if p.Incomplete {
			pods += ", not every combination of them"
		}
	}
	switch {
	case p.Unknown != "":
		return "not proved: " + p.Unknown
	case p.Equal:
		return "equal for every connection (" + pods + ", any port, any address)"
	case len(p.Differs) == 0:
		return fmt.Sprintf("equal for every connection today; differs for %s of connections with labels not in use yet (%s)",
			words.Count(len(p.FutureLabels), "group"), pods)
	}
	return fmt.Sprintf("differs in %s of connections (%s)", words.Count(len(p.Differs), "group"), pods)
}

// listDifferences returns the flips of a comparison.
func listDifferences(ctx context.Context, before, after verdict.View) ([]Difference, error) {
	d, err := diff.DiffIndexes(ctx, verdict.NewIndex(before), verdict.NewIndex(after), diff.DiffQuestions{})
	if err != nil {
		return nil, err
	}
	var out []Difference
	for i := range d.Flips {
		out = append(out, differenceOfGroup(&d.Flips[i]))
	}
	return out, nil
}

// differenceOfGroup converts a group of connections.
func differenceOfGroup(g *diff.FlipGroup) Difference {
	return Difference{Before: g.Before, After: g.After, From: revision.EndsText(g.From), To: revision.EndsText(g.To),
		Ports: revision.PortsText(g.Ports), Pairs: int(g.Pairs), ByBefore: revision.DecidersText(g.ByBefore),
		ByAfter: revision.DecidersText(g.ByAfter),
		Text:    revision.GroupText(g) + "; " + revision.DecidedText(g), Example: g.Example.String()}
}
