package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Switches are the flags with the values auto, on and off; without a value they mean on.
var Switches = []string{"observability", "allow-icmp-network-policy", "enable-stateless-netpol"}

// asTheCluster explains auto.
const asTheCluster = " (from the cluster's rows and configuration)"

// registerDialect adds the flags for settings of the cluster's OVN-Kubernetes, which override its rows and
// configuration.
func registerDialect(p *pflag.FlagSet, f *globalFlags) {
	for name, v := range map[string]struct {
		to    *string
		usage string
	}{
		"observability": {&f.OVN.Observability, "`WHEN` ACLs carry samples: on, off, or auto" + asTheCluster},
		"allow-icmp-network-policy": {&f.OVN.Features.AllowICMP,
			"`WHEN` NetworkPolicies let ICMP through: on, off, or auto" + asTheCluster},
		"enable-stateless-netpol": {&f.OVN.Features.Stateless,
			"`WHEN` the annotation acl-stateless of NetworkPolicies counts: on, off, or auto" + asTheCluster},
	} {
		*v.to = "auto"
		p.Var((*switchValue)(v.to), name, v.usage)
		p.Lookup(name).NoOptDefVal = "on"
	}
}

// switchValue is the value of a switch: auto, on or off. It also takes true and false.
type switchValue string

func (s *switchValue) String() string { return string(*s) }

func (s *switchValue) Type() string { return "string" }

func (s *switchValue) Set(text string) error {
	switch text {
	case "auto", "on", "off":
		*s = switchValue(text)
	case "true":
		*s = "on"
	case "false":
		*s = "off"
	default:
		return fmt.Errorf("want auto, on or off")
	}
	return nil
}

// JoinSwitches joins a switch and the word after it if that word can be its value. Without a value the switch
// means on, like OVN-Kubernetes' flag of the same name, so "--observability off" would otherwise switch it on
// and take off for the name of a policy.
func JoinSwitches(args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(out, args[i:]...)
		}
		name, long := strings.CutPrefix(args[i], "--")
		if long && slices.Contains(Switches, name) && i+1 < len(args) && new(switchValue).Set(args[i+1]) == nil {
			out = append(out, args[i]+"="+args[i+1])
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}
