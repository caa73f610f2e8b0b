package manifests

import (
	"errors"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model"
	"rung/model/clean"
)

// decoder turns parsed trees into model objects. It is used by one goroutine at a
// time; what it interns is shared by all objects it makes.
type decoder struct {
	opts    Options
	strings map[string]string
	sets    map[string]model.Labels

	// The state of the unit at hand.
	out  *outcome
	line int // lines before the parsed text in the file
}

// outcome is what one unit of text gave.
type outcome struct {
	objects []model.Object
	broken  []model.Broken
	aside   []aside // what is counted before it is reported
	syntax  *syntaxError
}

// aside is something said once for many objects of a file.
type aside struct {
	group  string
	broken model.Broken
}

func newDecoder(o Options) *decoder {
	return &decoder{opts: o, strings: map[string]string{}, sets: map[string]model.Labels{}}
}

func (d *decoder) intern(s string) string {
	if len(s) > 128 {
		return s
	}
	if i, ok := d.strings[s]; ok {
		return i
	}
	d.strings[s] = s
	return s
}

func (d *decoder) internLabels(l model.Labels) model.Labels {
	if i, ok := d.sets[l.Key()]; ok {
		return i
	}
	d.sets[l.Key()] = l
	return l
}

// unit is a piece of a file's text that is parsed by itself: a document, or an
// item of a List that was cut out.
type unit struct {
	file *loaded
	text []byte
	doc  int
	item int // -1 for a document
	line int // lines before the text in the file
	kind listKind
}

// listKind is what the items of a typed List are when they do not say it: the
// API server leaves kind and apiVersion out.
type listKind struct{ apiVersion, kind string }

// decode parses a unit and takes in what it holds.
func (d *decoder) decode(u unit) *outcome {
	d.out, d.line = &outcome{}, u.line
	origin := model.Origin{Source: d.opts.Source, File: u.file.file.Path, Doc: u.doc, Item: u.item}
	root, err := parseYAMLOrJSON(u.text)
	if err == nil && root != nil {
		root, err = flatten(root, u.text, d.opts.Limits.AliasNodes)
	}
	switch {
	case err != nil:
		d.syntax(err, origin)
	case root == nil:
	case u.item >= 0:
		d.item(root, u, origin)
	default:
		d.value(root, origin, u.text)
	}
	return d.out
}

// item takes in an item of a List that was cut out with its dash.
func (d *decoder) item(root *yaml.Node, u unit, origin model.Origin) {
	if root.Kind != yaml.SequenceNode || len(root.Content) != 1 {
		d.out.syntax = &syntaxError{code: CodeYAML, msg: "is not one item of a List"}
		return
	}
	if n := root.Content[0]; !isNull(n) {
		d.object(n, origin, u.kind, nil)
	}
}

// decodeTree takes in a tree that was parsed as JSON, text being its own.
func (d *decoder) decodeTree(root *yaml.Node, u unit) *outcome {
	d.out, d.line = &outcome{}, u.line
	d.value(root, model.Origin{Source: d.opts.Source, File: u.file.file.Path, Doc: u.doc, Item: -1}, u.text)
	return d.out
}

func parseYAMLOrJSON(text []byte) (*yaml.Node, error) {
	if looksLikeJSON(text) {
		if roots, _, err := parseJSON(text); err == nil && len(roots) == 1 {
			return roots[0], nil
		}
	}
	return parseYAML(text)
}

func (d *decoder) syntax(err error, origin model.Origin) {
	var se *syntaxError
	if !errors.As(err, &se) {
		se = &syntaxError{code: CodeYAML, msg: err.Error()}
	}
	d.out.syntax = se
	origin.Line = d.line + max(se.line, 1)
	word := "is not YAML: "
	switch se.code {
	case CodeJSON:
		word = "is not JSON: "
	case CodeAliases:
		word = ""
	}
	d.out.broken = append(d.out.broken, model.Broken{Severity: model.SeverityError, Origin: origin, Code: se.code,
		Message: word + clean.Text(se.msg)})
}

// value takes in a document: an object or a List of them.
func (d *decoder) value(n *yaml.Node, origin model.Origin, text []byte) {
	lk, list := asList(n)
	if !list {
		d.object(n, origin, listKind{}, text)
		return
	}
	for i, e := range items(get(n, "items")) {
		origin.Item = i
		if !isNull(e) {
			d.object(e, origin, lk, nil)
		}
	}
}

// asList says whether a tree is a List, and what its items are by default.
func asList(n *yaml.Node) (listKind, bool) {
	kind := str(get(n, "kind"))
	base, ok := strings.CutSuffix(kind, "List")
	is := get(n, "items")
	if !ok || is == nil && base != "" || is != nil && is.Kind != yaml.SequenceNode && !isNull(is) {
		return listKind{}, false
	}
	if base == "" {
		return listKind{}, true
	}
	return listKind{str(get(n, "apiVersion")), base}, true
}

