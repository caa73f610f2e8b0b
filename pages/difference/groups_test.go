package difference_test

import (
	"testing"

	"rung/pages/difference"
	"rung/pages/page"
	"rung/revision"
)

// Connections are one group only if ends of the same two namespaces change alike on the very same ports.
func TestGroupConnections(t *testing.T) {
	connection := func(change, from, to string, ports ...uint16) *difference.Connection {
		c := &difference.Connection{Change: change, Original: &revision.Change{From: revision.End{Namespace: "a", Name: from},
			To: revision.End{Namespace: "b", Name: to}}}
		for _, p := range ports {
			c.Ports = append(c.Ports, page.PortRange{From: p, To: p})
		}
		return c
	}
	got := difference.GroupConnections([]*difference.Connection{
		connection("opens", "web", "db", 1, 2, 3, 4, 5, 6), connection("opens", "web", "cache", 1, 2, 3, 4, 5, 7),
		connection("opens", "api", "db", 1, 2, 3, 4, 5, 6), connection("closes", "old", "db", 1, 2, 3, 4, 5, 6)})
	var ends []string
	for _, c := range got {
		ends = append(ends, c.Change+" "+c.EndsText())
	}
	want := []string{"opens a (2 workloads) → b/db (2 pairs)", "opens a/web → b/cache", "closes a/old → b/db"}
	if len(ends) != 3 || ends[0] != want[0] || ends[1] != want[1] || ends[2] != want[2] {
		t.Errorf("%q, want %q", ends, want)
	}
}
