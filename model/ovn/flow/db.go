package flow

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"rung/model/sorted"
)

// DB is an immutable snapshot of a Southbound database, empty if zero or nil.
type DB struct {
	tables map[string]*sorted.Map[Row] // rows by UUID
}

// RowChange is one row that came (Old nil), changed, or went (New nil). If both are set, they have the same
// type and UUID.
type RowChange struct{ Old, New Row }

// Apply returns the database after the changes; the receiver is not changed.
func (d *DB) Apply(changes []RowChange) *DB {
	next := &DB{tables: map[string]*sorted.Map[Row]{}}
	if d != nil {
		maps.Copy(next.tables, d.tables)
	}
	txns := map[string]*sorted.Txn[Row]{}
	for _, c := range changes {
		row := cmp.Or(c.New, c.Old)
		t := txns[row.table()]
		if t == nil {
			t = next.tables[row.table()].Txn()
			txns[row.table()] = t
		}
		if c.New == nil {
			t.Delete(row.RowUUID())
		} else {
			t.Set(row.RowUUID(), row)
		}
	}
	for table, t := range txns {
		next.tables[table] = t.Commit()
	}
	return next
}

// tableRows yields the rows of a table by UUID.
func tableRows[T Row](d *DB, table string) iter.Seq[T] {
	return func(yield func(T) bool) {
		if d == nil {
			return
		}
		for _, row := range d.tables[table].Prefix("") {
			if !yield(row.(T)) {
				return
			}
		}
	}
}

// Flows yields the logical flows of the ACL stages in order of UUID.
func (d *DB) Flows() iter.Seq[*LogicalFlow] { return tableRows[*LogicalFlow](d, TableFlow) }

// Chassis yields the chassis in order of UUID.
func (d *DB) Chassis() iter.Seq[*Chassis] { return tableRows[*Chassis](d, TableChassis) }

// Global returns the SB_Global row or nil.
func (d *DB) Global() *Global {
	for g := range tableRows[*Global](d, TableGlobal) {
		return g
	}
	return nil
}

// Row returns the row of a table with that UUID. It returns nil if there is none or Rung does not read the
// table.
func (d *DB) Row(table, uuid string) Row {
	if d == nil {
		return nil
	}
	r, _ := d.tables[table].Get(uuid)
	return r
}

// FlowDatapaths returns the datapaths of a flow: its own, or those of its group. Missing rows are left out.
func (d *DB) FlowDatapaths(f *LogicalFlow) (out []*Datapath) {
	ids := []string{f.Datapath}
	if g, ok := d.Row(TableGroup, f.Group).(*Group); ok && f.Datapath == "" {
		ids = g.Datapaths
	}
	for _, id := range ids {
		if dp, ok := d.Row(TableDatapath, id).(*Datapath); ok {
			out = append(out, dp)
		}
	}
	return out
}

// Len counts all rows, and the logical flows among them.
func (d *DB) Len() (rows, flows int) {
	if d == nil {
		return 0, 0
	}
	for _, t := range d.tables {
		rows += t.Len()
	}
	return rows, d.tables[TableFlow].Len()
}

// Database names the database with these tables.
const Database = "OVN_Southbound"

// Tables of OVN_Southbound that Rung reads.
const (
	TableFlow     = "Logical_Flow"
	TableGroup    = "Logical_DP_Group"
	TableDatapath = "Datapath_Binding"
	TableGlobal   = "SB_Global"
	TableChassis  = "Chassis_Private"
)

// Pipelines of a logical flow.
const (
	Ingress = "ingress"
	Egress  = "egress"
)

// aclStages has the ACL stages of a switch's pipelines, as named in external_ids
// (ovn-kubernetes.md#stages-of-flows).
var aclStages = []string{
	"ls_in_pre_acl", "ls_in_acl_hint", "ls_in_acl_eval", "ls_in_acl_sample", "ls_in_acl_action",
	"ls_in_acl_after_lb_eval", "ls_in_acl_after_lb_sample", "ls_in_acl_after_lb_action",
	"ls_out_pre_acl", "ls_out_acl_hint", "ls_out_acl_eval", "ls_out_acl_sample", "ls_out_acl_action",
}

// ACLStages returns a copy of the stages whose flows are read.
func ACLStages() []string { return slices.Clone(aclStages) }

// IsACLStage reports whether flows of a stage are read.
func IsACLStage(stage string) bool { return slices.Contains(aclStages, stage) }

// Row is any row type of this package.
type Row interface {
	RowUUID() string
	table() string
}

// LogicalFlow is a row of table Logical_Flow, with the external_ids that Rung uses.
type LogicalFlow struct {
	UUID string
	// Datapath or Group is set: the UUID of a Datapath_Binding or a Logical_DP_Group.
	Datapath, Group string
	Pipeline        string // Ingress or Egress
	Table           int
	Priority        int
	Match, Actions  string
	Stage           string // external_ids:stage-name
	// Hint is external_ids:stage-hint, the first eight hex digits of the UUID of the flow's Northbound row;
	// empty without one.
	Hint string
}

// Group is a row of table Logical_DP_Group: datapaths that share flows.
type Group struct {
	UUID      string
	Datapaths []string // UUIDs, sorted
}

// Datapath is a row of table Datapath_Binding: a logical switch or router.
type Datapath struct {
	UUID string
	Name string
	// Switch is the UUID of the Logical_Switch; empty for a router.
	Switch string
}

// Global is the row of table SB_Global. NbCfg is NB_Global's nb_cfg for which the flows were made.
type Global struct {
	UUID  string
	NbCfg int64
}

// Chassis is a row of table Chassis_Private: one ovn-controller.
type Chassis struct {
	UUID string
	Name string
	// NbCfg is SB_Global's nb_cfg that the node's datapath has reached. Stamp is when, in milliseconds since
	// 1970; 0 if the controller did not say.
	NbCfg, Stamp int64
}

// RowUUID returns the row's _uuid.
func (f *LogicalFlow) RowUUID() string { return f.UUID }
func (g *Group) RowUUID() string       { return g.UUID }
func (d *Datapath) RowUUID() string    { return d.UUID }
func (g *Global) RowUUID() string      { return g.UUID }
func (c *Chassis) RowUUID() string     { return c.UUID }

func (*LogicalFlow) table() string { return TableFlow }
func (*Group) table() string       { return TableGroup }
func (*Datapath) table() string    { return TableDatapath }
func (*Global) table() string      { return TableGlobal }
func (*Chassis) table() string     { return TableChassis }
