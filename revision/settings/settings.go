package settings

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"
	"rung/sources/kube"
)

// Where the value of a setting comes from, strongest first.
const (
	FromFlag    = "flag"
	FromRows    = "rows"
	FromConfig  = "configuration" // OVN-Kubernetes' ConfigMap, arguments and environment
	FromImage   = "image"
	FromDefault = "default"
)

// Names of settings, as Rung's flags spell them where it has one.
const (
	Family         = "ip-family"
	Observability  = "observability"
	AllowICMP      = "allow-icmp-network-policy"
	Stateless      = "enable-stateless-netpol"
	Multicast      = "multicast"
	NetpolDefaults = "netpol-defaults"
	ClusterSubnets = "cluster-subnets"
	HostNamespace  = "host-network-namespace"
	MaxPriority    = "max-priority"
	CompileCNP     = "compile-cnp"
	AdminPolicy    = "enable-admin-network-policy"
	LoggingRate    = "acl-logging-rate-limit"
	Release        = "release"
)

const (
	on      = "on"
	off     = "off"
	auto    = "auto"
	unknown = "unknown"
)

// Setting is one setting with where its value comes from.
type Setting struct {
	Name, Value string
	Source      string // FromFlag and the others
	Evidence    string // what tells it; clean, may be empty
}

// Zone holds the settings that the OVN-Kubernetes of a zone runs with, and the form of
// its rows.
type Zone struct {
	Settings []Setting      // in a fixed order
	Rows     []dialect.Rows // by owner type
	// Deviates says, by kind, why rows of the zone are not compared with what is
	// desired.
	Deviates map[model.Kind]string
}

// View is a revision's knowledge of dialects; immutable.
type View struct {
	flags     *Flags
	config    kube.OVNKube
	configErr string
	zones     map[string]*dialect.Dialect
	cluster   dialect.Dialect // what most zones say
	options   compiler.Options
	v4, v6    bool // families compiled for
	nothing   bool // another system holds: no rows are compiled
}

// Zone returns the settings that the OVN-Kubernetes of a zone runs with. A flag
// outranks the zone's rows, the rows outrank the configuration, and the configuration
// outranks the image. The name "" means the cluster: what most zones say.
func (v *View) Zone(zone string) Zone {
	d := &v.cluster
	if zone != "" {
		d = v.zones[zone]
		if d == nil {
			d = &dialect.Dialect{}
		}
	}
	out := Zone{Settings: v.settings(d), Rows: d.Owners, Deviates: map[model.Kind]string{}}
	if zone != "" {
		for k, why := range v.Deviations(d) {
			out.Deviates[k] = why.Text
		}
	}
	return out
}

// settings merges, for one zone's rows.
func (v *View) settings(d *dialect.Dialect) []Setting {
	f := &v.flags.Features
	noSubnets := claim{off, FromDefault, "not known: EgressFirewalls leave out those that nodes say they have"}
	adminRows := d.Of(string(model.KindANP)).Rows + d.Of(string(model.KindBANP)).Rows // their absence claims nothing
	return []Setting{
		merge(Family, given(v.flags.Family), claim{d.Families.String(), FromRows, d.Families.Evidence}, v.configFamilies(),
			claim{familyName(v.v4, v.v6), FromDefault, "the addresses of the pods"}),
		merge(Observability, given(v.flags.Observability), fact(d.Observability),
			v.configSwitch(kube.OVNObservability), byDefault(off)),
		merge(AllowICMP, given(f.AllowICMP), fact(d.AllowICMP), v.configSwitch(kube.OVNAllowICMP), byDefault(off)),
		merge(Stateless, given(f.Stateless), fact(d.Stateless), v.configSwitch(kube.OVNStateless), byDefault(off)),
		merge(Multicast, given(f.Multicast), fact(d.Multicast), v.configSwitch(kube.OVNMulticast), byDefault(auto)),
		merge(NetpolDefaults, given(f.Defaults), fact(d.Defaults), byDefault(auto)),
		merge(ClusterSubnets, given(strings.Join(f.ClusterSubnets, ",")), v.subnets(d), noSubnets),
		merge(HostNamespace, given(f.HostNetworkNamespace), v.configText(kube.OVNHostNamespace),
			byDefault(compiler.DefaultHostNetworkNamespace)),
		merge(MaxPriority, claimIf(v.flags.MaxPriority != model.MaxPriority, FromFlag, fmt.Sprint(v.flags.MaxPriority), ""), byDefault(fmt.Sprint(model.MaxPriority))),
		merge(CompileCNP, claimIf(v.flags.CompileCNP, FromFlag, on, "OVN-Kubernetes has no controller for ClusterNetworkPolicy: rows as it might write them"), byDefault(off)),
		merge(AdminPolicy, v.configSwitch(kube.OVNAdminPolicy), claimIf(adminRows > 0, FromRows, on, fmt.Sprintf("%d rows", adminRows)), claim{unknown, FromDefault, ""}),
		merge(LoggingRate, claimIf(d.Meter.Value == dialect.Yes && d.Meter.Rate > 0, FromRows, fmt.Sprint(d.Meter.Rate), d.Meter.Evidence),
			claimIf(d.Meter.Value == dialect.No, FromRows, "no meter", d.Meter.Evidence), v.configText(kube.OVNLoggingRate), byDefault("20")),
		merge(Release, claim{v.config.Version, FromImage, v.config.Image}, claim{unknown, FromDefault, v.configErr}),
	}
}

