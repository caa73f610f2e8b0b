package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"rung/model/ovn/nb"
)

// rowOut is a row under the schema's column names, in the order in which
// ovn-nbctl prints them, with its id beside.
type rowOut struct {
	id   string
	cols []nb.Column
}

func describeRow[R nb.Row](r R) rowOut { return rowOut{r.IDs()[nb.KeyID], nb.Columns(r)} }

// MarshalJSON keeps the order of the columns; an optional column without a value
// is null, an empty set or map is one.
func (r rowOut) MarshalJSON() ([]byte, error) {
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
		b.Truncate(b.Len() - 1) // Encode's newline
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// records are rows as "ovn-nbctl list" prints them, an empty line between two.
func records(rows []rowOut) string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.record()
	}
	return strings.Join(out, "\n")
}

// record is the row as "ovn-nbctl list" prints it.
func (r rowOut) record() string {
	var b strings.Builder
	for _, c := range r.cols {
		fmt.Fprintf(&b, "%-20s: %s\n", c.Name, c.Text())
	}
	return b.String()
}
