package network

import (
	"net/netip"
	"testing"

	"rung/model"
	"rung/test/made"
)

// OVN-Kubernetes refuses a primary network that a UserDefinedNetwork or ClusterUserDefinedNetwork has for a namespace without
// the label: the namespace stays on the default network. Of one that is written by hand ; not programmed: the policies.
func TestPrimaryWithoutLabel(t *testing.T) {
	config := Config{Name: "lake", Topology: Layer2, Primary: true, Subnets: []netip.Prefix{netip.MustParsePrefix("10.60.0.0/16")}}
	of := func(kind model.Kind, namespace string) model.Meta {
		return model.Meta{Key: model.Key{Kind: kind, Namespace: namespace, Name: "lake"}}
	}
	for _, tt := range []struct {
		name, labels string
		from         model.Object
		want         Placement
		refused      bool
	}{
		{"UserDefinedNetwork", "", &Definition{Meta: of(model.KindUDN, "boat"), Config: config}, OnDefault, true},
		{"UserDefinedNetwork, labeled", model.LabelPrimaryUDN + "=", &Definition{Meta: of(model.KindUDN, "boat"), Config: config}, OnPrimary, false},
		{"ClusterUserDefinedNetwork", "", &Definition{Meta: of(model.KindCUDN, ""), Config: config, Namespaces: model.SelectEverything()}, OnDefault, true},
		{"written by hand", "", &Attachment{Meta: of(model.KindNAD, "boat"), Config: config}, WithoutLabel, false},
	} {
		table := NewTable(made.Cluster(made.NS("boat", tt.labels), tt.from))
		if at, _ := table.Place("boat"); at != tt.want {
			t.Errorf("%s: placed %d, want %d", tt.name, at, tt.want)
		}
		refused := false
		for _, p := range table.Problems() {
			refused = refused || p.Code == Unlabeled && p.About == tt.from.ObjectKey()
		}
		if refused != tt.refused {
			t.Errorf("%s: refused %v, want %v: %v", tt.name, refused, tt.refused, table.Problems())
		}
	}
}
