package manifests

import (
	"testing"

	"rung/model"
)

// Statements for rung verify may lie beside the policies: they are skipped with words, and
// what is no such list is broken as before.
func TestExpectationsAreSkipped(t *testing.T) {
	for text, want := range map[string]string{
		"- {expect: deny, from: a/b, to: c/d}\n":                              CodeExpected,
		"# words\n- name: x\n  expect: allow\n  from: {namespace: a}\n":       CodeExpected,
		"- {form: a/b, expect: deny}\n":                                       CodeExpected,
		"- {from: a/b, to: c/d}\n":                                            CodeExpected,
		`[{"expect": "deny"}]`:                                                CodeExpected,
		"- {a: b}\n":                                                          CodeNotObject,
		"- {apiVersion: v1, kind: Pod, expect: deny}\n":                       CodeNotObject,
		"expect: deny\nfrom: a\nto: b\n":                                      CodeNotObject,
		"---\n" + nsText + "---\n- {expect: deny, from: a/b, to: c/d}\n---\n": CodeExpected,
	} {
		r := Parse("x.yaml", []byte(text), Options{})
		if len(r.Broken) != 1 || r.Broken[0].Code != want {
			t.Errorf("%q: %v, want one of %s", text, r.Broken, want)
			continue
		}
		if b := r.Broken[0]; (want == CodeExpected) != (b.Severity == model.SeverityInfo) || b.Origin.Line == 0 {
			t.Errorf("%q: %+v", text, b)
		}
	}
}
