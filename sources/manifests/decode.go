package manifests

import (
	"errors"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"rung/model"
	"rung/model/clean"
	"rung/sources/manifests/admission"
	"rung/sources/manifests/check"
	"rung/sources/manifests/older"
	"rung/sources/manifests/yamltree"
)

// decoder turns parsed trees into model objects. It is used by one goroutine at a
// time; what it interns is shared by all objects it makes.
type decoder struct {
	opts Options
	// sets are label sets met before, shared by all objects that have them.
	sets map[string]model.Labels

	// The state of the unit at hand.
	out  *outcome
	line int // lines before the parsed text in the file
	// priority is the priority of the object at hand, where it has one that can be read.
	priority int32
	ranked   bool
}

// outcome holds the objects and errors of one unit of text.
type outcome struct {
	objects []model.Object
	broken  []model.Broken
	aside   []aside // what is counted before it is reported
	syntax  *yamltree.Error
}

// aside is something said once for many objects of a file.
type aside struct {
	group  string
	broken model.Broken
}

func newDecoder(o Options) *decoder {
	return &decoder{opts: o, sets: map[string]model.Labels{}}
}

// unit is a piece of a file's text that is parsed by itself: a document, or an
// item of a List that was cut out.
type unit struct {
	file *loaded
	text []byte
	doc  int
	item int // -1 for a document
	line int // lines before the text in the file
	kind yamltree.ListKind
}

// decode takes in what a unit holds: root is its tree, nil where it is still to be parsed.
func (d *decoder) decode(u unit, root *yaml.Node) *outcome {
	d.out, d.line = &outcome{}, u.line
	origin := model.Origin{Source: d.opts.Source, File: u.file.file.Path, Doc: u.doc, Item: u.item}
	if root == nil {
		var err error
		if root, err = yamltree.ParseFlat(u.text, d.opts.Limits.AliasNodes); err != nil {
			d.syntax(err, origin)
			return d.out
		}
	}
	switch {
	case root == nil:
	case u.item < 0:
		d.value(root, origin, u.text)
	case root.Kind != yaml.SequenceNode || len(root.Content) != 1: // an item is cut out with its dash
		d.out.syntax = &yamltree.Error{Code: check.CodeYAML, Msg: "is not one item of a List"}
	case !yamltree.IsNull(root.Content[0]):
		d.listed(root.Content[0], origin, u.kind, nil)
	}
	return d.out
}

func (d *decoder) syntax(err error, origin model.Origin) {
	var se *yamltree.Error
	if !errors.As(err, &se) {
		se = &yamltree.Error{Code: check.CodeYAML, Msg: err.Error()}
	}
	d.out.syntax = se
	origin.Line = d.line + max(se.Line, 1)
	word := "is not YAML: "
	switch se.Code {
	case check.CodeJSON:
		word = "is not JSON: "
	case check.CodeAliases:
		word = ""
	}
	d.out.broken = append(d.out.broken, model.Broken{Severity: model.SeverityError, Origin: origin, Code: se.Code,
		Message: word + clean.Text(se.Msg)})
}

// value takes in a document: an object, or a List of them.
func (d *decoder) value(n *yaml.Node, origin model.Origin, text []byte) {
	if isExpectations(n) {
		origin.Line = d.line + n.Line
		d.report(origin, model.Key{}, check.Issue{Severity: model.SeverityInfo, Code: check.CodeExpected,
			Message: "skipped: expectations of connections, no objects; rung verify checks them"})
		return
	}
	d.listed(n, origin, yamltree.ListKind{}, text)
}

// listed takes in an object, or the items of a List and of the Lists in it: kubectl flattens
// them too. Items of an inner List have the place of that List among the items of the
// outermost.
func (d *decoder) listed(n *yaml.Node, origin model.Origin, lk yamltree.ListKind, text []byte) {
	inner, list := yamltree.AsList(n)
	if !list {
		d.object(n, origin, lk, text)
		return
	}
	whole := origin.Item < 0
	for i, e := range yamltree.Items(n, "items") {
		if whole {
			origin.Item = i
		}
		if !yamltree.IsNull(e) {
			d.listed(e, origin, inner, nil)
		}
	}
}

