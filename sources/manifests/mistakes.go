package manifests

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"rung/model"

	"rung/sources/manifests/yamltree"
)

// All mistakes of a text are told at once: who mends one does not want to learn of the next when it is
// gone. Here are those that stand behind others; nothing of such a text is taken in.

// reportBehind tells what else is wrong with a document behind its first mistake of syntax, where
// its text can be read as it was probably meant.
func (d *decoder) reportBehind(text []byte, origin model.Origin) {
	root, wrong := yamltree.ParseMending(text, d.opts.Limits.AliasNodes)
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
		// A mended line was guessed, and the parts of a value that was left out are not missing.
		if b.IsError() && b.Code != CodeNotObject && !lines[b.Origin.Line] && !yamltree.HasAnyKey(b.Field, cut) {
			told.broken = append(told.broken, b)
		}
	}
	d.out = told
}

// reportRefused tells what the API server would refuse of a policy besides what was told, and what its
// plugin cannot take: of fields that have nothing to do with those told.
func (d *decoder) reportRefused(n *yaml.Node, k *kindInfo, key model.Key, origin model.Origin, told []Issue) {
	clearFields(n, told)
	refused := UnrelatedIssues(d.gateIssues(n, k.kind, yamltree.JSONValue(n).(map[string]any)), told)
	d.reportIssues(origin, key, refused, 0)
	d.reportUntaken(n, k, key, origin, slices.Concat(told, refused))
}

// reportUntaken tells what the plugin of a policy cannot take of it besides what was told.
func (d *decoder) reportUntaken(n *yaml.Node, k *kindInfo, key model.Key, origin model.Origin, told []Issue) {
	clearFields(n, told)
	if k.toModel != nil {
		return
	}
	typed, err := TypedPolicy(k.kind, yamltree.JSONValue(n).(map[string]any))
	if err != nil {
		return // a mistake that has no field
	}
	var untaken []Issue
	for _, b := range New(d.metaOf(k, typed, origin), typed).Invalid {
		untaken = append(untaken, Issue{Severity: b.Severity, Code: b.Code, Field: b.Field, Message: b.Message, Remedy: b.Remedy,
			Line: yamltree.LineOfValue(n, b.Field, b.Message)})
	}
	d.reportIssues(origin, key, UnrelatedIssues(untaken, told), 0)
}

// clearFields takes the fields of issues out of a tree, so that the rest of it can be judged.
func clearFields(n *yaml.Node, issues []Issue) {
	for _, i := range issues {
		yamltree.ClearField(n, i.Field, i.Meant)
	}
}
