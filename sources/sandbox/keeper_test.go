package sandbox

import (
	"log/slog"
	"testing"

	"rung/model"
	"rung/model/nb"
	"rung/sources/nbdb"
)

// A pod that is replaced by another of its name while its port is being written
// is another pod all the same: the port written for the first goes.
func TestPodReplacedWhileItsPortIsWritten(t *testing.T) {
	k := newKeeper("a", nil, slog.New(slog.DiscardHandler), nbdb.Config{Addr: "unix:/none"})
	var db *nb.DB
	show := func(rows ...nb.Row) {
		var changes []nb.RowChange
		for _, r := range rows {
			changes = append(changes, nb.RowChange{New: r})
		}
		db = db.Apply(changes)
		k.sink(model.ZoneUpdate{Conn: model.ConnSynced, DB: db})
	}
	show(&nb.Global{UUID: "g", Name: "a"}, &nb.LogicalSwitch{UUID: "s", Name: "a"})
	row := func(address string) *nb.LogicalSwitchPort {
		return &nb.LogicalSwitchPort{UUID: "p", Name: "ns_x", Addresses: []string{address}, ExternalIDs: map[string]string{"pod": "true"}}
	}
	k.put("ns_x", port{uid: "first", namespace: "ns", address: "mac 10.0.0.1"}, true)
	ops, owners := k.ops()
	if len(ops) != 2 || ops[0].Kind != nb.OpInsert {
		t.Fatalf("%+v", ops)
	}
	k.put("ns_x", port{uid: "second", namespace: "ns", address: "mac 10.0.0.2"}, true)
	show(row("mac 10.0.0.1"))
	k.wrote(owners, nil)
	ops, _ = k.ops()
	if len(ops) != 1 || ops[0].Kind != nb.OpMutate || ops[0].Mutations[0].Insert || ops[0].Mutations[0].Refs[0].UUID != "p" {
		t.Errorf("the port of the first pod stays: %+v", ops)
	}
}
