package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Schema is a database schema (RFC 7047 §3.2).
type Schema struct {
	Tables map[string]*Table
}

// Table is one table of a schema.
type Table struct {
	Columns map[string]*Column
	Indexes [][]string
	Root    bool
	MaxRows int // 0: no limit
}

// Column is the type of a column: a map when Value is set.
type Column struct {
	Key      BaseType
	Value    *BaseType
	Min, Max int // Max -1: unlimited
}

// BaseType is the type of an element.
type BaseType struct {
	Type      string // integer, boolean, string, uuid
	Enum      []Atom
	MinInt    *int64
	MaxInt    *int64
	MaxLength *int
	RefTable  string
	Weak      bool
}

// ParseSchema reads a schema file.
func ParseSchema(raw []byte) (*Schema, error) {
	var in struct {
		Tables map[string]struct {
			Columns map[string]struct{ Type json.RawMessage }
			Indexes [][]string
			IsRoot  bool
			MaxRows int
		}
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	s := &Schema{Tables: map[string]*Table{}}
	for name, t := range in.Tables {
		table := &Table{Columns: map[string]*Column{}, Indexes: t.Indexes, Root: t.IsRoot, MaxRows: t.MaxRows}
		for column, c := range t.Columns {
			parsed, err := parseColumn(c.Type)
			if err != nil {
				return nil, fmt.Errorf("reading the schema: column %s.%s: %w", name, column, err)
			}
			table.Columns[column] = parsed
		}
		s.Tables[name] = table
	}
	for name, t := range s.Tables {
		for _, ix := range t.Indexes {
			for _, c := range ix {
				if t.Columns[c] == nil {
					return nil, fmt.Errorf("reading the schema: table %s has an index on %s, which it does not have", name, c)
				}
			}
		}
		for column, c := range t.Columns {
			if r := c.Key.RefTable; r != "" && s.Tables[r] == nil {
				return nil, fmt.Errorf("reading the schema: column %s.%s refers to %s, which is not there", name, column, r)
			}
		}
	}
	return s, nil
}

func parseColumn(raw json.RawMessage) (*Column, error) {
	var simple string
	if json.Unmarshal(raw, &simple) == nil {
		c := &Column{Min: 1, Max: 1}
		return c, parseBase(raw, &c.Key)
	}
	var in struct {
		Key, Value json.RawMessage
		Min        *int
		Max        json.RawMessage
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	c := &Column{Min: 1, Max: 1}
	if in.Min != nil {
		c.Min = *in.Min
	}
	if in.Max != nil {
		c.Max = -1
		if string(in.Max) != `"unlimited"` {
			if err := json.Unmarshal(in.Max, &c.Max); err != nil {
				return nil, err
			}
		}
	}
	if err := parseBase(in.Key, &c.Key); err != nil {
		return nil, err
	}
	if in.Value != nil {
		c.Value = &BaseType{}
		if err := parseBase(in.Value, c.Value); err != nil {
			return nil, err
		}
		if c.Value.RefTable != "" {
			return nil, fmt.Errorf("references in the values of a map are not known here")
		}
	}
	return c, nil
}

var known = []string{"integer", "boolean", "string", "uuid"}

func parseBase(raw json.RawMessage, b *BaseType) error {
	var in struct {
		Type                   string
		Enum                   []json.RawMessage
		MinInteger, MaxInteger *int64
		MaxLength              *int
		RefTable, RefType      string
	}
	if json.Unmarshal(raw, &in.Type) != nil {
		if err := json.Unmarshal(raw, &in); err != nil {
			return err
		}
	}
	if !slices.Contains(known, in.Type) {
		return fmt.Errorf("type %q is not known here", in.Type)
	}
	*b = BaseType{Type: in.Type, MinInt: in.MinInteger, MaxInt: in.MaxInteger, MaxLength: in.MaxLength,
		RefTable: in.RefTable, Weak: in.RefType == "weak"}
	if len(in.Enum) == 2 {
		var values []string
		if err := json.Unmarshal(in.Enum[1], &values); err != nil {
			return fmt.Errorf("only enumerations of strings are known: %w", err)
		}
		for _, v := range values {
			b.Enum = append(b.Enum, v)
		}
	}
	return nil
}
