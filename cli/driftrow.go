package cli

import "rung/model"

type driftRow struct {
	Kind    model.DiffKind `json:"kind"`
	Table   string         `json:"table"`
	ID      string         `json:"id"`
	UUID    string         `json:"uuid,omitempty"`
	Fields  []driftField   `json:"fields"`
	Waiting string         `json:"waiting,omitempty"`
	Note    string         `json:"note,omitempty"`
	// Known is the defect of OVN-Kubernetes that leaves the difference.
	Known *knownOut `json:"known,omitempty"`
}

type driftField struct {
	Column  string   `json:"column"`
	Desired string   `json:"desired"`
	Live    string   `json:"live"`
	Missing []string `json:"missing,omitempty"`
	Extra   []string `json:"extra,omitempty"`
}

type knownOut struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	Remedy string `json:"remedy"`
	Doc    string `json:"doc"` // where docs/ovn-kubernetes.md tells of it
}

func driftRowOf(d model.RowDiff) driftRow {
	return driftRow{Kind: d.Kind, Table: d.Table, ID: d.ID, UUID: d.UUID, Waiting: d.Waiting, Note: d.Note,
		Fields: each(d.Fields, func(f model.FieldDiff) driftField { return driftField(f) })}
}
