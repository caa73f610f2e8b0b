package flow

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A snapshot stays as it is while the next one is made, and a flow's datapaths are those
// of its group.
func TestApply(t *testing.T) {
	one := (*DB)(nil).Apply([]RowChange{
		{New: &Datapath{UUID: "d1", Name: "n1", Switch: "s1"}}, {New: &Datapath{UUID: "d2", Name: "router"}},
		{New: &Group{UUID: "g", Datapaths: []string{"d1", "d2", "gone"}}},
		{New: &LogicalFlow{UUID: "f1", Datapath: "d2", Match: "1"}}, {New: &LogicalFlow{UUID: "f2", Group: "g"}},
		{New: &Global{UUID: "x", NbCfg: 3}}, {New: &Chassis{UUID: "c", Name: "n1", NbCfg: 2}},
	})
	two := one.Apply([]RowChange{
		{Old: one.Row(TableFlow, "f1"), New: &LogicalFlow{UUID: "f1", Datapath: "d2", Match: "0"}},
		{Old: one.Row(TableFlow, "f2")}, {Old: one.Row(TableGlobal, "x"), New: &Global{UUID: "x", NbCfg: 4}},
	})
	names := func(db *DB, flow string) (out []string) {
		for _, d := range db.FlowDatapaths(db.Row(TableFlow, flow).(*LogicalFlow)) {
			out = append(out, d.Name)
		}
		return out
	}
	if diff := cmp.Diff([]string{"n1", "router"}, names(one, "f2")); diff != "" {
		t.Errorf("datapaths of a group (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"router"}, names(two, "f1")); diff != "" {
		t.Errorf("datapath of a flow (-want +got)\n%s", diff)
	}
	if f := one.Row(TableFlow, "f1").(*LogicalFlow); f.Match != "1" || one.Global().NbCfg != 3 {
		t.Errorf("the first snapshot changed: %+v, %+v", f, one.Global())
	}
	if rows, flows := two.Len(); rows != 6 || flows != 1 {
		t.Errorf("%d rows, %d flows; want 6 and 1", rows, flows)
	}
	if r := two.Row(TableFlow, "f2"); r != nil {
		t.Errorf("a flow that went is still there: %+v", r)
	}
	if got := slices.Collect(two.Chassis()); len(got) != 1 || got[0].Name != "n1" || two.Global().NbCfg != 4 {
		t.Errorf("chassis %+v, global %+v", got, two.Global())
	}
	var none *DB
	if none.Row(TableFlow, "f1") != nil || none.Global() != nil || len(slices.Collect(none.Flows())) != 0 {
		t.Error("an empty database has rows")
	}
}
