package page

import "cmp"

// columnHelp explains the columns that mean the same on every page, by key.
var columnHelp = map[string]string{
	"acls":       "how many ACLs it becomes, in each zone",
	"action":     "what becomes of a connection that matches",
	"address":    "the addresses of the pod",
	"applied_to": "the pods that the rule is for, where they are not those of the policy",
	"file":       "file and line it was read from",
	"hits":       "how many lines of the log it decided, and when last",
	"id":         "the id by which OVN-Kubernetes finds its row again: k8s.ovn.org/id",
	"log":        "log levels: A: of rules that allow, D: of rules that deny",
	"name":       "the name of the rule",
	"peers":      "the other end of the rule's connections",
	"pods":       "how many pods it is enforced on; the header counts all pods there are",
	"policy":     "the policy, by kind and name",
	"ports":      "the ports of the rule; none is every port",
	"priority":   "lower numbers decide first",
	"rule":       "direction and index; the lowest index that matches decides",
	"uuid":       "the row's UUID in its database",
	"zone":       "the zone: a node with a Northbound database of its own",
}

// HelpOf explains a column, empty if no text exists.
func (t *Table[F]) HelpOf(key string) string { return cmp.Or(t.Help[key], columnHelp[key]) }

// ColumnHelp explains a column that means the same on every page.
func ColumnHelp(key string) string { return columnHelp[key] }
