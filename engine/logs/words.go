package logs

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/logline"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
)

// mostNotes bounds the items listed of a kind; all are counted.
const mostNotes = 5

// Notes tells in sentences what the text does, beginning with effects beyond the lines.
func (p *Proposal) Notes() []string {
	one, many := "allows", "allow"
	if p.Action == model.Deny {
		one, many = "denies", "deny"
	}
	what := words.Count(len(p.Rules), "rule") + " that " + words.OneOrMany(len(p.Rules), one, many) + " "
	made := "proposed from the log: " + what + "the connections of " + p.reachedText() + "."
	if p.New {
		made += fmt.Sprintf(" New at priority %d.", p.Priority)
	}
	return append([]string{p.Surplus.Text() + ".", made}, p.MissedTexts()...)
}

// MissedTexts tells which lines do not get the wanted verdict, and why.
func (p *Proposal) MissedTexts() []string {
	return append(someTexts(p.Kept, "more reason", func(s KeptVerdict) string {
		return fmt.Sprintf("%s %s %s: %s decides; for example %s.", words.Count(s.Lines, "line"),
			words.OneOrMany(s.Lines, "stays", "stay"),
			outcomes[s.Verdict], s.By, s.Example)
	}), LeftTexts(p.Left)...)
}

// reachedText counts the lines whose connections get the wanted verdict, and the others, so that the rules
// alone do not look sufficient.
func (p *Proposal) reachedText() string {
	still := 0
	var as []string
	for _, s := range p.Kept {
		still += s.Lines
		if o := outcomes[s.Verdict]; !slices.Contains(as, o) {
			as = append(as, o)
		}
	}
	all := words.Count(p.Lines, "line")
	if still == 0 {
		return all
	}
	most := "none"
	if n := p.Lines - still; n > 0 {
		most = words.Thousands(n)
	}
	return fmt.Sprintf("%s of %s; %s %s %s by other rules", most, all, words.Thousands(still), words.OneOrMany(still, "stays", "stay"),
		strings.Join(as, " or "))
}

// outcomes names the verdicts that lines keep.
var outcomes = map[verdict.Verdict]string{verdict.Allow: "allowed", verdict.Deny: "denied", verdict.Mixed: "mixed",
	verdict.Undefined: "undefined",
	verdict.Unknown:   "unknown", verdict.NotApplicable: "outside every policy"}

// LeftTexts tells which lines no rule covers, and why.
func LeftTexts(left []logline.LeftLines) []string {
	return someTexts(left, "more reason", func(l logline.LeftLines) string {
		c := revision.LoggedConnection(&diff.LoggedConnection{Connection: l.Example})
		return fmt.Sprintf("%s left out: %s; for example %s.", words.Count(l.Lines, "line"), l.Reason, c)
	})
}

func someTexts[T any](all []T, rest string, text func(T) string) (out []string) {
	for i, x := range all {
		if i == mostNotes {
			return append(out, "And "+words.Count(len(all)-mostNotes, rest)+" like these.")
		}
		out = append(out, strings.TrimSpace(text(x)))
	}
	return out
}
