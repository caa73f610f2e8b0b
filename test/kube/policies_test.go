package kube_test

import (
	"fmt"
	"strings"
)

// anp writes an AdminNetworkPolicy. The subject is a label of namespaces ("*"
// for all); each rule is "in|out Action label [TCP:port]".
func anp(name string, priority int, subject string, rules ...string) string {
	text := fmt.Sprintf("---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: %s}\n"+
		"spec:\n  priority: %d\n  subject: {namespaces: %s}\n", name, priority, labels(subject))
	var in, out string
	for i, r := range rules {
		f := strings.Fields(r)
		ports := ""
		if len(f) > 3 {
			protocol, port, _ := strings.Cut(f[3], ":")
			ports = fmt.Sprintf(", ports: [{portNumber: {protocol: %s, port: %s}}]", protocol, port)
		}
		peer := "namespaces: " + labels(f[2])
		if strings.Contains(f[2], "/") {
			peer = "networks: ['" + f[2] + "']"
		}
		if f[0] == "in" {
			in += fmt.Sprintf("  - {name: r%d, action: %s, from: [{%s}]%s}\n", i, f[1], peer, ports)
		} else {
			out += fmt.Sprintf("  - {name: r%d, action: %s, to: [{%s}]%s}\n", i, f[1], peer, ports)
		}
	}
	if in != "" {
		text += "  ingress:\n" + in
	}
	if out != "" {
		text += "  egress:\n" + out
	}
	return text
}

func labels(s string) string {
	if s == "*" {
		return "{}"
	}
	k, v, _ := strings.Cut(s, "=")
	return fmt.Sprintf("{matchLabels: {%s: %s}}", k, v)
}

// podIP is an address in the subnet of a node (see cluster.AddNode).
func podIP(node, last int) string { return fmt.Sprintf("10.244.%d.%d", node, last) }
