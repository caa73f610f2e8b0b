package manifests_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	antreademo "rung/examples-antrea"
	"rung/model"
	"rung/sources/manifests"
	demo "rung/test/given/troubled"
	"rung/test/made"
)

// TestWriteFields: of every field that a policy's normal form has, the text of its own API
// and no other.
func TestWriteFields(t *testing.T) {
	for _, text := range []string{
		`apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: all
  annotations:
    k8s.ovn.org/acl-logging: '{"deny":"alert"}'
  labels:
    team: net
spec:
  priority: 7
  subject:
    pods:
      namespaceSelector:
        matchLabels:
          tenant: blue
      podSelector:
        matchExpressions:
          - key: app
            operator: NotIn
            values:
              - db
              - web
  ingress:
    - name: in
      action: Pass
      from:
        - namespaces: {}
        - pods:
            namespaceSelector:
              matchExpressions:
                - key: tenant
                  operator: Exists
            podSelector: {}
      ports:
        - portNumber:
            port: 80
            protocol: TCP
        - portRange:
            protocol: SCTP
            start: 1
            end: 9
        - namedPort: http
  egress:
    - action: Deny
      to:
        - nodes:
            matchLabels:
              role: w
        - networks:
            - 10.0.0.0/8
            - 'fd00::/8'
`, `apiVersion: policy.networking.k8s.io/v1alpha1
kind: BaselineAdminNetworkPolicy
metadata:
  name: default
spec:
  subject:
    namespaces:
      matchLabels:
        tenant: blue
  ingress:
    - action: Allow
      from:
        - namespaces: {}
`, `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata:
  name: base
spec:
  tier: Baseline
  priority: 90
  subject:
    namespaces: {}
  ingress:
    - action: Accept
      from:
        - namespaces: {}
      protocols:
        - destinationNamedPort: http
        - udp:
            destinationPort:
              number: 53
        - sctp:
            destinationPort:
              range:
                start: 1
                end: 9
  egress:
    - name: names
      action: Deny
      to:
        - nodes: {}
        - networks:
            - 10.0.0.0/8
        - domainNames:
            - '*.example.com'
`, `apiVersion: crd.antrea.io/v1beta1
kind: ClusterNetworkPolicy
metadata:
  name: native
spec:
  tier: securityops
  priority: 5.5
  appliedTo:
    - namespaceSelector: {}
    - podSelector:
        matchLabels:
          app: db
    - namespaceSelector:
        matchLabels:
          env: prod
      podSelector:
        matchLabels:
          app: web
    - group: dbs
    - serviceAccount:
        name: sa-1
        namespace: ns-1
    - nodeSelector: {}
  ingress:
    - name: first
      action: Reject
      from:
        - namespaceSelector: {}
        - podSelector: {}
        - namespaceSelector:
            matchLabels:
              env: prod
          podSelector: {}
        - namespaces:
            match: Self
        - podSelector:
            matchLabels:
              app: web
          namespaces:
            sameLabels:
              - env
              - org
        - ipBlock:
            cidr: 10.0.0.0/8
        - group: webs
        - serviceAccount:
            name: sa-1
            namespace: ns-1
        - nodeSelector:
            matchLabels:
              role: w
      ports:
        - protocol: TCP
          port: 80
        - protocol: UDP
          port: 5000
          endPort: 5010
        - protocol: TCP
          port: http
        - protocol: SCTP
      enableLogging: true
      logLabel: audit
    - action: Drop
      protocols:
        - icmp:
            icmpCode: 0
            icmpType: 8
        - igmp:
            groupAddress: 224.0.0.1
            igmpType: 17
  egress:
    - name: out
      action: Pass
      appliedTo:
        - namespaceSelector: {}
      to:
        - fqdn: '*.example.com'
    - name: services
      action: Allow
      toServices:
        - name: web
          namespace: ns-1
`, `apiVersion: crd.antrea.io/v1beta1
kind: ClusterNetworkPolicy
metadata:
  name: node-port
spec:
  tier: application
  priority: 5
  appliedTo:
    - service:
        name: web
        namespace: ns-1
  ingress:
    - action: Allow
`, `apiVersion: crd.antrea.io/v1beta1
kind: NetworkPolicy
metadata:
  name: own
  namespace: ns-1
spec:
  tier: application
  priority: 5
  appliedTo:
    - podSelector: {}
  egress:
    - action: Allow
      to:
        - podSelector: {}
        - namespaceSelector: {}
          podSelector: {}
`} {
		for _, o := range manifests.Parse("x.yaml", []byte(text), manifests.Options{SkipSchema: true}).Objects {
			p := o.(*model.Policy)
			out, err := manifests.PolicyObject(bare(p))
			if err != nil {
				t.Error(err)
				continue
			}
			if d := cmp.Diff(lineSet(text), lineSet(out.YAML)); d != "" {
				t.Errorf("%s: -want +got\n%s", p.Key.Label(), d)
			}
			if d := made.DiffPolicies(p, out); d != "" {
				t.Errorf("%s: -want +got\n%s", p.Key.Label(), d)
			}
		}
	}
}

