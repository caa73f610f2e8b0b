package revision

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"
)

// majoritySettings returns, setting by setting, the value of most zones that show one. In a tie, now's value.
func majoritySettings(zones map[string]*dialect.Dialect, now *dialect.Dialect) dialect.Dialect {
	vote := func(of func(*dialect.Dialect) dialect.Fact) dialect.Fact {
		holds := dialect.Yes
		if of(now).Value == dialect.No {
			holds = dialect.No
		}
		most, shown := mostCommonValue(zones, holds.String(), func(d *dialect.Dialect) (f dialect.Fact, key, evidence string) {
			f = of(d)
			if f.Value != dialect.Unknown {
				key = f.Value.String()
			}
			return f, key, f.Evidence
		})
		if shown == 0 {
			return dialect.Fact{Evidence: "no zone shows it"}
		}
		return most
	}
	out := dialect.Dialect{
		Observability: vote(func(d *dialect.Dialect) dialect.Fact { return d.Observability }),
		AllowICMP:     vote(func(d *dialect.Dialect) dialect.Fact { return d.AllowICMP }),
		Stateless:     vote(func(d *dialect.Dialect) dialect.Fact { return d.Stateless }),
		Multicast:     anyMulticast(zones),
		Defaults:      vote(func(d *dialect.Dialect) dialect.Fact { return d.Defaults }),
		Subnets:       majoritySubnets(zones, now.Subnets),
	}
	out.Families, _ = mostCommonValue(zones, now.Families.String(), func(d *dialect.Dialect) (f dialect.Families, key, evidence string) {
		f = d.Families
		if f.AreKnown() {
			key = f.String()
		}
		return f, key, f.Evidence
	})
	address := func(of func(dialect.Hairpin) string) (string, int) {
		return mostCommonValue(zones, of(now.Hairpin), func(d *dialect.Dialect) (ip, key, evidence string) {
			return of(d.Hairpin), of(d.Hairpin), ""
		})
	}
	var by4, by6 int
	out.Hairpin.V4, by4 = address(func(h dialect.Hairpin) string { return h.V4 })
	out.Hairpin.V6, by6 = address(func(h dialect.Hairpin) string { return h.V6 })
	out.Hairpin.Evidence = fmt.Sprintf("hairpin rows of %d zones", max(by4, by6))
	for i := range dialect.Lines {
		rows := dialect.LineRows{Fact: vote(func(d *dialect.Dialect) dialect.Fact { return d.LineFact(i) })}
		for _, d := range zones {
			if i < len(d.Releases) {
				rows.Today, rows.Other = rows.Today+d.Releases[i].Today, rows.Other+d.Releases[i].Other
			}
		}
		out.Releases = append(out.Releases, rows)
	}
	meter := ""
	for name, d := range zones {
		if d.Meter.Value == dialect.Yes && (meter == "" || name < meter) {
			meter, out.Meter = name, d.Meter
		}
	}
	return out
}

// anyMulticast reports whether any zone has multicast on: a zone without its rows may have lost them.
func anyMulticast(zones map[string]*dialect.Dialect) (out dialect.Fact) {
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		if f := zones[name].Multicast; f.Value > out.Value || out.Evidence == "" {
			out = f
		}
	}
	return out
}

// mostCommonValue returns the value of most zones, and how many have it. Zones with an empty key do not count. In a
// tie the key of now wins, else the first key. Of equal keys the value with the last evidence is returned.
func mostCommonValue[T any](zones map[string]*dialect.Dialect, now string,
	of func(*dialect.Dialect) (said T, key, evidence string)) (most T, n int) {
	count, said, last := map[string]int{}, map[string]T{}, map[string]string{}
	for _, d := range zones {
		v, key, evidence := of(d)
		if key == "" {
			continue
		}
		count[key]++
		if evidence >= last[key] {
			said[key], last[key] = v, evidence
		}
	}
	best := ""
	for key, c := range count {
		if c > n || c == n && (key == now || best != now && key < best) {
			best, n = key, c
		}
	}
	return said[best], n
}

