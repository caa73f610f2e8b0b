package revision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/words"
	"rung/sources/files"
	"rung/sources/manifests"
	"rung/system"
)

// maxDNSFile limits the file of ReadDNSAddresses, in bytes.
const maxDNSFile = 16 << 20

// Features are the switches and addresses in a cluster's configuration that affect rows
// (ovn-kubernetes.md#default-deny, #rule-rows, #hairpin-and-node-rows, #multicast).
type Features struct {
	// AllowICMP and Stateless are OVN-Kubernetes' switches allow-icmp-network-policy and
	// enable-stateless-netpol: "on", "off", or "auto" (or empty): as the cluster's rows and configuration say,
	// else off.
	AllowICMP, Stateless string
	// Multicast and Defaults (the hairpin and node rows) are "on", "off", or "auto" (or empty): as needed.
	Multicast, Defaults string
	// ClusterSubnets are the CIDRs of pod addresses.
	ClusterSubnets []string
	// HostNetworkNamespace is the namespace that represents the nodes; empty for OVN-Kubernetes' default.
	HostNetworkNamespace string
	// MasqueradeSubnets are CIDRs whose fifth addresses hairpin rows allow, at most one of each family.
	MasqueradeSubnets []string
	// DNS are the addresses of the DNS names of EgressFirewalls.
	DNS map[string][]string
}

// Flags are the settings of a cluster's OVN-Kubernetes given by flag. Others come from rows and configuration.
type Flags struct {
	// Family is "auto" (or empty), "ipv4", "ipv6" or "dual".
	Family string
	// Observability is "on", "off", or "auto" (or empty): as the cluster's rows and configuration say, else
	// off.
	Observability string
	// MaxPriority is the largest priority number the cluster enforces; 0 means model.MaxPriority.
	MaxPriority int32
	// LegacyIsolation applies the isolation annotation of 2016 to verdicts and the ladder, not to rows
	// (older-forms.md#the-isolation-annotation-of-2016).
	LegacyIsolation bool
	// CompileCNP compiles ClusterNetworkPolicies as OVN-Kubernetes might; it has no controller for them
	// (ovn-kubernetes.md#clusternetworkpolicy).
	CompileCNP bool
	// System is the network plugin whose precedence applies: "auto" (or empty, see system.ChooseSystem) or a
	// name.
	System   string
	Features Features
}

// highestPriority is the largest P for which 30000 − 100·P − 99, a policy's last row, is a valid OVN priority
// (ovn-kubernetes.md#priorities).
const highestPriority = 299

// CheckFlags returns an error for an invalid flag, and sets MaxPriority if it is 0.
func (f *Flags) CheckFlags() error {
	switch f.Family {
	case "", auto, "ipv4", "ipv6", "dual":
	default:
		return fmt.Errorf("IP family %q: want auto, ipv4, ipv6 or dual", f.Family)
	}
	if names := system.SystemNames(); f.System != "" && f.System != auto && system.SystemByName(f.System) == nil {
		return fmt.Errorf("system %q: want auto, %s", words.CleanText(f.System), strings.Join(names, " or "))
	}
	if f.MaxPriority < 0 || f.MaxPriority > highestPriority {
		return fmt.Errorf("largest priority %d: must be 0–%d, larger ones would need OVN priorities below 0",
			f.MaxPriority, highestPriority)
	}
	f.MaxPriority = cmp.Or(f.MaxPriority, model.MaxPriority)
	if _, err := isOn("observability", f.Observability); err != nil {
		return err
	}
	return f.Features.addToOptions(&compiler.Options{})
}

