package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// LogLevels are the severities a policy's rules log with, by action; an empty
// level means that rules of that action do not log (ovn-kubernetes.md#policy-logging).
type LogLevels struct {
	Allow string
	Deny  string
	Pass  string
}

// LogSeverities are the levels OVN knows, loudest first. The empty level (off)
// is valid besides.
var LogSeverities = []string{"alert", "warning", "notice", "info", "debug"}

// ValidLogLevel says whether OVN-Kubernetes takes the level; case matters and
// the empty level is off.
func ValidLogLevel(level string) bool { return level == "" || slices.Contains(LogSeverities, level) }

// LevelOf is the level of one action, empty when its rules do not log.
func (l LogLevels) LevelOf(a Action) string {
	switch a {
	case Allow:
		return l.Allow
	case Deny:
		return l.Deny
	case Pass:
		return l.Pass
	}
	return ""
}

// IsOn says whether rules of at least one action log.
func (l LogLevels) IsOn() bool { return l != LogLevels{} }

// String is "off", one level when all three are the same, or the levels that
// are on: "deny=alert allow=info".
func (l LogLevels) String() string {
	switch {
	case !l.IsOn():
		return "off"
	case l.Allow == l.Deny && l.Deny == l.Pass:
		return l.Deny
	}
	var parts []string
	for _, a := range []Action{Deny, Allow, Pass} {
		if level := l.LevelOf(a); level != "" {
			parts = append(parts, strings.ToLower(string(a))+"="+level)
		}
	}
	return strings.Join(parts, " ")
}

// AnnotationText is the annotation's text that sets these levels; "{}" for off.
func (l LogLevels) AnnotationText() string {
	var parts []string
	for _, a := range []Action{Allow, Deny, Pass} {
		if level := l.LevelOf(a); level != "" {
			// Levels that were parsed are plain words; quoting keeps any other
			// string valid JSON, and it is refused when it is read.
			text, _ := json.Marshal(level)
			parts = append(parts, `"`+strings.ToLower(string(a))+`":`+string(text))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// annotationLevels decodes as OVN-Kubernetes does: encoding/json's rules for
// names (any case, unknown ones ignored) and null (stays off).
type annotationLevels struct {
	Allow string `json:"allow"`
	Deny  string `json:"deny"`
	Pass  string `json:"pass"`
}

// The type's name in OVN-Kubernetes, which its JSON errors carry.
const annotationType = "ACLLoggingLevels"

// ParseLogging reads the annotation k8s.ovn.org/acl-logging of an
// AdminNetworkPolicy or its baseline; has says whether it is there. The error
// has the text of OVN-Kubernetes without the policy's name (see
// Policy.LogLevels): OVN-Kubernetes then does not program the policy at all and
// the rows it had stay (ovn-kubernetes.md#policy-logging). The levels are off with an
// error.
func ParseLogging(raw string, has bool) (LogLevels, error) {
	if !has || raw == "" {
		return LogLevels{}, nil
	}
	var in annotationLevels
	if err := json.Unmarshal([]byte(raw), &in); err != nil {
		return LogLevels{}, fmt.Errorf("could not unmarshal ANP ACL annotation '%s', disabling logging, err: %q",
			raw, jsonErrorText(err))
	}
	l := LogLevels(in)
	var bad []string
	for _, a := range []Action{Deny, Allow, Pass} { // the order OVN-Kubernetes checks in
		if level := l.LevelOf(a); !ValidLogLevel(level) {
			what := strings.ToLower(string(a))
			bad = append(bad, fmt.Sprintf("disabling %s logging due to an invalid %s annotation. %q is not a valid log severity",
				what, what, level))
		}
	}
	switch len(bad) {
	case 0:
		return l, nil
	case 1:
		return LogLevels{}, errors.New(bad[0])
	}
	return LogLevels{}, errors.New("[" + strings.Join(bad, ", ") + "]")
}

// jsonErrorText is the error's text as OVN-Kubernetes' own type would give it.
func jsonErrorText(err error) string {
	var te *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &te):
		return err.Error()
	case te.Field != "":
		return "json: cannot unmarshal " + te.Value + " into Go struct field " + annotationType + "." + te.Field +
			" of type string"
	}
	return "json: cannot unmarshal " + te.Value + " into Go value of type util." + annotationType
}

// LogLevels are the levels the policy's own annotation sets. The error is the
// one OVN-Kubernetes reports in the policy's condition. NetworkPolicies and
// EgressFirewalls log as their namespace says: theirs are off here.
func (p *Policy) LogLevels() (LogLevels, error) {
	if !p.Kind.IsAdmin() {
		return LogLevels{}, nil
	}
	l, err := ParseLogging(p.Logging, p.HasLogging)
	if err != nil {
		return l, fmt.Errorf("cannot parse %[1]s ACL logging annotation, disabling it for %[1]s %[2]s: %[3]w",
			p.Kind.Abbreviation(), p.Name, err)
	}
	return l, nil
}

// NamespaceLogLevels reads the annotation k8s.ovn.org/acl-logging of a Namespace, by
// which its NetworkPolicies and its EgressFirewall log. Unlike faults in a policy's own
// annotation, its faults are soft: the level that cannot be read is off, and nothing
// else changes (ovn-kubernetes.md#namespace-logging). problems lists the faults; pass
// is ignored.
func NamespaceLogLevels(raw string) (l LogLevels, problems []string) {
	if raw == "" {
		return LogLevels{}, nil
	}
	var in annotationLevels
	if err := json.Unmarshal([]byte(raw), &in); err != nil {
		return LogLevels{}, []string{"cannot be read, allow and deny are not logged: " + jsonErrorText(err)}
	}
	l = LogLevels{Allow: in.Allow, Deny: in.Deny}
	for _, level := range []struct {
		what string
		at   *string
	}{{"deny", &l.Deny}, {"allow", &l.Allow}} {
		if !ValidLogLevel(*level.at) {
			problems = append(problems, fmt.Sprintf("%q is no log level, %s is not logged", *level.at, level.what))
			*level.at = ""
		}
	}
	return l, problems
}

// LevelsForKind is the part of a namespace's levels that the rows of a kind log with
// (ovn-kubernetes.md#namespace-logging): allow is for what rules let through, deny for
// the rest.
func (l LogLevels) LevelsForKind(k Kind) LogLevels {
	switch k {
	case KindNP, KindMNP:
		return LogLevels{Allow: l.Allow}
	case KindNetpolNamespace:
		return LogLevels{Deny: l.Deny}
	case KindEF:
		return LogLevels{Allow: l.Allow, Deny: l.Deny}
	}
	return LogLevels{}
}
