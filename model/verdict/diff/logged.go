package diff

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"

	"rung/model"
	"rung/model/verdict"
)

// LogConnections is the connections in the newest lines of a log.
type LogConnections struct {
	From, To time.Time // of the oldest line and the newest
	IsNewest bool      // they are the newest there can be, not of a log that ended before
	Lines    int       // of Connections
	// LeftOut are older lines of that time, left out since there are too many different
	// connections.
	LeftOut     int
	Connections []LoggedConnection
}

// LoggedConnection is a connection that was logged, and how often.
type LoggedConnection struct {
	// Connection has an address at each end, with the pod that had it when the lines were
	// written.
	Connection verdict.Connection
	// LoggedVerdict is the outcome in the lines, Allow or Deny, by the rules at one stage on one
	// node; empty where a rule passed it on. Stage and Zone are empty where they are not
	// known: an older ovn-controller does not say whether it was before load balancing or
	// after it.
	LoggedVerdict verdict.Verdict
	Stage         model.Stage
	Zone          string
	Lines         int
	First, Last   time.Time
}

// LogDifference says which lines of a log would be others after a change.
type LogDifference struct {
	From, To time.Time
	IsNewest bool
	// Judged are the lines that count; Unattributed those whose address has no pod any more, or
	// another one; LeftOut as in LogConnections.
	Judged, Unattributed, LeftOut int
	// Lines counts the log lines of Groups, whose connections get another verdict.
	Lines  int
	Groups []LoggedGroup
	// Contrary are judged lines that say otherwise than the policies before the change.
	Contrary int
}

// LoggedGroup is logged connections of the same namespaces and port that become the same.
type LoggedGroup struct {
	Before, After verdict.Verdict
	From, To      verdict.Ends
	Protocol      verdict.Protocol
	Port          uint16
	Lines         int
	First, Last   time.Time
	// Allowed, Denied and Passed count the lines by the outcome they state; Contrary counts
	// the lines of which the policies say otherwise now, before the change.
	Allowed, Denied, Passed, Contrary int
	// Example is the newest of them.
	Example LoggedConnection
}

// DiffLines judges the connections of a log before and after a change: those of pods that
// still have the address. The error is that of the context.
func (l *LogConnections) DiffLines(ctx context.Context, before, after *verdict.Index) (*LogDifference, error) {
	out := &LogDifference{From: l.From, To: l.To, IsNewest: l.IsNewest, LeftOut: l.LeftOut}
	groups := map[loggedKey]*growingGroup{}
	for i := range l.Connections {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := &l.Connections[i]
		was, ok := answerLogged(before, s)
		if !ok {
			out.Unattributed += s.Lines
			continue
		}
		is, ok := answerLogged(after, s)
		if !ok {
			out.Unattributed += s.Lines
			continue
		}
		out.Judged += s.Lines
		contrary := s.isContrary(&was)
		if contrary {
			out.Contrary += s.Lines
		}
		if was.Verdict == is.Verdict {
			continue
		}
		out.Lines += s.Lines
		c := s.Connection
		k := loggedKey{was.Verdict, is.Verdict, c.From.Key.Namespace, c.To.Key.Namespace, c.Protocol, c.Port}
		g := groups[k]
		if g == nil {
			g = &growingGroup{LoggedGroup: LoggedGroup{Before: k.before, After: k.after, Protocol: k.proto, Port: k.port, First: s.First,
				Example: *s}}
			groups[k] = g
		}
		g.add(s, contrary)
	}
	for _, g := range groups {
		g.LoggedGroup.From, g.LoggedGroup.To = g.from.namedEnds(), g.to.namedEnds()
		out.Groups = append(out.Groups, g.LoggedGroup)
	}
	slices.SortFunc(out.Groups, func(a, b LoggedGroup) int {
		return cmp.Or(cmp.Compare(a.After.HarmRank(), b.After.HarmRank()), cmp.Compare(a.Before.HarmRank(), b.Before.HarmRank()),
			cmp.Compare(b.Lines, a.Lines),
			a.Example.Connection.Compare(b.Example.Connection))
	})
	return out, nil
}

