package compiler

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/match"
)

// whyCNPRefused says why a ClusterNetworkPolicy has no rows: OVN-Kubernetes has no controller
// for it, and where rows are asked for all the same, its ANPs know no domainNames
// (ovn-kubernetes.md#clusternetworkpolicy).
func (c *Compiler) whyCNPRefused(p *model.Policy) *model.NoRows {
	if p.Kind != model.KindCNP {
		return nil
	}
	if !c.requested.CNP {
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

// WhyNotCNP says why a ClusterNetworkPolicy would have no rows if they were compiled; nil where
// it would have some. It is for saying what an idle one would do.
func WhyNotCNP(cluster *model.Cluster, p *model.Policy, o Options) *model.NoRows {
	o.CNP = true
	c := &Compiler{requested: o, cluster: cluster}
	_, none := c.whyRefused(p)
	return none
}

// whyRefused says why OVN-Kubernetes would not program the policy, in the order its
// controller finds out (ovn-kubernetes.md#no-rows, #invalid-policies): the priority
// first; then what is wrong with rules and the logging annotation, all of it in one
// error; then what the nodes say. Without a reason it returns the levels to log with.
func (c *Compiler) whyRefused(p *model.Policy) (model.LogLevels, *model.NoRows) {
	if none := c.whyCNPRefused(p); none != nil {
		return model.LogLevels{}, none
	}
	if p.Kind.HasPriority() && p.Priority > c.maxPriority() {
		return model.LogLevels{}, &model.NoRows{Code: "priority", Message: fmt.Sprintf(
			"error attempting to add %s %s with priority %d because, OVNK only supports priority ranges 0-%d",
			p.Kind.Abbreviation(), p.Name, p.Priority, c.maxPriority())}
	}
	// Faults that controllers do not survive come first; for the others they have an
	// error.
	if none := firstInvalid(p, model.InvalidCIDR, model.InvalidSelector, model.InvalidProtocol, model.InvalidPortRange, model.InvalidCIDRForm); none != nil {
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
		if none := firstInvalid(p, model.InvalidProtocol, model.InvalidPortRange, model.InvalidCIDRForm); none != nil {
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
func (c *Compiler) whyNodesRefused(p *model.Policy) *model.NoRows {
	for i := range p.Egress {
		r := &p.Egress[i]
		for j := range r.Peers {
			if r.Peers[j].Kind != model.PeerNodes {
				continue
			}
			for n := range c.cluster.Nodes() {
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

// firstInvalid is the first thing in the policy that OVN-Kubernetes cannot take, but for
// those of some codes; nil when there is none.
func firstInvalid(p *model.Policy, but ...string) *model.NoRows {
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

// Unenforced returns the units without desired rows, with the reason.
func Unenforced(units iter.Seq[*CompiledUnit]) map[model.PolicyKey]*model.NoRows {
	out := map[model.PolicyKey]*model.NoRows{}
	for c := range units {
		if c.WhyNoRows != nil {
			out[c.Key] = c.WhyNoRows
		}
	}
	return out
}
