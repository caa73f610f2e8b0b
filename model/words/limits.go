package words

import (
	"errors"
	"strings"
)

// noServers is a limit that has an error as well.
const noServers = "the sandbox runs neither ovsdb-server nor OVN"

// systemLimits names things that Rung cannot do, by Go's name of an operating system. docs/configuration.md has
// the same (TestLimitsAreTold).
var systemLimits = map[string][]string{
	"windows": {noServers, "ctrl+z does not suspend Rung", "nobody checks who else may read the state folder"},
}

// systemNames are the names of operating systems with limits.
var systemNames = map[string]string{"windows": "Windows"}

// LimitsText names everything that Rung cannot do on an operating system, on one line; empty where there is
// nothing. goos is Go's name for the system.
func LimitsText(goos string) string {
	if len(systemLimits[goos]) == 0 {
		return ""
	}
	return "on " + systemNames[goos] + ": " + strings.Join(systemLimits[goos], " · ")
}

// ServersError says that an operating system cannot run servers in the sandbox, and what there is instead; nil
// where it can.
func ServersError(goos string) error {
	if len(systemLimits[goos]) == 0 {
		return nil
	}
	return errors.New("on " + systemNames[goos] + " " + noServers + ": its databases are Rung's own (--sandbox-ovsdb builtin)")
}
