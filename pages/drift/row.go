package drift

import (
	"rung/model"
	"rung/pages/page"
)

type Row struct {
	Kind    model.DiffKind `json:"kind"`
	Table   string         `json:"table"`
	ID      string         `json:"id"`
	UUID    string         `json:"uuid,omitempty"`
	Fields  []Field        `json:"fields"`
	Waiting string         `json:"waiting,omitempty"`
	Note    string         `json:"note,omitempty"`
	// Known is the defect of OVN-Kubernetes that leaves the difference.
	Known *Known `json:"known,omitempty"`
}

type Field struct {
	Column  string   `json:"column"`
	Desired string   `json:"desired"`
	Live    string   `json:"live"`
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
}

type Known struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
	Doc    string `json:"doc"` // where docs/ovn-kubernetes.md tells of it
}

func RowOf(d model.RowDiff) Row {
	return Row{Kind: d.Kind, Table: d.Table, ID: d.ID, UUID: d.UUID, Waiting: d.Waiting, Note: d.Note,
		Fields: page.Each(d.Fields, func(f model.FieldDiff) Field { return Field(f) })}
}
