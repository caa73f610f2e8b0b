package logline

import (
	"rung/model"
	"time"
)

// AntreaLine is what a line of Antrea's np.log says and an acl_log line does not. What
// is written there as <nil>, and what an older layout leaves out, is zero.
type AntreaLine struct {
	Table string // of Open vSwitch, by Antrea's name: AntreaPolicyEgressRule, IngressDefaultRule
	// Policy is the policy as the line names it; with an empty Name it is the default
	// drop of NetworkPolicies.
	Policy    model.PolicyKey
	Direction model.Direction
	Rule      string // the rule's own name, which Antrea makes up where it has none
	Priority  int    // of the OpenFlow flow
	AppliedTo string // the pod it was enforced on, with its namespace
	Length    int    // of the packet
	Label     string // the rule's logLabel
	// Packets is more than 1 where Antrea counted equal lines within Over as one.
	Packets int
	Over    time.Duration
}