// majoritySubnets returns, by family, the subnets of most zones whose rows show all subnets. If no zone's rows
// do, it returns every subnet that any zone shows.
func majoritySubnets(zones map[string]*dialect.Dialect, now dialect.Subnets) (out dialect.Subnets) {
	for _, v4 := range []bool{true, false} {
		key := func(of []netip.Prefix) string { return "all: " + prefixText(of) } // the list may be empty
		held := key(prefixesOfFamily(now.Prefixes, v4))
		most, n := mostCommonValue(zones, held, func(d *dialect.Dialect) (part []netip.Prefix, k, evidence string) {
			part = prefixesOfFamily(d.Subnets.Prefixes, v4)
			if showsAllSubnets(d.Subnets, v4) {
				k = key(part)
			}
			return part, k, ""
		})
		shown := map[netip.Prefix]bool{}
		for _, d := range zones {
			part := prefixesOfFamily(d.Subnets.Prefixes, v4)
			for _, p := range part {
				shown[p] = true
			}
			if len(part) > 0 && d.Subnets.Evidence > out.Evidence {
				out.Evidence = d.Subnets.Evidence
			}
		}
		if n > 0 {
			out.Prefixes = append(out.Prefixes, most...)
			out.AllV4, out.AllV6 = out.AllV4 || v4, out.AllV6 || !v4
			continue
		}
		out.Prefixes = slices.AppendSeq(out.Prefixes, maps.Keys(shown))
	}
	slices.SortFunc(out.Prefixes, netip.Prefix.Compare)
	return out
}

func showsAllSubnets(s dialect.Subnets, v4 bool) bool { return v4 && s.AllV4 || !v4 && s.AllV6 }

func prefixesOfFamily(in []netip.Prefix, v4 bool) []netip.Prefix {
	return model.Filter(in, func(p netip.Prefix) bool { return p.Addr().Is4() == v4 })
}

func prefixText(in []netip.Prefix) string {
	return strings.Join(model.MapList(in, netip.Prefix.String), ",")
}

// compilerOptions returns the configured options, with inferred values where no flag is given.
func (v *DialectView) compilerOptions() compiler.Options {
	o := v.flags.CompilerOptions()
	o.NoRows = o.NoRows || v.noRows
	for _, s := range v.mergedSettings(&v.cluster) {
		if s.Source == FromFlag || s.Source == FromDefault && s.Name != NetpolDefaults {
			continue
		}
		switch s.Name {
		case Family:
			o.IPv4, o.IPv6 = s.Value != "ipv6", s.Value != "ipv4"
			// A writer wrote such rows itself, before pods of the other family existed.
			o.PodFamilies = v.writes && s.Source == FromRows
		case Observability:
			o.Observability = s.Value == on
			o.Unset = without(o.Unset, dialect.Observability)
		case AllowICMP:
			o.AllowICMP = s.Value == on
			o.Unset = without(o.Unset, dialect.AllowICMP)
		case Hairpin:
			for text := range strings.SplitSeq(s.Value, ", ") {
				if a, err := netip.ParseAddr(text); err == nil && a.Is4() {
					o.HairpinFrom4 = text
				} else if err == nil {
					o.HairpinFrom6 = text
				}
			}
		case NetpolDefaults:
			o.Defaults, _ = switchValue(s.Name, s.Value)
		case Stateless:
			o.Stateless = s.Value == on
			o.Unset = without(o.Unset, dialect.Stateless)
		case Multicast:
			o.Multicast, _ = switchValue(s.Name, s.Value)
		case ClusterSubnets:
			for text := range strings.SplitSeq(s.Value, ",") {
				if p, err := netip.ParsePrefix(text); err == nil {
					o.ClusterSubnets = append(o.ClusterSubnets, p)
				}
			}
		case HostNamespace:
			o.HostNetworkNamespace = s.Value
		default:
			if s.Value == off && dialect.Index(s.Name) >= 0 {
				o.AlternateForms = o.AlternateForms.With(s.Name)
			}
		}
	}
	return o
}

