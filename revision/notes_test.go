package revision

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ladder"
	"rung/model/lint"
)

func notesText(notes []LadderNote) string {
	var b strings.Builder
	for i := range notes {
		n := &notes[i]
		fmt.Fprintf(&b, "%s%s|%s%s ×%d: %s\n", n.Sign, n.Severity, n.Short, n.Name, n.Count, strings.Join(n.Texts(), " / "))
	}
	return b.String()
}

// The worst of a policy stands first, conflicts by name, findings by what they are worth,
// and what the ladder says itself is not said again.
func TestNotes(t *testing.T) {
	key := func(name string) model.PolicyKey { return model.Key{Kind: model.KindANP, Name: name} }
	on := func(name string, conflicts ...int) ladder.RungPolicy {
		return ladder.RungPolicy{Policy: &model.Policy{Meta: model.Meta{Key: key(name)}}, Conflicts: conflicts}
	}
	conflict := func(rule int) ladder.RuleConflict {
		return ladder.RuleConflict{A: key("a"), B: key("b"), Priority: 60, Direction: model.Ingress, Rule: rule, ActionA: model.Allow, ActionB: model.Deny, Witness: "x → y"}
	}
	l := &ladder.Ladder{Max: 99, Conflicts: []ladder.RuleConflict{conflict(0), conflict(3)}}
	finding := func(code string, s model.Severity, rule int, text string) model.Finding {
		return model.Finding{Code: code, Severity: s, Policy: key("a"), Direction: model.Egress, Rule: rule, Message: text}
	}
	a, b, c := on("a", 0, 1), on("b", 0, 1), on("c")
	tied := &ladder.Rung{Priority: 60, Duplicate: true, Policies: []ladder.RungPolicy{a, b, c}}
	findings := []model.Finding{
		finding(lint.PriorityConflict.Code, model.SeverityError, 0, "said by the ladder"),
		finding(lint.PriorityDuplicate.Code, model.SeverityInfo, -1, "said by the ladder"),
		finding(lint.PrimaryUDN.Code, model.SeverityWarning, -1, "pods elsewhere"),
		finding(lint.DNSNotAllowed.Code, model.SeverityWarning, 2, "no names"),
		finding(lint.DNSNotAllowed.Code, model.SeverityWarning, 4, "no names either"),
		finding("unknown-field", model.SeverityError, -1, "what is this"),
	}
	for name, tt := range map[string]struct {
		rung     *ladder.Rung
		p        ladder.RungPolicy
		findings []model.Finding
		gone     model.PolicyKey
		want     string
	}{
		"conflicts": {rung: tied, p: a, findings: findings, want: "≠error|b ×2: conflicts with b at 60: ingress 0 is Allow here and Deny there, which one wins is undefined (e.g. x → y)" +
			" / conflicts with b at 60: ingress 3 is Allow here and Deny there, which one wins is undefined (e.g. x → y)\n" +
			"error|unknown field ×1: what is this\n=info|3 at 60 ×1: at 60 with b and c; which one wins is undefined\nwarning|no DNS ×2: egress 2: no names / egress 4: no names either\nwarning|UDN pods ×1: pods elsewhere\n"},
		"tie":   {rung: tied, p: c, want: "=info|3 at 60 ×1: at 60 with a and b; which one wins is undefined\n"},
		"gone":  {rung: tied, p: b, gone: key("a"), want: "=info|3 at 60 ×1: at 60 with a and c; which one wins is undefined\n"},
		"above": {rung: &ladder.Rung{Priority: 120, Unsupported: true, Policies: []ladder.RungPolicy{c}}, p: c, want: "✗error|above 99 ×1: not enforced: 120 is above 99; old rows still decide at the old priority\n"},
		"unit":  {p: c},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, notesText(NotesOfPolicy(l, tt.rung, &tt.p, pointers(tt.findings), tt.gone))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func pointers(findings []model.Finding) (out []*model.Finding) {
	for i := range findings {
		out = append(out, &findings[i])
	}
	return out
}