// CompilerOptions returns the compiler's options for checked flags.
func (f *Flags) CompilerOptions() compiler.Options {
	o := compiler.Options{
		IPv4:        f.Family == "ipv4" || f.Family == "dual",
		IPv6:        f.Family == "ipv6" || f.Family == "dual",
		MaxPriority: f.MaxPriority,
		CNP:         f.CompileCNP,
		NoRows:      !system.SystemByName(f.System).HasFeature(system.Rows),
	}
	o.Observability, _ = isOn("observability", f.Observability)
	for name, text := range map[string]string{dialect.Observability: f.Observability, dialect.AllowICMP: f.Features.AllowICMP,
		dialect.Stateless: f.Features.Stateless} {
		if text == "" || text == auto {
			o.Unset = append(o.Unset, name)
		}
	}
	slices.Sort(o.Unset)
	_ = f.Features.addToOptions(&o)
	return o
}

// AddDemo sets what the built-in cluster's configuration would set.
func (f *Features) AddDemo() {
	if len(f.ClusterSubnets) == 0 {
		f.ClusterSubnets = []string{"10.244.0.0/16"}
	}
	if f.DNS == nil {
		f.DNS = map[string][]string{"mirror.example.com": {"192.0.2.80", "198.51.100.80"}}
	}
}

func (f *Features) addToOptions(o *compiler.Options) (err error) {
	o.DNS, o.HostNetworkNamespace = f.DNS, f.HostNetworkNamespace
	if o.AllowICMP, err = isOn("allow-icmp-network-policy", f.AllowICMP); err != nil {
		return err
	}
	if o.Stateless, err = isOn("enable-stateless-netpol", f.Stateless); err != nil {
		return err
	}
	if o.Multicast, err = switchValue("multicast", f.Multicast); err != nil {
		return err
	}
	if o.Defaults, err = switchValue("default rows", f.Defaults); err != nil {
		return err
	}
	if o.HairpinFrom4, o.HairpinFrom6, err = hairpinSources(f.MasqueradeSubnets); err != nil {
		return err
	}
	o.ClusterSubnets = nil
	for _, s := range f.ClusterSubnets {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return fmt.Errorf("cluster subnet %q: want a CIDR such as 10.244.0.0/16", words.CleanText(s))
		}
		o.ClusterSubnets = append(o.ClusterSubnets, p.Masked())
	}
	return nil
}

// hairpinSources returns the source addresses of hairpin traffic for some masquerade subnets, else empty.
func hairpinSources(subnets []string) (v4, v6 string, err error) {
	for _, text := range subnets {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return "", "", fmt.Errorf("masquerade subnet %q: want a CIDR such as 169.254.0.0/17", words.CleanText(text))
		}
		to, a := &v4, compiler.HairpinAddr(p)
		if p.Addr().Is6() {
			to = &v6
		}
		if *to != "" {
			return "", "", fmt.Errorf("masquerade subnet %q: another of the same family was given", words.CleanText(text))
		}
		if !a.IsValid() {
			return "", "", fmt.Errorf("masquerade subnet %q: has no fifth address", words.CleanText(text))
		}
		*to = a.String()
	}
	return v4, v6, nil
}

// isOn parses a switch that defaults to off.
func isOn(what, text string) (bool, error) {
	s, err := switchValue(what, text)
	return s == compiler.On, err
}

var switchValues = map[string]compiler.SwitchOption{"": compiler.Auto, auto: compiler.Auto, on: compiler.On, off: compiler.Off}

func switchValue(what, text string) (compiler.SwitchOption, error) {
	if s, ok := switchValues[text]; ok {
		return s, nil
	}
	return compiler.Auto, fmt.Errorf("%s %q: want auto, on or off", what, words.CleanText(text))
}

// ReadDNSAddresses reads a file with the addresses of DNS names.
func ReadDNSAddresses(ctx context.Context, path string) (map[string][]string, error) {
	text, err := files.ReadFile(ctx, path, maxDNSFile)
	switch {
	case errors.Is(err, files.ErrTooLarge):
		return nil, fmt.Errorf("read DNS addresses: %s: larger than %d bytes", path, maxDNSFile)
	case err != nil:
		return nil, fmt.Errorf("read DNS addresses: %w", err)
	}
	return manifests.ParseDNS(path, text)
}
