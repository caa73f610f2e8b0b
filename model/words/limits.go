package words

import (
	"errors"
	"strings"
)

// noServers is a limit that also has an error.
const noServers = "the sandbox runs neither ovsdb-server nor OVN"

// systemLimits lists what Rung cannot do, by Go's name of an operating system. docs/configuration.md has the
// same list (TestLimitsAreTold).
var systemLimits = map[string][]string{
	"windows": {noServers, "ctrl+z does not suspend Rung", "access to the state folder is not checked"},
}

// systemNames are the names of operating systems with limits.
var systemNames = map[string]string{"windows": "Windows"}

// LimitsText lists what Rung cannot do on an operating system, on one line; empty if it has no limits. goos is
// Go's name for the system.
func LimitsText(goos string) string {
	if len(systemLimits[goos]) == 0 {
		return ""
	}
	return "on " + systemNames[goos] + ": " + strings.Join(systemLimits[goos], " · ")
}

// ServersError returns an error with the alternative if an operating system cannot run servers in the sandbox;
// else nil.
func ServersError(goos string) error {
	if len(systemLimits[goos]) == 0 {
		return nil
	}
	return errors.New("on " + systemNames[goos] + " " + noServers + ": its databases are Rung's own (--sandbox-ovsdb builtin)")
}
