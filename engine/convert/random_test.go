package convert_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"rung/engine/convert"
	"rung/revision"
	"rung/system"
	"rung/test/install"
)

// randomAntrea draws policies of Antrea whose networks begin with, end with and hold nodes,
// their gateways, Services and pods.
func randomAntrea(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 23))
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	var b strings.Builder
	nodes := 1 + r.IntN(2)
	for i := range nodes {
		fmt.Fprintf(&b, "apiVersion: v1\nkind: Node\nmetadata: {name: n%d}\nspec: {podCIDRs: [192.168.%d.0/24, 'fd01:%d::/64']}\nstatus: {addresses: [{type: InternalIP, address: 172.18.0.%d}]}\n---\n", i+1, i, i, i+2)
	}
	b.WriteString(ns("shop", "team: shop", "") + ns("mon", "team: mon", ""))
	for i, p := range []string{"shop/db", "shop/web", "mon/prom"} {
		namespace, name, _ := strings.Cut(p, "/")
		on := r.IntN(nodes)
		ips := fmt.Sprintf("{ip: 192.168.%d.%d}", on, i+2)
		if r.IntN(2) == 0 {
			ips += fmt.Sprintf(", {ip: 'fd01:%d::%d'}", on, i+2)
		}
		fmt.Fprintf(&b, "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: %s, labels: {app: %s}}\nspec: {nodeName: n%d, containers: [{name: c}]}\nstatus: {phase: Running, podIPs: [%s]}\n---\n",
			name, namespace, name, on+1, ips)
	}
	b.WriteString("apiVersion: v1\nkind: Service\nmetadata: {name: db, namespace: shop}\nspec: {clusterIP: 10.96.0.1, clusterIPs: [10.96.0.1], selector: {app: db}, ports: [{port: 80}]}\n---\n")
	network := func() string {
		return pick("0.0.0.0/0", "192.168.0.0/16", "192.168.0.0/24", "192.168.0.0/30", "192.168.0.1/32", "192.168.1.0/24", "192.168.1.1/32", "10.96.0.0/12", "10.96.0.1/32",
			"172.18.0.0/16", "172.18.0.2/32", "172.18.0.2/31", "8.8.8.8/32", "fd01::/16", "fd01:0:0::/64", "fd01::1/128", "::/0", "2001:db8::/32")
	}
	peer := func() string {
		switch r.IntN(6) {
		case 0:
			return "{namespaceSelector: {matchLabels: {team: " + pick("shop", "mon", "other") + "}}}"
		case 1:
			return "{podSelector: {matchLabels: {app: " + pick("db", "web") + "}}}"
		}
		return "{ipBlock: {cidr: '" + network() + "'}}"
	}
	ports := func() string {
		return pick("", "", ", ports: [{protocol: TCP, port: 80}]", ", ports: [{protocol: UDP, port: 53}]")
	}
	rules := func(peers string) (out []string) {
		for range r.IntN(3) {
			out = append(out, fmt.Sprintf("{action: %s, %s: [%s, %s]%s}", pick("Allow", "Drop", "Drop", "Reject", "Pass"), peers, peer(), peer(), ports()))
		}
		return out
	}
	for i := range 1 + r.IntN(4) {
		b.WriteString(acnp(fmt.Sprintf("p%d", i), fmt.Sprintf("{tier: %s, priority: %d, appliedTo: [{namespaceSelector: {%s}}], ingress: [%s], egress: [%s]}",
			pick("securityops", "application", "platform"), 1+r.IntN(5), pick("", "matchLabels: {team: shop}"), strings.Join(rules("from"), ", "), strings.Join(rules("to"), ", "))))
	}
	if r.IntN(2) == 0 {
		b.WriteString("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: np, namespace: shop}\n" +
			"spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/0, except: [" + pick("192.168.0.0/24", "192.168.0.1/32", "172.18.0.0/30") + "]}}]}]}\n---\n")
	}
	return b.String()
}

// TestRandomAntrea: whatever networks policies of Antrea name, the comparison of both sides
// says what each of them says of its examples, so that no conversion ends without an answer.
func TestRandomAntrea(t *testing.T) {
	sets, equal, outside := uint64(60), 0, 0
	if os.Getenv(install.SoakVar) == "1" {
		sets = 1000
	}
	for seed := range sets {
		text := randomAntrea(seed)
		r := revision.New(revision.Facts{Cluster: read(t, text), Flags: revision.Flags{Family: "dual"}}, nil)
		for _, to := range []convert.Target{convert.ToANP, convert.ToCNP} {
			made, err := convert.ConvertPolicies(r, to)
			if err != nil {
				t.Fatalf("seed %d, to %s: %v\n%s", seed, to, err, text)
			}
			res, err := convert.ProveResult(t.Context(), r, made, nil)
			if err != nil {
				t.Errorf("seed %d, to %s: %v", seed, to, err)
				continue
			}
			if res.Before != system.Antrea {
				t.Fatalf("seed %d: %q decides", seed, res.Before.Name)
			}
			if res.Proof.Equal {
				equal++
			}
			for i := range res.Proof.Differs {
				if strings.Contains(res.Proof.Differs[i].Text, "192.168.") {
					outside++
				}
			}
		}
	}
	t.Logf("%d sets: %d proofs of equality, %d differences about networks with gateways", sets, equal, outside)
	if equal < 5 || outside < 20 {
		t.Error("too few to prove anything")
	}
}
