package revision

import (
	"context"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/lint"
	"rung/model/verdict"
	"rung/sources/manifests"
	"rung/test/given"
	"rung/test/given/troubled"
)

// isUpdating reports whether docs/findings.md is to be written anew: the flag is the goldens'.
func isUpdating() bool { f := flag.Lookup("update"); return f != nil && f.Value.String() == "true" }

const findingsPage = "../docs/findings.md"

var exampleSubnets = []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16")}

// advice is a sentence of the feature document of OVN-Kubernetes, and the codes by which
// Rung says so.
type advice struct {
	says  string
	codes []string
}

var bestPractices = []advice{
	{"Create AdminNetworkPolicies at separate priorities; if two have the same one, their rules must not overlap, as it is not guaranteed which takes effect.",
		[]string{lint.PriorityDuplicate.Code, lint.PriorityConflict.Code}},
	{"The baseline is a singleton: there can be only one, named default. It is a wider default guardrail.", []string{manifests.CodeCEL, lint.RuleNeverDecides.Code}},
	{"There is no implicit deny; what is needed has to be defined explicitly.", []string{lint.AllowChangesNothing.Code}},
	{"For ingress only pods can be denied, so pods cannot be isolated from everything.", []string{lint.DenyLeavesOutside.Code}},
	{"For egress, a Deny to 0.0.0.0/0 acts as a default deny to everything.", []string{lint.DenyAllNetworks.Code}},
	{"With a Deny to 0.0.0.0/0, allow essential traffic such as DNS and the API server above it, or the cluster may lock up.",
		[]string{lint.DenyAllNetworks.Code, lint.DNSNotAllowed.Code, lint.DNSTCPNotAllowed.Code}},
	{"Use the empty namespace selector with care: it selects all namespaces, those of the infrastructure too. Select by labels of the workloads.",
		[]string{lint.EmptySelectorDeny.Code, lint.SelectsSystem.Code}},
	{"Pass leaves traffic to NetworkPolicies.", []string{lint.PassNothing.Code}},
	{"With an Allow at the admin level, finer controls of NetworkPolicies cannot take effect: Deny and Pass can nearly always get the job done.",
		[]string{lint.AllowOverNetpol.Code, lint.DenyOverAllow.Code}},
	{"Without NetworkPolicies in the cluster, Allow says that traffic is not to be blocked.", []string{lint.PassNothing.Code, lint.AllowChangesNothing.Code}},
	{"Use a middle range of priorities such as 30–70 and leave gaps, so that policies can be inserted later.", []string{lint.PriorityNoGap.Code}},
	{"A rule can have up to 100 peers.", []string{manifests.CodeSchema}},
	{"Selectors of several rules should not overlap, so that address sets do not have the same addresses: OVN then computes in full whenever a pod changes.",
		[]string{lint.SetsOverlap.Code, lint.NegativeMany.Code}},
	{"Networks as peers are for destinations outside the cluster, not for addresses of pods.", []string{lint.NetworkCoversPods.Code}},
	{"Multi-tenant isolation needs one AdminNetworkPolicy for each tenant.", []string{lint.TenantPolicies.Code}},
}

var knownLimits = []advice{
	{"OVN-Kubernetes supports priorities from 0 to 99; a policy with a greater one is not created until its priority is changed.", []string{lint.PriorityUnsupported.Code}},
	{"The number of admin policies in a cluster is expected to be 30 to 50 at most.", []string{lint.PoliciesMany.Code}},
	{"Named ports are evaluated against the containers of every subject and peer: use them with caution where many pods are selected.", []string{lint.NamedPortMany.Code}},
	{"The subject does not include host-networked pods.", []string{lint.HostNetwork.Code}},
	{"Peers of namespaces and pods do not include host-networked pods.", []string{lint.PeerHost.Code}},
	{"Nodes can be peers of egress rules only.", []string{manifests.CodeUnknown}},
	{"Networks can be peers of egress rules only.", []string{manifests.CodeUnknown}},
	{"Named ports cannot be used with networks as peers.", []string{manifests.CodeCEL}},
}

// TestFindingsDoc: docs/findings.md is what the codes give, each with the finding that its
// example brings about.
func TestFindingsDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Findings

Made from the codes of findings by ` + "`go generate ./revision`" + `; do not edit by hand. Each code has its meaning, then severity and
remedy of an example.

` + "`rung lint`" + ` prints findings, with a connection as an example; ` + "`rung trace`" + ` explains it. The page ` + "`f`" + ` shows
findings; ladder, policy and rule pages mark them. ` + "`rung zones --check`" + ` counts its own findings separately.