// claim is the value that one source gives a setting; without a value it makes none.
type claim struct{ value, source, evidence string }

// merge takes the first claim that is one.
func merge(name string, from ...claim) Setting {
	for _, s := range from {
		if s.value != "" && (s.value != unknown || s.source == FromDefault) {
			return Setting{Name: name, Value: s.value, Source: s.source, Evidence: s.evidence}
		}
	}
	return Setting{Name: name, Value: unknown, Source: FromDefault}
}

// given is a flag's claim; auto leaves it to the others.
func given(value string) claim {
	if value == auto {
		value = ""
	}
	return claim{value: value, source: FromFlag}
}

// claimIf is a claim where something is so.
func claimIf(so bool, source, value, evidence string) claim {
	if !so {
		return claim{}
	}
	return claim{value, source, evidence}
}

func byDefault(value string) claim { return claim{value: value, source: FromDefault} }

func fact(f dialect.Fact) claim {
	return claimIf(f.Value != dialect.Unknown, FromRows, OnOff(f.Value == dialect.Yes), f.Evidence)
}

// OnOff is a switch as flags spell it.
func OnOff(b bool) string {
	if b {
		return on
	}
	return off
}

func (v *View) configText(name string) claim {
	s := v.config.Settings[name]
	return claim{s.Value, FromConfig, s.From}
}

func (v *View) configSwitch(name string) claim {
	s, there := v.config.Settings[name]
	is, ok := s.Bool()
	return claimIf(there && ok, FromConfig, OnOff(is), s.From)
}

// configFamilies claims the families of the configured subnets.
func (v *View) configFamilies() claim {
	s := v.config.Settings[kube.OVNClusterSubnets]
	v4, v6 := false, false
	for _, p := range s.Subnets() {
		v4, v6 = v4 || p.Addr().Is4(), v6 || p.Addr().Is6()
	}
	return claimIf(v4 || v6, FromConfig, familyName(v4, v6), s.From+": "+kube.OVNClusterSubnets)
}

func familyName(v4, v6 bool) string {
	switch {
	case v4 && v6:
		return "dual"
	case v6:
		return "ipv6"
	}
	return "ipv4"
}

// subnets returns the subnets that the zone's rows leave out, and for a family that
// rows do not show whole the configuration's.
func (v *View) subnets(d *dialect.Dialect) claim {
	s := v.config.Settings[kube.OVNClusterSubnets]
	all := slices.Clone(d.Subnets.Prefixes)
	for _, p := range s.Subnets() {
		if !whole(d.Subnets, p.Addr().Is4()) && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, netip.Prefix.Compare)
	c := claim{value: prefixText(all), source: FromConfig, evidence: s.From}
	if found := d.Subnets; len(found.Prefixes) > 0 {
		c.source, c.evidence = FromRows, found.Evidence
		if len(all) > len(found.Prefixes) {
			c.evidence = strings.TrimPrefix(found.Evidence+", "+s.From, ", ")
		}
	}
	return c
}
