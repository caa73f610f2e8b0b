package nbdb

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// Encode returns the parameters of transact (RFC 7047 §4.1.3). It fails for an operation that OVSDB cannot
// express, above all a write without a row's UUID, which would change every row of the table.
func Encode(ops []nb.Op) ([]byte, error) {
	b := AppendString([]byte{'['}, nb.Database)
	for i := range ops {
		var err error
		if b, err = appendOp(append(b, ','), &ops[i]); err != nil {
			return nil, fmt.Errorf("operation %d (%s): %w", i, describeOp(&ops[i]), err)
		}
	}
	return append(b, ']'), nil
}

func appendOp(b []byte, op *nb.Op) ([]byte, error) {
	var err error
	b = AppendString(append(b, `{"op":`...), string(op.Kind))
	b = AppendString(append(b, `,"table":`...), op.Table)
	switch {
	case op.Kind == nb.OpInsert && op.UUIDName != "":
		b = AppendString(append(b, `,"uuid-name":`...), op.UUIDName)
	case op.Kind == nb.OpInsert:
	case op.UUID == "":
		return nil, fmt.Errorf("no row UUID given")
	default:
		b = AppendString(append(b, `,"where":[["_uuid","==",["uuid",`...), op.UUID)
		if b, err = appendHas(append(b, `]]`...), op); err != nil {
			return nil, err
		}
		b = append(b, ']')
	}
	switch op.Kind {
	case nb.OpInsert, nb.OpUpdate:
		b = append(b, `,"row":{`...)
		for _, column := range slices.Sorted(maps.Keys(op.Row)) {
			b = append(AppendString(AppendComma(b), column), ':')
			if b, err = appendValue(b, op.Row[column]); err != nil {
				return nil, fmt.Errorf("column %s: %w", column, err)
			}
		}
		b = append(b, '}')
	case nb.OpMutate:
		b = append(b, `,"mutations":[`...)
		for i := range op.Mutations {
			b = appendMutation(AppendComma(b), &op.Mutations[i])
		}
		b = append(b, ']')
	case nb.OpWait:
		if b, err = appendWait(b, op); err != nil {
			return nil, err
		}
	case nb.OpSelect:
		b = append(b, `,"columns":["_uuid"]`...)
	case nb.OpDelete:
	default:
		return nil, fmt.Errorf("unknown kind of operation")
	}
	return append(b, '}'), nil
}

func appendMutation(b []byte, m *nb.Mutation) []byte {
	verb := words.Choose(m.Insert, `,"insert",`, `,"delete",`)
	b = append(AppendString(append(b, '['), m.Column), verb...)
	switch {
	case m.Pairs != nil:
		b = appendMap(b, m.Pairs)
	case m.Refs != nil:
		b = appendSet(b, m.Refs, appendRef)
	default:
		b = appendSet(b, m.Strings, AppendString)
	}
	return append(b, ']')
}

func appendValue(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, `["set",[]]`...), nil
	case string:
		return AppendString(b, v), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case []string:
		return appendSet(b, v, AppendString), nil
	case nb.Ref:
		return appendRef(b, v), nil
	case []nb.Ref:
		return appendSet(b, v, appendRef), nil
	case map[string]string:
		return appendMap(b, v), nil
	}
	return nil, fmt.Errorf("values of type %T cannot be written", v)
}

func appendMap(b []byte, m map[string]string) []byte {
	b = append(b, `["map",[`...)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		b = AppendString(append(AppendComma(b), '['), k)
		b = AppendString(append(b, ','), m[k])
		b = append(b, ']')
	}
	return append(b, `]]`...)
}

func appendSet[T any](b []byte, set []T, element func([]byte, T) []byte) []byte {
	b = append(b, `["set",[`...)
	for _, e := range set {
		b = element(AppendComma(b), e)
	}
	return append(b, `]]`...)
}

func appendRef(b []byte, r nb.Ref) []byte {
	if r.Name != "" {
		return append(AppendString(append(b, `["named-uuid",`...), r.Name), ']')
	}
	return append(AppendString(append(b, `["uuid",`...), r.UUID), ']')
}

// describeOp names an operation for an error: "insert ACL D:AdminNetworkPolicy:…".
func describeOp(op *nb.Op) string {
	ids, _ := op.Row["external_ids"].(map[string]string)
	name, _ := op.Row["name"].(string)
	return strings.TrimSuffix(string(op.Kind)+" "+op.Table+" "+cmp.Or(ids[nb.KeyID], name, op.UUID), " ")
}

// appendHas appends the conditions of Op.Has to a where clause.
func appendHas(b []byte, op *nb.Op) ([]byte, error) {
	if len(op.Has) > 0 && op.Kind != nb.OpWait {
		// A write that matches no row would succeed silently.
		return nil, fmt.Errorf("only a wait can have conditions on a map")
	}
	for _, column := range slices.Sorted(maps.Keys(op.Has)) {
		b = AppendString(append(b, ",["...), column)
		b = append(appendMap(append(b, `,"includes",`...), op.Has[column]), ']')
	}
	return b, nil
}

// appendWait appends the values that a wait compares. Without columns it waits for any row, by "until the rows
// found are not none".
func appendWait(b []byte, op *nb.Op) ([]byte, error) {
	b = append(b, `,"timeout":0,"columns":[`...)
	if len(op.Row) == 0 {
		return append(b, `"_uuid"],"until":"!=","rows":[]`...), nil
	}
	columns := slices.Sorted(maps.Keys(op.Row))
	for _, column := range columns {
		b = AppendString(AppendComma(b), column)
	}
	b = append(b, `],"until":"==","rows":[{`...)
	for _, column := range columns {
		var err error
		if b, err = appendValue(append(AppendString(AppendComma(b), column), ':'), op.Row[column]); err != nil {
			return nil, fmt.Errorf("column %s: %w", column, err)
		}
	}
	return append(b, "}]"...), nil
}
