package manifests

import (
	"slices"
	"strings"
	"testing"

	"rung/model"
)

// What a policy is judged by is the CRD that its cluster has: that of the release that is named,
// or today's. What only today's refuses is then a warning; nobody named one, and the refusal says
// which release takes it. The status of a dump counts with and without a release, and so in the
// reading of a watch, which runs gate 1 by itself.
func TestRelease(t *testing.T) {
	const head = "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: old}\nspec:\n  priority: 5\n  subject: {namespaces: {}}\n  egress:\n"
	const enforces = "status: {conditions: [{type: Ready-In-Zone-a, status: \"True\", reason: SetupSucceeded, message: done, lastTransitionTime: \"2026-01-01T00:00:00Z\"}]}\n"
	const (
		noPorts  = "  - {action: Deny, to: [{networks: [10.0.0.0/8]}], ports: []}\n"
		zeros    = "  - {action: Deny, to: [{networks: [\"10.0.0.0/08\"]}]}\n"
		embedded = "  - {action: Deny, to: [{networks: [\"::ffff:a00:0/104\"]}]}\n"
		dotted   = "  - {action: Deny, to: [{networks: [\"::ffff:10.0.0.0/104\"]}]}\n"
		names    = "  - {action: Allow, to: [{domainNames: [example.com]}]}\n"
		none     = "  - {action: Deny, to: []}\n"
		plain    = "  - {action: Deny, to: [{networks: [10.0.0.0/8]}]}\n"
	)
	const taken, refused, hinted = "taken", "refused", "refused, and taken by " + ReleaseEarlier
	for _, c := range []struct{ what, text, unnamed, before, today string }{
		{"no ports", noPorts, hinted, taken, refused},
		{"a leading zero", zeros, hinted, taken, refused},
		{"IPv4 in IPv6", embedded, hinted, taken, refused},
		{"IPv4 in IPv6, with dots", dotted, refused, refused, refused},
		{"one that each takes and one that none does", noPorts + none, refused, refused, refused},
		{"no CIDR", "  - {action: Deny, to: [{networks: [10.0.0.0/33]}]}\n", refused, taken, refused},
		{"a field that came later", names, taken, refused, taken},
		{"no peers", none, refused, refused, refused},
		{"nothing special", plain, taken, taken, taken},
		{"what a zone enforces", noPorts + dotted + enforces, taken, taken, taken},
	} {
		for release, want := range map[string]string{"": c.unnamed, ReleaseEarlier: c.before, ReleaseToday: c.today} {
			o := Options{Paths: []string{"a.yaml"}, FS: mapFiles(map[string]string{"a.yaml": head + c.text}), Release: release}
			read, err := Read(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			o.SkipSchema = true
			w := startWatch(t, o)
			first := <-w.updates
			watched := <-w.updates // what gate 1 took out of the first
			there := len(first.Upsert) == 1 && !slices.ContainsFunc(watched.Remove, func(k model.Key) bool { return k.Name == "old" })
			for how, got := range map[string]struct {
				taken  bool
				broken []model.Broken
			}{"read": {len(read.Policies()) == 1, read.Broken}, "watched": {there, watched.Broken}} {
				is := refused
				switch hint := slices.ContainsFunc(got.broken, func(b model.Broken) bool { return b.Release == ReleaseEarlier }); {
				case hint && !got.taken:
					is = hinted
				case hint:
					is = "taken, with a release that takes it"
				case got.taken:
					is = taken
				}
				if is != want {
					t.Errorf("%s, %s, by %q: %s, want %s: %v", c.what, how, release, is, want, got.broken)
				}
				if got.taken && strings.Contains(c.text, "ports: []") && len(got.broken) == 0 {
					t.Errorf("%s, %s, by %q: taken without a word", c.what, how, release)
				}
				for _, b := range got.broken {
					if b.Priority != 5 || !b.HasPriority {
						t.Errorf("%s, %s: the priority is %d (%t): %v", c.what, how, b.Priority, b.HasPriority, b)
					}
				}
			}
		}
	}
}
