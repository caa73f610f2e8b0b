package manifests

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"rung/model"
	"rung/sources/manifests/yamltree"
)

// All mistakes of a text are reported at once, so that fixing one does not only reveal the next. This file
// finds mistakes behind the first. No object of such a text is used.

// reportBehind reports further mistakes behind the first syntax error, if the intended text can be guessed.
func (d *decoder) reportBehind(text []byte, origin model.Origin) {
	root, wrong := yamltree.ParseRepaired(text, d.opts.Limits.AliasNodes)
	if root == nil {
		return
	}
	told := d.out
	told.broken = nil
	lines, cut := map[int]bool{}, map[string]bool{}
	for _, e := range wrong {
		d.addSyntaxError(e, origin)
		lines[d.line+e.Line] = true
		cut[e.CutKey] = e.CutKey != ""
	}
	d.out = &unitOutcome{}
	d.takeDocument(root, origin, text)
	also := d.out.broken
	for _, o := range d.out.objects {
		if p := WrittenPolicy(o); p != nil {
			also = append(also, p.Invalid...)
		}
	}
	for _, b := range also {
		// A mended line is a guess, and the parts of an omitted value are not missing.
		if b.IsError() && b.Code != CodeNotObject && !lines[b.Origin.Line] && !yamltree.HasAnyKey(b.Field, cut) {
			told.broken = append(told.broken, b)
		}
	}
	d.out = told
}

// reportRefused reports what else the API server or the plugin would reject, except fields related to those in
// told.
func (d *decoder) reportRefused(n *yaml.Node, k *kindInfo, key model.Key, origin model.Origin, told []Issue) {
	clearFields(n, told)
	refused := UnrelatedIssues(d.gateIssues(n, k.kind, yamltree.JSONValue(n).(map[string]any)), told)
	d.reportIssues(origin, key, refused, 0)
	d.reportUnsupported(n, k, key, origin, slices.Concat(told, refused))
}

// reportUnsupported reports what a policy's plugin cannot use, except fields related to those in told.
func (d *decoder) reportUnsupported(n *yaml.Node, k *kindInfo, key model.Key, origin model.Origin, told []Issue) {
	clearFields(n, told)
	if k.toModel != nil {
		return
	}
	typed, err := TypedPolicy(k.kind, yamltree.JSONValue(n).(map[string]any))
	if err != nil {
		return // a mistake without a field
	}
	var untaken []Issue
	for _, b := range New(d.readMeta(k, typed, origin), typed).Invalid {
		untaken = append(untaken, Issue{Severity: b.Severity, Code: b.Code, Field: b.Field, Message: b.Message, Remedy: b.Remedy,
			Line: yamltree.LineOfValue(n, b.Field, b.Message)})
	}
	d.reportIssues(origin, key, UnrelatedIssues(untaken, told), 0)
}

// clearFields removes the fields of issues from a tree, so that the rest can be checked.
func clearFields(n *yaml.Node, issues []Issue) {
	for _, i := range issues {
		yamltree.ClearField(n, i.Field, i.Meant)
	}
}
