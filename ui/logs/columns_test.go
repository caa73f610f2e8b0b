package logs

import "testing"

// In every width both ends of a name stay: the beginning of the namespace, or where there
// is no room for it the pod's own, and the last letters.
func TestCutEnd(t *testing.T) {
	for w, want := range map[int]string{
		40: "monitoring/prometheus-7d9f8b6c5-x2v4q", 36: "monitori…/prometheus-7d9f8b6c5-x2v4q", 30: "mo…/prometheus-7d9f8b6c5-x2v4q",
		27: "prometheus-7d9f8b6c5-x2v4q", 20: "prometheus-7d9…x2v4q", 12: "promet…x2v4q",
	} {
		if got := cutEnd("monitoring/prometheus-7d9f8b6c5-x2v4q", w); got != want {
			t.Errorf("in %d cells: %q, want %q", w, got, want)
		}
	}
}
