package kube

import (
	"slices"
	"strings"

	"rung/model/ovn/dialect"
)

// parseOVNArgs reads the settings from a container's command and arguments. Of a shell script it reads only
// ovnkube's own command line: a flag elsewhere may depend on a condition.
func parseOVNArgs(args []string) map[string]string {
	var words []string
	for _, a := range args {
		a = dialect.LimitText(a)
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
		if !dashed || !slices.Contains(dialect.Names, name) {
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

// isSwitch reports whether a setting is boolean.
func isSwitch(name string) bool {
	return strings.HasPrefix(name, "enable-") || name == dialect.AllowICMP
}

// ovnkubeCommand returns the words of a script's command that starts ovnkube, continuation lines included.
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
