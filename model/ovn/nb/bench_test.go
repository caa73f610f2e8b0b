package nb

import (
	"fmt"
	"testing"
)

// BenchmarkApply is one row that changes, and one that comes and goes, in a
// database of 10,000 ports and ACLs.
func BenchmarkApply(b *testing.B) {
	db := benchDB()
	uuid := benchUUID(5000)
	extra := &LogicalSwitchPort{UUID: benchUUID(20001), Name: "ns_extra"}
	b.Run("change", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			old := db.Port(uuid)
			next := *old
			db = db.Apply([]RowChange{{Old: old, New: &next}})
		}
	})
	b.Run("come-and-go", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			db = db.Apply([]RowChange{{New: extra}})
			db = db.Apply([]RowChange{{Old: extra}})
		}
	})
	b.Run("fill", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			benchDB()
		}
	})
}

// BenchmarkLookup is a row by UUID and by name, and BenchmarkWalk all of a table.
func BenchmarkLookup(b *testing.B) {
	db := benchDB()
	uuid, name := benchUUID(5000), benchName(5000)
	b.ReportAllocs()
	for b.Loop() {
		if db.Port(uuid) != db.PortByName(name) {
			b.Fatal("two rows")
		}
	}
}

func BenchmarkWalk(b *testing.B) {
	db, n := benchDB(), 0
	b.ReportAllocs()
	for b.Loop() {
		for range db.Ports() {
			n++
		}
	}
}

func benchUUID(i int) string {
	return fmt.Sprintf("%08x-0000-4000-8000-%012d", uint32(i)*2654435761, i)
}

func benchName(i int) string { return fmt.Sprintf("ns%03d_pod-%05d", i%200, i) }

func benchDB() *DB {
	var rows []RowChange
	for i := range 10000 {
		rows = append(rows, RowChange{New: &LogicalSwitchPort{UUID: benchUUID(i), Name: benchName(i)}},
			RowChange{New: &ACL{UUID: benchUUID(i), ExternalIDs: map[string]string{"k8s.ovn.org/id": fmt.Sprintf("default-network-controller:AdminNetworkPolicy:p%02d:Ingress:%d", i%50, i)}}})
	}
	return (*DB)(nil).Apply(rows)
}
