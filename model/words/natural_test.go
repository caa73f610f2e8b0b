package words

import "testing"

func TestNatural(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"zone2", "zone10", -1}, {"a", "b", -1}, {"7", "07", 0}, {"10", "9", 1}, {"", "a", -1}, {"a1b2", "a1b10", -1},
		{"997", "1,320", -1}, {"1,320 rows", "1,321 rows", -1}, {"1,320", "1320", 0}, {"10,000", "9,999", 1}, {"a,1", "a,2", -1}} {
		if got := CompareNatural(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: %d", tt.a, tt.b, got)
		}
	}
}
