package ladder

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// addPolicy adds a policy of a rung of tier 1 or 3.
func (b *ladderBuilder) addPolicy(tier int, r *ladder.Rung, i int) {
	rp := &r.Policies[i]
	p := rp.Policy
	l := b.addLine(&Line{Kind: Policy, ID: PolicyID(p.Key), Tier: tier, Stage: b.Stage, Key: p.Key, Priority: r.Priority,
		Listed: p.Kind.HasPriority(),
		Policy: p, Subject: p.Subject.String(), Ingress: rp.Ingress, Egress: rp.Egress, Label: p.Name})
	if p.Kind == model.KindCNP { // the tier is named for other kinds
		l.Label = p.Label()
	}
	l.Name = page.Cell{Text: l.Label, Role: themes.Accent}
	l.Sign = page.Span{Text: b.policySign(r, i), Role: themes.Dim}
	if r.Unsupported {
		l.Sign.Role = themes.Error
	}
	b.setState(l)
	if r.Unsupported && b.Screen && l.Summary.State == model.StateNotEnforced {
		l.Marks = nil // a note says so
	}
	logging := revision.PolicyLogging(b.rev, p)
	l.setLogs(&logging, len(logging.Problems) > 0, b.Now)
	b.addNotes(l, r, rp)
	b.notCompiled(l)
	if p.Key == b.Carried {
		l.Sign, l.Name = page.Span{Text: words.Carried, Role: themes.Key}, page.Cell{Text: p.Name, Role: themes.Title}
		l.Notes, l.Marks = nil, []LineMark{{Cell: b.carriedMark(r)}}
	}
}

// carriedMark describes the priority to which a policy is carried.
func (b *ladderBuilder) carriedMark(r *ladder.Rung) page.Cell {
	p := b.rev.Cluster.Policy(b.Carried)
	switch {
	case p != nil && p.Priority == b.At:
		return page.Cell{Text: "← moving", Role: themes.Key}
	case len(r.Policies) > 1:
		return page.Cell{Text: fmt.Sprintf("← = %s at %d", words.Thousands(len(r.Policies)), b.At), Role: themes.Warn}
	}
	return page.Cell{Text: "← free", Role: themes.Key}
}

// policySign returns the sign before a policy's name: alone on its rung, one of several, or not supported. A
// filter may hide others of the rung.
func (b *ladderBuilder) policySign(r *ladder.Rung, i int) string {
	switch {
	case !r.IsEnforced():
		return words.No
	case len(r.Policies) == 1 || b.Filtered:
		return "─"
	case i == 0:
		return "┌"
	case i == len(r.Policies)-1:
		return "└"
	}
	return "├"
}

// addUnit adds a unit of tier 2, in one stage or in all.
func (b *ladderBuilder) addUnit(u *ladder.Unit, stage model.Stage, section ladder.SectionKind) {
	k := u.Key
	l := b.addLine(&Line{Kind: Unit, ID: "unit " + k.String() + " " + string(stage), Tier: model.TierNetwork, Stage: stage, Key: k,
		First: u.TopPriority(), Last: u.TopPriority(), Label: k.Label(), Name: page.Cell{Text: unitName(k), Role: themes.Text},
		Sign: page.Span{Text: "─", Role: themes.Dim}})
	if first, last, ok := u.PriorityRange(stage); ok {
		l.First, l.Last = first, last
	}
	b.setState(l)
	if levels, ok := revision.UnitLogging(b.rev, k); !ok {
		l.LogText = page.None.Text
	} else {
		l.setLogs(&levels, len(levels.Problems) > 0 && !levels.Levels.IsOn(), b.Now)
	}
	if rp := u.Policy; rp != nil {
		p := rp.Policy
		if len(u.Networks) > 0 {
			l.Label += " on " + words.ListFew(u.Networks, 2)
		}
		l.Kind, l.ID, l.Policy, l.Subject, l.Ingress, l.Egress = Policy, PolicyID(k), p, p.Subject.String(), rp.Ingress, rp.Egress
		l.Name = page.Cell{Text: k.Kind.Abbreviation() + " ", Role: themes.Dim, More: page.Line{{Text: b.unitPolicyName(k), Role: themes.Accent}}}
		if len(u.Networks) > 0 {
			l.Name.More = append(l.Name.More, page.Span{Text: " on " + words.ListFew(u.Networks, 2), Role: themes.Dim})
		}
		b.addNotes(l, nil, rp)
	} else {
		l.Ingress, l.Egress = u.RuleCounts(stage)
		if k.Namespace != "" {
			l.Subject = "ns: " + k.Namespace
		}
	}
	switch {
	case !b.Screen && b.rev.WhyNoRows(k) != nil:
		l.Marks = append([]LineMark{{Cell: page.Cell{Text: words.No + " not enforced: " + b.rev.WhyNoRows(k).Message}}}, sectionMarks(section)...)
	case !b.Screen:
		l.Marks = append(l.Marks, sectionMarks(section)...)
	case len(l.Marks) == 0 && l.First != l.Last:
		l.Marks = []LineMark{{Cell: page.Cell{Text: fmt.Sprintf("%s, to %d", words.Count(len(u.Policy.Policy.Egress), "rule"), l.Last),
			Role: themes.Dim}}}
	}
	b.notCompiled(l)
}

