package revision

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
)

// DiffLog finds the log lines whose verdict would differ under the policies of another revision with the
// same pods. The error is the context's.
func DiffLog(r *Revision, ctx context.Context, next *Revision, log *diff.LogConnections) (*diff.LogDifference, error) {
	return log.DiffLines(ctx, r.Verdicts(), next.Verdicts())
}

// LogDiffText counts these lines: "12 of the 340 log lines of the last 15 min would be decided differently".
// Without a log it is empty.
func LogDiffText(o *diff.LogDifference) string {
	if o == nil || o.Judged+o.Unattributed == 0 {
		return ""
	}
	span := "the last 15 min"
	if !o.IsNewest {
		span = o.From.UTC().Format("2006-01-02 15:04") + "–" + o.To.UTC().Format("15:04")
	}
	var b strings.Builder
	switch {
	case o.Judged == 0:
		fmt.Fprintf(&b, "no log line of %s can be judged", span)
	case o.Judged == 1:
		fmt.Fprintf(&b, "the one log line of %s would be decided %s", span, words.OneOrMany(o.Lines, "differently", "the same"))
	default:
		fmt.Fprintf(&b, "%s of the %s log lines of %s would be decided differently",
			words.Choose(o.Lines == 0, "none", words.Thousands(o.Lines)), words.Thousands(o.Judged), span)
	}
	if o.Unattributed > 0 {
		fmt.Fprintf(&b, "; %s left out: an address no longer has a pod, or has another one", words.Count(o.Unattributed, "line"))
	}
	if o.LeftOut > 0 {
		fmt.Fprintf(&b, "; %s left out: too many different connections", words.Count(o.LeftOut, "older line"))
	}
	return b.String()
}

// LogDiffBrief shortens LogDiffText, empty if no line changes: "12 log lines change verdict".
func LogDiffBrief(o *diff.LogDifference) string {
	if o == nil || o.Lines == 0 {
		return ""
	}
	return words.Count(o.Lines, "log line") + words.OneOrMany(o.Lines, " changes", " change") + " verdict"
}

// LogContradictionText counts the lines that contradict the policies; empty if none does.
func LogContradictionText(o *diff.LogDifference) string {
	if o == nil || o.Contrary == 0 {
		return ""
	}
	return words.Count(o.Contrary, "log line") + words.OneOrMany(o.Contrary, " contradicts", " contradict") +
		" the current policies: the policies changed since, or the rows differ"
}

// LoggedVerdictText returns the verdicts in the lines of a group, and how many contradict the current policies: "logged
// as denied".
func LoggedVerdictText(g *diff.LoggedGroup) string {
	var said []string
	for _, s := range []struct {
		n    int
		word string
	}{{g.Allowed, "allowed"}, {g.Denied, "denied"}, {g.Passed, "passed on"}} {
		switch {
		case s.n == g.Lines:
			said = append(said, s.word)
		case s.n > 0:
			said = append(said, words.Thousands(s.n)+" "+s.word)
		}
	}
	text := "logged as " + strings.Join(said, ", ")
	switch {
	case g.Contrary == g.Lines:
		text += ", contradicting the current policies"
	case g.Contrary > 0:
		text += fmt.Sprintf(", %s of them contradicting the current policies", words.Thousands(g.Contrary))
	}
	return text
}

// LoggedExampleText returns the newest line of a group: "for example 14:02:11 blue/api-0 → red/web-0 tcp 80".
func LoggedExampleText(g *diff.LoggedGroup) string {
	return "for example " + g.Example.Last.UTC().Format(time.TimeOnly) + " " + LoggedConnection(&g.Example).String()
}

// LoggedConnection returns a logged connection in which pods have no addresses.
func LoggedConnection(s *diff.LoggedConnection) verdict.Connection {
	c := s.Connection
	for _, e := range []*verdict.Endpoint{&c.From, &c.To} {
		if e.Key.Name != "" {
			e.Addr = netip.Addr{}
		}
	}
	return c
}

