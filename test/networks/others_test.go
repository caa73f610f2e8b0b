package networks_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/sandbox"
	"rung/test/networks"
)

// TestOthersAreTheSandboxs: the rows of no policy that are printed are those the sandbox writes into an empty database:
// port groups of networks with their ports, and tier 0 with its ACLs.
func TestOthersAreTheSandboxs(t *testing.T) {
	groups, acls := 0, 0
	for seed := range uint64(60) {
		w := networks.NewWorld(seed)
		options := settingsOf(w).compiler
		options.Multicast = compiler.Auto // as the sandbox, which has no such setting
		d := compiler.Compile(w.Cluster(), options)
		if len(d.Networks().Names()) == 0 {
			continue
		}
		for _, zone := range networks.Zones {
			isolation, tier0 := "", 0
			var printed, written []string
			gs, as := revision.UnownedRows(d, zone)
			for _, a := range as {
				printed = append(printed, fmt.Sprint(a.ExternalIDs, a.Tier, a.Priority, a.Direction, a.Action, a.Match))
				tier0++
			}
			for _, g := range gs {
				o := nb.ParseOwner(nb.TablePortGroup, g.ExternalIDs)
				if o.Type == nb.OwnerUDNIsolation {
					isolation = g.Name
					if len(g.ACLs) != len(as) {
						t.Errorf("world %d, zone %s: the group has %d of %d ACLs", seed, zone, len(g.ACLs), len(as))
					}
				}
				if o.Network() != "" {
					printed = append(printed, fmt.Sprint(g.Name, g.ExternalIDs, slices.Sorted(slices.Values(g.Ports))))
				}
			}
			ports := map[string]string{}
			standing := &sandbox.ClusterNetworks{Cluster: d.Cluster(), Table: d.Networks()}
			for _, op := range standing.In(zone, d.Cluster().Node(zone).MgmtIPs, false).Ops((*nb.DB)(nil).Apply(nil)) {
				switch {
				case op.Table == nb.TablePort:
					ports[op.UUIDName] = op.Row["name"].(string)
				case op.Table == nb.TableACL:
					written = append(written, fmt.Sprint(op.Row["external_ids"], op.Row["tier"], op.Row["priority"], op.Row["direction"], op.Row["action"], op.Row["match"]))
					acls++
				case op.Table == nb.TablePortGroup && op.Row["name"] != isolation:
					var names []string
					for _, ref := range op.Row["ports"].([]nb.Ref) {
						names = append(names, ports[ref.Name])
					}
					slices.Sort(names)
					written = append(written, fmt.Sprint(op.Row["name"], op.Row["external_ids"], names))
					groups++
				}
			}
			slices.Sort(printed)
			slices.Sort(written)
			if diff := cmp.Diff(written, printed); diff != "" || isolation == "" || tier0 == 0 {
				t.Fatalf("world %d, zone %s (-sandbox +printed):\n%s", seed, zone, diff)
			}
		}
	}
	t.Logf("%d port groups and %d ACLs are equal", groups, acls)
	if groups < 100 || acls < 100 {
		t.Error("too few rows")
	}
}
