package page

import "cmp"

// columnHelp explains the columns that mean the same on every page, by key.
var columnHelp = map[string]string{
	"acls":       "number of its ACLs in each zone",
	"action":     "the effect on matching connections",
	"address":    "the addresses of the pod",
	"applied_to": "the pods the rule applies to, if not the policy's",
	"file":       "file and line it was read from",
	"hits":       "number of log lines it decided, and the last time",
	"id":         "OVN-Kubernetes' id of the row: k8s.ovn.org/id",
	"log":        "log levels: A: for Allow rules, D: for Deny rules",
	"name":       "the name of the rule",
	"peers":      "the other end of the rule's connections",
	"pods":       "pods it is enforced on; the header counts all pods",
	"policy":     "the policy, by kind and name",
	"ports":      "the ports of the rule; empty means every port",
	"priority":   "lower numbers decide first",
	"rule":       "direction and index; the lowest index that matches decides",
	"uuid":       "the row's UUID in its database",
	"zone":       "the zone: a node with its own Northbound database",
}

// HelpText explains a column, empty if no text exists.
func (t *Table[F]) HelpText(key string) string { return cmp.Or(t.Help[key], columnHelp[key]) }

// ColumnHelp explains a column that means the same on every page.
func ColumnHelp(key string) string { return columnHelp[key] }
