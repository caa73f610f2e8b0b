package nb

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func aclRow(uuid, id string) *ACL {
	a := &ACL{UUID: uuid}
	if id != "" {
		a.ExternalIDs = map[string]string{KeyID: id}
	}
	return a
}

// TestNames: a row is found by its name as long as one of that name is there,
// however many there were.
func TestNames(t *testing.T) {
	a1, a2, a3 := aclRow("1", "x"), aclRow("2", "x"), aclRow("3", "x")
	for _, tt := range []struct {
		name    string
		changes []RowChange
		want    *ACL // by id "x"
		rows    int
	}{
		{"one", []RowChange{{New: a1}}, a1, 1},
		{"of two, the lowest UUID", []RowChange{{New: a2}, {New: a1}}, a1, 2},
		{"in whichever order", []RowChange{{New: a1}, {New: a2}}, a1, 2},
		{"the first goes", []RowChange{{New: a1}, {New: a2}, {New: a3}, {Old: a1}}, a2, 2},
		{"the second goes", []RowChange{{New: a1}, {New: a2}, {Old: a2}}, a1, 1},
		{"all go", []RowChange{{New: a1}, {New: a2}, {Old: a2}, {Old: a1}}, nil, 0},
		{"replaced in one transaction, new row first", []RowChange{{New: a1}, {New: a2}, {Old: a1}}, a2, 1},
		{"replaced by a lower one", []RowChange{{New: a2}, {New: a1}, {Old: a2}}, a1, 1},
		{"the id moves to another name", []RowChange{{New: a1}, {New: a2}, {Old: a1, New: aclRow("1", "y")}}, a2, 2},
		{"the id is lost", []RowChange{{New: a1}, {Old: a1, New: aclRow("1", "")}}, nil, 1},
		{"the same row twice", []RowChange{{New: a1}, {New: a1}, {Old: a1}}, nil, 0},
		{"gone twice", []RowChange{{New: a1}, {Old: a1}, {Old: a1}}, nil, 0},
		{"a name with a NUL is another name", []RowChange{{New: a1}, {New: aclRow("4", "x\x00y")}, {New: aclRow("5", "x\x00y")}, {Old: a1}}, nil, 2},
		{"another table", []RowChange{{New: &AddressSet{UUID: "1", Name: "x"}}}, nil, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, d := range []*DB{nil, {}, (*DB)(nil).Apply(nil)} {
				next := d.Apply(tt.changes)
				if got := next.ACLByID("x"); got != tt.want {
					t.Errorf("ACLByID = %v, want %v", got, tt.want)
				}
				if next.Len() != tt.rows {
					t.Errorf("%d rows, want %d", next.Len(), tt.rows)
				}
				if d.Len() != 0 || d.ACLByID("x") != nil {
					t.Error("the database before changed")
				}
			}
		})
	}
}

// TestEmptyDB: nil is an empty database for whoever reads it.
func TestEmptyDB(t *testing.T) {
	for _, d := range []*DB{nil, {}} {
		if d.ACL("1") != nil || d.PortByName("x") != nil || d.Global() != nil || d.Row(TableACL, "1") != nil || d.Len() != 0 ||
			len(slices.Collect(d.ACLs())) != 0 || len(slices.Collect(d.Meters())) != 0 {
			t.Error("something is in an empty database")
		}
	}
}

type strange struct{}

func (strange) RowUUID() string        { return "1" }
func (strange) RowName() string        { return "" }
func (strange) IDs() map[string]string { return nil }

func TestStrangeRow(t *testing.T) {
	d := (*DB)(nil).Apply([]RowChange{{New: strange{}}, {Old: strange{}}, {New: aclRow("1", "x")}})
	if d.Len() != 1 {
		t.Errorf("%d rows", d.Len())
	}
}

// TestRandomApply compares with maps, and the databases before with what they
// were.
func TestRandomApply(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := map[string]*LogicalSwitch{}
	var d *DB
	type old struct {
		d    *DB
		want map[string]*LogicalSwitch
	}
	var before []old
	check := func(d *DB, rows map[string]*LogicalSwitch) {
		t.Helper()
		got := map[string]*LogicalSwitch{}
		for s := range d.Switches() {
			got[s.UUID] = s
		}
		if diff := cmp.Diff(rows, got); diff != "" {
			t.Fatal(diff)
		}
		for n := range 4 {
			name := fmt.Sprint("s", n)
			var want *LogicalSwitch
			for _, uuid := range slices.Sorted(maps.Keys(rows)) {
				if want == nil && rows[uuid].Name == name {
					want = rows[uuid]
				}
			}
			if got := d.SwitchByName(name); got != want {
				t.Fatalf("%s: %+v, want %+v", name, got, want)
			}
		}
	}
	for range 400 {
		var changes []RowChange
		for range 1 + r.IntN(3) {
			uuid := fmt.Sprint(r.IntN(9))
			c := RowChange{New: &LogicalSwitch{UUID: uuid, Name: fmt.Sprint("s", r.IntN(4))}}
			if old := rows[uuid]; old != nil {
				c.Old = old
				if r.IntN(2) == 0 {
					c.New = nil
				}
			}
			if c.New == nil {
				delete(rows, uuid)
			} else {
				rows[uuid] = c.New.(*LogicalSwitch)
			}
			changes = append(changes, c)
		}
		d = d.Apply(changes)
		check(d, rows)
		if r.IntN(40) == 0 {
			before = append(before, old{d, maps.Clone(rows)})
		}
	}
	for _, b := range before {
		check(b.d, b.want)
	}
}