// notCompiled adds the mark that a policy has no rows, for a command without databases, which has no column
// for it.
func (b *ladderBuilder) notCompiled(l *Line) {
	if !b.Screen && !l.Compiled && len(b.rev.Zones) == 0 {
		l.Marks = append(l.Marks, LineMark{Cell: l.State})
	}
}

// unitPolicyName returns a policy's name below its namespace, or the full name if lines are filtered or
// sorted. A namespace has only one EgressFirewall.
func (b *ladderBuilder) unitPolicyName(k model.Key) string {
	switch {
	case k.Kind == model.KindEF:
		return k.Namespace
	case b.Filtered || b.Sorted:
		return k.Namespace + "/" + k.Name
	}
	return k.Name
}

// unitName names a unit without an object, below the heading of its part of the tier.
func unitName(k model.Key) string {
	if on := k.Network; on != "" && k.Kind != model.KindNetpolNode { // a node's switch names its network
		k.Network = ""
		return unitName(k) + " on " + on
	}
	switch k.Kind {
	case model.KindNetpolNamespace:
		return "deny " + strings.ToLower(k.Name)
	case model.KindIsolation2016:
		return "annotation: deny ingress"
	case model.KindNetpolDefault:
		return "hairpin"
	case model.KindNetpolNode:
		return k.Name
	case model.KindMulticastNS:
		return "multicast " + k.Namespace
	case model.KindMulticastCluster:
		return words.Choose(k.Name == nb.TypeMulticastDeny, "deny multicast", "node multicast")
	}
	return k.Label()
}

// setState sets the line's compiled rows, of its stage if it has one, and the state over all zones. On a screen
// a state other than in sync is the line's first mark.
func (b *ladderBuilder) setState(l *Line) {
	b.judgeState(l)
	if b.Screen && l.State.Text != "" {
		l.Marks = append(l.Marks, LineMark{Cell: l.State, Count: 1})
	}
}

// judgeState sets the compiled rows and the state, which is empty on a screen if in sync.
func (b *ladderBuilder) judgeState(l *Line) {
	k := l.Key
	l.Compiled = b.rev.IsCompiled(k)
	if !l.Compiled {
		l.State, l.Rank = page.Cell{Text: "not compiled", Role: themes.Dim}, 9
		if k.Kind == model.KindIsolation2016 {
			l.State.Text = revision.NoRowsOf2016
			if !b.Screen {
				return
			}
			l.State.Text, l.Remark = "no rows: decides by the document of 2016", revision.NoRowsOf2016
		}
		return
	}
	l.PodsKnown = k.Namespace != "" || k.Kind.IsAdmin()
	if l.PodsKnown {
		n := revision.CountSubjects(b.rev, k)
		l.Pods, l.PodsUnread = n.Pods, n.IsUnread // the policy's page shows pods on other networks
	}
	l.ACLs = revision.StageACLCount(b.rev, k, l.Stage)
	l.Summary = revision.SummarizePolicy(b.rev, k, b.Now)
	s := &l.Summary
	l.State = page.Cell{Text: s.Text, Role: page.StateRole(s.State)}
	switch {
	case !b.Screen:
	case s.State == model.StateInSync:
		l.State.Text = ""
	default:
		l.State.Text = page.StateSign(s.State) + " " + s.Text
	}
	z := b.rev.Zone(s.Zone)
	if b.Screen && s.State == model.StateUnknown && (z == nil || z.SyncedAt.IsZero() && z.Conn != model.ConnDenied &&
		z.Conn != model.ConnLost) {
		l.State = page.Cell{Text: "starting", Role: themes.Info}
		if r := b.rev; len(r.Zones) == 0 && r.Loaded && !r.Mode.Sandbox {
			l.State = page.Cell{} // the heading says that nothing is checked
		}
	}
	if b.unread != nil { // its rows are compared with an incomplete cluster
		l.State = words.Choose(b.unread.IsReading, page.Cell{Text: "starting", Role: themes.Info}, page.Cell{Text: "unknown", Role: themes.Dim})
	} else if s.Waiting > 0 {
		l.State.Text = words.Between("", l.State.Text, ", ") + words.Count(s.Waiting, "pod") + words.OneOrMany(s.Waiting, " waits", " wait")
	}
	l.Rank = slices.Index(worstFirst, s.State)
	if l.Rank < 0 {
		l.Rank = 10
	}
}

