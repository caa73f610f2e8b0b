package revision

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/match"
	"rung/model/words"
	"rung/sources/kube"
)

// The sources of a setting's value, strongest first.
const (
	FromFlag    = "flag"
	FromRows    = "rows"
	FromConfig  = "configuration" // OVN-Kubernetes' ConfigMap, arguments and environment
	FromImage   = "image"
	FromDefault = "default"
)

// The names of settings, the same as Rung's flags if there are any.
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
	Hairpin        = "hairpin-addresses"
	Release        = "release"
)

const (
	on      = "on"
	off     = "off"
	auto    = "auto"
	unknown = "unknown"
)

// SettingValue is the value of a setting with its source.
type SettingValue struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Source   string `json:"source"`             // FromFlag, FromRows, …
	Evidence string `json:"evidence,omitempty"` // what shows it; clean, may be empty
}

// Zone holds the OVN-Kubernetes settings of a zone, and the form of its rows.
type Zone struct {
	Settings []SettingValue      `json:"settings"` // in a fixed order
	Rows     []dialect.OwnerRows `json:"rows"`     // by owner type
	// Deviates says, by kind, why rows of the zone are not compared with the desired rows.
	Deviates map[model.Kind]string `json:"not_compared"`
}

// EvidenceText says how many rows of a type have the current form, and why.
func (z *Zone) EvidenceText(g *dialect.OwnerRows) string {
	parts := []string{fmt.Sprintf("%s of %s rows current", words.Thousands(g.Current), words.Thousands(g.Rows))}
	if g.Form != "" {
		parts = append(parts, g.Form)
	}
	if z.Deviates[model.Kind(g.Type)] != "" {
		parts = append(parts, "not compared")
	}
	return strings.Join(parts, "; ")
}

// DialectView holds the known settings of the zones; immutable.
type DialectView struct {
	flags     *Flags
	config    kube.OVNKube
	configErr string
	zones     map[string]*dialect.Dialect
	cluster   dialect.Dialect // the settings of most zones
	options   compiler.Options
	v4, v6    bool   // families compiled for
	writes    bool   // Rung writes the rows itself
	primary   bool   // primary user-defined networks exist
	host      string // the namespace assumed to represent the nodes, or empty for the default
	noRows    bool   // another system decides: no rows are compiled
}

// ZoneSettings returns the OVN-Kubernetes settings of a zone. A flag outranks the zone's rows, rows outrank
// the configuration, and the configuration outranks the image. The name "" returns the settings of most zones.
func (v *DialectView) ZoneSettings(zone string) Zone {
	d := &v.cluster
	if zone != "" {
		d = cmp.Or(v.zones[zone], &dialect.Dialect{})
	}
	out := Zone{Settings: v.mergedSettings(d), Rows: append([]dialect.OwnerRows{}, d.Owners...), Deviates: map[model.Kind]string{}}
	if zone != "" {
		for k, why := range v.Deviations(d) {
			out.Deviates[k] = why.Text
		}
	}
	return out
}

