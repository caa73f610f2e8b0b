package manifests

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// decoder turns parsed trees into model objects with interned values, for one goroutine at a time.
type decoder struct {
	opts Options
	// sets are interned label sets.
	sets map[string]model.Labels

	// The state of the present unit.
	out  *unitOutcome
	line int // lines in the file before the parsed text
	// tree is the present object's tree, or nil for an object without text.
	tree *yaml.Node
	// priority is the priority of the present object; valid only if ranked.
	priority int32
	ranked   bool
}

// unitOutcome holds the objects and errors of one unit of text.
type unitOutcome struct {
	objects      []model.Object
	broken       []model.Broken
	groupedNotes []groupedNote // notes counted before they are reported
	syntax       *yamltree.SyntaxError
}

func newDecoder(o Options) *decoder {
	return &decoder{opts: o, sets: map[string]model.Labels{}}
}

// textUnit is a separately parsed part of a file's text: a document, or an item cut out of a List.
type textUnit struct {
	file *fileResult
	text []byte
	root *yaml.Node // its tree if it is JSON, else nil
	doc  int
	item int // -1 for a document
	line int // lines in the file before the text
	kind yamltree.ListKind
	list *textUnit    // the List of an item
	out  *unitOutcome // nil if not decoded yet
}

func (d *decoder) decodeUnit(u *textUnit) *unitOutcome {
	d.out, d.line = &unitOutcome{}, u.line
	origin := model.Origin{Source: d.opts.Source, File: u.file.file.Path, Doc: u.doc, Item: u.item}
	root := u.root
	if root == nil {
		var err error
		if root, err = yamltree.ParseFlat(u.text, d.opts.Limits.AliasNodes); err != nil {
			d.addSyntaxError(err, origin)
			if u.item < 0 {
				d.reportBehind(u.text, origin)
			}
			return d.out
		}
	}
	switch {
	case root == nil:
	case u.item < 0:
		d.takeDocument(root, origin, u.text)
	case root.Kind != yaml.SequenceNode || len(root.Content) != 1: // an item is cut out with its dash
		d.out.syntax = &yamltree.SyntaxError{Code: CodeYAML, Msg: "is not one item of a List"}
	case !yamltree.IsNull(root.Content[0]):
		d.takeItems(root.Content[0], origin, u.kind, nil)
	}
	return d.out
}

func (d *decoder) addSyntaxError(err error, origin model.Origin) {
	se, ok := errors.AsType[*yamltree.SyntaxError](err)
	if !ok {
		se = &yamltree.SyntaxError{Code: CodeYAML, Msg: err.Error()}
	}
	d.out.syntax = se
	origin.Line = d.line + max(se.Line, 1)
	word := "is not YAML: "
	switch se.Code {
	case CodeJSON:
		word = "is not JSON: "
	case CodeAliases:
		word = ""
	}
	d.out.broken = append(d.out.broken, model.Broken{Severity: model.SeverityError, Origin: origin, Code: se.Code,
		Message: word + words.CleanText(se.Msg)})
}

// takeDocument decodes a document: an object, or a List.
func (d *decoder) takeDocument(n *yaml.Node, origin model.Origin, text []byte) {
	i := Issue{Severity: model.SeverityInfo, Line: n.Line}
	switch {
	case isJSONPatch(n):
		i.Code, i.Message = CodePatch, "skipped: JSON patches, not objects; a kustomization applies them: "+RenderKustomization("")
	case isExpectations(n):
		i.Code, i.Message = CodeExpected, "skipped: expectations of connections, not objects; rung verify checks them"
	default:
		d.takeItems(n, origin, yamltree.ListKind{}, text)
		return
	}
	d.reportIssue(origin, model.Key{}, i)
}

// takeItems decodes an object, or the items of a List and of the Lists in it, which kubectl flattens too.
// Items of an inner List get that List's index in the outermost.
func (d *decoder) takeItems(n *yaml.Node, origin model.Origin, lk yamltree.ListKind, text []byte) {
	inner, list := yamltree.ReadListKind(n)
	if !list {
		d.takeObject(n, origin, lk, text)
		return
	}
	whole := origin.Item < 0
	for i, e := range yamltree.ItemsAt(n, "items") {
		if whole {
			origin.Item = i
		}
		if !yamltree.IsNull(e) {
			d.takeItems(e, origin, inner, nil)
		}
	}
}

// isJSONPatch reports whether a document is a JSON patch: a list of mappings with op and path.
func isJSONPatch(n *yaml.Node) bool {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return false
	}
	return !slices.ContainsFunc(n.Content, func(e *yaml.Node) bool { return yamltree.Get(e, "op") == nil || yamltree.Get(e, "path") == nil })
}

// isExpectations reports whether a document has statements for rung verify, often kept with the policies. It
// is a list of mappings without apiVersion and kind, of which one has expect, or from and to.
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

