package rewrite

import (
	"bytes"

	"rung/change"
	"rung/sources/manifests/yamltree"
)

// AddText appends the text of a file to the YAML of a change, as separate documents. Messages show name.
func AddText(m *change.Mutation, name string, text []byte) {
	own, _, _ := yamltree.CutDocuments("", text)
	at := change.TextFile{Name: name, Line: 1, Docs: len(own)}
	if n := len(m.Files); n > 0 {
		m.YAML = append(m.YAML, '\n')
		if len(own) > 0 && !yamltree.IsMarker(text[own[0].Start:yamltree.LineEnd(text, own[0].Start)], "---") {
			m.YAML = append(m.YAML, "---\n"...)
		}
		at.Line += bytes.Count(m.YAML, []byte("\n"))
		at.Doc = m.Files[n-1].Doc + m.Files[n-1].Docs
	}
	m.Files, m.YAML = append(m.Files, at), append(m.YAML, text...)
}
