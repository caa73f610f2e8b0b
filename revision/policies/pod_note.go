package policies

import "rung/model"

// PodNote says what is special about a pod for policies, empty for most; odd is what may
// surprise. The first that holds decides: what keeps every policy away goes before what
// one network or a missing address does.
func PodNote(p *model.Pod) (text string, odd bool) {
	switch udn := p.PrimaryUDN(); {
	case p.HostNetwork:
		return "host network: no policy applies to it; as a peer it counts only in NetworkPolicy rules that select pods", true
	case p.Completed():
		return "completed: its addresses are ignored; another pod may have them by now", true
	case p.NodeName == "":
		return "not scheduled: no policy applies to it until it has a node", false
	case udn != "":
		return "its primary network is " + udn + ": AdminNetworkPolicies are not enforced there, only on the default network", true
	case len(p.IPs) == 0:
		return "no address: a subject, but in no address set", false
	}
	return "", false
}
