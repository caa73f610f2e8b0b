package policies

import (
	"cmp"
	"fmt"
	"slices"

	"rung/model"
	"rung/revision"
)

// LogSession is a logging session of a policy or a namespace.
type LogSession struct {
	Target model.Key
	model.LogSession
	// Level is the annotation as it is now; Changed says that it is not the session's any
	// more: somebody else changed it, and it stays.
	Level   string
	Changed bool
	// Problem says why the record cannot be read; nothing else of the session is known then.
	Problem string
}

// LogSessions are the logging sessions of all objects, those that end first first.
func LogSessions(r *revision.Revision) []LogSession {
	return revision.Shared[revision.Once[[]LogSession]](r).Get(func() []LogSession { return logSessions(r.Cluster) })
}

func logSessions(c *model.Cluster) (out []LogSession) {
	add := func(m *model.Meta) {
		raw, has := m.Annotations[model.AnnotationLogSession]
		if !has {
			return
		}
		l := LogSession{Target: m.Key, Level: m.Annotations[model.AnnotationLogging]}
		s, err := model.ParseLogSession(raw)
		if err != nil {
			l.Problem = "the record " + err.Error()
		} else {
			l.LogSession, l.Changed = s, m.LoggingChanged(s)
		}
		out = append(out, l)
	}
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP} {
		for p := range c.Policies(k) {
			add(&p.Meta)
		}
	}
	for n := range c.Namespaces() {
		add(&n.Meta)
	}
	slices.SortStableFunc(out, func(a, b LogSession) int {
		if a.Until.IsZero() != b.Until.IsZero() {
			if a.Until.IsZero() {
				return 1
			}
			return -1
		}
		return cmp.Or(a.Until.Compare(b.Until), a.Target.Compare(b.Target))
	})
	return out
}

// LogSessionOf is the session of an object, nil for none.
func LogSessionOf(r *revision.Revision, target model.Key) *LogSession {
	for i, s := range LogSessions(r) {
		if s.Target == target {
			return &LogSessions(r)[i]
		}
	}
	return nil
}

// LoggedUnits are what logs as an object's annotation says: a policy itself, and of a
// namespace its NetworkPolicies, its EgressFirewall and the default deny.
func LoggedUnits(r *revision.Revision, target model.Key) (out []model.Key) {
	if target.Kind != model.KindNamespace {
		return []model.Key{target}
	}
	for c := range r.AllCompiled() {
		if model.LoggedBy(c.Key) == target {
			out = append(out, c.Key)
		}
	}
	slices.SortFunc(out, model.Key.Compare)
	return out
}

// LoggingIn says of one zone whether the rows of an object log as they should.
type LoggingIn struct {
	Zone string
	// Rows are those that should log there, Logs how many do; both are -1 in a zone of which
	// only is known whether its rows are the desired ones.
	Rows, Logs int
	// Why says why not all do, or why nobody knows; empty where all do.
	Why string
}

// LoggingByZone looks in every zone, by name, whether log=true stands in the rows that should
// log by an object's annotation.
func LoggingByZone(r *revision.Revision, target model.Key) (out []LoggingIn) {
	units := LoggedUnits(r, target)
	for _, z := range r.Zones {
		out = append(out, loggingInZone(r, z, units))
	}
	slices.SortFunc(out, func(a, b LoggingIn) int { return cmp.Compare(a.Zone, b.Zone) })
	return out
}

func loggingInZone(r *revision.Revision, z *model.ZoneState, units []model.Key) LoggingIn {
	l := LoggingIn{Zone: z.Name}
	if z.DB == nil || z.Conn != model.ConnSynced {
		l.Rows, l.Logs = -1, -1
		if ok, why := shownIn(r, z, units, nil); !ok {
			l.Why = why
		}
		return l
	}
	for _, k := range units {
		if none := r.None(k); none != nil {
			l.Why = k.Label() + " is not programmed: " + NoRowsShort(r, none)
			continue
		}
		for _, a := range r.ACLs(k, z.Name) {
			if !a.Log {
				continue
			}
			l.Rows++
			if live := z.DB.ACLByID(a.ID()); live != nil && live.Log && live.Severity == a.Severity {
				l.Logs++
			}
		}
	}
	if l.Logs < l.Rows {
		l.Why = fmt.Sprintf("%d of %d rows have log=true", l.Logs, l.Rows)
	}
	return l
}

// usualMeterRate is what OVN-Kubernetes sets unless told otherwise (ovn-kubernetes.md#meter).
const usualMeterRate = 20

// LogCost is what logging costs.
type LogCost struct {
	ACLs  int // that log, in a zone
	Nodes int // on which they are
	// Rate is the meter's limit of lines a second for each ACL on each node; Known is false
	// where no zone's meter was read, and Rate what OVN-Kubernetes sets unless told.
	Rate  int
	Known bool
}

// CostOfLogging is what the logging of some objects costs.
func CostOfLogging(r *revision.Revision, targets []model.Key) LogCost {
	c := LogCost{Nodes: r.Cluster.Count(model.KindNode), Rate: usualMeterRate}
	if len(r.Zones) > 0 {
		c.Nodes = len(r.Zones)
	}
	for _, z := range r.Zones {
		if rate, ok := MeterRate(r, z.Name); ok && (!c.Known || rate > c.Rate) {
			c.Rate, c.Known = rate, true
		}
	}
	for _, t := range targets {
		for _, k := range LoggedUnits(r, t) {
			for _, a := range r.ACLs(k, "") {
				if a.Log {
					c.ACLs++
				}
			}
		}
	}
	return c
}

// Most is how many lines a second the meter lets through at most, on each node.
func (c LogCost) Most() int { return c.ACLs * c.Rate }