// lineSet is a text by lines: the order of fields is that of yamltree.
func lineSet(text string) map[string]int {
	out := map[string]int{}
	for l := range strings.SplitSeq(text, "\n") {
		out[strings.TrimLeft(l, " -")]++
	}
	return out
}

// bare is a policy in normal form, without its object.
func bare(p *model.Policy) *model.Policy {
	out := *p
	out.Original, out.YAML, out.Digested = nil, "", model.PolicyDigests{}
	return &out
}

// TestWriteExamples: every policy of the demos, but those of kinds that are not written and
// those the API has no field for.
func TestWriteExamples(t *testing.T) {
	seen := map[model.Kind]int{}
	for _, files := range []fs.FS{demo.Files, antreademo.Files} {
		names, err := fs.Glob(files, "*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range manifests.Parse(name, text, manifests.Options{}).Objects {
				p, ok := o.(*model.Policy)
				if !ok || !p.Kind.IsAdmin() && !p.Kind.IsTiered() {
					continue
				}
				out, err := manifests.PolicyObject(bare(p))
				if err != nil {
					if !strings.Contains(err.Error(), "l7Protocols") {
						t.Error(err)
					}
					continue
				}
				seen[p.Kind]++
				if d := made.DiffPolicies(p, out); d != "" {
					t.Errorf("%s: -want +got\n%s", p.Key.Label(), d)
				}
				if bad, was := manifests.Validate(out), manifests.Validate(p); len(bad) > len(was) {
					t.Errorf("%s: %v", p.Key.Label(), bad)
				}
			}
		}
	}
	t.Log(seen)
	if seen[model.KindANP] < 5 || seen[model.KindACNP] < 5 || seen[model.KindBANP] == 0 || seen[model.KindANNP] == 0 {
		t.Error("too few", seen)
	}
}

