//go:build unix

package journey_test

import "testing"

// TestAntrea: on a cluster of Antrea, from the ladder by its tiers to a policy's rule, and to who
// decides about a connection and by which rule.
func TestAntrea(t *testing.T) {
	t.Parallel()
	c := open(t, setup{demo: true, args: []string{"--system", "antrea", "--traffic", "0", "--sandbox-ovsdb", "builtin"}, w: 120, h: 34})
	c.at("Ladder").sees("Antrea: 7 tiers", "── securityops · tier 100", "ACNP deny-self-ns-a-to-b")
	c.pick("deny-self-ns-a-to-b").press("enter").sees("Ladder › ACNP deny-self-ns-a-to-b", "securityops").press("esc").at("Ladder")
	c.press(":").sees("─ command ─")
	c.Type("trace x/a y/a 80")
	c.sees("trace x/a y/a TCP 80").press("enter").at("trace x/a → y/a tcp 80")
	c.sees("denied by ACNP strict-ns-isolation egress 1", "securityops", "not its peer", "decides")
	c.press("enter").sees("ACNP strict-ns-isolation egress 1", "tier securityops (100), priority 5, rule 1").press("esc").at("trace x/a → y/a tcp 80")
	c.press("esc").at("Ladder")
	c.quits()
}

// TestAntreaChanges: a policy is carried to another tier, previewed, applied and undone.
func TestAntreaChanges(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 34}} {
		c := open(t, setup{demo: true, args: []string{"--system", "antrea", "--traffic", "0", "--sandbox-ovsdb", "builtin"}, w: size[0], h: size[1]})
		c.at("Ladder").sees("Antrea")
		c.pick("acnp-with-cluster-groups").press("m").sees("securityops 8 (unchanged)")
		c.press("j").sees("networkops 8", "← free").press("enter")
		c.sees("spec.tier", "networkops").does("a", "[ n no ]").misses("rows").answers("[ n no ]", "y").at("Ladder")
		c.press("U").sees("spec.tier", "Apply?").does("a", "[ n no ]").answers("[ n no ]", "y").at("Ladder")
		c.press("m").sees("securityops 8 (unchanged)").press("esc")
		c.press("N").sees("blank policy", "in tier securityops at priority 9", "quarantine").pick("quarantine").press("enter")
		c.answers("Which label puts a pod into quarantine?", "enter").answers("Which namespaces may still reach it", "enter")
		c.sees("free, before ACNP").answers("At which priority?", "enter")
		c.sees("Create ACNP quarantine").does("a", "[ n no ]").answers("[ n no ]", "y")
		c.at("Ladder").sees("ACNP quarantine")
		c.quits()
	}
}
