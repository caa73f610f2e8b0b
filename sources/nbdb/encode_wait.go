package nbdb

import (
	"fmt"
	"maps"
	"slices"

	"rung/model/ovn/nb"
	"rung/sources/nbdb/jsonrpc"
)

// appendHas appends the conditions of Op.Has to a where clause.
func appendHas(b []byte, op *nb.Op) ([]byte, error) {
	if len(op.Has) > 0 && op.Kind != nb.OpWait {
		// A write that matches no row would go on silently.
		return nil, fmt.Errorf("only a wait can ask for pairs of a map")
	}
	for _, column := range slices.Sorted(maps.Keys(op.Has)) {
		b = jsonrpc.AppendString(append(b, ",["...), column)
		b = append(appendMap(append(b, `,"includes",`...), op.Has[column]), ']')
	}
	return b, nil
}

// appendWait appends what a wait compares the row with. Without columns to
// compare it asks for any row at all: "until the rows found are not none".
func appendWait(b []byte, op *nb.Op) ([]byte, error) {
	b = append(b, `,"timeout":0,"columns":[`...)
	if len(op.Row) == 0 {
		return append(b, `"_uuid"],"until":"!=","rows":[]`...), nil
	}
	columns := slices.Sorted(maps.Keys(op.Row))
	for i, column := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonrpc.AppendString(b, column)
	}
	b = append(b, `],"until":"==","rows":[{`...)
	for i, column := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendValue(append(jsonrpc.AppendString(b, column), ':'), op.Row[column]); err != nil {
			return nil, fmt.Errorf("column %s: %w", column, err)
		}
	}
	return append(b, "}]"...), nil
}