Findings that ask every connection hold for today's pods. They come later than the others. If the cluster is too
large, they are left out, with the finding ` + "`" + lint.VerdictsTooLarge.Code + "`" + `.
`)
	about := func(head, intro string, list []advice) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| advice | codes |\n|---|---|\n", head, intro)
		for _, a := range list {
			var links []string
			for _, c := range a.codes {
				if !slices.ContainsFunc(findingCodes, func(f findingCode) bool { return f.code == c }) {
					t.Errorf("%q: no such code %s", a.says, c)
				}
				links = append(links, fmt.Sprintf("[%s](#%s)", c, c))
			}
			fmt.Fprintf(&b, "| %s | %s |\n", a.says, strings.Join(links, ", "))
		}
	}
	about("Best practices", "What the feature document of OVN-Kubernetes recommends, and what Rung says where a policy does otherwise:", bestPractices)
	about("Known limitations", "What the feature document lists as known limitations of OVN-Kubernetes and of the API:", knownLimits)
	b.WriteString("\n## Codes\n")
	for i := range findingCodes {
		c := &findingCodes[i]
		fmt.Fprintf(&b, "\n### %s\n\n%s", c.code, c.what)
		if k := lint.KindOfCode(c.code); k != nil {
			b.WriteString(k.Meaning)
		}
		if lint.IsFromVerdicts(c.code) && c.code != lint.VerdictsTooLarge.Code {
			b.WriteString(" Asks every connection.")
		}
		b.WriteString("\n")
		if c.none != "" {
			fmt.Fprintf(&b, "\nNo example: %s.\n", c.none)
			continue
		}
		f, err := c.example()
		if err != nil {
			t.Errorf("%s: %v", c.code, err)
			continue
		}
		fmt.Fprintf(&b, "\n- %s\n", f.Severity)
		if f.Remedy != "" {
			fmt.Fprintf(&b, "- what to do: %s\n", f.Remedy)
		}
	}
	if isUpdating() {
		if err := os.WriteFile(findingsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(findingsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(have), b.String()); diff != "" {
		t.Errorf("docs/findings.md is not what the codes give: go generate ./revision\n%s", diff)
	}
}

// TestEveryCodeIsTold: every code of package lint is on the page, once, and says where the
// demo has none.
func TestEveryCodeIsTold(t *testing.T) {
	for _, k := range lint.Kinds {
		told := 0
		for i := range findingCodes {
			if findingCodes[i].code == k.Code {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s is told %d times", k.Code, told)
		}
	}
	res, err := manifests.Read(t.Context(), manifests.Options{FS: troubled.Files, Paths: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
	found, err := AllFindings(New(Facts{Number: 1, Cluster: c, Broken: res.Broken, Desired: compiler.Compile(c, compiler.Options{IPv4: true})}, nil), t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range findingCodes {
		c := &findingCodes[i]
		has := slices.ContainsFunc(found, func(f model.Finding) bool { return f.Code == c.code })
		if has != (c.demo == "") {
			t.Errorf("%s: in the demo: %v; why it could not be: %q", c.code, has, c.demo)
		}
	}
}

// TestWitnesses: what is said of a connection that shows a finding is what the single
// verdict says, for the examples of all codes.
func TestWitnesses(t *testing.T) {
	with := 0
	for i := range findingCodes {
		c := &findingCodes[i]
		if c.none != "" || c.code == lint.VerdictsTooLarge.Code {
			continue
		}
		f, err := c.example()
		if err != nil {
			continue // TestFindingsDoc says so
		}
		if lint.IsFromVerdicts(c.code) && f.Witness.IsZero() {
			t.Errorf("%s has no connection that shows it", c.code)
		}
		if f.Witness.IsZero() {
			continue
		}
		with++
		for _, end := range []string{f.Witness.From, f.Witness.To} {
			_, err := netip.ParseAddr(end)
			if err != nil && strings.Count(strings.TrimPrefix(end, "service/"), "/") != 1 {
				t.Errorf("%s: rung trace does not read %q", c.code, end)
			}
		}
		want := map[string]verdict.Verdict{lint.PassNothing.Code: verdict.Allow, lint.AllowChangesNothing.Code: verdict.Allow, lint.AllowOverNetpol.Code: verdict.Allow,
			lint.DenyOverAllow.Code: verdict.Deny, lint.DenyLeavesOutside.Code: verdict.Allow, lint.DNSNotAllowed.Code: verdict.Deny, lint.DNSTCPNotAllowed.Code: verdict.Deny,
			lint.PriorityConflict.Code: verdict.Undefined, lint.FirewallOverrules.Code: verdict.Deny, lint.DenyAllNetworks.Code: verdict.Deny}[c.code]
		if want != "" && f.Witness.Verdict != string(want) {
			t.Errorf("%s: %s, want %s", c.code, f.Witness, want)
		}
	}
	if with < 15 {
		t.Errorf("only %d codes have a connection", with)
	}
}

// TestWitnessOfTie: of three policies that share a priority, the connection of a conflict is
// one that its two decide, not one of another pair of them.
func TestWitnessOfTie(t *testing.T) {
	res := manifests.Parse("objects.yaml", []byte(strings.Join([]string{given.Objects(),
		given.ANP("all", 10, "tenant=blue", "in allow *"),
		given.ANP("green", 10, "tenant=blue", "in deny tenant=green"),
		given.ANP("red", 10, "tenant=blue", "in deny tenant=red")}, "---\n")), manifests.Options{})
	cl, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
	r := New(Facts{Number: 1, Cluster: cl, Broken: res.Broken, Loaded: true, Desired: compiler.Compile(cl, compiler.Options{IPv4: true})}, nil)
	found, err := AllFindings(r, context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range found {
		if f.Code == lint.PriorityConflict.Code {
			with := strings.Fields(strings.TrimPrefix(f.Message, "conflicts with "))[0]
			from, _, _ := strings.Cut(f.Witness.From, "/")
			got[f.Policy.Name+" with "+with] = from
		}
	}
	want := map[string]string{"all with green": "green", "all with red": "red", "green with all": "green", "red with all": "red"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the sources of the connections (-want +got):\n%s", diff)
	}
}