// takeObject decodes one object. text is its own text; an item of a List has none.
func (d *decoder) takeObject(n *yaml.Node, origin model.Origin, lk yamltree.ListKind, text []byte) {
	origin.Line = d.line + n.Line
	d.priority, d.ranked, d.tree = 0, false, n
	fail := func(key model.Key, code, msg string) {
		d.reportIssue(origin, key, Issue{Severity: model.SeverityError, Code: code, Message: msg})
	}
	if n.Kind != yaml.MappingNode {
		fail(model.Key{}, CodeNotObject, "is "+DescribeNode(n)+", not a Kubernetes object")
		return
	}
	apiVersion, kind := yamltree.TextAt(n, "apiVersion"), yamltree.TextAt(n, "kind")
	if apiVersion == "" && kind == "" {
		apiVersion, kind = lk.ApiVersion, lk.Kind
	}
	key := model.Key{Kind: model.Kind(words.CleanText(kind)), Namespace: words.CleanText(yamltree.TextAt(n, "metadata", "namespace")),
		Name: words.CleanText(yamltree.TextAt(n, "metadata", "name"))}
	if apiVersion == "" || kind == "" {
		fail(key, CodeNotObject, "has no apiVersion or no kind")
		return
	}
	k := findWrittenKind(apiVersion, kind)
	if items := yamltree.Get(n, "items"); k == nil && strings.HasSuffix(kind, "List") && items != nil {
		fail(key, CodeNotObject, "items is "+DescribeNode(items)+", not a list")
		return
	}
	if config := readConfigMap(n, apiVersion, key, origin); config != nil {
		d.out.objects = append(d.out.objects, config)
		return
	}
	if k == nil {
		d.reportOther(n, origin, key, words.CleanText(apiVersion))
		return
	}
	key.Kind = k.kind
	d.priority, d.ranked = priorityIn(n, k.kind)
	key.Namespace = cmp.Or(key.Namespace, "default")
	if !k.kind.IsNamespaced() {
		key.Namespace = ""
	}
	if i := CheckName(k.kind, yamltree.TextAt(n, "metadata", "namespace"), yamltree.TextAt(n, "metadata", "name")); i != nil {
		i.Line = yamltree.FieldLine(n, i.Field)
		d.reportIssue(origin, ShortKey(key), *i)
		return
	}
	var was *OlderForm
	if k.kind.IsAdmin() {
		was = ReadOlder(n, text)
	}
	switch k.kind {
	case model.KindIngress, model.KindHTTPRoute, model.KindRoute:
		keepWayInFields(n)
	default:
		if k.kind.IsWorkload() {
			keepWorkloadFields(n)
		}
	}
	bad, more := CheckTree(n, k.goType, k.kind.IsPolicy() || k.isAntrea())
	if key.Name == "" {
		bad = append(bad, Issue{Severity: model.SeverityError, Code: CodeMetadata, Field: "metadata.name", Message: "is missing"})
	}
	if d.reportIssues(origin, key, bad, more) {
		if k.toModel == nil || k.isAntrea() {
			d.reportRefused(n, k, key, origin, bad)
		}
		return
	}
	if k.toModel == nil {
		d.takePolicy(n, k, key, origin, text, was)
		return
	}
	var whole map[string]any // only for kinds with a schema
	if isNetwork := slices.Contains(NetworkKinds, k.kind); isNetwork || k.isAntrea() {
		whole = yamltree.JSONValue(n).(map[string]any)
		if (isNetwork || !d.opts.SkipSchema) && d.reportIssues(origin, key, d.gateIssues(n, k.kind, whole), 0) {
			return
		}
	}
	dropUnreadFields(n)
	typed, err := k.readObject(yamltree.JSONValue(n).(map[string]any))
	if err != nil {
		fail(key, CodeType, words.CleanText(err.Error()))
		return
	}
	o := k.toModel(d, typed, d.readMeta(k, typed, origin))
	if o == nil {
		return
	}
	if w := writtenText(o); w != nil {
		w.Original, w.YAML = &unstructured.Unstructured{Object: whole}, textOr(text, whole)
	}
	d.out.objects = append(d.out.objects, o)
}

// priorityIn reads a policy's priority, whatever else is wrong with it.
func priorityIn(n *yaml.Node, k model.Kind) (priority int32, ok bool) {
	if !k.HasPriority() {
		return 0, false
	}
	v := yamltree.Get(yamltree.Get(n, "spec"), "priority")
	if v == nil || v.Kind != yaml.ScalarNode {
		return 0, false
	}
	i, err := strconv.ParseInt(v.Value, 10, 32)
	return int32(i), err == nil && i >= 0
}