// mergedSettings merges the sources of one zone's settings.
func (v *DialectView) mergedSettings(d *dialect.Dialect) []SettingValue {
	f := &v.flags.Features
	noSubnets := settingClaim{off, FromDefault, "unknown: EgressFirewalls exclude the pod subnets in the nodes' annotations"}
	adminRows := d.RowsOfOwner(string(model.KindANP)).Rows + d.RowsOfOwner(string(model.KindBANP)).Rows // no rows show nothing
	out := []SettingValue{
		firstClaim(Family, flagClaim(v.flags.Family), v.observed(settingClaim{d.Families.String(), FromRows, d.Families.Evidence},
			v.configFamiliesClaim()), settingClaim{familyName(v.v4, v.v6), FromDefault, "the addresses of the pods"}),
		firstClaim(Observability, flagClaim(v.flags.Observability), v.observed(factClaim(d.Observability),
			v.configSwitchClaim(dialect.Observability)), defaultClaim(off)),
		firstClaim(AllowICMP, flagClaim(f.AllowICMP), v.observed(factClaim(d.AllowICMP), v.configSwitchClaim(dialect.AllowICMP)),
			defaultClaim(off)),
		firstClaim(Stateless, flagClaim(f.Stateless), v.observed(factClaim(d.Stateless), v.configSwitchClaim(dialect.Stateless)),
			defaultClaim(off)),
		firstClaim(Multicast, flagClaim(f.Multicast), v.observed(factClaim(d.Multicast), v.configSwitchClaim(dialect.Multicast)),
			defaultClaim(auto)),
		firstClaim(NetpolDefaults, flagClaim(f.Defaults), factClaim(d.Defaults), defaultClaim(auto)),
		firstClaim(ClusterSubnets, flagClaim(strings.Join(f.ClusterSubnets, ",")), v.subnetsClaim(d), noSubnets),
		firstClaim(HostNamespace, flagClaim(f.HostNetworkNamespace), v.configClaim(dialect.HostNamespace),
			claimIf(v.host != "", FromDefault, v.host, "assumed: the namespace exists"), defaultClaim(compiler.DefaultHostNetworkNamespace)),
		firstClaim(MaxPriority, claimIf(v.flags.MaxPriority != model.MaxPriority, FromFlag, fmt.Sprint(v.flags.MaxPriority), ""),
			defaultClaim(fmt.Sprint(model.MaxPriority))),
		firstClaim(CompileCNP, claimIf(v.flags.CompileCNP, FromFlag, on, "OVN-Kubernetes has no controller for ClusterNetworkPolicy: rows as "+
			"it might write them"), defaultClaim(off)),
		firstClaim(AdminPolicy, v.configSwitchClaim(dialect.AdminPolicy), claimIf(adminRows > 0, FromRows, on,
			fmt.Sprintf("%s rows", words.Thousands(adminRows))), settingClaim{unknown, FromDefault, ""}),
		firstClaim(LoggingRate, claimIf(d.Meter.Value == dialect.Yes && d.Meter.Rate > 0, FromRows, fmt.Sprint(d.Meter.Rate), d.Meter.Evidence),
			claimIf(d.Meter.Value == dialect.No, FromRows, "no meter", d.Meter.Evidence), v.configClaim(dialect.LoggingRate), defaultClaim("20")),
		firstClaim(Hairpin, v.hairpinFlagClaim(), v.observed(settingClaim{d.Hairpin.String(), FromRows, d.Hairpin.Evidence},
			v.hairpinConfigClaim()), v.hairpinDefault()),
	}
	for i := range dialect.Lines {
		if l := &dialect.Lines[i]; l.Treatment == dialect.Compiled {
			out = append(out, firstClaim(l.Name, factClaim(d.LineFact(i)), defaultClaim(on)))
		}
	}
	return append(out, firstClaim(Release, settingClaim{v.config.Version, FromImage, v.config.Image}, spanClaim(d),
		settingClaim{unknown, FromDefault, v.configErr}))
}

// observed chooses between the claims of a zone's rows and of the configuration. Rows show what OVN-Kubernetes
// does. A writer prefers the configuration: it makes the rows follow.
func (v *DialectView) observed(rows, config settingClaim) settingClaim {
	first, second := rows, config
	if v.writes {
		first, second = config, rows
	}
	if first.value == "" || first.value == unknown {
		return second
	}
	return first
}

func hairpinText(v4, v6 string) string { return dialect.Hairpin{V4: v4, V6: v6}.String() }

func (v *DialectView) hairpinFlagClaim() settingClaim {
	v4, v6, _ := hairpinSources(v.flags.Features.MasqueradeSubnets)
	return settingClaim{value: hairpinText(v4, v6), source: FromFlag}
}

// hairpinConfigClaim returns the addresses of the configured masquerade subnets.
func (v *DialectView) hairpinConfigClaim() settingClaim {
	var subnets []string
	from := ""
	for _, name := range []string{dialect.Masquerade4, dialect.Masquerade6} {
		if s := v.config.Settings[name]; s.Value != "" {
			subnets, from = append(subnets, s.Value), s.From
		}
	}
	v4, v6, err := hairpinSources(subnets)
	return claimIf(err == nil, FromConfig, hairpinText(v4, v6), from)
}

