package logs

import (
	"slices"
	"strings"

	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/revision"
)

// ACLs returns the rows that may have logged the entry: rows of its rule, or default deny, for its protocol in
// its zone; none if the rule is unknown or gone.
func (e *Entry) ACLs(rev *revision.Revision) (out []*nb.ACL) {
	if !e.Attributed || e.Gap != nil {
		return nil
	}
	for _, acl := range rev.ACLs(e.UnitKey(), e.Line.Zone) {
		if !CanLogFor(acl, e.Rule) {
			continue
		}
		// Rows for the ports of one protocol; others match every packet (ovn-kubernetes.md#acls-of-a-rule).
		p := strings.ToLower(acl.ExternalIDs[nb.KeyProtocol])
		if !slices.Contains([]string{"tcp", "udp", "sctp"}, p) || strings.EqualFold(p, e.Line.Proto) {
			out = append(out, acl)
		}
	}
	return out
}

// CanLogFor reports whether the ACL is one of the rule's, or the default deny's, whose other rows never log
// (ovn-kubernetes.md#default-deny).
func CanLogFor(acl *nb.ACL, ref logline.RuleRef) bool {
	if ref.Rule < 0 {
		return acl.Action == nb.ActionDrop
	}
	_, dir, i, ok := revision.RuleOfIDs(acl.ExternalIDs)
	return ok && dir == ref.Direction && i == ref.Rule
}
