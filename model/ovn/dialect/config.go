package dialect

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/words"
)

// OVN-Kubernetes' settings, named like its flags.
const (
	ClusterSubnets = "cluster-subnets"
	Observability  = "enable-observability"
	AllowICMP      = "allow-icmp-network-policy"
	Stateless      = "enable-stateless-netpol"
	Multicast      = "enable-multicast"
	AdminPolicy    = "enable-admin-network-policy"
	HostNamespace  = "host-network-namespace"
	LoggingRate    = "acl-logging-rate-limit"
	Masquerade4    = "gateway-v4-masquerade-subnet"
	Masquerade6    = "gateway-v6-masquerade-subnet"
)

// Names has the settings that Rung reads.
var Names = []string{ClusterSubnets, Observability, AllowICMP, Stateless, Multicast, AdminPolicy, HostNamespace,
	LoggingRate, Masquerade4, Masquerade6}

// MapNames has the names of the ConfigMaps.
var MapNames = []string{"ovnkube-config", "ovn-config"}

// keys maps keys of upstream's ConfigMap to settings.
var keys = map[string]string{"net_cidr": ClusterSubnets, "host_network_namespace": HostNamespace}

// fileNames maps names of the configuration file to the flags' names, if they differ.
var fileNames = map[string]string{"v4-masquerade-subnet": Masquerade4, "v6-masquerade-subnet": Masquerade6}

// Setting is one setting and its source.
type Setting struct {
	Value string // clean
	From  string // "ConfigMap ovn-kubernetes/ovn-config", "DaemonSet …"
}

// KindConfigMap is the kind of a Config.
const KindConfigMap model.Kind = "ConfigMap"

// Config is a ConfigMap with settings.
type Config struct {
	model.Meta
	Settings map[string]Setting
}

// NewConfig returns the settings of a ConfigMap; nil if it is not OVN-Kubernetes' own.
func NewConfig(m model.Meta, data map[string]string) *Config {
	if !slices.Contains(MapNames, m.Name) {
		return nil
	}
	out := &Config{Meta: m, Settings: map[string]Setting{}}
	from := "ConfigMap " + words.CleanText(m.Namespace+"/"+m.Name)
	put := func(name, value string) {
		value = words.CleanText(strings.TrimSpace(value))
		if value != "" {
			out.Settings[name] = Setting{value, from}
		}
	}
	for key, name := range keys {
		put(name, LimitText(data[key]))
	}
	for key, text := range data {
		if strings.HasSuffix(key, ".conf") {
			for name, value := range parseFile(LimitText(text)) {
				put(name, value)
			}
		}
	}
	return out
}

// ClusterSettings returns the settings of a cluster's ConfigMaps.
func ClusterSettings(c *model.Cluster) map[string]Setting {
	var out map[string]Setting
	for o := range model.ObjectsOfKind[*Config](c, KindConfigMap) {
		if out == nil {
			out = map[string]Setting{}
		}
		maps.Copy(out, o.Settings)
	}
	return out
}

const maxValue = 256 << 10 // bytes of one value

// LimitText limits a text to maxValue.
func LimitText(s string) string { return s[:min(len(s), maxValue)] }

// parseFile parses a configuration file of OVN-Kubernetes: sections, name = value with or without quotes, a
// name alone for true. Each name occurs in one section only, so sections are ignored.
func parseFile(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' || line[0] == '[' {
			continue
		}
		name, value, given := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		name = cmp.Or(fileNames[name], name)
		switch {
		case !slices.Contains(Names, name):
		case given:
			out[name] = confValue(value)
		default:
			out[name] = "true"
		}
	}
	return out
}

// confValue removes quotes or a comment.
func confValue(s string) string {
	s = strings.TrimSpace(s)
	if rest, quoted := strings.CutPrefix(s, `"`); quoted {
		s, _, _ = strings.Cut(rest, `"`)
		return s
	}
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, ";")
	return strings.TrimSpace(s)
}

// Bool returns a setting that is on or off; ok is false for other values.
func (s Setting) Bool() (on, ok bool) {
	switch strings.ToLower(s.Value) {
	case "yes", "on":
		return true, true
	case "no", "off":
		return false, true
	}
	on, err := strconv.ParseBool(strings.ToLower(s.Value))
	return on, err == nil
}

// Subnets returns the networks of a setting such as 10.128.0.0/14/23,fd01::/48, without the prefix length for
// each node. It skips parts that are no network.
func (s Setting) Subnets() (out []netip.Prefix) {
	for part := range strings.SplitSeq(s.Value, ",") {
		addr, rest, _ := strings.Cut(strings.TrimSpace(part), "/")
		bits, _, _ := strings.Cut(rest, "/")
		if p, err := netip.ParsePrefix(addr + "/" + bits); err == nil {
			out = append(out, p.Masked())
		}
	}
	return out
}
