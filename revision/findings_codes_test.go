package revision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/lint"
	"rung/sources/manifests"
	"rung/test/given"
)

// findingCode is a code with what brings it about.
type findingCode struct {
	code string
	// what says what it means, where it is none of codes.Kinds.
	what string
	// objects are added to those of package given.
	objects []string
	// none says why there is no example.
	none string
	// demo says why the demo has none, empty where it has.
	demo string
}

func dnsService() string {
	return "apiVersion: v1\nkind: Service\nmetadata: {name: kube-dns, namespace: kube-system}\nspec: {selector: {app: dns}, ports: [{name: dns, protocol: UDP, port: 53, targetPort: 53}]}\n"
}

// apiService is the Service of the API server with its endpoint, a node.
func apiService() string {
	return "apiVersion: v1\nkind: Service\nmetadata: {name: kubernetes, namespace: default}\nspec: {clusterIP: 172.30.0.1, clusterIPs: [172.30.0.1], ports: [{name: https, protocol: TCP, port: 443, targetPort: 6443}]}\n" +
		"---\napiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: kubernetes, namespace: default, labels: {kubernetes.io/service-name: kubernetes}}\naddressType: IPv4\n" +
		"ports: [{name: https, port: 6443, protocol: TCP}]\nendpoints: [{addresses: [172.18.0.9]}]\n"
}

// farNode is a node on which the API server runs and no pod does.
const farNode = "apiVersion: v1\nkind: Node\nmetadata: {name: far, annotations: {k8s.ovn.org/node-subnets: '{\"default\": [\"10.244.9.0/24\"]}', k8s.ovn.org/host-cidrs: '[\"172.18.0.9/24\"]'}}\nstatus: {addresses: [{type: InternalIP, address: 172.18.0.9}]}\n"

// webhook is a Service in front of the web pods of blue.
const webhook = "apiVersion: v1\nkind: Service\nmetadata: {name: quota-webhook, namespace: blue}\nspec: {clusterIPs: [172.30.0.9], selector: {app: web}, ports: [{name: https, protocol: TCP, port: 443, targetPort: 8443}]}\n"

func podText(namespace, name, label, ip, more string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: %s, labels: {app: %s}}\n"+
		"spec: {nodeName: worker, %scontainers: [{name: c, ports: [{name: http, containerPort: 8080, protocol: TCP}]}]}\nstatus: {phase: Running, podIPs: [{ip: %s}]}\n",
		name, namespace, label, more, ip)
}

// crowd is a namespace of many pods, each with a label of its own where unlike is said.
func crowd(n int, unlike bool) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: Namespace\nmetadata: {name: crowd, labels: {size: large}}\n")
	for i := range n {
		label := "same"
		if unlike {
			label = fmt.Sprintf("n%d", i)
		}
		b.WriteString("---\n" + podText("crowd", fmt.Sprintf("p%d", i), label, fmt.Sprintf("10.245.%d.%d", i/250, i%250+1), ""))
	}
	return b.String()
}

// unlikeRules tell every pod of a crowd from the others.
func unlikeRules(n int) (out []string) {
	for i := 0; i < n; i += 100 {
		var b strings.Builder
		fmt.Fprintf(&b, "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: each-%d}\nspec: {priority: %d, subject: {namespaces: {}}, ingress: [", i, 10+i/100)
		for j := range 100 {
			fmt.Fprintf(&b, "{action: Allow, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: n%d}}}}]}, ", i+j)
		}
		out = append(out, b.String()+"]}\n")
	}
	return out
}

// manyPolicies are n of them.
func manyPolicies(n int) (out []string) {
	for i := range n {
		out = append(out, given.ANP(fmt.Sprintf("p%d", i), i, "tenant=blue", "in deny tenant=red"))
	}
	return out
}

func named(name string, priority int, subject, side, peers string) string {
	return fmt.Sprintf("apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: %s}\nspec: {priority: %d, subject: {namespaces: %s}, %s}\n",
		name, priority, subject, strings.Replace(side, "PEERS", peers, 1))
}