// TestWriteCannot: what the API of the kind has no field for is said.
func TestWriteCannot(t *testing.T) {
	one := func(change func(*model.Policy, *model.Rule)) *model.Policy {
		p := made.ANP("p", 1, "*", []model.Rule{made.Rule(model.Allow, made.Peers(made.NSPeer("*")), made.TCP(80))}, nil)
		change(p, &p.Ingress[0])
		return p
	}
	for want, p := range map[string]*model.Policy{
		"write NP a/p: policies of kind NetworkPolicy cannot be written":  one(func(p *model.Policy, _ *model.Rule) { p.Kind, p.Namespace = model.KindNP, "a" }),
		"spec.subject selects a namespace by name":                        one(func(p *model.Policy, _ *model.Rule) { p.Subject.Namespace = "a" }),
		"spec.subject.namespaces has no usable selector":                  one(func(p *model.Policy, _ *model.Rule) { p.Subject.Namespaces = model.Selector{} }),
		"spec.ingress[0].from[0] is a kind of peer that the API does not": one(func(_ *model.Policy, r *model.Rule) { r.Peers[0] = made.NodePeer("*") }),
		"spec.ingress[0] has no peers":                                    one(func(_ *model.Policy, r *model.Rule) { r.AnyPeer = true }),
		"spec.ingress[0].ports[0] is a protocol without a port":           one(func(_ *model.Policy, r *model.Rule) { r.Ports[0] = model.Port{Protocol: "TCP"} }),
		"spec.ingress[0].protocols[0] has a protocol":                     one(func(p *model.Policy, r *model.Rule) { p.Kind, r.Ports[0].Protocol = model.KindCNP, "tcp" }),
		"spec has no tier": one(func(p *model.Policy, _ *model.Rule) { p.Kind = model.KindACNP }),
		"spec.ingress[0].l7Protocols cannot be written": one(func(p *model.Policy, r *model.Rule) {
			p.Kind, p.Tiered, r.Tiered = model.KindACNP, &model.TieredPolicy{Tier: "application"}, &model.TieredRule{Action: "Allow", L7: []string{"http"}}
		}),
		"spec.ingress[0].from[0] is a kind of peer that the API does not allow there: networks": one(func(p *model.Policy, r *model.Rule) {
			p.Kind, p.Tiered = model.KindACNP, &model.TieredPolicy{Tier: "application"}
			r.Peers[0] = made.NetPeer("10.0.0.0/8", "11.0.0.0/8")
		}),
	} {
		if _, err := manifests.PolicyObject(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// TestWithRules: a new rule is written in the form of the policy's own API, at its place, and the rest of the
// text stays.
func TestWithRules(t *testing.T) {
	const text = `# ours
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata:
  name: wall
spec:
  tier: Admin
  priority: 5
  subject:
    namespaces: {}
  egress:
    - action: Deny # all
      to:
        - namespaces: {}
`
	old, broken := manifests.ParsePolicy([]byte(text))
	if old == nil || len(broken) > 0 {
		t.Fatal(broken)
	}
	everything := model.SelectEverything()
	rules := []model.Rule{{Direction: model.Egress, Name: "new", Action: model.Allow, Ports: []model.Port{{Protocol: "UDP", Start: 53, End: 53}},
		Peers: []model.Peer{{Kind: model.PeerNamespaces, Namespaces: everything, Pods: everything}}}}
	p, err := manifests.WithRules(old, rules)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(text, "    - action: Deny", `    - name: new
      action: Accept
      to:
        - namespaces: {}
      protocols:
        - udp:
            destinationPort:
              number: 53
    - action: Deny`, 1)
	if diff := cmp.Diff(want, p.YAML); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWithTCPPort: the port is added in the form of each API, and the rest of the text stays.
func TestWithTCPPort(t *testing.T) {
	for name, c := range map[string]struct{ head, port, want string }{
		"ANP": {"apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy", "ports:\n        - portNumber: {protocol: UDP, port: 53}",
			"        - portNumber:\n            protocol: TCP\n            port: 53\n"},
		"CNP": {"apiVersion: policy.networking.k8s.io/v1alpha2\nkind: ClusterNetworkPolicy", "protocols:\n        - udp: {destinationPort: {number: 53}}",
			"        - tcp:\n            destinationPort:\n              number: 53\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tier, allow := "", "Allow"
			if name == "CNP" {
				tier, allow = "  tier: Admin\n", "Accept"
			}
			text := c.head + "\nmetadata:\n  name: wall # ours\nspec:\n" + tier + "  priority: 5\n  subject:\n    namespaces: {}\n  egress:\n" +
				"    - action: " + allow + " # DNS\n      to:\n        - namespaces: {}\n      " + c.port + "\n"
			old, broken := manifests.ParsePolicy([]byte(text))
			if old == nil || len(broken) > 0 {
				t.Fatal(broken)
			}
			p, err := manifests.WithTCPPort(old, 0, 53)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(text+c.want, p.YAML); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := manifests.WithTCPPort(old, 1, 53); err == nil {
				t.Error("no error for a rule that does not exist")
			}
		})
	}
}
