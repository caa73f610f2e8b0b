package logs

import (
	"strings"

	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/revision"
)

// ACLs are the rows that may have logged the entry: those that its rule, or the default
// deny, has in its zone for its protocol; none where the rule is not known or is gone.
func (e *Entry) ACLs(rev *revision.Revision) (out []*nb.ACL) {
	if !e.Attributed || e.Gap != nil {
		return nil
	}
	for _, acl := range rev.ACLs(e.UnitKey(), e.Line.Zone) {
		if !CanLogFor(acl, e.Rule) {
			continue
		}
		if p := acl.ExternalIDs[nb.KeyProtocol]; isForPorts(p) && !strings.EqualFold(p, e.Line.Proto) {
			continue
		}
		out = append(out, acl)
	}
	return out
}

// isForPorts says whether a row is for the ports of one protocol; others are for every
// packet (ovn-kubernetes.md#acls-of-a-rule).
func isForPorts(protocol string) bool {
	switch strings.ToLower(protocol) {
	case "tcp", "udp", "sctp":
		return true
	}
	return false
}

// CanLogFor says whether the ACL is one of the rule's, or the default deny's: the
// other rows of that never log (ovn-kubernetes.md#default-deny).
func CanLogFor(acl *nb.ACL, ref logline.RuleRef) bool {
	if ref.Rule < 0 {
		return acl.Action == nb.ActionDrop
	}
	_, dir, i, ok := revision.RuleOfIDs(acl.ExternalIDs)
	return ok && dir == ref.Direction && i == ref.Rule
}
