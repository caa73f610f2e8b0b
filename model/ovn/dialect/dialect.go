package dialect

import (
	"net/netip"
	"strings"
)

// Tristate is yes, no, or not known.
type Tristate uint8

// The values.
const (
	Unknown Tristate = iota
	No
	Yes
)

// String is the value for people.
func (t Tristate) String() string {
	return [...]string{Unknown: "unknown", No: "no", Yes: "yes"}[t]
}

// TriOf is yes or no.
func TriOf(b bool) Tristate {
	if b {
		return Yes
	}
	return No
}

// Fact is one thing read from rows, with what tells it: "12 of 12 ACLs carry
// samples".
type Fact struct {
	Value    Tristate
	Evidence string
}

// Families are the address families that rows exist for.
type Families struct {
	V4, V6   Tristate
	Evidence string
}

// AreKnown says whether anything is known of both.
func (f Families) AreKnown() bool { return f.V4 != Unknown && f.V6 != Unknown }

// String is "ipv4", "ipv6", "dual" or "unknown", as --ip-family spells them.
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

// Subnets are the pod subnets that rows of EgressFirewalls leave out. A family is
// all there once a rule for all addresses of it was seen: its row leaves out
// every subnet (ovn-kubernetes.md#firewall-match). Until then there may be more.
type Subnets struct {
	Prefixes     []netip.Prefix // sorted
	AllV4, AllV6 bool
	Evidence     string
}

// Meter is the meter of ACL logging (ovn-kubernetes.md#meter).
type Meter struct {
	Fact
	Rate int // a second, for each ACL; 0 without a band
}

// Generation is the release a row's form belongs to.
type Generation string

// The generations.
const (
	Current Generation = "current"       // ovn-kubernetes.md#identity-of-rows
	Older   Generation = "older release" // ovn-kubernetes.md#older-forms
	Of2023  Generation = "2023"          // as the enhancement of 2023 wrote it
	Strange Generation = "unknown form"  // an id Rung cannot read
	Mixed   Generation = "mixed"         // some current, some not
)

// OwnerRows are the rows of one owner type.
type OwnerRows struct {
	Type       string     `json:"owner_type"` // as external_ids spell it
	Rows       int        `json:"rows"`       // ACLs, address sets and port groups
	Current    int        `json:"current"`    // of them in the current form
	Generation Generation `json:"form"`
	// Form says what is not current about the others; empty when all are.
	Form string `json:"why,omitempty"`
}

// Dialect is the settings and row forms that the rows of one zone show. The zero value
// is that of an empty database: nothing is known.
type Dialect struct {
	Observability Fact // ACLs carry samples
	AllowICMP     Fact // default denies let ICMP through
	Stateless     Fact // the annotation acl-stateless is honoured
	Multicast     Fact // the cluster's multicast rows are there
	Defaults      Fact // hairpin rows are there
	Families      Families
	Subnets       Subnets
	Meter         Meter
	Hairpin       Hairpin
	Releases      []LineRows  // as release.Lines
	Owners        []OwnerRows // by type; only types with rows
}

// Hairpin are the addresses of the hairpin rows: the fifth of the masquerade subnets
// (ovn-kubernetes.md#hairpin-and-node-rows). Empty where no row shows one.
type Hairpin struct {
	V4, V6   string
	Evidence string
}

// String is the addresses that are known.
func (h Hairpin) String() string {
	return strings.Trim(h.V4+", "+h.V6, ", ")
}

// RowsOfOwner returns the rows of one owner type; the zero value when there are none.
func (d *Dialect) RowsOfOwner(ownerType string) OwnerRows {
	for _, r := range d.Owners {
		if r.Type == ownerType {
			return r
		}
	}
	return OwnerRows{}
}

// ObjectHints are facts that the objects know and rows do not show.
type ObjectHints struct {
	// Stateless says whether a NetworkPolicy carries the annotation acl-stateless
	// with the value true. Nil knows of none.
	Stateless func(namespace, policy string) bool
}