func manyRules(n int) (out []string) {
	for range n {
		out = append(out, "in deny tenant=red")
	}
	return out
}

var (
	tenantBlue = `{matchLabels: {tenant: blue}}`
	webOpen    = given.NP("blue", "web", "{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {matchLabels: {tenant: green}}}]}]}")
)

// no2016 is why the demo has nothing of what is no more.
const no2016 = "its objects are of today"

func annotated(value string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata: {name: old, annotations: {" + model.AnnotationIsolation + ": '" + value + "'}}\n"
}

func np2016(spec string) string {
	return "apiVersion: extensions/v1beta1\nkind: NetworkPolicy\nmetadata: {name: web, namespace: blue}\nspec: " + spec + "\n"
}

// findingCodes are all codes of findings about objects, in the order of the page.
var findingCodes = slices.Concat(policyCodes, networkCodes, readerCodes)

// policyCodes are those about policies.
var policyCodes = []findingCode{
	{code: lint.PriorityUnsupported.Code,
		objects: []string{given.ANP("late", 120, "tenant=blue", "in deny tenant=red")}},
	{code: lint.PriorityConflict.Code,
		objects: []string{given.ANP("one", 10, "tenant=blue", "in allow tenant=red"), given.ANP("two", 10, "tenant=blue", "in deny tenant=red")}},
	{code: lint.PriorityDuplicate.Code,
		objects: []string{given.ANP("one", 10, "tenant=blue", "in allow tenant=red"), given.ANP("two", 10, "tenant=green", "in deny tenant=red")}},
	{code: lint.PriorityNoGap.Code,
		objects: []string{given.ANP("one", 10, "tenant=blue", "in deny tenant=red"), given.ANP("two", 11, "tenant=green", "in deny tenant=red")},
		demo:    "every gap of it is there to be filled: a policy put between two others is the first thing people try"},
	{code: lint.OpenToAll.Code,
		objects: []string{given.ANP("everything", 10, "", "in allow *"), given.ANP("wall", 20, "tenant=blue", "in deny tenant=red")},
		demo:    "its policies deny more than they allow"},
	{code: lint.ClosedToAll.Code,
		objects: []string{given.ANP("nothing", 10, "", "in deny *"), given.ANP("door", 20, "tenant=blue", "in allow tenant=red")}},
	{code: lint.DecidesFirst.Code,
		objects: []string{given.ANP("wall", 10, "tenant=blue", "in deny *"), given.ANP("door", 20, "tenant=blue", "in allow tenant=red tcp:80", "in allow tenant=green tcp:80")},
		demo:    "what cluster-control decides first stands under closed-to-all"},
	{code: lint.RuleNeverDecides.Code,
		objects: []string{given.ANP("wall", 10, "tenant=blue", "in deny *"), given.ANP("door", 20, "tenant=blue", "in allow tenant=red tcp:80")}},
	{code: lint.RuleShadowed.Code,
		objects: []string{given.ANP("twice", 10, "tenant=blue", "in allow tenant=red", "in deny tenant=red")}},
	{code: lint.RuleRedundant.Code,
		objects: []string{given.ANP("twice", 10, "tenant=blue", "in deny tenant=red", "in deny *")},
		demo:    "cluster-control denies first what a redundant rule below it would decide"},
	{code: lint.RuleOutOfRange.Code,
		objects: []string{"ANY", given.ANP("long", 10, "tenant=blue", manyRules(101)...)}, demo: "the API refuses such a policy"},
	{code: lint.PassNothing.Code,
		objects: []string{given.ANP("over", 10, "tenant=blue", "in pass tenant=red", "in deny *")},
		demo:    "what its Passes leave, NetworkPolicies decide"},
	{code: lint.AllowChangesNothing.Code,
		objects: []string{given.ANP("open", 10, "tenant=blue", "in allow tenant=red")},
		demo:    "break-glass, its only such policy that is asked, has no peers until somebody gives a pod its label"},
	{code: lint.AllowOverNetpol.Code,
		objects: []string{given.ANP("open", 10, "tenant=blue", "in allow tenant=red"), webOpen}},
	{code: lint.DenyOverAllow.Code,
		objects: []string{given.ANP("wall", 10, "tenant=blue", "in deny tenant=green tcp:80"), webOpen}},
	{code: lint.DenyLeavesOutside.Code,
		objects: []string{given.ANP("wall", 10, "tenant=blue", "in deny *")}},
	{code: lint.DenyAllNetworks.Code,
		objects: []string{dnsService(), given.ANP("wall", 10, "tenant=blue", "out deny 0.0.0.0/0")}},
	{code: lint.DNSNotAllowed.Code,
		objects: []string{dnsService(), given.ANP("wall", 10, "tenant=blue", "out deny 0.0.0.0/0")}},
	{code: lint.DNSTCPNotAllowed.Code,
		objects: []string{dnsService(), given.ANP("wall", 10, "tenant=blue", "out allow name=kube-system udp:53", "out deny 0.0.0.0/0")}},
	{code: lint.EmptySelectorDeny.Code,
		objects: []string{given.ANP("wall", 10, "", "in deny tenant=red")}},
	{code: lint.SelectsSystem.Code,
		objects: []string{given.ANP("wall", 10, "name=kube-system", "in deny tenant=red")}},
	{code: lint.SubjectNothing.Code, objects: []string{given.ANP("gone", 10, "tenant=violet", "in deny tenant=red")},
		demo: "a policy without pods would decide nothing, and the demo's are there to be tried"},
	{code: lint.PeerService.Code, objects: []string{dnsService(), apiService(), given.NP("blue", "out", "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 172.30.0.1/32}}]}]}")},
		demo: "it names the API server by its node"},
	{code: lint.PeerNothing.Code, objects: []string{given.ANP("gone", 10, "tenant=blue", "in deny tenant=violet")}},
	{code: lint.HostNetwork.Code,
		objects: []string{podText("blue", "agent", "agent", "172.18.0.2", "hostNetwork: true, "), given.ANP("wall", 10, "tenant=blue", "in deny tenant=red")}},
	{code: lint.PeerHost.Code,
		objects: []string{podText("red", "agent", "agent", "172.18.0.2", "hostNetwork: true, "), given.ANP("wall", 10, "tenant=blue", "in deny tenant=red")}},
	{code: lint.PrimaryUDN.Code,
		objects: []string{strings.Replace(podText("blue", "tunnel", "tunnel", "10.244.0.90", ""), "labels:", `annotations: {k8s.ovn.org/pod-networks: '{"default":{"ip_addresses":["10.244.0.90/24"],"mac_address":"0a:58:0a:f4:00:5a","role":"infrastructure-locked"},"blue/net":{"ip_addresses":["10.100.0.5/16"],"mac_address":"0a:58:0a:64:00:05","role":"primary"}}'}, labels:`, 1),
			given.ANP("wall", 10, "tenant=blue", "in deny tenant=red")}},
	{code: lint.NetworkHostBits.Code, objects: []string{given.ANP("wall", 10, "tenant=blue", "out deny 10.0.54.0/19")}},
	{code: lint.NetworkCoversNodes.Code, objects: []string{farNode, given.NP("blue", "from-nodes", "{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{ipBlock: {cidr: 172.18.0.0/24}}]}]}")},
		demo: "its NetworkPolicies let pods in, no nodes"},
	{code: lint.APINotAllowed.Code, objects: []string{apiService(), given.EF("blue", "{type: Allow, to: {cidrSelector: 172.30.0.0/16}}", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")},
		demo: "cluster-control lets all pods reach the API server"},
	{code: lint.WebhookCut.Code, objects: []string{apiService(), farNode, webhook,
		given.NP("blue", "closed", "{podSelector: {}, policyTypes: [Ingress]}")},
		demo: "it has no webhook"},
	{code: lint.NetworkCoversPods.Code, objects: []string{given.ANP("wall", 10, "tenant=blue", "out deny 10.244.0.0/16")}},
	{code: lint.CIDR.Code, objects: []string{"ANY", given.ANP("wall", 10, "tenant=blue", "out deny 10.0.0/8")},
		demo: "the API refuses such a policy"},
	{code: lint.PoliciesMany.Code,
		objects: manyPolicies(51), demo: "it has ten policies, so that people can read them"},
	{code: lint.SetsOverlap.Code,
		objects: []string{crowd(30, false), given.ANP("wall", 10, "tenant=blue", "in allow size=large", "in deny *")}},
	{code: lint.NamedPortMany.Code,
		objects: []string{crowd(500, false), named("scrape", 10, "{}", "ingress: [{action: Allow, from: [{namespaces: {matchLabels: {team: ops}}}], ports: [{namedPort: http}]}]", "")},
		demo:    "it has too few pods"},
	{code: lint.NegativeMany.Code,
		objects: []string{crowd(500, false), named("others", 10, "{matchExpressions: [{key: tenant, operator: DoesNotExist}]}", "ingress: [{action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}]}]", "")},
		demo:    "it has too few pods"},
	{code: lint.TenantPolicies.Code,
		objects: []string{given.ANP("blue", 10, "tenant=blue", "in allow tenant=blue", "in deny *"), given.ANP("green", 20, "tenant=green", "in allow tenant=green", "in deny *")}},
	{code: lint.ConversionNewValue.Code,
		objects: []string{strings.Replace(given.ANP("own-blue", 10, "tenant=blue", "in allow tenant=blue"), "metadata:\n", "metadata:\n  annotations: {rung/converted: '{\"from\":\"ACNP own\",\"labels\":[],\"value\":\"blue\",\"of\":\"tenant\"}'}\n", 1)},
		demo:    "none of its policies was converted"},
	{code: lint.NamedPortUnmatched.Code,
		objects: []string{named("scrape", 10, tenantBlue, "ingress: [{action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}], ports: [{namedPort: metrics}]}]", "")}},
	{code: lint.NamedPortPeers.Code,
		objects: []string{named("scrape", 10, tenantBlue, "ingress: [{action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}], ports: [{namedPort: http}]}]", "")},
		demo:    "its one named port is of pods that are subject, too"},
	{code: lint.NamedPortFamily.Code,
		objects: []string{strings.Replace(podText("red", "six", "six", "10.244.0.91", ""), "10.244.0.91}", "10.244.0.91}, {ip: 'fd00::91'}", 1),
			named("scrape", 10, tenantBlue, "egress: [{action: Deny, to: [{namespaces: {matchLabels: {tenant: red}}}], ports: [{namedPort: http}]}]", "")},
		demo: "its pods have addresses of one family"},
	{code: lint.HostCIDRs.Code,
		objects: []string{"apiVersion: v1\nkind: Node\nmetadata: {name: odd, labels: {node-role: odd}, annotations: {k8s.ovn.org/host-cidrs: 'no JSON'}}\n", given.ANP("wall", 10, "tenant=blue", "out deny node-role=odd")},
		demo:    "OVN-Kubernetes writes the annotation itself"},
	{code: lint.NameCut.Code, objects: []string{given.ANP("a-policy-with-a-name-that-says-everything-there-is-to-say", 10, "tenant=blue", "in deny tenant=red")},
		demo: "a name of more than 48 characters would not fit the first screen"},
	{code: lint.LoggingInvalid.Code, objects: []string{given.LoggingPolicy(given.ANP("loud", 10, "tenant=blue", "in deny tenant=red"), `{"deny": "loud"}`)},
		demo: "it would have no rows, and the demo has a policy without already"},
	{code: lint.NamespaceLogging.Code,
		objects: []string{"apiVersion: v1\nkind: Namespace\nmetadata: {name: loud, annotations: {k8s.ovn.org/acl-logging: '{\"deny\": \"loud\"}'}}\n", given.NP("loud", "web", "{podSelector: {}, policyTypes: [Ingress]}")}},
	{code: lint.NetpolNamedPort.Code,
		objects: []string{given.NP("blue", "web", "{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {}}], ports: [{protocol: TCP, port: http}]}]}")}},
	{code: lint.NetpolPortLost.Code,
		objects: []string{given.NP("blue", "web", "{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {}}], ports: [{protocol: TCP, port: http}, {protocol: TCP, port: 80}]}]}")}},
	{code: lint.NetpolDirection.Code,
		objects: []string{given.NP("blue", "web", "{podSelector: {}, policyTypes: [Ingress], egress: [{to: [{namespaceSelector: {}}]}]}")},
		demo:    "its one NetworkPolicy with egress rules isolates egress, which its vault needs"},
	{code: lint.FirewallName.Code,
		objects: []string{"ANY", strings.Replace(given.EF("blue", "{type: Deny, to: {cidrSelector: 8.8.8.0/24}}"), "name: default", "name: mine", 1)}, demo: "the API refuses such a name"},
	{code: lint.FirewallTooLong.Code, none: "it takes more than 8,000 rules", demo: "the API refuses so many"},
	{code: lint.FirewallPods.Code,
		objects: []string{"SUBNETS", given.EF("blue", "{type: Deny, to: {cidrSelector: 10.0.0.0/8}}")}, demo: "no rule of its EgressFirewalls is about the subnets of its pods alone"},
	{code: lint.FirewallSubnets.Code,
		objects: []string{given.EF("blue", "{type: Deny, to: {cidrSelector: 10.0.0.0/8}}")}, demo: "its nodes' annotations say them"},
	{code: lint.FirewallDNS.Code, objects: []string{given.EF("blue", "{type: Allow, to: {dnsName: www.example.com}}")}},
	{code: lint.FirewallOverrules.Code,
		objects: []string{given.ANP("open", 10, "tenant=blue", "out allow 198.51.100.0/24"), given.EF("blue", "{type: Deny, to: {cidrSelector: 198.51.0.0/16}}")}},
	{code: lint.IsolationIgnored.Code,
		objects: []string{annotated("{\"ingress\": {\"isolation\": \"DefaultDeny\"}}")}, demo: no2016},
	{code: lint.IsolationInvalid.Code,
		objects: []string{annotated("{ingress: {isolation: DefaultDeny}}")}, demo: no2016},
	{code: lint.IsolationBoth.Code,
		objects: []string{annotated("{\"ingress\": {\"isolation\": \"DefaultDeny\"}}"), given.NP("old", "web", "{podSelector: {}, policyTypes: [Ingress]}")}, demo: no2016},
	{code: lint.NetpolOlderAPI.Code,
		objects: []string{np2016("{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}")}, demo: no2016},
	{code: lint.NetpolNoEffect.Code,
		objects: []string{"LEGACY", np2016("{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}")}, demo: no2016},
	{code: lint.NetpolEmptyList.Code,
		objects: []string{np2016("{podSelector: {}, ingress: [{from: []}]}")}, demo: no2016},
	{code: model.InvalidOlder, what: "An AdminNetworkPolicy is written in the first form of its API: it is shown, and counts for nothing until it is written anew.",
		objects: []string{named("first", 10, tenantBlue, "ingress: [{action: Deny, from: [PEERS]}]", "{namespaces: {namespaceSelector: {matchLabels: {tenant: red}}}}")}, demo: no2016},
	{code: lint.CNPNotEnforced.Code,
		objects: []string{cnpText("Admin", 10, "{action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}]}")}, demo: noCNP},
	{code: lint.CNPMight.Code,
		objects: []string{"CNP", cnpText("Admin", 10, "{action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}]}")}, demo: noCNP},
	{code: lint.CNPPruned.Code,
		objects: []string{strings.Replace(cnpText("Admin", 10, "{action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}]}"), "{name: next}",
			"{name: next, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{\"spec\": {\"ingress\": [{\"ports\": [{\"portNumber\": {\"port\": 80}}]}]}}'}}", 1)}, demo: noCNP},
	{code: lint.CNPDomains.Code,
		objects: []string{strings.Replace(cnpText("Admin", 10, "{action: Deny, to: [{domainNames: ['*.example.com']}]}"), "ingress:", "egress:", 1)}, demo: noCNP},
	{code: lint.CNPRules.Code,
		objects: []string{"ANY", cnpText("Admin", 10, strings.Repeat("{action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}]}, ", 26))}, demo: "the API refuses such a policy"},
	{code: model.InvalidPortRange, what: "A range of ports ends before it begins: its row matches nothing, so that a Deny denies nothing.",
		objects: []string{"apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: wall}\nspec: {priority: 10, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}], ports: [{portRange: {start: 9000, end: 8000}}]}]}\n"}, demo: "it would be one more policy that cannot be applied"},
	{code: model.InvalidProtocolEmpty, what: "A tcp, udp or sctp of a ClusterNetworkPolicy names no port: the API of today refuses it, a server with an older CRD may hold it.",
		objects: []string{"ANY", cnpText("Admin", 10, "{action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}], protocols: [{tcp: {}}]}")}, demo: noCNP},
	{code: lint.VerdictsTooLarge.Code,
		objects: append([]string{crowd(1500, true)}, unlikeRules(1500)...), demo: "it is small"},
}

// readerCodes are those of what the API refuses.
var readerCodes = []findingCode{
	{code: manifests.CodeUnknown, what: "An object has a field that does not exist.",
		objects: []string{named("wall", 10, "{namespaceSelector: {}}", "ingress: []", "")}},
	{code: manifests.CodeSchema, what: "An object is rejected by the schema of its kind.",
		objects: []string{given.ANP("long", 10, "tenant=blue", manyRules(101)...)}, demo: "the API refuses such a policy"},
	{code: manifests.CodeCEL, what: "An object is rejected by a validation rule of its kind.",
		objects: []string{strings.Replace(given.BANP("tenant=blue", "in deny tenant=red"), "name: default", "name: mine", 1)}, demo: "the API refuses such a policy"},
}

// noCNP is why the demo has no ClusterNetworkPolicy.
const noCNP = "OVN-Kubernetes has no controller for it"

func cnpText(tier string, priority int, ingress string) string {
	return fmt.Sprintf("apiVersion: policy.networking.k8s.io/v1alpha2\nkind: ClusterNetworkPolicy\nmetadata: {name: next}\n"+
		"spec: {tier: %s, priority: %d, subject: {namespaces: {matchLabels: {tenant: blue}}}, ingress: [%s]}\n", tier, priority, ingress)
}

// example is the finding that the objects of a code bring about.
func (c *findingCode) example() (model.Finding, error) {
	text := given.Objects()
	o, files, flags := compiler.Options{IPv4: true}, manifests.Options{}, Flags{}
	for _, object := range c.objects {
		switch object {
		case "SUBNETS": // of the pods are known
			o.ClusterSubnets = exampleSubnets
			continue
		case "LEGACY": // the annotation of 2016 counts
			flags.LegacyIsolation = true
			continue
		case "CNP": // rows are asked for
			o.CNP, flags.CompileCNP = true, true
			continue
		case "ANY": // what the API refuses may come from a file or an old cluster
			files.SkipSchema = true
			continue
		}
		text += "---\n" + strings.TrimSpace(object) + "\n"
	}
	res := manifests.Parse("objects.yaml", []byte(text), files)
	cl, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
	r := New(Facts{Number: 1, Cluster: cl, Broken: res.Broken, Loaded: true, Flags: flags, Desired: compiler.Compile(cl, o)}, nil)
	found, err := AllFindings(r, context.Background())
	if err != nil {
		return model.Finding{}, err
	}
	var have []string
	for _, f := range found {
		if f.Code == c.code {
			return f, nil
		}
		have = append(have, f.Code+": "+f.Message)
	}
	return model.Finding{}, fmt.Errorf("no such finding among:\n%s", strings.Join(have, "\n"))
}
