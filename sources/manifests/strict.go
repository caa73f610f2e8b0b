package manifests

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// Issue is a problem of a field, without the object that has the field.
type Issue struct {
	Severity model.Severity
	Code     string
	Field    string
	Line     int // in the parsed text, from 1; 0 for the object's own
	Message  string
	Remedy   string
	Meant    string // the correct name of an unknown field, if known
	Release  string // release whose CRDs accept it; empty for none
	Generic  string // the field without indexes, to group alike issues
}

// MaxIssues bounds the issues listed per object; more would not help.
const MaxIssues = 20

// broken returns the issue as one of an object.
func (i *Issue) broken(origin model.Origin, k model.Key) model.Broken {
	return model.Broken{Severity: i.Severity, Origin: origin, Key: k, Field: i.Field, Code: i.Code, Message: i.Message, Remedy: i.Remedy,
		Release: i.Release}
}

// CheckTree compares the tree of an object with its API type. With strict, unknown fields are errors. It
// returns at most MaxIssues issues, and the number of others in more.
func CheckTree(n *yaml.Node, t reflect.Type, strict bool) (issues []Issue, more int) {
	c := treeChecker{strict: strict, seen: map[string]bool{}}
	c.checkNode(n, describeType(t))
	return c.issues, c.leftOut
}

// treeChecker compares an object with its API type.
type treeChecker struct {
	// strict makes unknown fields errors, except in status, which the author did not write.
	strict  bool
	issues  []Issue
	leftOut int // issues above MaxIssues
	path    []yamltree.PathStep
	seen    map[string]bool // keys of the present mapping
}

func (c *treeChecker) add(i Issue) {
	if len(c.issues) >= MaxIssues {
		c.leftOut++
		return
	}
	i.Field, i.Generic = yamltree.PathText(c.path, false), yamltree.PathText(c.path, true)
	c.issues = append(c.issues, i)
}

func (c *treeChecker) addWrongValue(n *yaml.Node, want valueShape, bits int) {
	msg := "must be " + want.String() + ", not " + DescribeNode(n)
	if bits > 0 && n.Tag == "!!int" {
		msg = fmt.Sprintf("%s is out of range for a whole number of %d bits", words.CleanText(n.Value), bits)
	}
	i := Issue{Severity: model.SeverityError, Code: CodeType, Line: n.Line, Message: msg}
	if want == shapeString && n.Kind == yaml.ScalarNode {
		i.Remedy = "put it in quotes"
	}
	c.add(i)
}

// DescribeNode describes a node for people.
func DescribeNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	v := words.CleanText(n.Value)
	if len(v) > 40 {
		v = strings.ToValidUTF8(v[:40], "") + "…"
	}
	switch yamltree.Tag(n) {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "the boolean " + v
	case "!!int", "!!float":
		return "the number " + v
	case "!!str":
		return strconv.Quote(v)
	}
	return strconv.Quote(v) + " of type " + words.CleanText(n.Tag)
}

// below calls f with the path one step longer.
func (c *treeChecker) below(s yamltree.PathStep, f func()) {
	c.path = append(c.path, s)
	f()
	c.path = c.path[:len(c.path)-1]
}

// checkNode compares n with its type. Null means absent everywhere. It rewrites a MicroTime to the only
// precision that Kubernetes reads.
func (c *treeChecker) checkNode(n *yaml.Node, t *typeInfo) {
	switch {
	case yamltree.IsNull(n) || t.shape == shapeAny:
	case n.Kind == yaml.MappingNode && (t.shape == shapeStruct || t.shape == shapeMap):
		c.checkKeys(n, t.fields)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, field := n.Content[i], t.elem
			if t.shape == shapeStruct {
				field = t.fields[k.Value]
			}
			if field == nil {
				c.addUnknown(k, t)
			} else {
				c.below(yamltree.FieldStep(k.Value), func() { c.checkNode(n.Content[i+1], field) })
			}
		}
	case n.Kind == yaml.SequenceNode && t.shape == shapeList:
		for i, e := range n.Content {
			c.below(yamltree.PathStep{Index: i}, func() { c.checkNode(e, t.elem) })
		}
	case !scalarFits(n, t):
		c.addWrongValue(n, t.shape, t.bits)
	case t.shape == shapeMicroTime:
		at, _ := time.Parse(time.RFC3339, n.Value)
		n.Value = at.Format(metav1.RFC3339Micro)
	}
}

