package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// LogLevels are the log severities of a policy's rules by action; an empty level turns logging off
// (ovn-kubernetes.md#policy-logging).
type LogLevels struct {
	Allow string
	Deny  string
	Pass  string
}

// LogSeverities are OVN's levels, loudest first. The empty level (off) is also valid.
var LogSeverities = []string{"alert", "warning", "notice", "info", "debug"}

// ValidLogLevel reports whether OVN-Kubernetes accepts the level; case matters and the empty level is off.
func ValidLogLevel(level string) bool { return level == "" || slices.Contains(LogSeverities, level) }

// ForAction returns the level of one action, empty if its rules do not log.
func (l LogLevels) ForAction(a Action) string {
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

// IsOn reports whether rules of at least one action log.
func (l LogLevels) IsOn() bool { return l != LogLevels{} }

// String returns "off", one level if all three are equal, or the levels that are on: "deny=alert allow=info".
func (l LogLevels) String() string {
	switch {
	case !l.IsOn():
		return "off"
	case l.Allow == l.Deny && l.Deny == l.Pass:
		return l.Deny
	}
	var parts []string
	for _, a := range []Action{Deny, Allow, Pass} {
		if level := l.ForAction(a); level != "" {
			parts = append(parts, strings.ToLower(string(a))+"="+level)
		}
	}
	return strings.Join(parts, " ")
}

// AnnotationText returns the annotation's text for these levels; "{}" for off.
func (l LogLevels) AnnotationText() string {
	var parts []string
	for _, a := range []Action{Allow, Deny, Pass} {
		if level := l.ForAction(a); level != "" {
			// Parsed levels are plain words. Quoting keeps any other string valid JSON, and readers reject it.
			text, _ := json.Marshal(level)
			parts = append(parts, `"`+strings.ToLower(string(a))+`":`+string(text))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// The type's name in OVN-Kubernetes, which appears in its JSON errors.
const annotationType = "ACLLoggingLevels"

// ParseLogging reads the annotation k8s.ovn.org/acl-logging of an AdminNetworkPolicy or its baseline; has
// reports whether it exists. The error has OVN-Kubernetes' text without the policy's name (see
// Policy.LogLevels). With an error OVN-Kubernetes does not program the policy, earlier rows stay
// (ovn-kubernetes.md#policy-logging), and the levels are off.
func ParseLogging(raw string, has bool) (LogLevels, error) {
	if !has || raw == "" {
		return LogLevels{}, nil
	}
	var l LogLevels
	if err := json.Unmarshal([]byte(raw), &l); err != nil { // as OVN-Kubernetes: names in any case, null stays off
		return LogLevels{}, fmt.Errorf("could not unmarshal ANP ACL annotation '%s', disabling logging, err: %q", raw, jsonErrorText(err))
	}
	var bad []string
	for _, a := range []Action{Deny, Allow, Pass} { // OVN-Kubernetes' order of checks
		if level := l.ForAction(a); !ValidLogLevel(level) {
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

// jsonErrorText returns the error's text as OVN-Kubernetes' own type would give it.
func jsonErrorText(err error) string {
	var te *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &te):
		return err.Error()
	case te.Field != "":
		return "json: cannot unmarshal " + te.Value + " into Go struct field " + annotationType + "." + strings.ToLower(te.Field) +
			" of type string"
	}
	return "json: cannot unmarshal " + te.Value + " into Go value of type util." + annotationType
}

// LogLevels returns the levels in the policy's own annotation. The error is the one OVN-Kubernetes reports in
// the policy's condition. NetworkPolicies and EgressFirewalls use their namespace's levels: here they are off.
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

// NamespaceLogLevels reads the annotation k8s.ovn.org/acl-logging of a Namespace, for its NetworkPolicies and
// EgressFirewall. Unlike in a policy's own annotation, a fault only turns the level off
// (ovn-kubernetes.md#namespace-logging). problems lists the faults; pass is ignored.
func NamespaceLogLevels(raw string) (l LogLevels, problems []string) {
	if raw == "" {
		return LogLevels{}, nil
	}
	if err := json.Unmarshal([]byte(raw), &l); err != nil {
		return LogLevels{}, []string{"cannot be read, allow and deny are not logged: " + jsonErrorText(err)}
	}
	l.Pass = ""
	for _, level := range []struct {
		what string
		at   *string
	}{{"deny", &l.Deny}, {"allow", &l.Allow}} {
		if !ValidLogLevel(*level.at) {
			problems = append(problems, fmt.Sprintf("invalid log level %q: %s is not logged", *level.at, level.what))
			*level.at = ""
		}
	}
	return l, problems
}

// LevelsForKind returns the part of a namespace's levels that a kind's rows use
// (ovn-kubernetes.md#namespace-logging): allow for what rules allow, deny for the rest.
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