// worstFirst are the states that need attention.
var worstFirst = []model.PolicyState{model.StateFrozen, model.StateBehind, model.StateNotEnforced, model.StateUnknown, model.StateStale,
	model.StateNotComparable, model.StateSettling}

// setLogs sets the log levels of a line: one piece per action unless all are equal, and the time left in a
// logging session.
func (l *Line) setLogs(logging *revision.RuleLogging, invalid bool, now time.Time) {
	levels := logging.Levels
	if invalid {
		l.Log, l.LogText = []page.Cell{{Text: words.No + " invalid", Role: themes.Error}}, "invalid"
		return
	}
	for _, a := range []model.Action{model.Deny, model.Allow, model.Pass} {
		if level := levels.ForAction(a); level != "" {
			l.Log = append(l.Log, page.Cell{Text: string(a[:1]) + ":" + level, Role: themes.Info})
		}
	}
	l.LogText = levels.String()
	switch {
	case len(l.Log) == 0:
		l.LogText = "off"
	case len(l.Log) == 3 && levels.Allow == levels.Deny && levels.Deny == levels.Pass:
		l.Log = []page.Cell{{Text: levels.Deny, Role: themes.Info}}
	}
	if left := logging.TimeLeftText(now); left != "" {
		l.Log = append(l.Log, page.Cell{Text: left, Role: themes.Warn})
		l.LogText += " " + left
	}
}

// addNotes adds the notes on a policy: all notes for the lines below a screen's table, marks for its column.
func (b *ladderBuilder) addNotes(l *Line, r *ladder.Rung, rp *ladder.RungPolicy) {
	if none := b.rev.WhyNoRows(rp.Policy.Key); none != nil && !b.Screen && r != nil && !r.Unsupported { // on a screen its state says so
		l.Marks = append(l.Marks, LineMark{Cell: page.Cell{Text: words.No + " not enforced: " + revision.NoRowsShort(b.rev, none)}})
	}
	gone := b.Carried
	if p := b.rev.Cluster.Policy(gone); r != nil && p != nil && p.Priority == b.At {
		gone = model.PolicyKey{} // it has not left its priority
	}
	l.Notes = revision.NotesOfPolicy(b.ladder, r, rp, b.finds[rp.Policy.Key], gone)
	for i := range l.Notes {
		if n := &l.Notes[i]; HasMark(n) {
			sign := NoteSign(n)
			l.Marks = append(l.Marks, LineMark{page.Cell{Text: sign.Text + " " + n.Phrase(), Role: sign.Role}, max(1, n.Count), n})
		}
	}
	// A zone that does not answer yet marks every line, so the policy's own faults come before its mark.
	if b.Screen && len(l.Marks) > 1 && l.Summary.State == model.StateUnknown && l.Marks[0].Role == themes.Info {
		l.Marks = append(l.Marks[1:], l.Marks[0])
	}
}

// HasMark reports whether a note needs attention: it has a sign, and is counted if it does not fit.
func HasMark(n *revision.LadderNote) bool { return n.Sign != "" || n.Severity != model.SeverityInfo }

// NoteMark returns the sign of a note. Conflicts and ties are at least warnings.
func NoteMark(n *revision.LadderNote) page.Span {
	sign := page.SeveritySign(n.Severity)
	if n.Sign != "" {
		sign.Text, sign.Role = n.Sign, words.Choose(n.Severity == model.SeverityError, themes.Error, themes.Warn)
	}
	return sign
}

// NoteSign returns the sign of a note with its count.
func NoteSign(n *revision.LadderNote) page.Span {
	sign := NoteMark(n)
	if n.Count > 1 {
		sign.Text += fmt.Sprint(n.Count)
	}
	return sign
}
