package rewrite

import (
	"bytes"

	"rung/change"
	"rung/sources/manifests/yamltree"
)

// AddText appends the text of a file, named for people, to the YAML of a change, as documents of their own.
func AddText(m *change.Mutation, name string, text []byte) {
	before, _, _ := yamltree.CutDocuments("", m.YAML)
	at := change.TextFile{Name: name, Line: 1, Doc: len(before)}
	if len(m.YAML) > 0 {
		m.YAML = append(m.YAML, '\n')
		at.Line += bytes.Count(m.YAML, []byte("\n"))
		if own, _, _ := yamltree.CutDocuments("", text); len(own) == 0 || !yamltree.IsMarker(text[own[0].Start:], "---") {
			m.YAML = append(m.YAML, "---\n"...)
			at.Line++
		}
	}
	m.Files, m.YAML = append(m.Files, at), append(m.YAML, text...)
}
