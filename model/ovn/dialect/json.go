package dialect

import (
	"encoding/json"
	"fmt"
)

// ToJSON writes a dialect for FromJSON, of the same release of Rung or another.
func (d *Dialect) ToJSON() (json.RawMessage, error) { return json.Marshal(d) }

// FromJSON reads a dialect that anybody may have written; nil for none.
func FromJSON(text json.RawMessage) (*Dialect, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var d Dialect
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("read the settings that rows show: %w", err)
	}
	if len(d.Releases) != len(Lines) {
		d.Releases = make([]LineRows, len(Lines)) // of a Rung that knows other releases
	}
	values := []Tristate{d.Observability.Value, d.AllowICMP.Value, d.Stateless.Value, d.Multicast.Value, d.Defaults.Value, d.Families.V4,
		d.Families.V6, d.Meter.Value}
	for i := range d.Releases {
		values = append(values, d.Releases[i].Value)
	}
	for _, v := range values {
		if v > Yes {
			return nil, fmt.Errorf("read the settings that rows show: %d is neither unknown nor no nor yes", v)
		}
	}
	return &d, nil
}
