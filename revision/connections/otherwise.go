package connections

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
)

// Otherwise says which lines of a log would have gone the other way had the policies been
// those of another revision of the same pods. The error is that of the context.
func Otherwise(r *revision.Revision, ctx context.Context, next *revision.Revision, log *diff.Log) (*diff.Otherwise, error) {
	return log.Otherwise(ctx, r.Verdicts(), next.Verdicts())
}

// OtherwiseText counts them: "12 of the 340 log lines of the last 15 min would have gone the
// other way". It is empty where no log was read.
func OtherwiseText(o *diff.Otherwise) string {
	if o == nil || o.Judged+o.Lost == 0 {
		return ""
	}
	span := "the last 15 min"
	if !o.Fresh {
		span = o.From.UTC().Format("2006-01-02 15:04") + "–" + o.To.UTC().Format("15:04")
	}
	var b strings.Builder
	switch {
	case o.Judged == 0:
		fmt.Fprintf(&b, "no log line of %s can be judged", span)
	case o.Judged == 1:
		fmt.Fprintf(&b, "the one log line of %s would %shave gone the other way", span, words.Form(o.Lines, "", "not "))
	default:
		fmt.Fprintf(&b, "%s of the %s log lines of %s would have gone the other way", noneOr(o.Lines), words.Thousands(o.Judged), span)
	}
	if o.Lost > 0 {
		fmt.Fprintf(&b, "; %s left out: an address has no pod any more, or another one", words.Total(o.Lost, "line"))
	}
	if o.Over > 0 {
		fmt.Fprintf(&b, "; %s left out: too many different connections", words.Total(o.Over, "older line"))
	}
	return b.String()
}

func noneOr(n int) string {
	if n == 0 {
		return "none"
	}
	return words.Thousands(n)
}

// OtherwiseBrief is OtherwiseText where there is little room, empty for nothing: "12 log
// lines go the other way".
func OtherwiseBrief(o *diff.Otherwise) string {
	if o == nil || o.Lines == 0 {
		return ""
	}
	return words.Total(o.Lines, "log line") + words.Form(o.Lines, " goes", " go") + " the other way"
}

// ContraryText says that lines say otherwise than the policies; empty where none does.
func ContraryText(o *diff.Otherwise) string {
	if o == nil || o.Contrary == 0 {
		return ""
	}
	return words.Total(o.Contrary, "log line") + words.Form(o.Contrary, " says", " say") +
		" otherwise than the policies do now: the policies changed since, or the rows differ"
}

// SeenText says in one line which logged connections become something else: "blue/api-0 →
// red (3 pods), TCP 80: 14 lines".
func SeenText(g *diff.SeenGroup) string {
	return fmt.Sprintf("%s → %s, %s: %s", EndsText(g.From), EndsText(g.To),
		PortsText([]verdict.PortRange{{Protocol: g.Protocol, Lo: g.Port, Hi: g.Port}}), words.Total(g.Lines, "line"))
}

// SeenSaid is what the lines of a group say themselves, and of which that is not what the
// policies say now: "logged as denied".
func SeenSaid(g *diff.SeenGroup) string {
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
		text += ", which is not what the policies say now"
	case g.Contrary > 0:
		text += fmt.Sprintf(", of which %s %s not what the policies say now", words.Thousands(g.Contrary), words.Form(g.Contrary, "is", "are"))
	}
	return text
}

// SeenExample is the newest line of a group: "for example 14:02:11 blue/api-0 → red/web-0
// tcp 80".
func SeenExample(g *diff.SeenGroup) string {
	return "for example " + g.Example.Last.UTC().Format(time.TimeOnly) + " " + SeenConnection(&g.Example).String()
}

// SeenConnection is a logged connection with pods by their names alone.
func SeenConnection(s *diff.Seen) verdict.Connection {
	c := s.Connection
	for _, e := range []*verdict.Endpoint{&c.From, &c.To} {
		if e.Key.Name != "" {
			e.Addr = netip.Addr{}
		}
	}
	return c
}
