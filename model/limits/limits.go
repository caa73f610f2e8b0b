package limits

import (
	"errors"
	"strings"
)

// Feature is something that Rung can do on some systems only.
type Feature int

// The features.
const (
	Servers Feature = iota // programs of OVS and OVN in the sandbox
	Suspend                // stopping Rung for the shell
	Privacy                // who else may read a file
)

// limit is one thing that a system lacks, and what there is instead, which may be nothing.
type limit struct {
	feature       Feature
	what, instead string
}

var systems = map[string]struct {
	name   string
	limits []limit
}{
	"windows": {"Windows", []limit{
		{Servers, "the sandbox runs neither ovsdb-server nor OVN", "its databases are Rung's own (--sandbox-ovsdb builtin)"},
		{Suspend, "ctrl+z does not suspend Rung", ""},
		{Privacy, "nobody checks who else may read the state folder", "leave it in your profile"},
	}},
}

// Line names everything that a system lacks, on one line; empty where it lacks nothing. goos is
// Go's name for the system.
func Line(goos string) string {
	of := systems[goos]
	var all []string
	for _, l := range of.limits {
		all = append(all, l.what)
	}
	if len(all) == 0 {
		return ""
	}
	return "on " + of.name + ": " + strings.Join(all, " · ")
}

// Error says that a system lacks a feature, and what there is instead; nil where it has it.
func Error(goos string, f Feature) error {
	of := systems[goos]
	for _, l := range of.limits {
		if l.feature == f {
			text := "on " + of.name + " " + l.what
			if l.instead != "" {
				text += ": " + l.instead
			}
			return errors.New(text)
		}
	}
	return nil
}