// object takes in one object. text is its own text, nil when it has none of its
// own (an item of a List).
func (d *decoder) object(n *yaml.Node, origin model.Origin, lk listKind, text []byte) {
	origin.Line = d.line + n.Line
	if n.Kind != yaml.MappingNode {
		d.report(origin, model.Key{}, issue{sev: model.SeverityError, code: CodeNotObject,
			msg: "is " + what(n) + ", not a Kubernetes object"})
		return
	}
	apiVersion, kind := str(get(n, "apiVersion")), str(get(n, "kind"))
	if apiVersion == "" && kind == "" {
		apiVersion, kind = lk.apiVersion, lk.kind
	}
	key := model.Key{Kind: model.Kind(clean.Text(kind)), Namespace: clean.Text(str(dig(n, "metadata", "namespace"))),
		Name: clean.Text(str(dig(n, "metadata", "name")))}
	if apiVersion == "" || kind == "" {
		d.report(origin, key, issue{sev: model.SeverityError, code: CodeNotObject, msg: "has no apiVersion or no kind"})
		return
	}
	k := kindOf(apiVersion, kind)
	if k == nil {
		d.other(origin, key, clean.Text(apiVersion))
		return
	}
	if k.namespaced && key.Namespace == "" {
		key.Namespace = "default"
	} else if !k.namespaced {
		key.Namespace = ""
	}
	if i := nameIssue(k.kind, str(dig(n, "metadata", "namespace")), str(dig(n, "metadata", "name"))); i != nil {
		d.report(origin, shortKey(key), *i)
		return
	}
	c := checker{strict: k.kind.IsPolicy()}
	c.check(n, infoOf(k.goType))
	if key.Name == "" {
		c.issues = append(c.issues, issue{sev: model.SeverityError, code: CodeMetadata, field: "metadata.name", msg: "is missing"})
	}
	if d.issues(origin, key, c.issues, c.more) {
		return
	}
	m := d.meta(n, k, origin)
	if k.convert != nil {
		d.out.objects = append(d.out.objects, k.convert(d, n, m))
		return
	}
	d.policy(n, m, text)
}

func kindOf(apiVersion, kind string) *kindInfo {
	for i := range kinds {
		if k := &kinds[i]; string(k.kind) == kind && k.apiVersion() == apiVersion {
			return k
		}
	}
	return nil
}

// other reports an object of a kind Rung does not take in.
func (d *decoder) other(origin model.Origin, key model.Key, apiVersion string) {
	sev, code, msg, remedy := otherKind(apiVersion, string(key.Kind))
	i := issue{sev: sev, code: code, msg: clean.Text(msg), remedy: clean.Text(remedy)}
	if sev == model.SeverityError {
		d.report(origin, key, i)
		return
	}
	d.setAside(code+" "+apiVersion+" "+string(key.Kind), origin, key, i)
}

// issues reports what is wrong with an object and says whether any of it keeps
// it from being taken in.
func (d *decoder) issues(origin model.Origin, key model.Key, issues []issue, more int) (fatal bool) {
	for _, i := range issues {
		switch {
		case i.sev == model.SeverityError:
			fatal = true
			d.report(origin, key, i)
		case i.code == CodeUnknown:
			d.setAside(i.code+" "+string(key.Kind)+" "+i.generic, origin, key, i)
		default:
			d.report(origin, key, i)
		}
	}
	if more > 0 && fatal {
		d.report(origin, key, issue{sev: model.SeverityError, code: issues[0].code,
			msg: "and " + strconv.Itoa(more) + " more errors like these"})
	}
	return fatal
}

func (d *decoder) broken(origin model.Origin, key model.Key, i issue) model.Broken {
	if i.line > 0 {
		origin.Line = d.line + i.line
	}
	return model.Broken{Severity: i.sev, Origin: origin, Key: key, Field: i.field, Code: i.code, Message: i.msg, Remedy: i.remedy}
}

func (d *decoder) report(origin model.Origin, key model.Key, i issue) {
	d.out.broken = append(d.out.broken, d.broken(origin, key, i))
}

// setAside keeps something that is reported once for all its like in a file.
func (d *decoder) setAside(group string, origin model.Origin, key model.Key, i issue) {
	d.out.aside = append(d.out.aside, aside{group: group, broken: d.broken(origin, key, i)})
}

func (d *decoder) warnAnnotation(m model.Meta, name, msg string) {
	d.report(m.Origin, m.Key, issue{sev: model.SeverityWarning, code: CodeAnnotation,
		field: "metadata.annotations[" + name + "]", msg: msg})
}