// podFields are the fields kept of a pod's spec and status.
var podFields = yamltree.Fields{
	"spec":   {"nodeName": nil, "hostNetwork": nil, "serviceAccountName": nil, "serviceAccount": nil, "containers": {"ports": nil}},
	"status": {"phase": nil, "podIP": nil, "podIPs": nil, "conditions": nil}}

var metaFields = yamltree.Fields{"name": nil, "namespace": nil, "uid": nil, "labels": nil, "annotations": nil, "creationTimestamp": nil,
	"deletionTimestamp": nil, "ownerReferences": nil}

// dropUnreadFields removes unread fields, most of a dump, from a checked tree.
func dropUnreadFields(n *yaml.Node) {
	metaFields.KeepIn(yamltree.Get(n, "metadata"))
	if yamltree.TextAt(n, "kind") == string(model.KindPod) {
		podFields["spec"].KeepIn(yamltree.Get(n, "spec"))
		podFields["status"].KeepIn(yamltree.Get(n, "status"))
	}
}

// readConfigMap returns the settings of OVN-Kubernetes' ConfigMap, or nil for other objects.
func readConfigMap(n *yaml.Node, apiVersion string, key model.Key, origin model.Origin) *dialect.Config {
	if apiVersion != "v1" || key.Kind != dialect.KindConfigMap || !slices.Contains(dialect.MapNames, key.Name) {
		return nil
	}
	data := map[string]string{}
	if values := yamltree.Get(n, "data"); values != nil && values.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(values.Content); i += 2 {
			data[values.Content[i].Value] = values.Content[i+1].Value
		}
	}
	return dialect.NewConfig(model.Meta{Key: key, Origin: origin}, data)
}

// reportOther reports an object of an unsupported kind.
func (d *decoder) reportOther(n *yaml.Node, origin model.Origin, key model.Key, apiVersion string) {
	sev, code, msg, remedy := otherKind(apiVersion, string(key.Kind))
	i := Issue{Severity: sev, Code: code, Message: words.CleanText(msg), Remedy: words.CleanText(remedy)}
	if policies := countTemplatePolicies(n, apiVersion); policies > 0 {
		i.Severity, i.Message = model.SeverityWarning, "skipped: this Template holds "+words.Count(policies, "policy")+
			", which Rung does not read"
		i.Remedy = "process and pipe it: oc process --local -f FILE | rung … -f -"
		d.reportIssue(origin, key, i)
		return
	}
	if sev == model.SeverityError {
		if code == CodeUnknownKind {
			i.Line = yamltree.FieldLine(n, "kind")
		}
		d.reportIssue(origin, key, i)
		return
	}
	d.addGroupedNote(code+" "+string(key.Kind)+" "+i.Message, origin, key, i)
}

// countTemplatePolicies counts the policies in an OpenShift Template.
func countTemplatePolicies(n *yaml.Node, apiVersion string) (count int) {
	if yamltree.TextAt(n, "kind") != "Template" || apiVersion != "template.openshift.io/v1" && apiVersion != "v1" {
		return 0
	}
	for _, o := range yamltree.ItemsAt(n, "objects") {
		if k := findWrittenKind(yamltree.TextAt(o, "apiVersion"), yamltree.TextAt(o, "kind")); k != nil && k.kind.IsPolicy() {
			count++
		}
	}
	return count
}

// reportIssues reports an object's issues; fatal means that the object is left out.
func (d *decoder) reportIssues(origin model.Origin, key model.Key, issues []Issue, more int) (fatal bool) {
	for _, i := range issues {
		switch {
		case i.Severity == model.SeverityError:
			fatal = true
			d.reportIssue(origin, key, i)
		case i.Code == CodeUnknown:
			d.addGroupedNote(i.Code+" "+string(key.Kind)+" "+i.Generic, origin, key, i)
		default:
			d.reportIssue(origin, key, i)
		}
	}
	if more > 0 && fatal {
		d.reportIssue(origin, key, Issue{Severity: model.SeverityError, Code: issues[0].Code,
			Message: "and " + strconv.Itoa(more) + " more errors like these"})
	}
	return fatal
}

func (d *decoder) newBroken(origin model.Origin, key model.Key, i Issue) model.Broken {
	if i.Line > 0 {
		origin.Line = d.line + i.Line
	}
	b := i.broken(origin, key)
	b.Priority, b.HasPriority = d.priority, d.ranked
	return b
}

func (d *decoder) reportIssue(origin model.Origin, key model.Key, i Issue) {
	d.out.broken = append(d.out.broken, d.newBroken(origin, key, i))
}

// addGroupedNote keeps a note that is reported once for its group in a file.
func (d *decoder) addGroupedNote(group string, origin model.Origin, key model.Key, i Issue) {
	d.out.groupedNotes = append(d.out.groupedNotes, groupedNote{group, d.newBroken(origin, key, i), 1})
}
