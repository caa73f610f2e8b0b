package revision

import (
	"cmp"
	"fmt"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/lint"
	"rung/model/words"
)

// The marks of notes other than findings.
const (
	MarkConflict = words.Differs
	MarkTie      = words.Tied
	MarkNoRows   = words.No
)

// LadderNote is a note about a policy on the ladder: a conflict, a tie, a priority that is not enforced, or
// findings of one kind.
type LadderNote struct {
	// Sign is the mark of its kind. Findings have none and show their severity.
	Sign     string
	Severity model.Severity
	// Short is the note in two or three words. Name is the other policy, shown after Short.
	Short, Name string
	// Count is the number of conflicts or findings.
	Count int

	policy    model.PolicyKey
	phrase    string // for Phrase, if neither a conflict nor a finding
	text      string // the sentence, if neither a conflict nor a finding
	conflicts []*ladder.RuleConflict
	findings  []*model.Finding
}

// NotesOfPolicy returns the notes on a policy of a ladder, worst first. rung may be nil; findings are the
// policy's. It skips conflicts with gone, a policy about to move to another priority.
func NotesOfPolicy(l *ladder.Ladder, rung *ladder.Rung, p *ladder.RungPolicy, findings []*model.Finding,
	gone model.PolicyKey) []LadderNote {
	var notes []LadderNote
	for _, i := range p.Conflicts {
		c := &l.Conflicts[i]
		other, _, _ := c.OtherPolicy(p.Policy.Key)
		if other == gone {
			continue
		}
		notes = mergeNote(notes, LadderNote{Sign: MarkConflict, Severity: conflictSeverity(findings, other), Name: other.ShortLabel(), Count: 1,
			policy: p.Policy.Key, conflicts: []*ladder.RuleConflict{c}})
	}
	switch {
	case rung == nil, rung.Idle: // a finding says so
	case rung.Unsupported:
		notes = append(notes, LadderNote{Sign: MarkNoRows, Severity: model.SeverityError, Short: fmt.Sprintf("above %d", l.Max), Count: 1,
			phrase: fmt.Sprintf("above %d: not enforced", l.Max),
			text:   fmt.Sprintf("not enforced: %d is above %d; old rows still decide at the old priority", rung.Priority, l.Max)})
	case rung.Duplicate && (len(notes) == 0 || rung.Policies[0].Policy.Key == p.Policy.Key):
		notes = append(notes, LadderNote{Sign: MarkTie, Severity: model.SeverityInfo,
			Short: fmt.Sprintf("%s at %d", words.Thousands(len(rung.Policies)), rung.Priority),
			Count: 1, phrase: tiePhrase(rung), text: tieText(rung, p.Policy.Key)})
	}
	for i, f := range findings {
		switch f.Code {
		case lint.PriorityConflict.Code, lint.PriorityDuplicate.Code, lint.PriorityUnsupported.Code:
			continue // noted above
		}
		notes = mergeNote(notes, LadderNote{Severity: f.Severity, Short: lint.ShortCode(f.Code), Count: 1, findings: findings[i : i+1 : i+1]})
	}
	first := rung != nil && rung.Policies[0].Policy.Key == p.Policy.Key
	slices.SortStableFunc(notes, func(a, b LadderNote) int {
		if c := cmp.Or(a.rank(first)-b.rank(first), a.Severity.Compare(b.Severity)); c != 0 || a.findings == nil || b.findings == nil {
			return c
		}
		return lint.CompareRank(a.findings[0].Code, b.findings[0].Code)
	})
	return notes
}

// rank orders notes: errors, conflicts, ties on the first policy of a rung, warnings and the rest. On a rung's
// other policies ties come last, since the bracket begins at the first.
func (n *LadderNote) rank(first bool) int {
	switch {
	case n.Severity == model.SeverityError:
		return 0
	case n.Sign == MarkConflict:
		return 1
	case n.Sign == MarkTie && first:
		return 2
	case n.Sign == MarkTie:
		return 4
	}
	return 3
}

// conflictSeverity returns the severity of the worst finding about a conflict with another policy. It is less
// than an error if rules above mask the conflict.
func conflictSeverity(findings []*model.Finding, other model.PolicyKey) model.Severity {
	worst := model.Severity("")
	for _, f := range findings {
		if lint.IsConflictWith(f, other) && (worst == "" || f.Severity.Compare(worst) < 0) {
			worst = f.Severity
		}
	}
	return cmp.Or(worst, model.SeverityError) // maybe not computed yet
}

// mergeNote adds a note, or counts it in an equal one.
func mergeNote(notes []LadderNote, n LadderNote) []LadderNote {
	for i := range notes {
		x := &notes[i]
		if x.Sign == n.Sign && x.Severity == n.Severity && x.Short == n.Short && x.Name == n.Name {
			x.Count++
			x.conflicts = append(x.conflicts, n.conflicts...)
			x.findings = append(x.findings, n.findings...)
			return notes
		}
	}
	return append(notes, n)
}

// tiePhrase returns how many policies share a priority: "40 shared by 4, no conflict".
func tiePhrase(rung *ladder.Rung) string {
	text := fmt.Sprintf("%d shared by %s", rung.Priority, words.Thousands(len(rung.Policies)))
	if !slices.ContainsFunc(rung.Policies, func(p ladder.RungPolicy) bool { return len(p.Conflicts) > 0 }) {
		text += ", no conflict"
	}
	return text
}

// Phrase returns the note in some words, with its rules: "conflicts with quarantine (ingress 0)".
func (n *LadderNote) Phrase() string {
	if n.phrase != "" {
		return n.phrase
	}
	text, places := n.Short, []string(nil)
	add := func(d model.Direction, rule int) {
		if at := fmt.Sprintf("%s %d", d.Lower(), rule); d != "" && rule >= 0 && !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	for _, c := range n.conflicts {
		text = "conflicts with " + n.Name
		add(c.Direction, c.Rule)
	}
	for _, f := range n.findings {
		add(f.Direction, f.Rule)
	}
	if len(places) > 0 {
		text += " (" + words.ListFew(places, 1) + ")"
	}
	return text
}

func tieText(rung *ladder.Rung, k model.PolicyKey) string {
	var others []string
	for i := range rung.Policies {
		if x := rung.Policies[i].Policy.Key; x != k {
			others = append(others, x.Name)
		}
	}
	return fmt.Sprintf("at %d with %s; which one wins is undefined", rung.Priority, words.ListSome(others, 5))
}

// Texts returns the sentences of a note.
func (n *LadderNote) Texts() []string {
	if n.text != "" {
		return []string{n.text}
	}
	var out []string
	for _, c := range n.conflicts {
		_, own, theirs := c.OtherPolicy(n.policy)
		out = append(out, fmt.Sprintf("conflicts with %s at %d: %s %d is %s here and %s there, which one wins is undefined (e.g. %s)",
			n.Name, c.Priority, c.Direction.Lower(), c.Rule, own, theirs, c.Witness))
	}
	for _, f := range n.findings {
		text := f.Message
		if f.Rule >= 0 && f.Direction != "" {
			text = fmt.Sprintf("%s %d: %s", f.Direction.Lower(), f.Rule, text)
		}
		if lint.IsFromVerdicts(f.Code) && !f.Witness.IsZero() {
			text += ", e.g. " + f.Witness.Connection()
		}
		out = append(out, text)
	}
	return out
}