// CountMoves counts the verdict changes for every priority that an AdminNetworkPolicy could have. The error is
// the context's, or says why the counts are unknown.
func CountMoves(r *Revision, ctx context.Context, k model.PolicyKey) (*diff.PriorityMoves, error) {
	p := r.Cluster.Policy(k)
	if p == nil {
		return nil, fmt.Errorf("%s does not exist", k.Label())
	}
	ranked := r.System.Order != nil
	if ranked && !r.Verdicts().HasPlaceInOrder(k) {
		return nil, fmt.Errorf("%s decides nothing at any priority: %s rejects it, or its tier does not exist", k.Label(), r.System.Title)
	}
	if ranked || r.WhyNoRows(k) == nil && r.IsCompiled(k) {
		return diff.NewPriorityMoves(ctx, r.Verdicts(), k, true)
	}
	// It is not enforced at its priority, so compare with it at priority 0.
	moved := *p
	moved.Priority = 0
	next := r.WithPolicies([]model.Object{&moved}, nil)
	if none := next.WhyNoRows(k); none != nil {
		return nil, fmt.Errorf("%s is not programmed: %s", k.Label(), NoRowsShort(r, none))
	}
	return diff.NewPriorityMoves(ctx, next.Verdicts(), k, false)
}

// FlipsBrief shortens FlipsText: "denies 14 pairs, opens 3".
func FlipsBrief(totals []diff.PairTotal) string {
	sums := map[verdict.Verdict]int{}
	var order []verdict.Verdict
	for _, t := range totals {
		if t.Before == t.After {
			continue
		}
		if sums[t.After] == 0 {
			order = append(order, t.After)
		}
		sums[t.After] += t.Pairs
	}
	var out []string
	for i, v := range order {
		n := words.Thousands(sums[v])
		if i == 0 {
			n = words.Count(sums[v], "pair")
		}
		switch v {
		case verdict.Allow:
			n = "opens " + n
		case verdict.Deny:
			n = "denies " + n
		default:
			n = "leaves " + n + " " + string(v)
		}
		out = append(out, n)
	}
	if len(out) == 0 {
		return "no verdict changes"
	}
	return strings.Join(out, ", ")
}

// SurplusEffect is the unwanted effect of a change.
type SurplusEffect struct {
	// FlipGroup has the connections, nil if none. Unknown says why they are unknown.
	*diff.FlipGroup
	Unknown string
	becomes verdict.Verdict
}

// FindSurplus finds the unwanted verdict changes of a change, until the context ends.
func FindSurplus(r *Revision, ctx context.Context, next *Revision, w *diff.WantedVerdict) *SurplusEffect {
	d, err := DiffConnections(r, ctx, next, diff.DiffQuestions{Wanted: w})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &SurplusEffect{Unknown: "not computed in time", becomes: w.Becomes}
	case err != nil:
		return &SurplusEffect{Unknown: err.Error(), becomes: w.Becomes}
	}
	return &SurplusEffect{FlipGroup: d.Unwanted, becomes: w.Becomes}
}

// IsExact reports whether the change has only wanted effects.
func (s *SurplusEffect) IsExact() bool { return s.FlipGroup == nil && s.Unknown == "" }

// Text counts the pairs, with an example: "opens 70 pairs without log lines: …".
func (s *SurplusEffect) Text() string {
	does := "opens"
	if s.becomes == verdict.Deny {
		does = "denies"
	}
	switch {
	case s.Unknown != "":
		return "effect on connections without log lines unknown: " + s.Unknown
	case s.FlipGroup == nil:
		return does + " only the logged connections"
	}
	return fmt.Sprintf("%s %s without log lines: %s → %s, %s; %s", does, words.Count(s.Pairs, "pair"), EndsText(s.From), EndsText(s.To),
		PortsText(s.Ports), ExampleText(s.FlipGroup))
}