func scalarFits(n *yaml.Node, t *typeInfo) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	tg := yamltree.Tag(n)
	switch t.shape {
	case shapeString:
		return tg == "!!str"
	case shapeBool:
		return tg == "!!bool"
	case shapeInt, shapeIntOrString:
		v, err := yamltree.ParseInt(n.Value)
		return tg == "!!int" && err == nil && v>>(t.bits-1) == v>>63 || tg == "!!str" && t.shape == shapeIntOrString
	case shapeFloat:
		return tg == "!!float" || tg == "!!int"
	case shapeTime, shapeMicroTime:
		_, err := time.Parse(time.RFC3339, n.Value)
		return tg == "!!str" && err == nil
	case shapeQuantity:
		_, err := resource.ParseQuantity(n.Value)
		return err == nil
	}
	return false
}

// checkKeys reports duplicate keys of a mapping; for an object only known ones.
func (c *treeChecker) checkKeys(n *yaml.Node, known map[string]*typeInfo) {
	clear(c.seen)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if c.seen[k.Value] && (known == nil || known[k.Value] != nil) {
			c.below(yamltree.FieldStep(k.Value), func() {
				c.add(Issue{Severity: model.SeverityError, Code: CodeDuplicate, Line: k.Line, Message: "is given twice"})
			})
		}
		c.seen[k.Value] = true
	}
}

func (c *treeChecker) addUnknown(k *yaml.Node, t *typeInfo) {
	i := Issue{Severity: model.SeverityError, Code: CodeUnknown, Line: k.Line, Message: "unknown field"}
	i.Remedy, i.Meant = unknownRemedy(k.Value, yamltree.PathText(c.path, true), t)
	c.below(yamltree.FieldStep(k.Value), func() {
		if !c.strict || c.path[0].Name == "status" {
			i.Severity, i.Message = model.SeverityWarning, "unknown field, ignored"
		}
		c.add(i)
	})
}

// unknownRemedy returns what to write instead of an unknown field. It knows the old forms of peers and
// subjects (network-policy-api before v0.1.2). meant is a similar known name, or empty.
func unknownRemedy(name, parent string, t *typeInfo) (remedy, meant string) {
	last := parent[strings.LastIndexByte(parent, '.')+1:]
	switch {
	case last == "namespaces" && slices.Contains([]string{"namespaceSelector", "sameLabels", "notSameLabels"}, name):
		return "old form of a peer: write the selector itself, namespaces: {matchLabels: …}", ""
	case last == "pods" && name == "namespaces":
		return "old form of a peer: write pods: {namespaceSelector: …, podSelector: …}", ""
	case parent == "spec.subject" && name == "namespaceSelector":
		return "old form of a subject: write subject: {namespaces: …}", ""
	case parent == "spec.subject" && name == "namespaceAndPodSelector":
		return "old form of a subject: write subject: {pods: {namespaceSelector: …, podSelector: …}}", ""
	}
	if old := cnpRemedy(name, t); old != "" {
		return old, ""
	}
	if n := NearestName(t.names, name); n != "" {
		return fmt.Sprintf("did you mean %q?", n), n
	}
	if len(t.names) > 0 && len(t.names) <= 8 {
		return "known fields: " + strings.Join(t.names, ", "), ""
	}
	return "", ""
}

// cnpRemedy returns what to write instead of a v1alpha1 field in a ClusterNetworkPolicy with the fields t;
// empty for other fields. The API server drops unknown fields: without its ports a rule matches every port.
func cnpRemedy(name string, t *typeInfo) string {
	has := func(field string) bool { return t.fields[field] != nil }
	switch {
	case name == "ports" && has("protocols"):
		return "a field of v1alpha1, which the API server drops: the rule would match every port; write protocols: " +
			"[{tcp: {destinationPort: {number: …}}}]"
	case !has("destinationNamedPort") && !has("destinationPort"):
		return ""
	case name == "namedPort":
		return "a field of v1alpha1: write destinationNamedPort: …"
	case name == "portNumber":
		return "a field of v1alpha1: write tcp, udp or sctp: {destinationPort: {number: …}}"
	case name == "portRange":
		return "a field of v1alpha1: write tcp, udp or sctp: {destinationPort: {range: {start: …, end: …}}}"
	}
	return ""
}

// collectUnknown adds the paths of fields that a Go type lacks, in order, at most MaxIssues.
func collectUnknown(v any, t *typeInfo, way []yamltree.PathStep, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			in := append(way[:len(way):len(way)], yamltree.FieldStep(name))
			switch {
			case t.shape == shapeMap:
				collectUnknown(v[name], t.elem, in, out)
			case t.shape != shapeStruct:
			case t.fields[name] != nil:
				collectUnknown(v[name], t.fields[name], in, out)
			case len(*out) < MaxIssues:
				*out = append(*out, yamltree.PathText(in, false))
			}
		}
	case []any:
		for i := range v {
			if t.shape == shapeList {
				collectUnknown(v[i], t.elem, append(way[:len(way):len(way)], yamltree.PathStep{Index: i}), out)
			}
		}
	}
}
