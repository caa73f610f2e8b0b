package revision

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/lint"
	"rung/test/given"
)

// TestNoFalseAlarms: what verdicts and counts do not bear out is not said.
func TestNoFalseAlarms(t *testing.T) {
	baseline := given.BANP("tenant=blue", "in deny *")
	for _, tc := range []struct {
		name     string
		policies []string
		not      string
		of       string // the policy; empty for all
	}{
		{"a Pass that a NetworkPolicy picks up", []string{given.ANP("over", 10, "tenant=blue", "in pass tenant=red", "in deny *"), webOpen}, lint.PassNothing.Code, ""},
		{"a Pass that the baseline picks up", []string{given.ANP("over", 10, "tenant=blue", "in pass tenant=red", "in deny *"), baseline}, lint.PassNothing.Code, ""},
		{"a Pass that two NetworkPolicies pick up alike", []string{given.ANP("over", 10, "", "in pass tenant=green"),
			given.NP("blue", "one", "{podSelector: {}, policyTypes: [Ingress], ingress: [{}]}"), given.NP("blue", "two", "{podSelector: {}, policyTypes: [Ingress], ingress: [{}]}")}, lint.PassNothing.Code, ""},
		{"an Allow where no NetworkPolicy denies", []string{given.ANP("open", 10, "tenant=blue", "in allow tenant=green"), webOpen}, lint.AllowOverNetpol.Code, ""},
		{"a Deny of what nothing below allows", []string{given.ANP("wall", 10, "tenant=blue", "in deny tenant=red"), webOpen}, lint.DenyOverAllow.Code, ""},
		{"a Deny that holds against a default deny being lifted", []string{given.ANP("wall", 10, "tenant=blue", "in deny tenant=red"), webOpen}, lint.RuleRedundant.Code, ""},
		{"an Allow that holds against NetworkPolicies", []string{given.ANP("open", 10, "tenant=blue", "in allow tenant=red", "in deny *")}, lint.RuleRedundant.Code, ""},
		{"rules that interleave with those of the same priority", []string{given.ANP("one", 10, "tenant=blue", "in deny tenant=red", "in deny *"), given.ANP("two", 10, "tenant=blue", "in deny tenant=green", "in allow tenant=red")},
			lint.RuleRedundant.Code, ""},
		{"a rule that decides for one port of what it matches", []string{given.ANP("wall", 10, "tenant=blue", "in deny * tcp:80"), given.ANP("door", 20, "tenant=blue", "in allow tenant=red")}, lint.RuleNeverDecides.Code, "door"},
		{"a policy that is not enforced", []string{given.ANP("wall", 10, "tenant=blue", "in deny *"), given.ANP("late", 120, "tenant=blue", "in allow tenant=red")}, lint.RuleNeverDecides.Code, ""},
		{"the same said by rule-shadowed", []string{given.ANP("twice", 10, "tenant=blue", "in allow tenant=red", "in deny tenant=red")}, lint.RuleNeverDecides.Code, ""},
		{"an Allow above a Deny of the same policy", []string{given.ANP("open", 10, "tenant=blue", "in allow tenant=red"), given.ANP("wall", 20, "tenant=blue", "in deny *")}, lint.AllowChangesNothing.Code, ""},
		{"a gap of one", []string{given.ANP("one", 10, "tenant=blue", "in deny tenant=red"), given.ANP("two", 12, "tenant=green", "in deny tenant=red")}, lint.PriorityNoGap.Code, ""},
		{"a tie is no gap that is missing", []string{given.ANP("one", 10, "tenant=blue", "in deny tenant=red"), given.ANP("two", 10, "tenant=green", "in deny tenant=red")}, lint.PriorityNoGap.Code, ""},
		{"one policy with a label", []string{given.ANP("one", 10, "tenant=blue", "in allow tenant=blue", "in deny *")}, lint.TenantPolicies.Code, ""},
		{"a few pods in two sets", []string{given.ANP("one", 10, "tenant=blue", "in allow tenant=red", "in deny *")}, lint.SetsOverlap.Code, ""},
		{"a Deny of some pods", []string{given.ANP("wall", 10, "tenant=blue", "in deny tenant=red")}, lint.DenyLeavesOutside.Code, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found, err := AllFindings(revisionOf(t, tc.policies...), t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				if f.Code == tc.not && (tc.of == "" || f.Policy.Name == tc.of) {
					t.Errorf("said of %s %s %d: %s", f.Policy, f.Direction, f.Rule, f.Message)
				}
			}
		})
	}
}

// TestFindingsGivenUp: who gives up gets no findings, and leaves nothing half-done; those
// that verdicts gave last stand until there are new ones, of rules that are still there.
func TestFindingsGivenUp(t *testing.T) {
	c := given.Cluster(t, given.ANP("wall", 10, "tenant=blue", "in deny *"), given.ANP("door", 20, "tenant=blue", "in allow tenant=red", "in allow tenant=green"))
	with := func(c *model.Cluster, number uint64, before *Revision) *Revision {
		return New(Facts{Number: number, Cluster: c, Desired: compiler.Compile(c, compiler.Options{IPv4: true})}, before)
	}
	first := with(c, 1, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := AllFindings(first, ctx); !errors.Is(err, context.Canceled) || HasFindings(first) {
		t.Errorf("given up: %v", err)
	}
	idle := func(found []model.Finding) (out []string) {
		for _, f := range found {
			if f.Code == lint.RuleNeverDecides.Code {
				out = append(out, f.Policy.Name+" "+strings.ToLower(string(f.Direction))+" "+string(rune('0'+f.Rule)))
			}
		}
		return out
	}
	all, err := AllFindings(first, t.Context())
	if diff := cmp.Diff([]string{"door ingress 0", "door ingress 1"}, idle(all)); err != nil || diff != "" {
		t.Fatalf("%v %s", err, diff)
	}
	less := *c.Policy(given.ANPKey("door"))
	less.Ingress = less.Ingress[:1]
	next, _ := c.Upsert([]model.Object{&less}, nil)
	second := with(next, 2, first)
	FindingsOfObjects(second)
	known, current := KnownFindings(second)
	if diff := cmp.Diff([]string{"door ingress 0"}, idle(known)); current || diff != "" {
		t.Errorf("until they are new: current %v %s", current, diff)
	}
}

// TestWitnessesFarOff: a connection that shows a finding is found also where other pods come
// first, or where pods show nothing and only what is outside does.
func TestWitnessesFarOff(t *testing.T) {
	for code, objects := range map[string][]string{
		lint.DNSNotAllowed.Code: {dnsService(), crowd(300, false), given.ANP("wall", 10, "tenant=red", "out deny 0.0.0.0/0")},
		lint.FirewallOverrules.Code: {given.ANP("open", 10, "tenant=blue", "out allow 0.0.0.0/0"),
			given.EF("blue", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")},
	} {
		f, err := (&findingCode{code: code, objects: objects}).example()
		if err != nil {
			t.Fatal(err)
		}
		if f.Witness.Verdict != "deny" {
			t.Errorf("%s is shown by %s", code, f.Witness)
		}
	}
}
