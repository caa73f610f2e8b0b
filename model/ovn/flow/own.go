package flow

import "strings"

// Priorities of OVN's own flows in the stages of ACLs
// (ovn-kubernetes.md#logical-flows-of-an-acl).
const (
	prioNoACLs  = 65535
	prioRelated = 65533 // replies that an ACL with a label logs
	prioFixed   = 65532
	prioOwn     = 34000
)

// Purpose says what a flow is for that was made for no ACL; it is never empty.
func (r *Reading) Purpose(priority int) string {
	switch r.Part {
	case PartBefore:
		return r.before(priority)
	case PartHint:
		return r.hints()
	case PartSample:
		if r.Match == "1" {
			return "nothing is sampled"
		}
		return "sends samples for observability"
	case PartAction:
		return r.action()
	}
	return r.eval(priority)
}

func (r *Reading) before(priority int) string {
	switch {
	case strings.Contains(r.Match, "inport ==") || strings.Contains(r.Match, "outport =="):
		return "a port without connection tracking, such as the router's"
	case strings.Contains(r.Match, "svc_monitor_mac"):
		return "health checks of load balancers skip connection tracking"
	case strings.Contains(r.Match, "nd_rs"):
		return "neighbour discovery, MLD and DHCPv6 skip connection tracking"
	case r.Match == "eth.mcast":
		return "multicast skips connection tracking"
	case strings.Contains(r.Match, "icmp4.type == 3"):
		return "\"packet too big\" skips connection tracking"
	case r.Match == "ip" && priority > 0:
		return "IP packets go to connection tracking"
	}
	return "everything else goes on"
}

func (r *Reading) hints() string {
	switch {
	case r.Match == "1":
		return "no ACLs, or nothing to tell apart"
	case strings.Contains(r.Match, "!ct.trk"):
		return "untracked packets"
	case strings.HasPrefix(r.Match, "ct.new"):
		return "new connections"
	case strings.Contains(r.Match, "ct_mark.blocked == 1"):
		return "connections that a Deny has marked"
	case strings.HasPrefix(r.Match, "!ct.est"):
		return "packets of no established connection"
	}
	return "established connections"
}

func (r *Reading) action() string {
	switch r.Verdict {
	case ActAllow:
		return "let through: an ACL allowed it"
	case ActDrop:
		return "dropped: an ACL said so"
	case ActReject:
		return "rejected: an ACL said so"
	}
	for _, a := range r.Acts {
		switch a.Code {
		case ActTier:
			return "no ACL of this tier decided: " + a.Text
		case ActDrop:
			return "no ACL decided: dropped"
		}
	}
	return "no ACL decided: let through"
}

func (r *Reading) eval(priority int) string {
	switch {
	case priority == prioNoACLs:
		return "no ACLs here"
	case priority >= prioFixed && strings.Contains(r.Match, "ct.inv"):
		return "packets that fit no connection, and replies of cut ones, are dropped"
	case priority >= prioFixed && strings.Contains(r.Match, "allow_established"):
		return "connections that an ACL lets through for as long as they last"
	case priority >= prioFixed && strings.Contains(r.Match, "!ct.est && ct.rel"):
		return "packets related to an allowed connection, such as ICMP errors"
	case priority >= prioFixed && strings.Contains(r.Match, "ct.rpl"):
		return "replies of allowed connections"
	case priority >= prioFixed && strings.HasPrefix(r.Match, "nd"):
		return "neighbour discovery and MLD"
	case priority >= prioFixed && strings.HasPrefix(r.Match, "reg0["):
		return "was let through before load balancing, as a reply or for good"
	case priority == prioOwn && strings.Contains(r.Match, "svc_monitor_mac"):
		return "health checks of load balancers"
	case priority == prioOwn:
		return "answers of OVN's own DHCP and DNS"
	case r.Match == "ip && !ct.est":
		return "no ACL of this tier decides: the new connection is remembered"
	case strings.Contains(r.Match, "ct.est && ct_mark.blocked == 1"):
		return "no ACL of this tier decides: the cut connection is let through again"
	case r.Match == "1":
		return "no ACL of this tier decides"
	}
	return "a flow of OVN's own"
}
