package manifests

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"rung/model"
	"rung/sources/manifests/yamltree"
)

// The form of 2022, before the API's first release (older-forms.md#the-form-of-2022): the parts only it has,
// and their form today.

// nameLabel selects a namespace by its name.
const nameLabel = "kubernetes.io/metadata.name"

// foldNode returns a field of a mapping, ignoring the case of its name.
func foldNode(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if strings.EqualFold(n.Content[i].Value, name) {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// renameField gives a field its name of today.
func renameField(n *yaml.Node, was, now string) {
	if k, _ := foldNode(n, was); k != nil {
		k.Value = now
	}
}

// modernSubject converts a subject to today's form.
func (m *moderniser) modernSubject() {
	for _, name := range [][2]string{{"namespaceSelector", "namespaces"}, {"namespaceAndPodSelector", "pods"}} {
		k, v := foldNode(m.subject, name[0])
		if k == nil || yamltree.Get(m.subject, name[1]) != nil {
			continue
		}
		m.of2022 = true
		m.uses = append(m.uses, olderUse{field: "spec.subject." + k.Value, line: k.Line, drops: " and rejects the rest of the subject",
			change: "spec.subject." + k.Value + " becomes " + name[1]})
		k.Value = name[1]
		if name[1] == "pods" {
			renameField(v, "namespaceSelector", "namespaceSelector")
			renameField(v, "podSelector", "podSelector")
		}
	}
}

// modernPods converts the namespacedPods of a peer to the pods of the next release; key is nil if it has none.
func modernPods(peer *yaml.Node) (key *yaml.Node, was string) {
	key, v := foldNode(peer, "namespacedPods")
	if key == nil || v.Kind != yaml.MappingNode || yamltree.Get(peer, "pods") != nil {
		return nil, ""
	}
	was, key.Value = key.Value, "pods"
	if k, set := foldNode(v, "pods"); k != nil {
		if _, selector := foldNode(set, "podSelector"); selector != nil {
			k.Value = "podSelector"
			*set = *selector
		}
	}
	return key, was
}

// modernPorts converts the ports of a rule to today's form.
func (m *moderniser) modernPorts(rule *yaml.Node, at string) {
	key, ports := yamltree.FieldEntry(rule, "ports")
	if key == nil || ports.Kind != yaml.MappingNode {
		return
	}
	allKey, all := foldNode(ports, "allPorts")
	listKey, list := foldNode(ports, "list")
	known := countTrue(allKey != nil, listKey != nil)
	if known == 0 || known*2 != len(ports.Content) || list != nil && list.Kind != yaml.SequenceNode {
		return
	}
	u := olderUse{field: at, line: ports.Content[0].Line, saysText: "today's API server rejects it: ports is a list",
		change: at + ".list becomes ports, each with portNumber or portRange"}
	switch {
	case known == 2:
		u.reason = "it has allPorts and list; only one is allowed"
	case all != nil && all.Value != "true":
		u.reason = "allPorts could only be true"
	case all != nil:
		u.change = at + ".allPorts is dropped: a rule without ports matches all ports"
	case len(list.Content) == 0:
		u.reason = "an empty list selected no port, but today a rule without ports selects all: remove the rule"
	}
	if list == nil || len(list.Content) == 0 {
		i := slices.Index(rule.Content, key)
		rule.Content = slices.Delete(rule.Content, i, i+2)
	} else {
		for i, p := range list.Content {
			if why := modernPort(p); why != "" && u.reason == "" {
				u.reason = fmt.Sprintf("list[%d] %s", i, why)
			}
		}
		list.HeadComment, list.LineComment = cmp.Or(list.HeadComment, listKey.HeadComment), cmp.Or(list.LineComment, listKey.LineComment)
		*ports = *list
	}
	m.uses, m.of2022 = append(m.uses, u), true
}

// modernPort converts a port of that time to today's form, or returns why no port of today means the same.
// Other nodes stay unchanged, to be rejected as unknown fields.
func modernPort(p *yaml.Node) (why string) {
	_, port := foldNode(p, "port")
	_, end := foldNode(p, "endPort")
	_, protocol := foldNode(p, "protocol")
	if p.Kind != yaml.MappingNode {
		return "is not a port"
	}
	known := countTrue(port != nil, end != nil, protocol != nil)
	if known == 0 || known*2 != len(p.Content) {
		return "is not a port of that form"
	}
	of := "TCP"
	if protocol != nil && protocol.Value != "" {
		of = protocol.Value
	}
	number := func(n *yaml.Node) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: n.Value, LineComment: n.LineComment}
	}
	become := func(name string, pairs ...*yaml.Node) {
		value := mappingNode(append([]*yaml.Node{textNode("protocol"), textNode(of)}, pairs...)...)
		value.Style = p.Style
		p.Content = []*yaml.Node{textNode(name), value}
	}
	switch {
	case port == nil:
		become("portNumber")
		return "has no port and selected none: remove it"
	case !isNumber(port):
		p.Content = []*yaml.Node{textNode("namedPort"), textNode(port.Value)}
		if len(validation.IsValidPortName(port.Value)) > 0 {
			return "has an invalid port name"
		}
		return "is " + of + " only, but today's namedPort takes the protocol of the pods' port: write namedPort " +
			"if that is " + of
	case end == nil || end.Value == port.Value:
		become("portNumber", textNode("port"), number(port))
	default:
		become("portRange", textNode("start"), number(port), textNode("end"), number(end))
	}
	return ""
}

func isNumber(n *yaml.Node) bool {
	_, err := strconv.ParseInt(n.Value, 10, 32)
	return err == nil && n.Tag != "!!str"
}

// modernPriority reports priority 0 in a policy of 2022.
func (m *moderniser) modernPriority(root, spec *yaml.Node) {
	k, v := yamltree.FieldEntry(spec, "priority")
	if k == nil || v.Value != "0" || yamltree.TextAt(root, "kind") != string(model.KindANP) {
		return
	}
	m.uses = append(m.uses, olderUse{field: "spec.priority", line: k.Line,
		saysText: "priority 0 had another meaning in some releases of that form",
		reason: "releases of that form disagree about priority 0 (before all policies, or after NetworkPolicies like today's baseline): " +
			"write a BaselineAdminNetworkPolicy, or another priority"})
}

// ownNamespace converts self and notSelf, if the subject is one namespace.
func (m *moderniser) ownNamespace(set *yaml.Node, at, field string, value *yaml.Node, u *olderUse) {
	u.field, m.of2022 = u.field+"."+field, true
	name := m.subjectLabel(nameLabel)
	its := textNode(name)
	its.LineComment = value.LineComment
	switch {
	case value.Value != "true":
		set.Content = existingSelector([]string{nameLabel})
		u.reason = field + " could only be true"
	case name == "":
		set.Content = existingSelector([]string{nameLabel})
		u.reason = "today's API cannot compare with the subject's own namespace: write one policy for each namespace"
	case field == "self":
		set.Content = []*yaml.Node{textNode("matchLabels"), mappingNode(textNode(nameLabel), its)}
		u.change = at + ".self becomes the name of the subject's only namespace"
	default:
		set.Content = []*yaml.Node{textNode("matchExpressions"), listNode(mappingNode(textNode("key"), textNode(nameLabel),
			textNode("operator"), textNode("NotIn"), textNode("values"), listNode(its)))}
		u.change = at + ".notSelf becomes all namespaces except the subject's, by name"
	}
}