// isExpectations says whether a document is statements for rung verify, which may lie beside
// the policies: a list of mappings of which one says what is expected, or between whom, and
// none what kind of object it is.
func isExpectations(n *yaml.Node) bool {
	if n.Kind != yaml.SequenceNode {
		return false
	}
	found := false
	for _, e := range n.Content {
		if yamltree.Get(e, "apiVersion") != nil || yamltree.Get(e, "kind") != nil {
			return false
		}
		found = found || yamltree.Get(e, "expect") != nil || yamltree.Get(e, "from") != nil && yamltree.Get(e, "to") != nil
	}
	return found
}

// object takes in one object. text is its own text, nil when it has none of its
// own (an item of a List).
func (d *decoder) object(n *yaml.Node, origin model.Origin, lk yamltree.ListKind, text []byte) {
	origin.Line = d.line + n.Line
	d.priority, d.ranked = 0, false
	if n.Kind != yaml.MappingNode {
		d.report(origin, model.Key{}, check.Issue{Severity: model.SeverityError, Code: check.CodeNotObject,
			Message: "is " + check.DescribeNode(n) + ", not a Kubernetes object"})
		return
	}
	apiVersion, kind := yamltree.Str(n, "apiVersion"), yamltree.Str(n, "kind")
	if apiVersion == "" && kind == "" {
		apiVersion, kind = lk.ApiVersion, lk.Kind
	}
	key := model.Key{Kind: model.Kind(clean.Text(kind)), Namespace: clean.Text(yamltree.Str(n, "metadata", "namespace")),
		Name: clean.Text(yamltree.Str(n, "metadata", "name"))}
	if apiVersion == "" || kind == "" {
		d.report(origin, key, check.Issue{Severity: model.SeverityError, Code: check.CodeNotObject, Message: "has no apiVersion or no kind"})
		return
	}
	k := kindOf(apiVersion, kind)
	if items := yamltree.Get(n, "items"); k == nil && strings.HasSuffix(kind, "List") && items != nil {
		d.report(origin, key, check.Issue{Severity: model.SeverityError, Code: check.CodeNotObject, Message: "items is " + check.DescribeNode(items) + ", not a list"})
		return
	}
	if k == nil {
		d.other(n, origin, key, clean.Text(apiVersion))
		return
	}
	key.Kind = k.kind
	d.priority, d.ranked = priorityIn(n, k.kind)
	if k.kind.Namespaced() && key.Namespace == "" {
		key.Namespace = "default"
	} else if !k.kind.Namespaced() {
		key.Namespace = ""
	}
	if i := check.Name(k.kind, yamltree.Str(n, "metadata", "namespace"), yamltree.Str(n, "metadata", "name")); i != nil {
		i.Line = yamltree.LineOf(n, i.Field)
		d.report(origin, check.ShortKey(key), *i)
		return
	}
	var was *older.Form
	if k.kind.IsAdmin() {
		was = older.Read(n, text)
	}
	bad, more := check.Tree(n, k.goType, k.kind.IsPolicy() || k.antrea())
	if key.Name == "" {
		bad = append(bad, check.Issue{Severity: model.SeverityError, Code: check.CodeMetadata, Field: "metadata.name",
			Message: "is missing"})
	}
	if d.issues(origin, key, bad, more) {
		if k.read == nil || k.antrea() { // what else is wrong with it is told at once
			d.issues(origin, key, admission.Unrelated(d.gated(n, k.kind, yamltree.Value(n).(map[string]any)), bad), 0)
		}
		return
	}
	if k.read == nil {
		d.policy(n, k, key, origin, text, was)
		return
	}
	var whole map[string]any // of a kind whose text is kept
	if k.antrea() {
		whole = yamltree.Value(n).(map[string]any)
		if !d.opts.SkipSchema && d.issues(origin, key, d.gated(n, k.kind, whole), 0) {
			return
		}
	}
	spare(n)
	typed := reflect.New(k.goType).Interface().(metav1.Object)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(yamltree.Value(n).(map[string]any),
		typed); err != nil {
		d.report(origin, key, check.Issue{Severity: model.SeverityError, Code: check.CodeType, Message: clean.Text(err.Error())})
		return
	}
	o := k.read(d, typed, d.meta(k, typed, origin))
	if g, ok := o.(*model.Group); ok {
		g.Original, g.YAML = &unstructured.Unstructured{Object: whole}, string(text)
		if text == nil {
			g.YAML = yamltree.TidyText(whole)
		}
	}
	d.out.objects = append(d.out.objects, o)
}

