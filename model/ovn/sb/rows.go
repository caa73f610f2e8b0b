package sb

import "slices"

// Database is the name of the database all these tables live in.
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

// aclStages are the stages of a switch's pipelines that ACLs are in, as external_ids
// name them (ovn-kubernetes.md#stages-of-flows).
var aclStages = []string{
	"ls_in_pre_acl", "ls_in_acl_hint", "ls_in_acl_eval", "ls_in_acl_sample", "ls_in_acl_action",
	"ls_in_acl_after_lb_eval", "ls_in_acl_after_lb_sample", "ls_in_acl_after_lb_action",
	"ls_out_pre_acl", "ls_out_acl_hint", "ls_out_acl_eval", "ls_out_acl_sample", "ls_out_acl_action",
}

// ACLStages are the stages whose flows are read. The result is the caller's.
func ACLStages() []string { return slices.Clone(aclStages) }

// IsACLStage says whether flows of a stage are read.
func IsACLStage(stage string) bool { return slices.Contains(aclStages, stage) }

// Row is any row type of this package.
type Row interface{ RowUUID() string }

// Flow is a row of table Logical_Flow. Of its external_ids only what Rung uses is kept.
type Flow struct {
	UUID string
	// Datapath or Group is set: the UUID of a Datapath_Binding or a Logical_DP_Group.
	Datapath, Group string
	Pipeline        string // Ingress or Egress
	Table           int
	Priority        int
	Match, Actions  string
	Stage           string // external_ids:stage-name
	// Hint is external_ids:stage-hint, the first eight hex digits of the UUID of the
	// Northbound row the flow was made for; empty without one.
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

// Global is the row of table SB_Global. NbCfg is the nb_cfg of NB_Global that the flows
// were made of.
type Global struct {
	UUID  string
	NbCfg int64
}

// Chassis is a row of table Chassis_Private: one ovn-controller.
type Chassis struct {
	UUID string
	Name string
	// NbCfg is the nb_cfg of SB_Global that is in the node's datapath, Stamp when it got
	// there, in milliseconds since 1970; 0 where the controller did not say.
	NbCfg, Stamp int64
}

// RowUUID is the row's _uuid.
func (f *Flow) RowUUID() string     { return f.UUID }
func (g *Group) RowUUID() string    { return g.UUID }
func (d *Datapath) RowUUID() string { return d.UUID }
func (g *Global) RowUUID() string   { return g.UUID }
func (c *Chassis) RowUUID() string  { return c.UUID }
