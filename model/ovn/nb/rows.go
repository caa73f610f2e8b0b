package nb

// Directions of an ACL.
const (
	FromLport = "from-lport"
	ToLport   = "to-lport"
)

// OptAfterLB is the option that moves a from-lport ACL behind load balancing.
const OptAfterLB = "apply-after-lb"

// Actions of an ACL.
const (
	ActionAllow          = "allow"
	ActionAllowRelated   = "allow-related"
	ActionAllowStateless = "allow-stateless"
	ActionDrop           = "drop"
	ActionReject         = "reject"
	ActionPass           = "pass"
)

// ACL is a row of table ACL. Optional columns are empty when unset. Desired
// rows have no UUID.
type ACL struct {
	UUID        string
	Action      string
	Direction   string
	ExternalIDs map[string]string
	Label       int
	Log         bool
	Match       string
	Meter       string
	Name        string
	Options     map[string]string
	Priority    int
	Severity    string
	Tier        int
	// BlankName and BlankMeter say that the column of a live row holds an empty
	// string, which to the database is something else than nothing.
	BlankName, BlankMeter bool
	// SampleNew and SampleEst are the metadata of the referenced Sample on a
	// desired row and the row's UUID on a live one; empty without observability.
	SampleNew, SampleEst string
}

// ID is the row's k8s.ovn.org/id, empty on a row nobody labelled.
func (a *ACL) ID() string { return a.ExternalIDs[KeyID] }

// Stage names the pipeline the row is evaluated in: "from-lport",
// "from-lport-after-lb" or "to-lport" (ovn-kubernetes.md#stages).
func (a *ACL) Stage() string {
	if a.Direction == FromLport && a.Options[OptAfterLB] == "true" {
		return "from-lport-after-lb"
	}
	return a.Direction
}

// AddressSet is a row of table Address_Set.
type AddressSet struct {
	UUID        string
	Name        string
	Addresses   []string
	ExternalIDs map[string]string
}

// ID is the row's k8s.ovn.org/id.
func (s *AddressSet) ID() string { return s.ExternalIDs[KeyID] }

// PortGroup is a row of table Port_Group. On a live row Ports and ACLs are
// UUIDs; on a desired one Ports are logical port names and ACLs are ACL ids.
type PortGroup struct {
	UUID        string
	Name        string
	Ports       []string
	ACLs        []string
	ExternalIDs map[string]string
}

// ID is the row's k8s.ovn.org/id.
func (g *PortGroup) ID() string { return g.ExternalIDs[KeyID] }

// LogicalSwitch is a row of table Logical_Switch. OtherConfig is read of live rows alone.
type LogicalSwitch struct {
	UUID        string
	Name        string
	Ports       []string
	ACLs        []string
	ExternalIDs map[string]string
	OtherConfig map[string]string
}

// LogicalSwitchPort is a row of table Logical_Switch_Port.
type LogicalSwitchPort struct {
	UUID        string
	Name        string
	Addresses   []string
	ExternalIDs map[string]string
}

// PortName is the logical port of a pod on the default network
// (ovn-kubernetes.md#subject-pods).
func PortName(namespace, pod string) string { return namespace + "_" + pod }

// ManagementPort and RouterPort name the ports of a node's switch that lead to the node
// and to the cluster's router.
func ManagementPort(zone string) string { return "k8s-" + zone }

// RouterPort is the port to the cluster's router.
func RouterPort(zone string) string { return "stor-" + zone }

// Meter is a row of table Meter.
type Meter struct {
	UUID  string
	Name  string
	Unit  string
	Fair  bool
	Bands []string
}

// MeterBand is a row of table Meter_Band.
type MeterBand struct {
	UUID      string
	Action    string
	Rate      int
	BurstSize int
}

// Global is the single row of table NB_Global; Name is the zone's name.
type Global struct {
	UUID        string
	Name        string
	ExternalIDs map[string]string
	// Written is nb_cfg: a number that somebody raises to learn when what was written
	// before has arrived. Made is sb_cfg: the one the logical flows were made of. Done is
	// hv_cfg: the one that every node has (ovn-kubernetes.md#rows-flows-nodes).
	Written, Made, Done ProgressMark
}

// ProgressMark is one of the numbers of NB_Global, and when it was set, in milliseconds since
// 1970; 0 where that is not said.
type ProgressMark struct{ Cfg, Stamp int64 }
