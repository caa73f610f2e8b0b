package revision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"

	"rung/model/words"
)

// RuleLogging is the logging of the rules of a policy.
type RuleLogging struct {
	Levels model.LogLevels
	// Namespace is the namespace whose annotation says so; empty where it is the
	// policy's own (ovn-kubernetes.md#policy-logging, #namespace-logging).
	Namespace string
	// Problems are the faults of the annotation. An ANP or BANP that has one is not
	// programmed; in a namespace's annotation only the level is off.
	Problems []string
	// Session is the logging session that set the levels, the zero one where they are there to stay.
	Session model.LogSession
}

// TimeLeftText says how long the levels hold, in a few letters: "12m"; empty where they have no end.
func (l *RuleLogging) TimeLeftText(now time.Time) string {
	switch {
	case l.Session.Until.IsZero() || !l.Levels.IsOn():
		return ""
	case l.Session.IsOver(now):
		return "over"
	}
	return words.Age(l.Session.Until.Sub(now))
}

// takeSession notes the session that set the levels which the annotation of an object has now.
func (l *RuleLogging) takeSession(m *model.Meta) {
	if s, ok := m.LogSession(); ok && !logline.LevelChanged(m, s) {
		l.Session = s
	}
}

// LoggingOf says what the rules of a policy log, and who says so.
func LoggingOf(r *Revision, p *model.Policy) (l RuleLogging) {
	if p.Tiered != nil {
		l.Levels = logline.Levels(p)
		if s, ok := p.LogSession(); ok && !logline.IsChanged(p, s) {
			l.Session = s
		}
		return l
	}
	if p.Kind.IsAdmin() {
		levels, err := p.LogLevels()
		if err != nil {
			return RuleLogging{Problems: []string{err.Error()}}
		}
		l.Levels = levels
		l.takeSession(&p.Meta)
		return l
	}
	return NamespaceLogging(r, p.Namespace)
}

// UnitLogging says what the rows of a unit of tier 2 log; ok is false for those
// that never do.
func UnitLogging(r *Revision, k model.Key) (l RuleLogging, ok bool) {
	switch k.Kind {
	case model.KindNP, model.KindMNP, model.KindEF, model.KindNetpolNamespace:
		l = NamespaceLogging(r, k.Namespace)
		l.Levels = l.Levels.LevelsForKind(k.Kind)
		return l, true
	}
	return RuleLogging{}, false
}

// NamespaceLogging returns the logging that a namespace's annotation asks for.
func NamespaceLogging(r *Revision, namespace string) RuleLogging {
	l := RuleLogging{Namespace: namespace}
	if ns := r.Cluster.Namespace(namespace); ns != nil {
		l.Levels, l.Problems = model.NamespaceLogLevels(ns.Annotations[model.AnnotationLogging])
		l.takeSession(&ns.Meta)
	}
	return l
}

// NamespaceLogs says why the levels of a NetworkPolicy or EgressFirewall cannot
// be set on it.
func NamespaceLogs(k model.PolicyKey) string {
	return fmt.Sprintf("%s logs as the annotation of namespace %s says: change the logging of that", k.Label(), k.Namespace)
}

// toBeginWith are levels that make a policy log, where nobody chose others.
var toBeginWith = model.LogLevels{Allow: "info", Deny: "alert", Pass: "info"}

// LogLevelCommand is the command that makes a policy log what its rules of some actions
// decide. rung log-level sets all levels at once, so it names those that are set now, too.
func LogLevelCommand(r *Revision, p *model.Policy, also ...model.Action) string {
	levels, name := LoggingOf(r, p).Levels, p.Name
	for _, other := range []model.Kind{model.KindANP, model.KindBANP} {
		if other != p.Kind && r.Cluster.Policy(model.Key{Kind: other, Name: p.Name}) != nil {
			name = p.Kind.Abbreviation() + "/" + p.Name
		}
	}
	args := []string{"rung", "log-level", name}
	for _, a := range []model.Action{model.Deny, model.Allow, model.Pass} {
		level := levels.LevelOf(a)
		switch {
		case p.Tiered != nil && slices.Contains(also, a):
			level = logline.On
		case p.Tiered != nil: // it stays as it is
			level = ""
		case level == "" && slices.Contains(also, a):
			level = toBeginWith.LevelOf(a)
		}
		if level != "" {
			args = append(args, "--"+strings.ToLower(string(a)), level)
		}
	}
	return words.ShellJoin(args...)
}

// NamespaceLogsCommand is the command that switches a namespace's logging on, on the
// cluster that Rung looks at: levels that are set stay.
func NamespaceLogsCommand(r *Revision, namespace string) string {
	levels := NamespaceLogging(r, namespace).Levels
	levels.Allow, levels.Deny = cmp.Or(levels.Allow, toBeginWith.Allow), cmp.Or(levels.Deny, toBeginWith.Deny)
	return r.Mode.Kubectl.Annotate(model.Key{Kind: model.KindNamespace, Name: namespace}, model.AnnotationLogging+"="+levels.AnnotationText())
}

