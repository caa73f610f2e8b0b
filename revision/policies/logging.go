package policies

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
)

// Logging is what the rules of a policy log.
type Logging struct {
	Levels model.LogLevels
	// Namespace is the namespace whose annotation says so; empty where it is the
	// policy's own (ovn-kubernetes.md#policy-logging, #namespace-logging).
	Namespace string
	// Problems are what is wrong with the annotation. An ANP or BANP that has one
	// is not programmed; of a namespace's only the level is off.
	Problems []string
}

// LoggingOf says what the rules of a policy log, and who says so.
func LoggingOf(r *revision.Revision, p *model.Policy) (l Logging) {
	if p.Kind.IsAdmin() {
		levels, err := p.LogLevels()
		if err != nil {
			return Logging{Problems: []string{err.Error()}}
		}
		return Logging{Levels: levels}
	}
	return NamespaceLogging(r, p.Namespace)
}

// UnitLogging says what the rows of a unit of tier 2 log; ok is false for those
// that never do.
func UnitLogging(r *revision.Revision, k model.Key) (l Logging, ok bool) {
	switch k.Kind {
	case model.KindNP, model.KindEF, model.KindNetpolNamespace:
		l = NamespaceLogging(r, k.Namespace)
		l.Levels = l.Levels.Of(k.Kind)
		return l, true
	}
	return Logging{}, false
}

// NamespaceLogging is what a namespace's annotation says.
func NamespaceLogging(r *revision.Revision, namespace string) Logging {
	l := Logging{Namespace: namespace}
	if ns := r.Cluster.Namespace(namespace); ns != nil {
		l.Levels, l.Problems = model.NamespaceLogLevels(ns.Annotations[model.AnnotationLogging])
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
func LogLevelCommand(r *revision.Revision, p *model.Policy, also ...model.Action) string {
	levels, name := LoggingOf(r, p).Levels, p.Name
	for _, other := range []model.Kind{model.KindANP, model.KindBANP} {
		if other != p.Kind && r.Cluster.Policy(model.Key{Kind: other, Name: p.Name}) != nil {
			name = p.Kind.Short() + "/" + p.Name
		}
	}
	words := []string{"rung", "log-level", name}
	for _, a := range []model.Action{model.Deny, model.Allow, model.Pass} {
		level := levels.For(a)
		if level == "" && slices.Contains(also, a) {
			level = toBeginWith.For(a)
		}
		if level != "" {
			words = append(words, "--"+strings.ToLower(string(a)), level)
		}
	}
	return model.ShellJoin(words...)
}

// NamespaceLogsCommand is the command that switches a namespace's logging on, on the
// cluster that Rung looks at: levels that are set stay.
func NamespaceLogsCommand(r *revision.Revision, namespace string) string {
	levels := NamespaceLogging(r, namespace).Levels
	levels.Allow, levels.Deny = cmp.Or(levels.Allow, toBeginWith.Allow), cmp.Or(levels.Deny, toBeginWith.Deny)
	return r.Mode.Kubectl.Annotate(model.Key{Kind: model.KindNamespace, Name: namespace}, model.AnnotationLogging+"="+levels.Annotation())
}

// MeterRate is how many lines a second the logging meter of a zone lets through
// for each ACL; ok is false where no such meter is known.
func MeterRate(r *revision.Revision, zone string) (rate int, ok bool) {
	rate, _, ok = LogMeter(r, zone)
	return rate, ok
}

// LogMeter is what the logging meter of a zone lets through for each ACL: lines a second,
// and at once where that is more; ok is false where no such meter is known.
func LogMeter(r *revision.Revision, zone string) (rate, burst int, ok bool) {
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