func (v *DialectView) hairpinDefault() settingClaim {
	if v.primary {
		return settingClaim{hairpinText(compiler.PrimaryHairpin4, compiler.PrimaryHairpin6), FromDefault,
			"assumed: primary user-defined networks need masquerade subnets such as 169.254.0.0/17 and fd69::/112"}
	}
	return defaultClaim(hairpinText(match.Hairpin4, match.Hairpin6))
}

// spanClaim returns the releases that may have written the rows.
func spanClaim(d *dialect.Dialect) settingClaim {
	since, before := dialect.ReleaseSpan(d.Releases)
	var parts []string
	if since != "" {
		parts = append(parts, since+" or later")
	}
	if before != "" {
		parts = append(parts, "before "+before)
	}
	return settingClaim{strings.Join(parts, ", "), FromRows, "the form of the rows"}
}

// settingClaim is the value of a setting by one source; empty if the source says nothing.
type settingClaim struct{ value, source, evidence string }

// firstClaim returns the first claim that has a value.
func firstClaim(name string, from ...settingClaim) SettingValue {
	for _, s := range from {
		if s.value != "" && (s.value != unknown || s.source == FromDefault) {
			return SettingValue{Name: name, Value: s.value, Source: s.source, Evidence: s.evidence}
		}
	}
	return SettingValue{Name: name, Value: unknown, Source: FromDefault}
}

// flagClaim returns a flag's claim, or empty for auto.
func flagClaim(value string) settingClaim {
	if value == auto {
		value = ""
	}
	return settingClaim{value: value, source: FromFlag}
}

// claimIf returns a claim if so is true, else an empty one.
func claimIf(so bool, source, value, evidence string) settingClaim {
	if !so {
		return settingClaim{}
	}
	return settingClaim{value, source, evidence}
}

func defaultClaim(value string) settingClaim { return settingClaim{value: value, source: FromDefault} }

func factClaim(f dialect.Fact) settingClaim {
	return claimIf(f.Value != dialect.Unknown, FromRows, OnOff(f.Value == dialect.Yes), f.Evidence)
}

// OnOff returns a switch as in flags.
func OnOff(b bool) string {
	if b {
		return on
	}
	return off
}

func (v *DialectView) configClaim(name string) settingClaim {
	s := v.config.Settings[name]
	return settingClaim{s.Value, FromConfig, s.From}
}

func (v *DialectView) configSwitchClaim(name string) settingClaim {
	s, there := v.config.Settings[name]
	is, ok := s.Bool()
	return claimIf(there && ok, FromConfig, OnOff(is), s.From)
}

// configFamiliesClaim returns the families of the configured subnets.
func (v *DialectView) configFamiliesClaim() settingClaim {
	s := v.config.Settings[dialect.ClusterSubnets]
	v4, v6 := false, false
	for _, p := range s.Subnets() {
		v4, v6 = v4 || p.Addr().Is4(), v6 || p.Addr().Is6()
	}
	return claimIf(v4 || v6, FromConfig, familyName(v4, v6), s.From+": "+dialect.ClusterSubnets)
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

// subnetsClaim returns the subnets that the zone's rows exclude. For a family whose subnets the rows do not
// show completely, it adds the configured ones.
func (v *DialectView) subnetsClaim(d *dialect.Dialect) settingClaim {
	s := v.config.Settings[dialect.ClusterSubnets]
	all := slices.Clone(d.Subnets.Prefixes)
	for _, p := range s.Subnets() {
		if !showsAllSubnets(d.Subnets, p.Addr().Is4()) && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, netip.Prefix.Compare)
	c := settingClaim{value: prefixText(all), source: FromConfig, evidence: s.From}
	if found := d.Subnets; len(found.Prefixes) > 0 {
		c.source, c.evidence = FromRows, found.Evidence
		if len(all) > len(found.Prefixes) {
			c.evidence = strings.TrimPrefix(found.Evidence+", "+s.From, ", ")
		}
	}
	return c
}
