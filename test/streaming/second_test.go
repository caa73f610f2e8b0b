//go:build unix

package streaming_test

import (
	"context"
	"testing"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb/second"
)

// secondName is the argument by which a process of this test is a second reader.
const secondName = "second-reader"

// libovsdb reads a zone through exec as Rung does, whatever program the image has for it.
func TestSecondReader(t *testing.T) {
	for name, tools := range map[string][]string{
		"socat": {"sh", "socat"}, "python3": {"sh", "python3"}, "ovsdb-client": {"sh", "ovsdb-client"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "n1", tools...)
			zone := w.zone("n1", nil)
			follow := func(ctx context.Context, take func(*nb.DB)) error {
				zone.Run(ctx, func(u model.ZoneUpdate) {
					if u.DB != nil {
						take(u.DB)
					}
				})
				return nil
			}
			r, err := second.Config{Connect: zone.Connect, Command: second.SelfCommand(secondName)}.CompareRows(t.Context(), follow)
			if err != nil || len(r.Differences) > 0 || r.More > 0 || r.Rows < 10 {
				t.Errorf("%+v, %v", r, err)
			}
			w.nothingLingers()
		})
	}
}
