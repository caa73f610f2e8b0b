//go:build unix

package journey_test

import "testing"

// TestAntrea: on a cluster of Antrea, from the ladder by its tiers to a policy's rule, why it
// cannot be changed here, and to who decides about a connection and by which rule.
func TestAntrea(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--system", "antrea", "--traffic", "0", "--sandbox-ovsdb", "builtin"}, w: 120, h: 34})
	c.at("Ladder").sees("Antrea: ACNP, ANNP read-only", "── securityops · tier 100", "ACNP deny-self-ns-a-to-b")
	c.press("e").sees("Antrea policies are read-only").press("esc")
	c.pick("deny-self-ns-a-to-b").press("enter").sees("Ladder › ACNP deny-self-ns-a-to-b", "securityops").press("esc").at("Ladder")
	c.press(":").sees("─ command ─")
	c.Type("trace x/a y/a 80")
	c.sees("trace x/a y/a TCP 80").press("enter").at("trace x/a → y/a tcp 80")
	c.sees("denied by rule 1", "of ACNP strict-ns-isolation", "securityops", "not its peer", "decides")
	c.press("enter").sees("ACNP strict-ns-isolation egress 1", "tier securityops (100), priority 5, rule 1").press("esc").at("trace x/a → y/a tcp 80")
	c.press("esc").at("Ladder")
	c.quits()
}
