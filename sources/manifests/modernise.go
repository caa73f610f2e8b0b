package manifests

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// olderUse is a part of an ANP or BANP in the form of the API's first iteration
// (older-forms.md#the-first-form-of-adminnetworkpolicy).
type olderUse struct {
	field string
	line  int
	// drops continues "today's API server drops it" for a field that today's server drops. saysText is used for other fields.
	drops, saysText string
	// change describes today's form; reason says why no object of today means the same, or is empty.
	change, reason string
}

// moderniser converts a policy's tree to today's form, as far as that means the same.
type moderniser struct {
	subject *yaml.Node
	uses    []olderUse
	of2022  bool // a part is in the form of 2022
}

// ModerniseTree converts a policy's tree to today's form, as far as that means the same, and returns the older
// parts found. Without such a form the tree selects, for display only, the namespaces that may be meant.
func ModerniseTree(root *yaml.Node) []olderUse {
	spec := yamltree.Get(root, "spec")
	m := moderniser{subject: yamltree.Get(spec, "subject")}
	m.modernSubject()
	for _, side := range [][2]string{{"ingress", "from"}, {"egress", "to"}} {
		for i, rule := range yamltree.ItemsAt(spec, side[0]) {
			at := fmt.Sprintf("spec.%s[%d]", side[0], i)
			for j, peer := range yamltree.ItemsAt(rule, side[1]) {
				m.modernPeer(peer, fmt.Sprintf("%s.%s[%d]", at, side[1], j))
			}
			m.modernPorts(rule, at+".ports")
		}
	}
	if m.of2022 {
		m.modernPriority(root, spec)
	}
	return m.uses
}

// modernPeer converts a peer to today's form.
func (m *moderniser) modernPeer(peer *yaml.Node, at string) {
	var u olderUse
	if _, set := yamltree.FieldEntry(peer, "namespaces"); isNamespaceSet(set) {
		m.modernSet(set, at+".namespaces", &u)
		u.drops = "; the rest, namespaces: {}, selects every namespace"
		m.uses = append(m.uses, u)
		return
	}
	whole, was := modernPods(peer)
	pods := yamltree.Get(peer, "pods")
	key, set := yamltree.FieldEntry(pods, "namespaces")
	isOlder := key != nil && yamltree.Get(pods, "namespaceSelector") == nil && set.Kind == yaml.MappingNode
	name := at + "." + cmp.Or(was, "pods")
	switch {
	case isOlder:
		u = olderUse{field: name + ".namespaces", line: key.Line}
		if isNamespaceSet(set) {
			m.modernSet(set, u.field, &u)
		}
		key.Value = "namespaceSelector"
		u.change = name + ".namespaces becomes pods.namespaceSelector, with the selector directly in it"
		if whole != nil {
			u.change = name + " becomes pods, with both selectors directly in it"
		}
	case whole != nil: // missing parts are rejected as in today's form
		u = olderUse{field: name, line: whole.Line, change: name + " becomes pods"}
	default:
		return
	}
	u.drops = " and rejects the rest of the peer, which lacks namespaceSelector"
	if whole != nil {
		u.drops, m.of2022 = " and rejects the rest of the peer", true
	}
	m.uses = append(m.uses, u)
}

// isNamespaceSet reports whether a node is the older form of a peer's namespaces: not a selector, but one of
// five ways to name namespaces. With any other field it is neither, and rejected for unknown fields.
func isNamespaceSet(n *yaml.Node) bool {
	if n == nil || n.Kind != yaml.MappingNode {
		return false
	}
	known := 0
	for _, f := range []string{"namespaceSelector", "sameLabels", "notSameLabels", "self", "notSelf"} {
		if k, _ := foldNode(n, f); k != nil {
			known++
		}
	}
	return known > 0 && known*2 == len(n.Content)
}