// without returns a copy of a list without one element.
func without(list []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == one })
}

// Deviation says why rows of a kind are not compared in a zone.
type Deviation struct {
	Text string
	// Setting means that the zone has other settings; otherwise its rows come from another release.
	Setting bool
	// Annotated means that only NetworkPolicies with the annotation acl-stateless are affected.
	Annotated bool
}

// familyKinds are the kinds whose rows differ between address families.
var familyKinds = []model.Kind{model.KindANP, model.KindBANP, model.KindCNP, model.KindNP, model.KindNetpolDefault,
	model.KindPodSelector, model.KindEFDNS, model.KindMulticastNS}

// Deviations returns the kinds of rows in a zone that differ in release from Rung's, or in settings from most
// zones. A flag is what the user expects: a zone with another value deviates.
func (v *DialectView) Deviations(d *dialect.Dialect) map[model.Kind]Deviation {
	out := map[model.Kind]Deviation{}
	for kind, why := range d.IncomparableOwners() {
		out[model.Kind(kind)] = Deviation{Text: why}
	}
	put := func(text string, annotated bool, kinds ...model.Kind) {
		for _, k := range kinds {
			if _, there := out[k]; !there {
				out[k] = Deviation{text, true, annotated}
			}
		}
	}
	if v.options.CNP && d.RowsOfOwner(string(model.KindCNP)).Rows == 0 {
		out[model.KindCNP] = Deviation{Text: "OVN-Kubernetes writes no rows for it"}
	}
	f := &v.flags.Features
	open := func(flag string) bool { return flag == "" || flag == auto }
	if have := d.Families.String(); open(v.flags.Family) && d.Families.AreKnown() && have != familyName(v.v4, v.v6) {
		put("made for "+have+", Rung compiles for "+familyName(v.v4, v.v6), false, familyKinds...)
	}
	unlike := func(flag string, found dialect.Fact, compiled bool) bool {
		return open(flag) && found.Value != dialect.Unknown && found.Value != dialect.NewTristate(compiled)
	}
	for i := range d.Releases {
		l, rows := &dialect.Lines[i], &d.Releases[i]
		compilesToday := !v.options.AlternateForms.Has(l.Name)
		if l.ByZone && (rows.IsOnlyOther() && compilesToday || rows.Today > 0 && rows.Other == 0 && !compilesToday) {
			put("rows of another release than in most zones: "+rows.Evidence, false, ownerKinds(l.Owners)...)
		}
	}
	if is := v.options.AllowICMP; unlike(f.AllowICMP, d.AllowICMP, is) {
		put(AllowICMP+" is "+OnOff(!is)+" here, unlike in most zones", false, model.KindNetpolNamespace)
	}
	if is := v.options.Stateless; unlike(f.Stateless, d.Stateless, is) {
		put(Stateless+" is "+OnOff(!is)+" here, unlike in most zones", true, model.KindNP)
	}
	if len(f.ClusterSubnets) == 0 && v.excludesOtherSubnets(d.Subnets) {
		here, ours := prefixText(d.Subnets.Prefixes), prefixText(v.options.ClusterSubnets)
		put("cluster subnets "+here+" here, Rung compiles for "+ours, false, model.KindEF)
	}
	return out
}

func ownerKinds(owners []string) []model.Kind {
	return model.MapList(owners, func(o string) model.Kind { return model.Kind(o) })
}

// excludesOtherSubnets reports whether a zone's rows exclude other subnets than the compiled rows.
func (v *DialectView) excludesOtherSubnets(s dialect.Subnets) bool {
	for _, v4 := range []bool{true, false} {
		want := prefixesOfFamily(v.options.ClusterSubnets, v4)
		have := prefixesOfFamily(s.Prefixes, v4)
		if showsAllSubnets(s, v4) && !isSameSet(want, have) {
			return true
		}
		for _, p := range have {
			if !slices.Contains(want, p) {
				return true
			}
		}
	}
	return false
}

func isSameSet(a, b []netip.Prefix) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(p netip.Prefix) bool { return !slices.Contains(b, p) })
}
