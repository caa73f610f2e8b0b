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

// Judge knows the settings and the objects that a refusal depends on besides the policy.
type Judge struct {
	// MaxPriority is the lowest precedence that is supported, CNP says that ClusterNetworkPolicies
	// are compiled, NoMultiPolicies that MultiNetworkPolicies are not.
	MaxPriority          int32
	CNP, NoMultiPolicies bool
	Cluster              *model.Cluster
	// Networks are the networks besides the default one, On the one that the policy's rows are to be of, nil
	// for the default one.
	Networks *network.Table
	On       *network.Network
}

// whyCNPRefused says why a ClusterNetworkPolicy has no rows: OVN-Kubernetes has no controller
// for it, and where rows are asked for all the same, its ANPs know no domainNames
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
				return &model.NoRows{Code: "profile", Message: r.Label() + " names domainNames, which OVN-Kubernetes does not know"}
			}
		}
	}
	return nil
}

// WhyAdmin says why OVN-Kubernetes would not program an AdminNetworkPolicy, its baseline or a ClusterNetworkPolicy, in the order its
// controller finds out (ovn-kubernetes.md#no-rows, #invalid-policies): the priority
// first; then what is wrong with rules and the logging annotation, all of it in one
// error; then what the nodes say. Without a reason it returns the levels to log with.
func (c Judge) WhyAdmin(p *model.Policy) (model.LogLevels, *model.NoRows) {
	if none := c.whyCNPRefused(p); none != nil {
		return model.LogLevels{}, none
	}
	if p.Kind.HasPriority() && p.Priority > c.MaxPriority {
		return model.LogLevels{}, &model.NoRows{Code: "priority", Message: fmt.Sprintf(
			"error attempting to add %s %s with priority %d because, OVNK only supports priority ranges 0-%d",
			p.Kind.Abbreviation(), p.Name, p.Priority, c.MaxPriority)}
	}
	// Faults that controllers do not survive come first; for the others they have an
	// error.
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

// whyNodesRefused finds a selected node whose host-cidrs annotation cannot be read:
// the whole policy fails then (ovn-kubernetes.md#no-rows).
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

// FirstInvalid is the first thing in the policy that OVN-Kubernetes cannot take, but for
// those of some codes; nil when there is none.
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

// checkPeers is the first thing wrong in a rule's peers, and its code.
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