// modernSet turns such a set into a selector, and notes how.
func (m *moderniser) modernSet(set *yaml.Node, at string, u *olderUse) {
	u.field, u.line = at, set.Content[0].Line
	_, selector := foldNode(set, "namespaceSelector")
	_, same := foldNode(set, "sameLabels")
	_, not := foldNode(set, "notSameLabels")
	_, self := foldNode(set, "self")
	_, notSelf := foldNode(set, "notSelf")
	keep := *set
	set.Tag, set.Style = "!!map", 0
	switch {
	case selector != nil && len(keep.Content) > 2:
		u.reason = "it has namespaceSelector and other fields; only one is allowed"
		set.Content = selector.Content
	case len(keep.Content) > 2:
		u.reason = "it has two fields; only one is allowed"
		set.Content = existingSelector(append(distinctTexts(same), distinctTexts(not)...))
	case self != nil:
		m.ownNamespace(set, at, "self", self, u)
	case notSelf != nil:
		m.ownNamespace(set, at, "notSelf", notSelf, u)
	case selector != nil:
		u.field += ".namespaceSelector"
		u.change = at + ".namespaceSelector moves up: namespaces holds the selector directly"
		*set = *selector
		set.HeadComment, set.LineComment = cmp.Or(selector.HeadComment, keep.HeadComment), cmp.Or(selector.LineComment, keep.LineComment)
	case same != nil:
		u.field += ".sameLabels"
		m.sameLabels(set, same, at, u)
	default:
		u.field += ".notSameLabels"
		set.Content = existingSelector(distinctTexts(not))
		u.reason = "old releases disagree about notSameLabels (without the labels, or with another value than the subject's), and " +
			"today's API cannot compare with the subject: " +
			"write one policy for each value of " + labelList(distinctTexts(not))
	}
}

// sameLabels selects the namespaces with the subject's label values: a selector if it has one value of each.
func (m *moderniser) sameLabels(set, same *yaml.Node, at string, u *olderUse) {
	labels := distinctTexts(same)
	if len(labels) == 0 {
		set.Content = existingSelector(nil)
		u.reason = "an empty sameLabels selected nothing, but today's empty selector selects everything: remove the rule"
		return
	}
	var pairs []*yaml.Node
	for _, l := range labels {
		v := m.subjectLabel(l)
		if v == "" {
			set.Content = existingSelector(labels)
			u.reason = "today's API cannot compare with the subject, which may have any value of " + labelList(labels) +
				": write one policy for each value"
			return
		}
		pairs = append(pairs, textNode(l), textNode(v))
	}
	set.Content = []*yaml.Node{textNode("matchLabels"), mappingNode(pairs...)}
	pairs[len(pairs)-1].LineComment = same.LineComment
	u.change = at + ".sameLabels becomes matchLabels with the subject's own value of " + labelList(labels)
}

// subjectLabel returns the only value of a label among the subject's namespaces; empty for several.
func (m *moderniser) subjectLabel(label string) string {
	return cmp.Or(yamltree.TextAt(m.subject, "namespaces", "matchLabels", label),
		yamltree.TextAt(m.subject, "pods", "namespaceSelector", "matchLabels", label))
}

func labelList(labels []string) string {
	return cmp.Or(words.CleanText(strings.Join(labels, ", ")), "the label")
}

// existingSelector returns the content of a selector that requires all labels to exist.
func existingSelector(labels []string) []*yaml.Node {
	var list []*yaml.Node
	for _, l := range labels {
		list = append(list, mappingNode(textNode("key"), textNode(l), textNode("operator"), textNode("Exists")))
	}
	if len(labels) == 0 {
		return nil
	}
	return []*yaml.Node{textNode("matchExpressions"), listNode(list...)}
}

func listNode(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items}
}

func mappingNode(pairs ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: pairs}
}

