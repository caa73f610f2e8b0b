package compiler

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"rung/model/ovn/dialect"
)

// openShiftHost is the namespace that stands for the nodes on OpenShift.
const openShiftHost = "openshift-host-network"

// hairpinIndex is the position of the address in a masquerade subnet that hairpin traffic comes from.
const hairpinIndex = 5

// HairpinAddr returns the address of a masquerade subnet that hairpin traffic comes from, or invalid.
func HairpinAddr(masquerade netip.Prefix) netip.Addr {
	a := masquerade.Masked().Addr()
	for range hairpinIndex {
		a = a.Next()
	}
	if !masquerade.Contains(a) {
		return netip.Addr{}
	}
	return a
}

// addConfig fills in the options that were not given, from the cluster's ConfigMaps.
func (o *Options) addConfig(config map[string]dialect.Setting) {
	if len(config) == 0 {
		return
	}
	o.HostNetworkNamespace = cmp.Or(o.HostNetworkNamespace, config[dialect.HostNamespace].Value)
	if subnets := config[dialect.ClusterSubnets].Subnets(); len(o.ClusterSubnets) == 0 {
		slices.SortFunc(subnets, netip.Prefix.Compare)
		o.ClusterSubnets = slices.Compact(subnets)
	}
	if on, known := config[dialect.Multicast].Bool(); known && o.Multicast == Auto {
		o.Multicast = Off
		if on {
			o.Multicast = On
		}
	}
	for name, to := range map[string]*string{dialect.Masquerade4: &o.HairpinFrom4, dialect.Masquerade6: &o.HairpinFrom6} {
		if p, err := netip.ParsePrefix(config[name].Value); err == nil && *to == "" {
			if a := HairpinAddr(p); a.IsValid() {
				*to = a.String()
			}
		}
	}
	for name, to := range map[string]*bool{dialect.AllowICMP: &o.AllowICMP, dialect.Stateless: &o.Stateless,
		dialect.Observability: &o.Observability} {
		if on, known := config[name].Bool(); known && slices.Contains(o.Unset, name) {
			*to = on
		}
	}
	o.fromConfig = fmt.Sprint(o.ClusterSubnets, o.Multicast, o.AllowICMP, o.Stateless, o.Observability)
}

// decideHost sets the namespace that stands for the nodes, unless an option names it.
func (c *networkCompiler) decideHost(o *Options) {
	if o.HostNetworkNamespace == "" && c.cluster.Namespace(openShiftHost) != nil {
		o.HostNetworkNamespace, o.HostAssumed = openShiftHost, true
	}
}