// LogMeter returns the limits that the logging meter of a zone sets for each ACL: lines a
// second, and lines at once where that is more. ok is false where no such meter is known.
func LogMeter(r *Revision, zone string) (rate, burst int, ok bool) {
	z := r.Zone(zone)
	if z == nil || z.DB == nil {
		return 0, 0, false
	}
	m := z.DB.MeterByName(nb.LoggingMeter)
	if m == nil {
		return 0, 0, false
	}
	for _, uuid := range m.Bands {
		if b := z.DB.Band(uuid); b != nil && b.Rate > 0 {
			return b.Rate, b.BurstSize, true
		}
	}
	return 0, 0, false
}

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

// LogSessions returns the logging sessions of all objects, in the order in which they
// end.
func LogSessions(r *Revision) []LogSession {
	return SharedValue[Once[[]LogSession]](r).Get(func() []LogSession { return logSessions(r.Cluster) })
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
			l.LogSession, l.Changed = s, logline.LevelChanged(m, s)
		}
		out = append(out, l)
	}
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP, model.KindACNP, model.KindANNP} {
		for p := range c.Policies(k) {
			add(&p.Meta)
			if p.Tiered != nil {
				ruleByRule(p, out)
			}
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

// ruleByRule puts right what is said of the session, the last of all, of a policy whose rules log one by one.
func ruleByRule(p *model.Policy, all []LogSession) {
	if len(all) == 0 || all[len(all)-1].Target != p.Key {
		return
	}
	l := &all[len(all)-1]
	l.Level = logline.Levels(p).String()
	switch {
	case l.Problem != "":
	case !logline.IsRecord(l.LogSession):
		l.LogSession, l.Problem = model.LogSession{}, "the record is not what Rung writes"
	default:
		l.Changed = logline.IsChanged(p, l.LogSession)
	}
}

// LogSessionOf is the session of an object, nil for none.
func LogSessionOf(r *Revision, target model.Key) *LogSession {
	for i, s := range LogSessions(r) {
		if s.Target == target {
			return &LogSessions(r)[i]
		}
	}
	return nil
}

// LoggedUnits returns the units that log as an object's annotation says: a policy
// itself, and of a namespace its NetworkPolicies, its EgressFirewall and the default
// deny.
func LoggedUnits(r *Revision, target model.Key) (out []model.Key) {
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
	// Rows counts the rows that should log there, Logs those that do; both are -1 in a zone
	// of which is only known whether its rows are the desired ones.
	Rows, Logs int
	// Why says why not all do, or why nobody knows; empty where all do.
	Why string
}

// LoggingByZone looks in every zone, by name, whether log=true stands in the rows that should
// log by an object's annotation.
func LoggingByZone(r *Revision, target model.Key) (out []LoggingIn) {
	units := LoggedUnits(r, target)
	for _, z := range r.Zones {
		out = append(out, loggingInZone(r, z, units))
	}
	slices.SortFunc(out, func(a, b LoggingIn) int { return cmp.Compare(a.Zone, b.Zone) })
	return out
}

func loggingInZone(r *Revision, z *model.ZoneState, units []model.Key) LoggingIn {
	l := LoggingIn{Zone: z.Name}
	if z.DB == nil || z.Conn != model.ConnSynced {
		l.Rows, l.Logs = -1, -1
		if ok, why := isShownInZone(r, z, units, nil); !ok {
			l.Why = why
		}
		return l
	}
	for _, k := range units {
		if none := r.WhyNoRows(k); none != nil {
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
		l.Why = fmt.Sprintf("%s of %s rows have log=true", words.Thousands(l.Logs), words.Thousands(l.Rows))
	}
	return l
}

// usualMeterRate is the default rate of OVN-Kubernetes, in lines a second
// (ovn-kubernetes.md#meter).
const usualMeterRate = 20

// LogCost is the cost of logging: the rows that log, and the most lines they may write.
type LogCost struct {
	ACLs  int // that log, in a zone
	Nodes int // on which they are
	// Rate is the meter's limit of lines a second for each ACL on each node; Known is false
	// where no zone's meter was read, and Rate what OVN-Kubernetes sets unless told.
	Rate  int
	Known bool
}

// CostOfLogging returns the cost of logging some objects.
func CostOfLogging(r *Revision, targets []model.Key) LogCost {
	c := LogCost{Nodes: r.Cluster.Count(model.KindNode), Rate: usualMeterRate}
	if len(r.Zones) > 0 {
		c.Nodes = len(r.Zones)
	}
	for _, z := range r.Zones {
		if rate, _, ok := LogMeter(r, z.Name); ok && (!c.Known || rate > c.Rate) {
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

// LinesPerSecond is how many lines a second the meter lets through at most, on each node.
func (c LogCost) LinesPerSecond() int { return c.ACLs * c.Rate }
