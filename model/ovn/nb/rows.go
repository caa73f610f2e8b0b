package nb

// Directions of an ACL.
const (
	FromLport = "from-lport"
	ToLport   = "to-lport"
)

// OptAfterLB is the option that moves a from-lport ACL after load balancing.
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

// ACL is a row of table ACL. Optional columns are empty if unset. Desired rows have no UUID.
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
	// BlankName and BlankMeter are true if the column of a live row has an empty string, which the database
	// distinguishes from no value.
	BlankName, BlankMeter bool
	// SampleNew and SampleEst are the metadata of the referenced Sample on a desired row, and the Sample's
	// UUID on a live one; empty without observability.
	SampleNew, SampleEst string
}

// ID returns the row's k8s.ovn.org/id, empty if it has none.
func (a *ACL) ID() string { return a.ExternalIDs[KeyID] }

// Stage returns the pipeline of the row: "from-lport", "from-lport-after-lb" or "to-lport"
// (ovn-kubernetes.md#stages).
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

// ID returns the row's k8s.ovn.org/id.
func (s *AddressSet) ID() string { return s.ExternalIDs[KeyID] }

// PortGroup is a row of table Port_Group. On a live row Ports and ACLs are UUIDs; on a desired one Ports are
// logical port names and ACLs are ACL ids.
type PortGroup struct {
	UUID        string
	Name        string
	Ports       []string
	ACLs        []string
	ExternalIDs map[string]string
}

// ID returns the row's k8s.ovn.org/id.
func (g *PortGroup) ID() string { return g.ExternalIDs[KeyID] }

// LogicalSwitch is a row of table Logical_Switch. OtherConfig is set on live rows only.
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

// PortName returns the logical port of a pod on the default network (ovn-kubernetes.md#subject-pods).
func PortName(namespace, pod string) string { return namespace + "_" + pod }

// ManagementPort returns the port of a node's switch that leads to the node.
func ManagementPort(zone string) string { return "k8s-" + zone }

// RouterPort returns the port of a node's switch that leads to the cluster's router.
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
	// Written is nb_cfg: a number that somebody raises to learn when earlier writes have arrived. Made is
	// sb_cfg: the number that the logical flows were made for. Done is hv_cfg: the number that every node has
	// reached (ovn-kubernetes.md#rows-flows-nodes).
	Written, Made, Done ProgressMark
}

// ProgressMark is one of the numbers of NB_Global, and when it was set, in milliseconds since 1970; 0 if
// unknown.
type ProgressMark struct{ Cfg, Stamp int64 }
