package verdicts

import (
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// An example of what becomes of a block is no address that is a Service on some port, where the
// block has others: such a connection goes to the Service's endpoints.
func TestExampleIsNoService(t *testing.T) {
	x := serviceWorld(nil)
	for network, want := range map[string]string{"203.0.113.0/24": "203.0.113.1", "203.0.113.6/31": "203.0.113.6", "203.0.113.8/31": "203.0.113.9", "203.0.113.7/32": "203.0.113.7",
		"172.18.0.2/32": "172.18.0.2", "172.18.0.0/30": "172.18.0.1"} {
		p := wholeNamespaces("new", 3, "*", nil, []model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer(network)))})
		y := verdict.NewIndex(verdict.View{Cluster: made.Cluster(append(objects(x.Cluster()), p)...), Options: x.Options()})
		found := false
		for _, b := range verdict.NewClasses(y, nil).OutsideBlocks() {
			if b.Network.String() == network {
				found = true
				if b.Addr.String() != want {
					t.Errorf("%s: %s stands for it, want %s", network, b.Addr, want)
				}
			}
		}
		if !found {
			t.Errorf("%s is no block", network)
		}
	}
}
