package verdicts

import (
	"errors"
	"reflect"
	"rung/model/verdict"

	"testing"
)

// TestNarrowed: rows that are left out because two ends were asked about before change no
// answer, and between two of the ports at which rows may cut there is none.
func TestNarrowed(t *testing.T) {
	defer func(was int) { verdict.ManyRows = was }(verdict.ManyRows)
	asked := 0
	for seed := range 60 {
		w := newWorld(uint64(seed))
		c, o := w.cluster()
		x, d := indexOf(t, c, o)
		zones := zonesOf(d)
		for range 20 {
			q := w.connection(c)
			verdict.ManyRows = 1 << 30
			want, err := verdict.FromRows(x, zones, q)
			if errors.Is(err, verdict.ErrQuestion) {
				continue
			}
			verdict.ManyRows = 0
			for range 3 { // the first only notes the ends
				got, err := verdict.FromRows(x, zones, q)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: %s: %+v, and before %+v", seed, q, got, want)
				}
			}
			if q.To.Key.Kind == "Service" || want.Front != nil {
				continue
			}
			cuts, err := verdict.RowPorts(x, zones, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range x.PortSlices([]verdict.PortRange{{Protocol: q.Protocol, Lo: 1, Hi: verdict.LastPort}}, cuts) {
				q.Port = p.Lo
				first, err := verdict.FromRows(x, zones, q)
				if err != nil {
					break // a protocol without ports
				}
				for _, port := range []uint16{p.Lo + (p.Hi-p.Lo)/2, p.Hi} {
					q.Port = port
					if got, err := verdict.FromRows(x, zones, q); err != nil || got.Front == nil && got.Verdict != first.Verdict {
						t.Errorf("seed %d: %s: %s, and %s at %d: %v", seed, q, got.Verdict, first.Verdict, p.Lo, err)
					}
					asked++
				}
			}
		}
	}
	if asked < 2000 {
		t.Errorf("only %d ports were asked about", asked)
	}
}
