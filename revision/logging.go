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

// RuleLogging describes how the rules of a policy log.
type RuleLogging struct {
	Levels model.LogLevels
	// Namespace is the namespace whose annotation applies; empty if the policy's own does
	// (ovn-kubernetes.md#policy-logging, #namespace-logging).
	Namespace string
	// Problems are the errors in the annotation. An ANP or BANP with an error is not programmed; in a
	// namespace's annotation an error turns only that level off.
	Problems []string
	// Session is the logging session that set the levels, zero if they are permanent.
	Session model.LogSession
}

// TimeLeftText returns how long the levels still apply: "12m". It is empty if they are permanent.
func (l *RuleLogging) TimeLeftText(now time.Time) string {
	switch {
	case l.Session.Until.IsZero() || !l.Levels.IsOn():
		return ""
	case l.Session.IsOver(now):
		return "over"
	}
	return words.Age(l.Session.Until.Sub(now))
}

// takeSession stores the session that set the present levels of an object's annotation.
func (l *RuleLogging) takeSession(m *model.Meta) {
	if s, ok := m.LogSession(); ok && !logline.LevelChanged(m, s) {
		l.Session = s
	}
}

// PolicyLogging returns how the rules of a policy log, and which annotation says so.
func PolicyLogging(r *Revision, p *model.Policy) (l RuleLogging) {
	if p.Tiered != nil {
		l.Levels = logline.LoggingByAction(p)
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

// UnitLogging returns how the rows of a tier 2 unit log; ok is false if they never do.
func UnitLogging(r *Revision, k model.Key) (l RuleLogging, ok bool) {
	switch k.Kind {
	case model.KindNP, model.KindMNP, model.KindEF, model.KindNetpolNamespace:
		l = NamespaceLogging(r, k.Namespace)
		l.Levels = l.Levels.LevelsForKind(k.Kind)
		return l, true
	}
	return RuleLogging{}, false
}

// NamespaceLogging returns the logging set by a namespace's annotation.
func NamespaceLogging(r *Revision, namespace string) RuleLogging {
	l := RuleLogging{Namespace: namespace}
	if ns := r.Cluster.Namespace(namespace); ns != nil {
		l.Levels, l.Problems = model.NamespaceLogLevels(ns.Annotations[model.AnnotationLogging])
		l.takeSession(&ns.Meta)
	}
	return l
}

// WhyNoOwnLogging explains why levels cannot be set on a NetworkPolicy or EgressFirewall.
func WhyNoOwnLogging(k model.PolicyKey) string {
	return fmt.Sprintf("the annotation of namespace %s sets the logging of %s: change it there", k.Namespace, k.Label())
}

var defaultLogLevels = model.LogLevels{Allow: "info", Deny: "alert", Pass: "info"}

// LogLevelCommand returns the command that makes a policy log some more actions. rung log-level sets all
// levels at once, so the command repeats the present ones.
func LogLevelCommand(r *Revision, p *model.Policy, also ...model.Action) string {
	levels, name := PolicyLogging(r, p).Levels, p.Name
	for _, other := range []model.Kind{model.KindANP, model.KindBANP} {
		if other != p.Kind && r.Cluster.Policy(model.Key{Kind: other, Name: p.Name}) != nil {
			name = p.Kind.Abbreviation() + "/" + p.Name
		}
	}
	args := []string{"rung", "log-level", name}
	for _, a := range []model.Action{model.Deny, model.Allow, model.Pass} {
		level := levels.ForAction(a)
		switch {
		case p.Tiered != nil && slices.Contains(also, a):
			level = logline.On
		case p.Tiered != nil: // unchanged
			level = ""
		case level == "" && slices.Contains(also, a):
			level = defaultLogLevels.ForAction(a)
		}
		if level != "" {
			args = append(args, "--"+strings.ToLower(string(a)), level)
		}
	}
	return words.ShellJoin(args...)
}

// NamespaceLogsCommand returns the kubectl command that turns a namespace's logging on. Levels stay.
func NamespaceLogsCommand(r *Revision, namespace string) string {
	levels := NamespaceLogging(r, namespace).Levels
	levels.Allow, levels.Deny = cmp.Or(levels.Allow, defaultLogLevels.Allow), cmp.Or(levels.Deny, defaultLogLevels.Deny)
	return r.Mode.Kubectl.Annotate(model.Key{Kind: model.KindNamespace, Name: namespace}, model.AnnotationLogging+"="+levels.AnnotationText())
}

// LogMeter returns the logging meter's limits for each ACL in a zone: lines a second, and the burst if that is
// more. ok is false if no such meter is known.
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
	// Level is the present annotation. Changed means that someone else changed it; Rung then keeps it.
	Level   string
	Changed bool
	// Problem says why the record cannot be parsed; then nothing else of the session is known.
	Problem string
}

// LogSessions returns the logging sessions of all objects, sorted by end.
func LogSessions(r *Revision) []LogSession {
	return SharedValue[Once[[]LogSession]](r).Get(func() []LogSession { return logSessions(r.Cluster) })
}

func logSessions(c *model.Cluster) (out []LogSession) {
	add := func(m *model.Meta) *LogSession {
		raw, has := m.Annotations[model.AnnotationLogSession]
		if !has {
			return nil
		}
		l := LogSession{Target: m.Key, Level: m.Annotations[model.AnnotationLogging]}
		s, err := model.ParseLogSession(raw)
		if err != nil {
			l.Problem = "the record " + err.Error()
		} else {
			l.LogSession, l.Changed = s, logline.LevelChanged(m, s)
		}
		out = append(out, l)
		return &out[len(out)-1]
	}
	for _, k := range []model.Kind{model.KindANP, model.KindBANP, model.KindCNP, model.KindACNP, model.KindANNP} {
		for p := range c.Policies(k) {
			if l := add(&p.Meta); l != nil && p.Tiered != nil { // its rules log one by one
				l.Level = logline.LoggingByAction(p).String()
				switch {
				case l.Problem != "":
				case !logline.IsRecord(l.LogSession):
					l.LogSession, l.Problem = model.LogSession{}, "the record was not written by Rung"
				default:
					l.Changed = logline.IsChanged(p, l.LogSession)
				}
			}
		}
	}
	for n := range c.Namespaces() {
		add(&n.Meta)
	}
	slices.SortStableFunc(out, func(a, b LogSession) int {
		return cmp.Or(model.FalseFirst(a.Until.IsZero(), b.Until.IsZero()), a.Until.Compare(b.Until), a.Target.Compare(b.Target))
	})
	return out
}

// FindLogSession returns the session of an object, nil if none.
func FindLogSession(r *Revision, target model.Key) *LogSession {
	for i, s := range LogSessions(r) {
		if s.Target == target {
			return &LogSessions(r)[i]
		}
	}
	return nil
}

// LoggedUnits returns the units that log by an object's annotation: a policy itself, or the NetworkPolicies,
// the EgressFirewall and the default deny of a namespace.
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

// LoggingIn reports whether an object's rows in one zone log as they should.
type LoggingIn struct {
	Zone string
	// Rows counts rows that should log, Logs logging rows. Both are -1 if only the zone's sync state is known.
	Rows, Logs int
	// Why explains why not all rows log, or why that is unknown; empty if all do.
	Why string
}

// LoggingByZone checks in every zone, by name, which rows log as an object's annotation says.
func LoggingByZone(r *Revision, target model.Key) []LoggingIn {
	units := LoggedUnits(r, target)
	out := model.MapList(r.Zones, func(z *model.ZoneState) LoggingIn { return loggingInZone(r, z, units) })
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

// usualMeterRate is OVN-Kubernetes' default rate in lines a second (ovn-kubernetes.md#meter).
const usualMeterRate = 20

// LogCost is the cost of logging: logging rows, and the maximum of lines.
type LogCost struct {
	ACLs  int // logging ACLs in one zone
	Nodes int // nodes that have them
	// Rate is the meter's limit of lines a second for each ACL on each node. If Known is false, no meter was
	// read and Rate is OVN-Kubernetes' default.
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

// LinesPerSecond returns the maximum of lines a second on each node.
func (c LogCost) LinesPerSecond() int { return c.ACLs * c.Rate }
