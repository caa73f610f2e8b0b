package compiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/network"
	"rung/model/ovn/match"
)

// Judge holds the settings and objects that decide, with the policy, whether OVN-Kubernetes rejects it.
type Judge struct {
	// MaxPriority is the highest supported priority number. CNP: ClusterNetworkPolicies are compiled.
	// NoMultiPolicies: MultiNetworkPolicies are not.
	MaxPriority          int32
	CNP, NoMultiPolicies bool
	Cluster              *model.Cluster
	// Networks lists the user-defined networks. On is the network of the rows, or nil for the default one.
	Networks *network.Table
	On       *network.Network
}

// whyCNPRefused returns why a ClusterNetworkPolicy has no rows: OVN-Kubernetes has no controller for it. If
// its rows are asked for, domainNames are the reason, since ANPs lack them
// (ovn-kubernetes.md#clusternetworkpolicy).
func (c Judge) whyCNPRefused(p *model.Policy) *model.NoRows {
	if p.Kind != model.KindCNP {
		return nil
	}
	if !c.CNP {
		return &model.NoRows{Code: model.NoController, Message: "OVN-Kubernetes has no controller for ClusterNetworkPolicy"}
	}
	for r := range p.AllRules() {
		for i := range r.Peers {
			if r.Peers[i].Kind == model.PeerDNS {
				return &model.NoRows{Code: "profile", Message: r.Label() + " uses domainNames, which OVN-Kubernetes does not support"}
			}
		}
	}
	return nil
}

// WhyAdmin returns why OVN-Kubernetes would not program an AdminNetworkPolicy, its baseline or a
// ClusterNetworkPolicy (ovn-kubernetes.md#no-rows, #invalid-policies). It checks in the controller's order:
// the priority; then rules and logging annotation, with all faults in one error; then the nodes. Without a
// reason it returns the log levels.
func (c Judge) WhyAdmin(p *model.Policy) (model.LogLevels, *model.NoRows) {
	if none := c.whyCNPRefused(p); none != nil {
		return model.LogLevels{}, none
	}
	if p.Kind.HasPriority() && p.Priority > c.MaxPriority {
		return model.LogLevels{}, &model.NoRows{Code: "priority", Message: fmt.Sprintf(
			"error attempting to add %s %s with priority %d because, OVNK only supports priority ranges 0-%d",
			p.Kind.Abbreviation(), p.Name, p.Priority, c.MaxPriority)}
	}
	// Faults that crash the controller come first; others get an error.
	if none := FirstInvalid(p, model.InvalidCIDR, model.InvalidSelector, model.InvalidProtocol, model.InvalidPortRange,
		model.InvalidCIDRForm); none != nil {
		return model.LogLevels{}, none
	}
	if err := cmp.Or(p.Subject.Namespaces.Err(), p.Subject.Pods.Err()); err != nil {
		return model.LogLevels{}, &model.NoRows{Code: model.InvalidSelector, Message: err.Error()}
	}
	var errs []string
	code := ""
	for r := range p.AllRules() {
		if what, err := checkPeers(r); err != nil {
			code = cmp.Or(code, what)
			errs = append(errs, fmt.Sprintf("cannot create %s %s Rule %d in %s %s: %v",
				strings.ToLower(p.Kind.Abbreviation()), r.Direction.Lower(), r.Index, p.Kind.Abbreviation(), p.Name, err))
		}
	}
	levels, err := p.LogLevels()
	if err != nil {
		code = cmp.Or(code, "logging-annotation")
		errs = append(errs, err.Error())
	}
	switch len(errs) {
	case 0:
		if none := FirstInvalid(p, model.InvalidProtocol, model.InvalidPortRange, model.InvalidCIDRForm); none != nil {
			return levels, none
		}
		return levels, c.whyNodesRefused(p)
	case 1:
		return levels, &model.NoRows{Code: code, Message: errs[0]}
	}
	return levels, &model.NoRows{Code: code, Message: "[" + strings.Join(errs, ", ") + "]"}
}

// whyNodesRefused returns an error for a selected node with an unreadable host-cidrs annotation: the whole
// policy fails then (ovn-kubernetes.md#no-rows).
func (c Judge) whyNodesRefused(p *model.Policy) *model.NoRows {
	for i := range p.Egress {
		r := &p.Egress[i]
		for j := range r.Peers {
			if r.Peers[j].Kind != model.PeerNodes {
				continue
			}
			for n := range c.Cluster.Nodes() {
				if n.HostErr != "" && r.Peers[j].Nodes.Matches(n.Labels) {
					return &model.NoRows{Code: "host-cidrs", Message: fmt.Sprintf(
						"unable to convert peers to addresses for %s %s: unable to create address set for  rule %s with priority %d: "+
							"failed to get node host CIDRs for %s: %s",
						strings.ToLower(p.Kind.Abbreviation()), p.Name, r.Name, ladder.RowPriority(p, i), n.Name, n.HostErr)}
				}
			}
		}
	}
	return nil
}

// FirstInvalid returns the policy's first fault that OVN-Kubernetes rejects, ignoring faults whose code is in
// but; nil if there is none.
func FirstInvalid(p *model.Policy, but ...string) *model.NoRows {
	for _, b := range p.Invalid {
		if !slices.Contains(but, b.Code) {
			code := "profile"
			if b.Code == model.InvalidOlder { // the server drops the field, and OVN-Kubernetes takes the rest
				code = b.Code
			}
			return &model.NoRows{Code: code, Message: b.Message}
		}
	}
	return nil
}

// checkPeers returns the first fault in a rule's peers, with its code.
func checkPeers(r *model.Rule) (code string, err error) {
	for i := range r.Peers {
		p := &r.Peers[i]
		if err := cmp.Or(p.Namespaces.Err(), p.Pods.Err(), p.Nodes.Err()); err != nil {
			return model.InvalidSelector, err
		}
		for _, cidr := range p.Networks {
			if _, ok := match.ParseCIDR(cidr); !ok {
				return model.InvalidCIDR, fmt.Errorf("invalid CIDR address: %s", cidr)
			}
		}
	}
	return "", nil
}
