package revision

import (
	"strings"

	"rung/model"
	"rung/model/lint"
	"rung/test/given"
)

// noNetworks is why the demo has nothing of other networks.
const noNetworks = "it has no network besides the default one: examples-networks has"

// nadText is a NetworkAttachmentDefinition of OVN-Kubernetes, with more of its configuration.
func nadText(key, net, topology, more string) string {
	ns, name, _ := strings.Cut(key, "/")
	if more != "" {
		more = "," + more
	}
	return "apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\nmetadata: {name: " + name + ", namespace: " + ns + "}\n" +
		`spec: {config: '{"cniVersion":"1.1.0","type":"ovn-k8s-cni-overlay","name":"` + net + `","netAttachDefName":"` + key + `","topology":"` + topology + `"` + more + `}'}` + "\n"
}

// mnpText is a MultiNetworkPolicy of namespace blue.
func mnpText(policyFor, spec string) string {
	return "apiVersion: k8s.cni.cncf.io/v1beta1\nkind: MultiNetworkPolicy\nmetadata: {name: web, namespace: blue, annotations: {" +
		model.AnnotationPolicyFor + ": " + policyFor + "}}\nspec: " + spec + "\n"
}

const (
	asPrimary   = `"role":"primary","subnets":"10.20.0.0/16"`
	withSubnets = `"subnets":"10.30.0.0/16"`
)

var (
	labeledNS = "apiVersion: v1\nkind: Namespace\nmetadata: {name: own, labels: {" + model.LabelPrimaryUDN + ": ''}}\n"
	ownNet    = nadText("own/net", "own_net", "layer3", asPrimary)
	denyAll   = given.NP("own", "closed", "{podSelector: {}}")
	backNet   = nadText("blue/back", "back", "layer2", withSubnets)
	bareNet   = nadText("blue/bare", "bare", "layer2", "")
)

// networkCodes are those about networks besides the default one.
var networkCodes = []findingCode{
	{code: lint.NetworkUnreadable.Code, objects: []string{nadText("own/net", "own_net", "localnet", asPrimary)}, demo: noNetworks},
	{code: lint.NetworkUnlabeled.Code, objects: []string{"apiVersion: v1\nkind: Namespace\nmetadata: {name: bare}\n", `
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: net, namespace: bare}
spec: {topology: Layer2, layer2: {role: Primary, subnets: [10.60.0.0/16]}}
`}, demo: noNetworks},
	{code: lint.NetworkNoSubnets.Code, objects: []string{nadText("blue/net", "blue_net", "layer3", "")}, demo: noNetworks},
	{code: lint.NetworkContradicts.Code, objects: []string{backNet, nadText("red/back", "back", "layer2", `"subnets":"10.31.0.0/16"`)}, demo: noNetworks},
	{code: lint.NetworkSecondPrimary.Code, objects: []string{labeledNS, ownNet, nadText("own/other", "own_other", "layer2", asPrimary)}, demo: noNetworks},
	{code: lint.NetworkOverlaps.Code, objects: []string{nadText("blue/back", "back", "layer2", `"subnets":"10.30.0.0/16,10.30.4.0/24"`)}, demo: noNetworks},
	{code: lint.NamespaceWaits.Code, objects: []string{labeledNS, denyAll, given.EF("own", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")}, demo: noNetworks},
	{code: lint.NamespaceUnlabeled.Code,
		objects: []string{strings.Replace(labeledNS, "labels:", "annotations:", 1), ownNet, denyAll, given.EF("own", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")}, demo: noNetworks},
	{code: lint.PolicyForNothing.Code, objects: []string{labeledNS, ownNet, mnpText("'bcak, own/net'", "{podSelector: {}, policyTypes: [Ingress]}")}, demo: noNetworks},
	{code: lint.SelectorPeers.Code,
		objects: []string{backNet, bareNet, mnpText("'back, bare'", "{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}]}]}")}, demo: noNetworks},
	{code: lint.IPv6Denied.Code, objects: []string{bareNet, mnpText("bare", "{podSelector: {}, policyTypes: [Ingress], ingress: [{}]}")}, demo: noNetworks},
	{code: lint.NoPolicyTypes.Code, objects: []string{backNet, mnpText("back", "{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}")}, demo: noNetworks},
	{code: lint.SetsFrozen.Code, objects: []string{backNet, mnpText("back", "{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}]}]}"),
		strings.Replace(podText("blue", "odd", "odd", "10.244.0.92", ""), "labels:", "annotations: {"+model.AnnotationAttachments+": '[{name: back]'}, labels:", 1)}, demo: noNetworks},
	{code: lint.PodNetworkUnknown.Code,
		objects: []string{backNet, strings.Replace(podText("blue", "odd", "odd", "10.244.0.92", ""), "labels:", "annotations: {"+model.AnnotationAttachments+": storage}, labels:", 1)}, demo: noNetworks},
	{code: lint.FirewallInside.Code, objects: []string{labeledNS, ownNet, given.EF("own", "{type: Deny, to: {cidrSelector: 10.20.4.0/24}}")}, demo: noNetworks},
	{code: lint.FirewallDefault.Code, objects: []string{labeledNS, ownNet, given.EF("own", "{type: Deny, to: {cidrSelector: 10.244.0.0/16}}")}, demo: noNetworks},
}