func textNode(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// distinctTexts returns the distinct strings of a list.
func distinctTexts(n *yaml.Node) (out []string) {
	for _, e := range yamltree.ItemsAt(n) {
		if e.Kind == yaml.ScalarNode && e.Value != "" && !slices.Contains(out, e.Value) {
			out = append(out, e.Value)
		}
	}
	return out
}

// OlderForm is an object in an older form: the older parts, its own text, and today's text.
type OlderForm struct {
	uses       []olderUse
	text       []byte
	modernText []byte // in today's form
}

// ReadOlder converts an ANP or BANP to today's form; nil if it has that. own is its text, or nil for a List's item.
func ReadOlder(n *yaml.Node, own []byte) *OlderForm {
	tidy := func() []byte { return yamltree.Marshal(yamltree.TidyObject(yamltree.JSONValue(n).(map[string]any))) }
	if own == nil {
		own = tidy()
	}
	uses := ModerniseTree(n)
	if len(uses) == 0 {
		return nil
	}
	o := &OlderForm{uses: uses, text: own, modernText: modernText(own, len(uses))}
	if o.modernText == nil { // anchors, or another text that cannot be changed in place
		o.modernText = tidy()
	}
	return o
}

// modernText returns the text in today's form, with its comments; nil if other places change.
func modernText(own []byte, places int) []byte {
	var doc yaml.Node
	if yaml.Unmarshal(own, &doc) != nil || len(doc.Content) != 1 || len(ModerniseTree(doc.Content[0])) != places {
		return nil
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if enc.Encode(&doc) != nil || enc.Close() != nil {
		return nil
	}
	return b.Bytes()
}

// modelOlder converts the form for the model.
func (o *OlderForm) modelOlder() *model.OlderForm {
	out := &model.OlderForm{}
	for _, u := range o.uses {
		if u.reason != "" {
			out.Reasons = append(out.Reasons, u.field+": "+u.reason)
		} else {
			out.Changes = append(out.Changes, u.change)
		}
	}
	if len(out.Reasons) == 0 {
		out.Upgrade = string(o.modernText)
	}
	return out
}

// MarkPolicy notes the older parts of a policy. Today's server rejects them: it is shown, but not enforced.
func (o *OlderForm) MarkPolicy(p *model.Policy, line int) {
	p.Older, p.YAML = o.modelOlder(), string(o.text)
	// Original keeps the text as written: today's form is another content.
	if root, err := yamltree.ParseFlat(o.text, yamltree.DefaultAliasNodes); err == nil && root != nil && root.Kind == yaml.MappingNode {
		p.Original = &unstructured.Unstructured{Object: yamltree.JSONValue(root).(map[string]any)}
	}
	for _, u := range o.uses {
		b := model.Broken{Severity: model.SeverityError, Origin: p.Origin, Key: p.Key, Field: u.field, Code: model.InvalidOlder,
			Message: "is of an older form: today's API server drops it" + u.drops, Remedy: u.change}
		if u.saysText != "" {
			b.Message = "is of an older form: " + u.saysText
		}
		if u.reason != "" {
			b.Remedy = u.reason
		} else {
			b.Remedy += "; the console (e) opens the converted text"
		}
		if u.line > 0 && p.Origin.Line > 0 && p.Origin.Item < 0 {
			b.Origin.Line = line + u.line
		}
		p.Invalid = append(p.Invalid, b)
	}
}

// OlderOnServer returns today's meaning of a policy whose cluster has a CRD of that time; nil if no part is of
// the older form. OVN-Kubernetes of today enforces such a policy as it reads it.
func OlderOnServer(obj map[string]any) *model.OlderForm {
	text := yamltree.TidyText(obj)
	root, err := yamltree.ParseFlat([]byte(text), yamltree.DefaultAliasNodes)
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return nil
	}
	if o := ReadOlder(root, []byte(text)); o != nil {
		return o.modelOlder()
	}
	return nil
}

// IsField reports whether an unknown field belongs to the older form.
func IsField(field string) bool {
	last := field[strings.LastIndexByte(field, '.')+1:]
	return slices.ContainsFunc([]string{"namespaceSelector", "namespaces", "namespaceAndPodSelector", "sameLabels", "notSameLabels", "self",
		"notSelf", "namespacedPods"},
		func(f string) bool { return strings.EqualFold(f, last) })
}
