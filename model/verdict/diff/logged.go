package diff

import (
	"cmp"
	"context"
	"maps"
	"net/netip"
	"slices"
	"time"

	"rung/model"
	"rung/model/verdict"
)

// LogConnections are the connections in the newest lines of a log.
type LogConnections struct {
	From, To time.Time // of the oldest and newest line
	IsNewest bool      // the log is current; false if it ended before
	Lines    int       // of Connections
	// LeftOut counts older lines of that time, left out because of too many different connections.
	LeftOut     int
	Connections []LoggedConnection
}

// LoggedConnection is a logged connection with its number of lines.
type LoggedConnection struct {
	// Connection has an address at each end, with the pod that had it when the lines were written.
	Connection verdict.Connection
	// LoggedVerdict is the outcome in the lines, Allow or Deny, of one stage on one node; empty if a rule
	// passed the packet on. Stage and Zone are empty if unknown: an older ovn-controller does not tell before
	// load balancing from after it.
	LoggedVerdict verdict.Verdict
	Stage         model.Stage
	Zone          string
	Lines         int
	First, Last   time.Time
}

// LogDifference reports which lines of a log would differ after a change.
type LogDifference struct {
	From, To time.Time
	IsNewest bool
	// Judged counts the lines with known ends. Unattributed counts lines whose address no longer has the same
	// pod. LeftOut is that of LogConnections.
	Judged, Unattributed, LeftOut int
	// Lines counts the log lines of Groups, whose connections get another verdict.
	Lines  int
	Groups []LoggedGroup
	// Contrary counts judged lines that contradict the policies before the change.
	Contrary int
}

// LoggedGroup is logged connections with the same namespaces, port and change of verdict.
type LoggedGroup struct {
	Before, After verdict.Verdict
	From, To      verdict.Ends
	Protocol      verdict.Protocol
	Port          uint16
	Lines         int
	First, Last   time.Time
	// Allowed, Denied and Passed count the lines by outcome. Contrary counts lines that contradict the
	// policies before the change.
	Allowed, Denied, Passed, Contrary int
	// Example is the newest connection.
	Example LoggedConnection
}

// DiffLines judges logged connections before and after a change, if the same pods still have the addresses.
func (l *LogConnections) DiffLines(ctx context.Context, before, after *verdict.Index) (*LogDifference, error) {
	out := &LogDifference{From: l.From, To: l.To, IsNewest: l.IsNewest, LeftOut: l.LeftOut}
	groups := map[loggedKey]*growingGroup{}
	for i := range l.Connections {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := &l.Connections[i]
		was, ok := answerLogged(before, s)
		is, still := answerLogged(after, s)
		if !ok || !still {
			out.Unattributed += s.Lines
			continue
		}
		out.Judged += s.Lines
		contrary := s.contradicts(&was)
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
			cmp.Compare(b.Lines, a.Lines), a.Example.Connection.Compare(b.Example.Connection))
	})
	return out, nil
}

// answerLogged returns the policies' answer about a logged connection; ok is false if other pods have its
// addresses now.
func answerLogged(x *verdict.Index, s *LoggedConnection) (verdict.Answer, bool) {
	c := s.Connection
	// The present owner of an address must be the logged one.
	a, err := verdict.FromPolicies(x, verdict.Connection{From: verdict.AddrEnd(c.From.Addr), To: verdict.AddrEnd(c.To.Addr),
		Protocol: c.Protocol, Port: c.Port})
	if err != nil || len(a.Paths) == 0 || !samePod(a.Paths[0].From.Key, c.From.Key) || !samePod(a.Paths[0].To.Key, c.To.Key) {
		return a, false
	}
	return a, true
}

// samePod reports whether an address belongs to the same pod as before, or still to none.
func samePod(now, then model.Key) bool {
	if then.Kind != model.KindPod {
		then = model.Key{}
	}
	return now == then
}

// contradicts reports whether the lines contradict the policies at their stage on every path.
func (s *LoggedConnection) contradicts(a *verdict.Answer) bool {
	if s.LoggedVerdict == "" {
		return false
	}
	for i := range a.Paths {
		at := model.Filter(a.Paths[i].Stages, func(st verdict.StageVerdict) bool {
			return (s.Zone == "" || st.Zone == s.Zone) && s.isOfStage(st.Stage)
		})
		if len(at) == 0 {
			return false
		}
		if now := verdict.JoinStages(at); now != verdict.Allow && now != verdict.Deny || now == s.LoggedVerdict {
			return false
		}
	}
	return len(a.Paths) > 0
}

// isOfStage reports whether the lines may come from a stage. from-lport means two stages.
func (s *LoggedConnection) isOfStage(stage model.Stage) bool {
	return s.Stage == "" || (s.Stage == model.StageToLport) == (stage == model.StageToLport)
}

type loggedKey struct {
	before, after verdict.Verdict
	from, to      string
	proto         verdict.Protocol
	port          uint16
}

// growingGroup is a LoggedGroup under construction.
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
	pods := slices.SortedFunc(maps.Keys(e.pods), model.Key.Compare)
	out.FirstPods = pods[:min(3, len(pods))]
	for _, k := range pods {
		if n := len(out.Namespaces); n == 0 || out.Namespaces[n-1] != k.Namespace {
			out.Namespaces = append(out.Namespaces, k.Namespace)
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(e.outside), netip.Addr.Compare) {
		out.Outside = append(out.Outside, netip.PrefixFrom(a, a.BitLen()))
	}
	return out
}
