package dialect_test

import (
	"testing"

	"rung/model/ovn/dialect"
	"rung/model/ovn/nb"
)

// A row that was altered, or put there by somebody else, is no sign of another release or of another setting.
func TestAlteredRowsTellNothing(t *testing.T) {
	row := func(controller, owner, rest, match string) *nb.ACL {
		return &nb.ACL{Match: match, Tier: 2, Meter: nb.LoggingMeter, ExternalIDs: map[string]string{nb.KeyOwnerController: controller, nb.KeyOwnerType: owner,
			nb.KeyID: controller + ":" + owner + ":" + rest, nb.KeyName: "x"}}
	}
	const np = "blue:p:Ingress:0:None:-1"
	set := &nb.AddressSet{Name: "ns", ExternalIDs: map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: nb.OwnerNamespace, nb.KeyID: "default-network-controller:Namespace:blue:v4"}}
	hairpin := func(in, out string) []nb.Row {
		return []nb.Row{row(nb.DefaultController, nb.OwnerNetpolDefault, nb.NameHairpin+":Ingress", in), row(nb.DefaultController, nb.OwnerNetpolDefault, nb.NameHairpin+":Egress", out)}
	}
	for _, tt := range []struct {
		name    string
		rows    []nb.Row
		left    int // owner types that are not compared
		hairpin string
	}{
		{"one peer by a namespace's set", []nb.Row{set, row(nb.DefaultController, nb.OwnerNetworkPolicy, np, "ip4.src == {$ns} && outport == @a1")}, 0, ""},
		{"rows of another controller", []nb.Row{set, row("foo", nb.OwnerNetworkPolicy, np, "ip4.src == {$ns}"), row("foo", nb.OwnerNetworkPolicy, np+"x", "ip4.src == {$ns}")}, 0, ""},
		{"hairpin rows that differ", hairpin("ip4.src == 10.0.0.0/8", "ip4.src == 169.254.169.5"), 0, ""},
		{"hairpin rows with a pod's address", hairpin("ip4.src == 10.128.0.7", "ip4.src == 10.128.0.7"), 0, ""},
		{"hairpin rows with a mask", hairpin("ip4.src == 169.254.0.0/16", "ip4.src == 169.254.0.0/16"), 0, ""},
		{"hairpin rows as they are written", hairpin("ip4.src == 169.254.0.5", "ip4.src == 169.254.0.5"), 0, "169.254.0.5"},
	} {
		d := dialect.InferDialect(rowsOf(tt.rows...), dialect.ObjectHints{})
		if left := d.IncomparableOwners(); len(left) != tt.left || d.Hairpin.String() != tt.hairpin {
			t.Errorf("%s: not compared %v, hairpin %q", tt.name, left, d.Hairpin)
		}
	}
}
