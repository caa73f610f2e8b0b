package drift

import "rung/model"

type Row struct {
	Kind    model.DiffKind    `json:"kind"`
	Table   string            `json:"table"`
	ID      string            `json:"id"`
	UUID    string            `json:"uuid,omitempty"`
	Fields  []model.FieldDiff `json:"fields"`
	Waiting string            `json:"waiting,omitempty"`
	Note    string            `json:"note,omitempty"`
	// Known is the defect of OVN-Kubernetes that leaves the difference.
	Known *Known `json:"known,omitempty"`
}

type Known struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
	Doc    string `json:"doc"` // where docs/ovn-kubernetes.md tells of it
}

func RowOf(d model.RowDiff) Row {
	return Row{Kind: d.Kind, Table: d.Table, ID: d.ID, UUID: d.UUID, Waiting: d.Waiting, Note: d.Note,
		Fields: append([]model.FieldDiff{}, d.Fields...)}
}
