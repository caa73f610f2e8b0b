package rows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"rung/model/ovn/nb"
)

// Record is a row under the schema's column names, in the order in which ovn-nbctl prints them, with its id.
type Record struct {
	id   string
	cols []nb.Column
}

// NewRecord returns the record of a row.
func NewRecord[R nb.Row](r R) Record { return Record{r.IDs()[nb.KeyID], nb.Columns(r)} }

// MarshalJSON keeps the order of the columns. An optional column without a value is null; an empty set or map
// is not.
func (r Record) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, c := range append([]nb.Column{{Name: "id", Value: r.id}}, r.cols...) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", c.Name)
		v := c.Value
		switch x := v.(type) {
		case nb.Optional:
			v = nil
			if x != "" {
				v = string(x)
			}
		case []string:
			if x == nil {
				v = []string{}
			}
		case map[string]string:
			if x == nil {
				v = map[string]string{}
			}
		}
		if err := enc.Encode(v); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1) // drops Encode's newline
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// String returns the row as "ovn-nbctl list" prints it.
func (r Record) String() string {
	var b strings.Builder
	for _, c := range r.cols {
		fmt.Fprintf(&b, "%-20s: %s\n", c.Name, c.ListText())
	}
	return b.String()
}
