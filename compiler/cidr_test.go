package compiler_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/sources/manifests"
)

// CIDRs that Go's net.ParseCIDR takes, and netip.ParsePrefix or a CRD does not, are
// taken, and are in the sets as it writes them (ovn-kubernetes.md#peers). The rows of
// NetworkPolicy and EgressFirewall have them as they are written.
func TestOddCIDRs(t *testing.T) {
	res := manifests.Parse("a.yaml", []byte(`
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: a}
spec:
  priority: 5
  subject: {namespaces: {}}
  egress: [{action: Deny, to: [{networks: ["10.0.0.1/08", "::ffff:b00:0/104", "::ffff:0:0/90", "10.0.0.0/8"]}]}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: x}
spec: {podSelector: {}, ingress: [{from: [{ipBlock: {cidr: "::ffff:a00:0/104", except: [10.1.0.0/016]}}]}]}
---
apiVersion: k8s.ovn.org/v1
kind: EgressFirewall
metadata: {name: default, namespace: x}
spec: {egress: [{type: Deny, to: {cidrSelector: 10.0.0.0/08}}]}
`), manifests.Options{SkipSchema: true})
	for _, b := range res.Broken {
		t.Fatal(b)
	}
	cluster, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
	d := compiler.Compile(cluster, compiler.Options{IPv4: true, IPv6: true})
	var got []string
	for _, k := range []model.PolicyKey{{Kind: model.KindANP, Name: "a"}, {Kind: model.KindNP, Namespace: "x", Name: "np"}, {Kind: model.KindEF, Namespace: "x", Name: "default"}} {
		rows := d.RowsOfUnit(k, "", nil)
		if rows == nil || rows.None != nil {
			t.Fatalf("%s: %+v", k, rows)
		}
		for _, s := range rows.AddressSets {
			got = append(got, strings.Join(s.Addresses, " "))
		}
		if !k.Kind.IsAdmin() {
			match, _, _ := strings.Cut(rows.ACLs[0].Match, " && outport")
			match, _, _ = strings.Cut(match, " && inport")
			got = append(got, match)
		}
		for _, b := range cluster.Policy(k).Invalid {
			got = append(got, b.Code+" "+b.Field)
		}
	}
	want := []string{
		"10.0.0.0/8 11.0.0.0/8", "::ffc0:0:0/90",
		"cidr-form spec.egress[0].to[0].networks[0]", "cidr-form spec.egress[0].to[0].networks[1]", "cidr-form spec.egress[0].to[0].networks[2]",
		"(ip4.src == ::ffff:a00:0/104 && ip4.src != {10.1.0.0/016})",
		"cidr-form spec.ingress[0].from[0].ipBlock.cidr", "cidr-form spec.ingress[0].from[0].ipBlock.except[0]",
		"(ip4.dst == 10.0.0.0/08)", "cidr-form spec.egress[0].to.cidrSelector",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
