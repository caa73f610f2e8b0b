package dialect

import (
	"net/netip"
	"strings"
)

// Tristate is yes, no, or unknown.
type Tristate uint8

// The values.
const (
	Unknown Tristate = iota
	No
	Yes
)

// String returns the value for people.
func (t Tristate) String() string {
	return [...]string{Unknown: "unknown", No: "no", Yes: "yes"}[t]
}

// NewTristate returns Yes or No.
func NewTristate(b bool) Tristate {
	if b {
		return Yes
	}
	return No
}

// Fact is something that rows show, with the evidence: "12 of 12 ACLs carry samples".
type Fact struct {
	Value    Tristate
	Evidence string
}

// Families are the address families that rows exist for.
type Families struct {
	V4, V6   Tristate
	Evidence string
}

// AreKnown reports whether both families are known.
func (f Families) AreKnown() bool { return f.V4 != Unknown && f.V6 != Unknown }

// String returns "ipv4", "ipv6", "dual" or "unknown", as for --ip-family.
func (f Families) String() string {
	switch {
	case f.V4 == Yes && f.V6 == Yes:
		return "dual"
	case f.V4 == Yes && f.V6 == No:
		return "ipv4"
	case f.V6 == Yes && f.V4 == No:
		return "ipv6"
	}
	return "unknown"
}

// Subnets are the pod subnets that rows of EgressFirewalls exclude. They are complete for a family if a rule
// for all its addresses was seen: its row excludes every subnet (ovn-kubernetes.md#firewall-match). Otherwise
// there may be more.
type Subnets struct {
	Prefixes     []netip.Prefix // sorted
	AllV4, AllV6 bool
	Evidence     string
}

// Meter is the meter of ACL logging (ovn-kubernetes.md#meter).
type Meter struct {
	Fact
	Rate int // per second, for each ACL; 0 without a band
}

// Generation is the release to which the form of a row belongs.
type Generation string

// The generations.
const (
	Current     Generation = "current"       // ovn-kubernetes.md#identity-of-rows
	Older       Generation = "older release" // ovn-kubernetes.md#older-forms
	Of2023      Generation = "2023"          // as the enhancement of 2023 wrote it
	UnknownForm Generation = "unknown form"  // an id that Rung cannot parse
	Mixed       Generation = "mixed"         // some rows current, some not
)

// OwnerRows counts the rows of one owner type.
type OwnerRows struct {
	Type       string     `json:"owner_type"` // as in external_ids
	Rows       int        `json:"rows"`       // ACLs, address sets and port groups
	Current    int        `json:"current"`    // rows in the current form
	Generation Generation `json:"form"`
	// Form describes the form of the others; empty if all are current.
	Form string `json:"why,omitempty"`
}

// Dialect is the settings and row forms that the rows of one zone show. The zero value, of an empty database,
// leaves everything unknown.
type Dialect struct {
	Observability Fact // ACLs carry samples
	AllowICMP     Fact // default denies let ICMP through, by icmpAllow rows
	Stateless     Fact // the annotation acl-stateless has effect
	Multicast     Fact // the cluster's multicast rows exist
	Defaults      Fact // hairpin rows exist
	Families      Families
	Subnets       Subnets
	Meter         Meter
	Hairpin       Hairpin
	Releases      []LineRows  // parallel to Lines
	Owners        []OwnerRows // by type, only types with rows
}

// Hairpin has the addresses of the hairpin rows: the fifth of each masquerade subnet
// (ovn-kubernetes.md#hairpin-and-node-rows). Empty if no row shows one.
type Hairpin struct {
	V4, V6   string
	Evidence string
}

// String returns the known addresses.
func (h Hairpin) String() string {
	return strings.Trim(h.V4+", "+h.V6, ", ")
}

// RowsOfOwner returns the rows of one owner type; the zero value if it has none.
func (d *Dialect) RowsOfOwner(ownerType string) OwnerRows {
	for _, r := range d.Owners {
		if r.Type == ownerType {
			return r
		}
	}
	return OwnerRows{}
}

// ObjectHints are facts from objects that rows do not show.
type ObjectHints struct {
	// Stateless reports whether a NetworkPolicy has the annotation acl-stateless with the value true; nil if
	// no objects are known.
	Stateless func(namespace, policy string) bool
}
