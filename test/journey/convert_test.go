//go:build unix

package journey_test

import "testing"

// TestConvert: from the ladder of a cluster on Antrea to its policies as AdminNetworkPolicies:
// the proof, a rule that cannot be said and why, the rule itself, the text, and back.
func TestConvert(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--system", "antrea", "--traffic", "0", "--sandbox-ovsdb", "builtin"}, w: 200, h: 60})
	c.at("Ladder").sees("Antrea: 7 tiers", "ACNP")
	c.press(":").sees("─ command ─")
	c.Type("convert anp")
	c.sees("convert anp").press("enter").at("convert anp")
	c.sees("proof: differs in", "before as Antrea", "not expressible →")
	c.pick("✗ not expressible", "acnp-reject-ping-request").sees("the API has no icmp type 8 code 0")
	c.press("enter").misses("before as Antrea").sees("ACNP acnp-reject-ping-request").press("esc").at("convert anp")
	c.pick("✓ exact", "acnp-with-cluster-groups").press("v").sees("v back · ANP acnp-with-cluster-groups", "kind: AdminNetworkPolicy").press("v")
	c.press("a").sees("Create ANP").press("esc").at("convert anp")
	c.press("esc").at("Ladder")
	c.quits()
}