// priorityIn is the priority that a policy gives as its own, whatever else is wrong with it.
func priorityIn(n *yaml.Node, k model.Kind) (priority int32, ok bool) {
	if !k.Ranked() {
		return 0, false
	}
	v := yamltree.Get(yamltree.Get(n, "spec"), "priority")
	if v == nil || v.Kind != yaml.ScalarNode {
		return 0, false
	}
	i, err := strconv.ParseInt(v.Value, 10, 32)
	return int32(i), err == nil && i >= 0
}

// spare takes out of a checked tree what nobody reads and is most of a dump: of pods,
// all but where they run and what they listen on.
func spare(n *yaml.Node) {
	yamltree.Keep(yamltree.Get(n, "metadata"), "name", "namespace", "uid", "labels", "annotations", "creationTimestamp",
		"deletionTimestamp")
	if yamltree.Str(n, "kind") != string(model.KindPod) {
		return
	}
	yamltree.Keep(yamltree.Get(n, "spec"), "nodeName", "hostNetwork", "serviceAccountName", "containers")
	for _, c := range yamltree.Items(n, "spec", "containers") {
		yamltree.Keep(c, "ports")
	}
	yamltree.Keep(yamltree.Get(n, "status"), "phase", "podIP", "podIPs", "conditions")
}

// other reports an object of a kind Rung does not take in.
func (d *decoder) other(n *yaml.Node, origin model.Origin, key model.Key, apiVersion string) {
	sev, code, msg, remedy := otherKind(apiVersion, string(key.Kind))
	i := check.Issue{Severity: sev, Code: code, Message: clean.Text(msg), Remedy: clean.Text(remedy)}
	if sev == model.SeverityError {
		if code == check.CodeUnknownKind {
			i.Line = yamltree.LineOf(n, "kind")
		}
		d.report(origin, key, i)
		return
	}
	d.setAside(code+" "+apiVersion+" "+string(key.Kind), origin, key, i)
}

// issues reports what is wrong with an object and says whether any of it keeps
// it from being taken in.
func (d *decoder) issues(origin model.Origin, key model.Key, issues []check.Issue, more int) (fatal bool) {
	for _, i := range issues {
		switch {
		case i.Severity == model.SeverityError:
			fatal = true
			d.report(origin, key, i)
		case i.Code == check.CodeUnknown:
			d.setAside(i.Code+" "+string(key.Kind)+" "+i.Generic, origin, key, i)
		default:
			d.report(origin, key, i)
		}
	}
	if more > 0 && fatal {
		d.report(origin, key, check.Issue{Severity: model.SeverityError, Code: issues[0].Code,
			Message: "and " + strconv.Itoa(more) + " more errors like these"})
	}
	return fatal
}

func (d *decoder) broken(origin model.Origin, key model.Key, i check.Issue) model.Broken {
	if i.Line > 0 {
		origin.Line = d.line + i.Line
	}
	return model.Broken{Severity: i.Severity, Origin: origin, Key: key, Priority: d.priority, HasPriority: d.ranked, Field: i.Field,
		Code: i.Code, Message: i.Message, Remedy: i.Remedy, Release: i.Release}
}

func (d *decoder) report(origin model.Origin, key model.Key, i check.Issue) {
	d.out.broken = append(d.out.broken, d.broken(origin, key, i))
}

// setAside keeps something that is reported once for all its like in a file.
func (d *decoder) setAside(group string, origin model.Origin, key model.Key, i check.Issue) {
	d.out.aside = append(d.out.aside, aside{group: group, broken: d.broken(origin, key, i)})
}

func (d *decoder) warnAnnotation(m model.Meta, name, msg string) {
	d.report(m.Origin, m.Key, check.Issue{Severity: model.SeverityWarning, Code: check.CodeAnnotation,
		Field: "metadata.annotations[" + name + "]", Message: msg})
}
