package connections

import (
	"context"
	"errors"
	"fmt"

	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision"
)

// Surplus is what a change does besides what it is made for.
type Surplus struct {
	// Group are the connections, nil for none; Unknown says why nobody knows.
	*diff.Group
	Unknown string
	becomes verdict.Verdict
}

// FindSurplus works out what a change does besides what it is wanted for, as long as the context
// lasts.
func FindSurplus(r *revision.Revision, ctx context.Context, next *revision.Revision, w *diff.Wanted) *Surplus {
	d, err := Differ(r, ctx, next, diff.Asked{Wanted: w})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Surplus{Unknown: "it was not worked out in time", becomes: w.Becomes}
	case err != nil:
		return &Surplus{Unknown: err.Error(), becomes: w.Becomes}
	}
	return &Surplus{Group: d.Beyond, becomes: w.Becomes}
}

// Exact says whether the change does nothing else.
func (s *Surplus) Exact() bool { return s.Group == nil && s.Unknown == "" }

// Text counts the pairs: "opens 70 pairs that no log line has: …", with an example.
func (s *Surplus) Text() string {
	does := "opens"
	if s.becomes == verdict.Deny {
		does = "denies"
	}
	switch {
	case s.Unknown != "":
		return "what it does to connections that no log line has is unknown: " + s.Unknown
	case s.Group == nil:
		return does + " only the connections of the log lines"
	}
	return fmt.Sprintf("%s %s that no log line has: %s → %s, %s; %s", does, words.Total(s.Pairs, "pair"), EndsText(s.From), EndsText(s.To),
		PortsText(s.Ports), ExampleText(s.Group))
}
