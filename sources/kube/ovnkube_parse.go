package kube

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// ovnSettings are the settings that are read.
var ovnSettings = []string{OVNClusterSubnets, OVNObservability, OVNAllowICMP, OVNStateless, OVNMulticast,
	OVNAdminPolicy,
	OVNHostNamespace, OVNLoggingRate, OVNMasquerade4, OVNMasquerade6}

// ovnConfNames are settings that the configuration file spells unlike the flags.
var ovnConfNames = map[string]string{"v4-masquerade-subnet": OVNMasquerade4, "v6-masquerade-subnet": OVNMasquerade6}

// parseOVNConf reads the settings from a configuration file of OVN-Kubernetes:
// sections, name = value with or without quotes, a name alone for true. Names
// occur in one section each, so sections are not told apart.
func parseOVNConf(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' || line[0] == '[' {
			continue
		}
		name, value, given := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if full := ovnConfNames[name]; full != "" {
			name = full
		}
		if !slices.Contains(ovnSettings, name) {
			continue
		}
		value = confValue(value)
		if !given {
			value = "true"
		}
		out[name] = value
	}
	return out
}

// confValue takes quotes or a comment off.
func confValue(s string) string {
	s = strings.TrimSpace(s)
	if rest, quoted := strings.CutPrefix(s, `"`); quoted {
		s, _, _ = strings.Cut(rest, `"`)
		return s
	}
	if i := strings.IndexAny(s, "#;"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// parseOVNArgs reads the settings from a container's command and arguments. Of a
// shell script only the command line of ovnkube itself counts: a flag elsewhere
// may be one that a condition leaves out.
func parseOVNArgs(args []string) map[string]string {
	var words []string
	for _, a := range args {
		a = cutSetting(a)
		if !strings.Contains(a, "\n") {
			words = append(words, a)
			continue
		}
		words = append(words, ovnkubeCommand(a)...)
	}
	out := map[string]string{}
	for i, w := range words {
		flag, dashed := strings.CutPrefix(w, "--")
		if !dashed {
			flag, dashed = strings.CutPrefix(w, "-")
		}
		name, value, given := strings.Cut(flag, "=")
		if !dashed || !slices.Contains(ovnSettings, name) {
			continue
		}
		switch {
		case given:
		case isSwitch(name):
			value = "true"
		case i+1 < len(words):
			value = words[i+1]
		}
		value = strings.Trim(value, `"'`)
		if value != "" && !strings.Contains(value, "$") && value[0] != '-' {
			out[name] = value
		}
	}
	return out
}

// isSwitch says whether a setting is on or off.
func isSwitch(name string) bool {
	return strings.HasPrefix(name, "enable-") || name == OVNAllowICMP
}

// ovnkubeCommand are the words of the command in a script that starts ovnkube,
// with the lines it goes on to.
func ovnkubeCommand(script string) (words []string) {
	inside := false
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		fields := strings.Fields(strings.TrimSuffix(line, `\`))
		if !inside {
			at := slices.IndexFunc(fields, func(f string) bool { return f == "ovnkube" || strings.HasSuffix(f, "/ovnkube") })
			if at < 0 || at > 1 || at == 1 && fields[0] != "exec" {
				continue
			}
		}
		words = append(words, fields...)
		inside = strings.HasSuffix(line, `\`)
	}
	return words
}

// Bool is a setting that is on or off; ok is false where it is neither.
func (s OVNSetting) Bool() (on, ok bool) {
	switch strings.ToLower(s.Value) {
	case "yes", "on":
		return true, true
	case "no", "off":
		return false, true
	}
	on, err := strconv.ParseBool(strings.ToLower(s.Value))
	return on, err == nil
}

// Subnets returns the networks of a setting such as 10.128.0.0/14/23,fd01::/48, without
// the length each node gets. It leaves out parts that are no network.
func (s OVNSetting) Subnets() (out []netip.Prefix) {
	for part := range strings.SplitSeq(s.Value, ",") {
		addr, rest, _ := strings.Cut(strings.TrimSpace(part), "/")
		bits, _, _ := strings.Cut(rest, "/")
		if p, err := netip.ParsePrefix(addr + "/" + bits); err == nil {
			out = append(out, p.Masked())
		}
	}
	return out
}
