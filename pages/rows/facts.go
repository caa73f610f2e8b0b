package rows

import (
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
)

// ACL is the JSON of a live ACL (command-line.md#output).
type ACL struct {
	Zone  string `json:"zone"`
	Stage string `json:"stage"`
	Owner string `json:"owner"`
	// The parts of the owner's ids; see nb.Owner.
	OwnerForm       nb.Form `json:"owner_form"`
	OwnerController string  `json:"owner_controller,omitempty"`
	OwnerType       string  `json:"owner_type,omitempty"`
	OwnerNamespace  string  `json:"owner_namespace,omitempty"`
	OwnerName       string  `json:"owner_name,omitempty"`
	OwnerDirection  string  `json:"owner_direction,omitempty"`
	OwnerIndex      *int    `json:"owner_index,omitempty"`
	OwnerDetail     string  `json:"owner_detail,omitempty"`
	// On are the port groups and switches that hold the row.
	On []string `json:"on"`
	// Tie is set if other rows share stage, tier and priority.
	Tie string `json:"tie,omitempty"`
	// AfterEgressAllow: decides even after an ANP egress Allow.
	AfterEgressAllow bool   `json:"after_egress_allow,omitempty"`
	MatchError       string `json:"match_error,omitempty"`
	Row              Record `json:"acl"`
	// Flows is set only if flows were asked for.
	Flows *ACLFlows `json:"flows,omitempty"`
}

// ACLFacts returns the JSON of an ACL's line.
func (l *Line) ACLFacts() *ACL {
	o := l.acl.Owner
	out := &ACL{Zone: l.Zone, Stage: l.acl.Stage(), Owner: l.label, OwnerForm: o.Form, OwnerController: o.Controller, OwnerType: o.Type,
		OwnerNamespace: o.Namespace, OwnerName: o.Name, OwnerDirection: o.Direction, OwnerDetail: o.Detail, On: l.on, Tie: l.acl.Tie.String(),
		AfterEgressAllow: l.acl.AfterAllow, MatchError: l.MatchProblem(), Row: NewRecord(l.acl.ACL), Flows: l.Flows}
	if o.Index >= 0 {
		out.OwnerIndex = &o.Index
	}
	return out
}

// IsKept reports whether an ACL belongs to one of some policies and units, also in an older form. Other rows
// are selected by their namespace alone.
func (l *Line) IsKept(keep func(model.Key) bool) bool {
	unit, isUnit := revision.UnitOfOwner(l.acl.Owner)
	policy, isPolicy := revision.PolicyOfOwner(l.acl.Owner)
	return isUnit && keep(unit) || isPolicy && keep(policy) || !isUnit && !isPolicy && keep(model.Key{Namespace: l.acl.Owner.Namespace})
}
