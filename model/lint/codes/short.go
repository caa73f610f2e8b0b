package codes

import (
	"slices"

	"rung/model/antrea"
)

// shorts are the codes in two or three words, for where a sentence has no room, in
// order of worth: what opens or closes the cluster, then what makes rows mean something else than was
// written, then what hits more or less than was meant, at last what is of pods Rung does not reach.
var shorts = []struct{ code, short string }{
	{OpenToAll, "opens all"},
	{ClosedToAll, "closes all"},
	{DNSNotAllowed, "no DNS"},
	{PriorityConflict, "conflict"},
	{PriorityUnsupported, "too large"},
	{CNPNotEnforced, "not enforced"},
	{CNPMight, "OVN-K might"},
	{LoggingInvalid, "bad logging"},
	{CNPPruned, "ports lost"},
	{CNPRules, "excess rule"},
	{CNPDomains, "domains"},
	{NamespaceLogging, "bad logging"},
	{FirewallName, "bad name"},
	{FirewallTooLong, "too long"},
	{RuleBeyondRange, "excess rule"},
	{CIDR, "bad CIDR"},
	{HostCIDRs, "host CIDRs"},
	{NetpolPortLost, "lost port"},
	{NetpolNamedPort, "wide port"},
	{NetpolDirection, "unused rule"},
	{FirewallOverrules, "beats Allow"},
	{FirewallPods, "skips pods"},
	{FirewallSubnets, "no subnets"},
	{NetpolEmptyList, "empty list"},
	{NetpolNoEffect, "no effect"},
	{IsolationInvalid, "bad value"},
	{IsolationIgnored, "not isolated"},
	{NetpolOlderAPI, "older API"},
	{IsolationBoth, "both ways"},
	{NamedPortFamily, "port family"},
	{NamedPortUnmatched, "port name"},
	{NamedPortPeers, "peer ports"},
	{RuleShadowed, "dead rule"},
	{DecidesFirst, "idles rules"},
	{RuleNeverDecides, "idle rule"},
	{DNSTCPNotAllowed, "no TCP DNS"},
	{DenyAllNetworks, "denies all"},
	{EmptySelectorDeny, "every pod"},
	{SelectsSystem, "system pods"},
	{NetworkHostBits, "host bits"},
	{NetworkCoversPods, "pod network"},
	{NameCut, "long name"},
	{PriorityDuplicate, "tie"},
	{SubjectNothing, "no pods"},
	{PeerNothing, "empty peer"},
	{FirewallDNS, "DNS name"},
	{PassNothing, "idle Pass"},
	{AllowChangesNothing, "idle Allow"},
	{RuleRedundant, "redundant"},
	{AllowOverNetpol, "beats NPs"},
	{DenyOverAllow, "stops Allow"},
	{DenyLeavesOutside, "pods only"},
	{PriorityNoGap, "no gap"},
	{PoliciesMany, "many ANPs"},
	{TemplateIncomplete, "set gap"},
	{ConversionNewValue, "new value"},
	{TenantPolicies, "per tenant"},
	{SetsOverlap, "shared sets"},
	{NamedPortMany, "many names"},
	{NegativeMany, "wide NotIn"},
	{PeerHost, "host peers"},
	{VerdictsTooLarge, "not asked"},
	{PrimaryUDN, "UDN pods"},
	{HostNetwork, "host network"},
}

// Short is a code in two or three words. Codes of what could not be read are words
// already.
func Short(code string) string {
	if i := worth(code); i < len(shorts) {
		return shorts[i].short
	}
	if code == OtherSystem {
		return "not here"
	}
	return antrea.Short(code)
}

// Worth orders codes of one severity, the one to name first before the others; what
// could not be read comes before all.
func Worth(a, b string) int {
	return (worth(a)+1)%(len(shorts)+1) - (worth(b)+1)%(len(shorts)+1)
}

func worth(code string) int {
	i := slices.IndexFunc(shorts, func(s struct{ code, short string }) bool { return s.code == code })
	if i < 0 {
		return len(shorts)
	}
	return i
}
