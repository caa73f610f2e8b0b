package model

import (
	"encoding/json"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// loggingAnnotations are the annotations that a change of logging touches.
var loggingAnnotations = []string{AnnotationLogging, AnnotationLogSession}

// LoggingAnnotations are the annotations that a change of logging is about.
func LoggingAnnotations() []string { return append([]string(nil), loggingAnnotations...) }

// HasLogLevel says whether the logging of objects of the kind is set on them: of ANP, BANP and policies
// in tiers, and of the namespace, whose level is that of its NetworkPolicies and its EgressFirewall.
func (k Kind) HasLogLevel() bool { return k.IsAdmin() || k.IsTiered() || k == KindNamespace }

// LoggedBy returns the object whose annotation sets the logging of a policy or unit; the
// zero Key where nothing does.
func LoggedBy(k Key) Key {
	switch {
	case k.Kind.HasLogLevel():
		return k
	case k.Kind == KindNP, k.Kind == KindMNP, k.Kind == KindEF, k.Kind == KindNetpolNamespace:
		return Key{Kind: KindNamespace, Name: k.Namespace}
	}
	return Key{}
}

// LoggedNamespace returns a namespace in the form of a policy: its logging annotations
// and nothing else. The code that changes policies changes a namespace's logging in this
// form, and can touch nothing but these annotations.
func LoggedNamespace(m Meta) *Policy {
	p := &Policy{Meta: Meta{Key: m.Key, UID: m.UID, Version: m.Version, Created: m.Created, Origin: m.Origin}}
	p.Annotations = map[string]string{}
	for _, name := range loggingAnnotations {
		if v, ok := m.Annotations[name]; ok {
			p.Annotations[name] = v
		}
	}
	p.Logging, p.HasLogging = p.Annotations[AnnotationLogging]
	p.YAML = namespaceText(p)
	p.Digested = p.Digests()
	return p
}

func namespaceText(p *Policy) string {
	quoted := func(s string) string {
		text, _ := json.Marshal(s) // a string in JSON is one in YAML
		return asciiJSON(text)
	}
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: Namespace\nmetadata:\n")
	if len(p.Annotations) > 0 {
		b.WriteString("  annotations:\n")
	}
	for _, name := range loggingAnnotations {
		if v, ok := p.Annotations[name]; ok {
			b.WriteString("    " + name + ": " + quoted(v) + "\n")
		}
	}
	b.WriteString("  name: " + quoted(p.Name) + "\n")
	return b.String()
}

// WithLogging is the namespace with the annotations of its LoggedNamespace.
func (n *Namespace) WithLogging(p *Policy) *Namespace {
	next := *n
	next.Annotations = maps.Clone(n.Annotations)
	if next.Annotations == nil {
		next.Annotations = map[string]string{}
	}
	for _, name := range loggingAnnotations {
		delete(next.Annotations, name)
	}
	maps.Copy(next.Annotations, p.Annotations)
	return &next
}

// Changeable is the object of that key in the form of a policy, in which it is changed; nil where
// there is none.
func (c *Cluster) Changeable(k Key) *Policy { return AsPolicy(c.Get(k)) }

// AsPolicy is an object as Cluster.Changeable has it: a policy, a LoggedNamespace, or a policy without
// rules that stands for a Tier or a group; nil for other kinds.
func AsPolicy(o Object) *Policy {
	switch o := o.(type) {
	case *Policy:
		return o
	case *Namespace:
		if o != nil {
			return LoggedNamespace(o.Meta)
		}
	case *Tier:
		return &Policy{Meta: o.Meta, Original: o.Original, YAML: o.YAML, StandsFor: o}
	case *Group:
		return &Policy{Meta: o.Meta, Original: o.Original, YAML: o.YAML, StandsFor: o, Invalid: o.Invalid}
	}
	return nil
}

// Object is the object that a policy is, or stands for; not that of a LoggedNamespace.
func (p *Policy) Object() Object {
	switch o := p.StandsFor.(type) {
	case *Tier:
		next := *o
		next.Meta = p.Meta
		return &next
	case *Group:
		next := *o
		next.Meta = p.Meta
		return &next
	}
	return p
}

// RawAnnotation is an annotation byte for byte, as its author wrote it.
func (p *Policy) RawAnnotation(name string) (text string, has bool) {
	if o, ok := p.Original.(metav1.Object); ok {
		text, has = o.GetAnnotations()[name]
		return text, has
	}
	text, has = p.Annotations[name]
	return text, has
}

// LogSession is the logging session that is recorded on the object; ok is false without
// one, or where the record cannot be read.
func (m *Meta) LogSession() (s LogSession, ok bool) {
	raw, has := m.Annotations[AnnotationLogSession]
	if !has {
		return s, false
	}
	s, err := ParseLogSession(raw)
	return s, err == nil
}
