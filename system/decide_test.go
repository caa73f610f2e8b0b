package system

import (
	"testing"

	"rung/model"
)

// A Tier that somebody applies to a cluster of OVN-Kubernetes does not make it Antrea's:
// with Antrea no rows are wanted.
func TestDecide(t *testing.T) {
	tier := &model.Tier{Meta: model.Meta{Key: model.Key{Kind: model.KindTier, Name: "mytier"}}, Priority: 10}
	antrea, _ := (*model.Cluster)(nil).Upsert([]model.Object{tier}, nil)
	for _, tt := range []struct {
		flag, ovn string
		cluster   *model.Cluster
		is        *System
		why       string
	}{
		{"", "", nil, OVN, "no Antrea policy or Tier"},
		{"auto", "", antrea, Antrea, "0 policies and 1 Tier of Antrea"},
		{"auto", "zones have a Northbound database", antrea, OVN, "zones have a Northbound database; there are also 0 policies and 1 Tier of Antrea"},
		{"antrea", "zones have a Northbound database", nil, Antrea, "--system antrea"},
		{"ovn-kubernetes", "", antrea, OVN, "--system ovn-kubernetes"},
	} {
		if is, why := ChooseSystem(tt.flag, tt.cluster, tt.ovn); is != tt.is || why != tt.why {
			t.Errorf("%q, %q: %s, %q, want %s, %q", tt.flag, tt.ovn, is.Name, why, tt.is.Name, tt.why)
		}
	}
}
