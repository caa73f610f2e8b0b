package sandbox

import (
	"encoding/json"
)

// Schema is a database schema (RFC 7047 §3.2).
type Schema struct{ Tables map[string]*Table }

// Table is one table of a schema.
type Table struct {
	Columns map[string]*Column
	Indexes [][]string
	IsRoot  bool
	MaxRows int // 0: no limit
}

// Column is the type of a column: a map if Value is set.
type Column struct {
	Key      BaseType
	Value    *BaseType
	Min, Max int // Max -1: unlimited
}

// BaseType is the type of an element.
type BaseType struct {
	Type                   string // integer, boolean, string, uuid
	Enum                   []any  // "set" and a list of strings
	MinInteger, MaxInteger *int64
	MaxLength              *int
	RefTable, RefType      string
}

// UnmarshalJSON reads a column, whose type is a base type or an object with limits for the number of elements.
func (c *Column) UnmarshalJSON(raw []byte) error {
	var in struct{ Type json.RawMessage }
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	c.Min, c.Max = 1, 1
	if err := json.Unmarshal(in.Type, &c.Key.Type); err == nil {
		return nil
	}
	type plain Column
	of := struct {
		*plain
		Max any // a number or "unlimited"
	}{(*plain)(c), 1.0}
	if err := json.Unmarshal(in.Type, &of); err != nil {
		return err
	}
	c.Max = -1
	if most, bounded := of.Max.(float64); bounded {
		c.Max = int(most)
	}
	return nil
}

// UnmarshalJSON reads a base type, which may be just a name.
func (b *BaseType) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, &b.Type); err == nil {
		return nil
	}
	type plain BaseType
	return json.Unmarshal(raw, (*plain)(b))
}