// answerLogged returns the policies' answer about a logged connection; ok is false where its
// ends are no longer those that were logged.
func answerLogged(x *verdict.Index, s *LoggedConnection) (verdict.Answer, bool) {
	c := s.Connection
	// The address says who it is now; whoever has it must be who had it.
	a, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.AddrEnd(c.From.Addr), To: verdict.AddrEnd(c.To.Addr),
		Protocol: c.Protocol, Port: c.Port})
	if err != nil || len(a.Paths) == 0 || !samePod(a.Paths[0].From.Key, c.From.Key) || !samePod(a.Paths[0].To.Key, c.To.Key) {
		return a, false
	}
	return a, true
}

// samePod says whether an address is the same pod's, or no pod's, as it was.
func samePod(now, then model.Key) bool {
	if then.Kind != model.KindPod {
		then = model.Key{}
	}
	return now == then
}

// isContrary says whether the lines say otherwise than the policies at their stage, by whichever
// path the connection comes.
func (s *LoggedConnection) isContrary(a *verdict.Answer) bool {
	if s.LoggedVerdict == "" {
		return false
	}
	for i := range a.Paths {
		var at []verdict.StageVerdict
		for _, st := range a.Paths[i].Stages {
			if (s.Zone == "" || st.Zone == s.Zone) && s.isOfStage(st.Stage) {
				at = append(at, st)
			}
		}
		if len(at) == 0 {
			return false
		}
		if now := verdict.JoinStages(at); now != verdict.Allow && now != verdict.Deny || now == s.LoggedVerdict {
			return false
		}
	}
	return len(a.Paths) > 0
}

// isOfStage says whether the lines may have been written in a stage. One of from-lport does not
// say in which of the two.
func (s *LoggedConnection) isOfStage(stage model.Stage) bool {
	return s.Stage == "" || (s.Stage == model.StageToLport) == (stage == model.StageToLport)
}

type loggedKey struct {
	before, after verdict.Verdict
	from, to      string
	proto         verdict.Protocol
	port          uint16
}

// growingGroup is a group that is still growing.
type growingGroup struct {
	LoggedGroup
	from, to loggedEnds
}

func (g *growingGroup) add(s *LoggedConnection, contrary bool) {
	g.Lines += s.Lines
	switch s.LoggedVerdict {
	case verdict.Allow:
		g.Allowed += s.Lines
	case verdict.Deny:
		g.Denied += s.Lines
	default:
		g.Passed += s.Lines
	}
	if contrary {
		g.Contrary += s.Lines
	}
	if s.First.Before(g.First) {
		g.First = s.First
	}
	if s.Last.After(g.Last) {
		g.Last, g.Example = s.Last, *s
	}
	g.from.add(s.Connection.From)
	g.to.add(s.Connection.To)
}

// loggedEnds are the ends of one side.
type loggedEnds struct {
	pods    map[model.Key]bool
	outside map[netip.Addr]bool
}

func (e *loggedEnds) add(end verdict.Endpoint) {
	if e.pods == nil {
		e.pods, e.outside = map[model.Key]bool{}, map[netip.Addr]bool{}
	}
	if end.Key.Kind == model.KindPod {
		e.pods[end.Key] = true
	} else {
		e.outside[end.Addr] = true
	}
}

func (e *loggedEnds) namedEnds() verdict.Ends {
	out := verdict.Ends{Pods: len(e.pods), Namespaces: []string{}, Outside: []netip.Prefix{}}
	for k := range e.pods {
		out.FirstPods = append(out.FirstPods, k)
		if !slices.Contains(out.Namespaces, k.Namespace) {
			out.Namespaces = append(out.Namespaces, k.Namespace)
		}
	}
	slices.SortFunc(out.FirstPods, model.Key.Compare)
	out.FirstPods = out.FirstPods[:min(3, len(out.FirstPods))]
	slices.Sort(out.Namespaces)
	for a := range e.outside {
		out.Outside = append(out.Outside, netip.PrefixFrom(a, a.BitLen()))
	}
	slices.SortFunc(out.Outside, netip.Prefix.Compare)
	return out
}
