package revision

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/lint"
	"rung/test/given"
)

// TestConsequences: a finding is as bad as what comes of it now.
func TestConsequences(t *testing.T) {
	one, two := given.ANP("one", 10, "tenant=blue", "in allow tenant=red"), given.ANP("two", 10, "tenant=blue", "in deny tenant=red")
	dns := dnsService()
	for _, tc := range []struct {
		name    string
		objects []string
		code    string
		want    []string // severity, policy, and how the message ends
	}{
		{"a conflict", []string{one, two}, lint.PriorityConflict.Code, []string{"error one", "error two"}},
		{"a conflict that a rule above masks", []string{one, two, given.ANP("above", 5, "tenant=blue", "in deny tenant=red")}, lint.PriorityConflict.Code,
			[]string{"info one; currently masked by earlier rules", "info two; currently masked by earlier rules"}},
		{"a conflict of what the senders may not send", []string{one, two, given.ANP("above", 5, "tenant=red", "out deny tenant=blue")}, lint.PriorityConflict.Code,
			[]string{"error one; the other end denies these connections now", "error two; the other end denies these connections now"}},
		{"a conflict of a Pass and a Deny", []string{one, given.ANP("two", 10, "tenant=blue", "in pass tenant=red")}, lint.PriorityConflict.Code, []string{"error one", "error two"}},
		{"no DNS below a Pass", []string{dns, given.ANP("over", 10, "tenant=blue", "out pass *"), given.BANP("tenant=blue", "out deny *")}, lint.DNSNotAllowed.Code,
			[]string{"error default at the cluster's DNS (UDP 53)"}},
		{"no DNS for an isolated namespace", []string{dns, given.NP("blue", "quiet", "{podSelector: {}, policyTypes: [Egress]}")}, lint.DNSNotAllowed.Code,
			[]string{"error quiet, and no NetworkPolicy allows them"}},
		{"DNS for an isolated namespace", []string{dns, given.NP("blue", "quiet", "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {}}], ports: [{protocol: UDP, port: 53}]}]}")},
			lint.DNSNotAllowed.Code, nil},
		{"no API server behind a firewall that names the Service", []string{apiService(), given.EF("blue", "{type: Allow, to: {cidrSelector: 172.30.0.0/16}}", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")},
			lint.APINotAllowed.Code, []string{"warning default; EF blue/default egress 0 names the Service address 172.30.0.1, which load balancing replaces before rules apply"}},
		{"the API server behind a firewall that names its node", []string{apiService(), given.EF("blue", "{type: Allow, to: {cidrSelector: 172.18.0.9/32}}", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")},
			lint.APINotAllowed.Code, nil},
		{"no API server for an isolated namespace", []string{apiService(), given.NP("blue", "quiet", "{podSelector: {}, policyTypes: [Egress]}")},
			lint.APINotAllowed.Code, []string{"info quiet cuts 2 pods off from the API server (172.18.0.9, TCP 6443), and no NetworkPolicy allows it"}},
		{"the port of the Service, not of the API server", []string{apiService(), given.NP("blue", "quiet", "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 172.18.0.9/32}}], ports: [{protocol: TCP, port: 443}]}]}")},
			lint.APINotAllowed.Code, []string{"warning quiet; NP blue/quiet egress 0 names the Service port 443, but the API server listens on 6443"}},
		{"the port of the API server", []string{apiService(), given.NP("blue", "quiet", "{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 172.18.0.9/32}}], ports: [{protocol: TCP, port: 6443}]}]}")},
			lint.APINotAllowed.Code, nil},
		{"the API server, allowed by an AdminNetworkPolicy above", []string{apiService(), given.NP("blue", "quiet", "{podSelector: {}, policyTypes: [Egress]}"), given.ANP("door", 5, "tenant=blue", "out allow 172.18.0.9/32")},
			lint.APINotAllowed.Code, nil},
		{"a webhook that its node reaches", []string{apiService(), farNode, webhook, given.NP("blue", "closed", "{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{ipBlock: {cidr: 10.244.9.2/32}}]}]}")},
			lint.WebhookCut.Code, nil},
		{"a Service with the port of webhooks and another name", []string{apiService(), farNode, strings.Replace(webhook, "quota-webhook", "shop", 1), given.NP("blue", "closed", "{podSelector: {}, policyTypes: [Ingress]}")},
			lint.WebhookCut.Code, nil},
		{"a Deny of DNS that a rule above masks for all who ask", []string{dns, given.ANP("a", 5, "tenant=blue", "out allow *"), given.ANP("b", 6, "", "out allow tenant=blue"),
			given.ANP("wall", 10, "tenant=blue", "out deny 0.0.0.0/0")}, lint.DNSNotAllowed.Code, nil},
		{"all open above nothing", []string{given.ANP("open", 10, "", "in allow *")}, lint.OpenToAll.Code, nil},
		{"all open above a NetworkPolicy", []string{given.ANP("open", 10, "", "in allow *"), webOpen}, lint.OpenToAll.Code, []string{"error open"}},
		{"all open but for the system", []string{strings.Replace(given.ANP("open", 10, "", "in allow *"), "namespaces: {}", "namespaces: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}]}", 1), webOpen},
			lint.OpenToAll.Code, []string{"error open"}},
		{"one namespace open", []string{given.ANP("open", 10, "tenant=blue", "in allow *"), webOpen}, lint.OpenToAll.Code, nil},
		{"one port open", []string{given.ANP("open", 10, "", "in allow * tcp:80"), webOpen}, lint.OpenToAll.Code, nil},
		{"all closed below what allows", []string{given.ANP("door", 10, "tenant=blue", "in allow tenant=red"), given.ANP("wall", 20, "", "in deny *")}, lint.ClosedToAll.Code, nil},
		{"all closed above what allows", []string{given.ANP("door", 20, "tenant=blue", "in allow tenant=red"), given.ANP("wall", 10, "", "in deny *")}, lint.ClosedToAll.Code, []string{"error wall"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, f := range findingsOf(t, revisionOf(t, tc.objects...)) {
				if f.Code != tc.code {
					continue
				}
				text := fmt.Sprintf("%s %s", f.Severity, f.Policy.Name)
				for _, want := range tc.want {
					if end := strings.TrimPrefix(want, text); end != want && end != "" && strings.HasSuffix(f.Message, end) {
						text = want
					}
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnderOneCause: rules that never decide because of one stand behind the finding about it
// and are counted as that one; of a policy by itself they count.
func TestUnderOneCause(t *testing.T) {
	found := findingsOf(t, revisionOf(t, given.ANP("wall", 10, "tenant=blue", "in deny *"),
		given.ANP("door", 20, "tenant=blue", "in allow tenant=red tcp:80", "in deny tenant=red tcp:81"), given.ANP("gate", 30, "tenant=blue", "in allow tenant=green")))
	var got []string
	for _, f := range found {
		if f.Cause != "" {
			got = append(got, fmt.Sprintf("%s %s %s %d root=%v: %s", f.Severity, f.Code, f.Policy.Name, f.Rule, f.Root, f.Cause))
		}
	}
	want := []string{
		"warning decides-first wall 0 root=true: ANP wall ingress 0",
		"warning rule-never-decides door 0 root=false: ANP wall ingress 0",
		"warning rule-never-decides gate 0 root=false: ANP wall ingress 0",
		"info rule-never-decides door 1 root=false: ANP wall ingress 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	n := model.CountFindings(found)
	if n.Warnings != 1 || n.Total() != len(found)-3 {
		t.Errorf("%d findings are counted as %+v", len(found), n)
	}
	if n := model.CountFindings(findingsOfPolicy(found, given.ANPKey("door"))); n.Warnings != 1 {
		t.Errorf("of door alone: %+v", n)
	}
}
