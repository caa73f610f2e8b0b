package words

import "testing"

func TestClosest(t *testing.T) {
	names := []string{"cluster-control", "blue-tenant", "multi-tenant-isolation", "red/canary-0", "DB"}
	for text, want := range map[string]string{
		"clustr-control":  "cluster-control", // one missing
		"cluster-contorl": "cluster-control", // two swapped
		"Blue-Tenant":     "blue-tenant",
		"blu-tennant":     "blue-tenant",
		"multi":           "multi-tenant-isolation", // its beginning
		"red/canary-1":    "red/canary-0",
		"bd":              "DB",
		"quarantine":      "",
		"":                "",
		"x":               "",
	} {
		if got := Closest(text, names); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Closest("anything", nil); got != "" {
		t.Error(got)
	}
}
