package model

import (
	"encoding/json"
	"maps"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LoggingAnnotations returns the annotations of a change of logging.
func LoggingAnnotations() []string { return []string{AnnotationLogging, AnnotationLogSession} }

// HasLogLevel reports whether logging is set on objects of the kind: ANP, BANP, policies in tiers, and
// namespaces, whose level holds for their NetworkPolicies and EgressFirewall.
func (k Kind) HasLogLevel() bool { return k.IsAdmin() || k.IsTiered() || k == KindNamespace }

// LoggedBy returns the object whose annotation sets the logging of a policy or unit, or zero.
func LoggedBy(k Key) Key {
	switch {
	case k.Kind.HasLogLevel():
		return k
	case k.Kind == KindNP, k.Kind == KindMNP, k.Kind == KindEF, k.Kind == KindNetpolNamespace:
		return Key{Kind: KindNamespace, Name: k.Namespace}
	}
	return Key{}
}

// LoggedNamespace returns a namespace as a policy with only its logging annotations. In this form the code
// that changes policies also changes a namespace's logging, and can touch nothing else.
func LoggedNamespace(m Meta) *Policy {
	p := &Policy{Meta: Meta{Key: m.Key, UID: m.UID, Version: m.Version, Created: m.Created, Origin: m.Origin}}
	p.Annotations = map[string]string{}
	for _, name := range LoggingAnnotations() {
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
		text, _ := json.Marshal(s) // a JSON string is a YAML string
		return asciiJSON(text)
	}
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: Namespace\nmetadata:\n")
	if len(p.Annotations) > 0 {
		b.WriteString("  annotations:\n")
	}
	for _, name := range LoggingAnnotations() {
		if v, ok := p.Annotations[name]; ok {
			b.WriteString("    " + name + ": " + quoted(v) + "\n")
		}
	}
	b.WriteString("  name: " + quoted(p.Name) + "\n")
	return b.String()
}

// WithLogging returns the namespace with the annotations of its LoggedNamespace.
func (n *Namespace) WithLogging(p *Policy) *Namespace {
	next := *n
	next.Annotations = map[string]string{}
	maps.Copy(next.Annotations, n.Annotations)
	for _, name := range LoggingAnnotations() {
		delete(next.Annotations, name)
	}
	maps.Copy(next.Annotations, p.Annotations)
	return &next
}

// Changeable returns the object with a key as a policy, the form in which it is changed, or nil.
func (c *Cluster) Changeable(k Key) *Policy { return AsPolicy(c.Get(k)) }

// AsPolicy returns an object in the form of Cluster.Changeable: a policy, a LoggedNamespace, or a policy
// without rules that stands for a Tier or a group; nil for other kinds.
func AsPolicy(o Object) *Policy {
	switch o := o.(type) {
	case *Policy:
		return o
	case *Namespace:
		if o != nil {
			return LoggedNamespace(o.Meta)
		}
	case *Tier:
		return &Policy{Meta: o.Meta, Original: o.Original, YAML: o.YAML, Represents: o}
	case *Group:
		return &Policy{Meta: o.Meta, Original: o.Original, YAML: o.YAML, Represents: o, Invalid: o.Invalid}
	}
	return nil
}

// Object returns the object that a policy is or stands for; a LoggedNamespace returns itself.
func (p *Policy) Object() Object {
	switch o := p.Represents.(type) {
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

// RawAnnotation returns an annotation byte for byte, as its author wrote it.
func (p *Policy) RawAnnotation(name string) (text string, has bool) {
	if o, ok := p.Original.(metav1.Object); ok {
		text, has = o.GetAnnotations()[name]
		return text, has
	}
	text, has = p.Annotations[name]
	return text, has
}

// LogSession returns the logging session recorded on the object; ok is false without a readable record.
func (m *Meta) LogSession() (s LogSession, ok bool) {
	raw, has := m.Annotations[AnnotationLogSession]
	if !has {
		return s, false
	}
	s, err := ParseLogSession(raw)
	return s, err == nil
}
