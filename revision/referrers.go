package revision

import (
	"slices"
	"strings"

	"rung/model/ovn/nb"
)

// Referrers returns the rows of a database that refer to a row: port groups and switches by UUID, ACLs by a
// name in their match.
func Referrers(db *nb.DB, to nb.Row) (rows []nb.Row) {
	uuid := to.RowUUID()
	switch to := to.(type) {
	case *nb.ACL, *nb.LogicalSwitchPort:
		_, isACL := to.(*nb.ACL)
		holds := func(acls, ports []string) bool {
			if isACL {
				return slices.Contains(acls, uuid)
			}
			return slices.Contains(ports, uuid)
		}
		for g := range db.PortGroups() {
			if holds(g.ACLs, g.Ports) {
				rows = append(rows, g)
			}
		}
		for s := range db.Switches() {
			if holds(s.ACLs, s.Ports) {
				rows = append(rows, s)
			}
		}
	case *nb.AddressSet:
		return aclsNaming(db, "$"+to.Name)
	case *nb.PortGroup:
		return aclsNaming(db, "@"+to.Name)
	case *nb.Meter:
		for a := range db.ACLs() {
			if a.Meter == to.Name {
				rows = append(rows, a)
			}
		}
	}
	return rows
}

func aclsNaming(db *nb.DB, name string) (rows []nb.Row) {
	for a := range db.ACLs() {
		if hasName(a.Match, name) {
			rows = append(rows, a)
		}
	}
	return rows
}

// hasName reports whether a match contains the name as a whole word.
func hasName(match, name string) bool {
	for rest := match; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		rest = rest[i+len(name):]
		if rest == "" || !isNameByte(rest[0]) {
			return true
		}
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
