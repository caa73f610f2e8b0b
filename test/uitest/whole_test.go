package uitest

import "testing"

// A name that is cut is found where it is a cell, and not at the end of a sentence or
// beside the whole of it.
func TestCutName(t *testing.T) {
	names := []string{"cluster-control", "kube-system/coredns-5d78c9869d-bx7k1"}
	for line, want := range map[string]string{
		"  34 ─ cluster-con…   38":                                            "cluster-control",
		"  34 ─ clust…ntrol   38":                                             "cluster-control",
		"│ kube-system/cored…bx7k1│":                                          "kube-system/coredns-5d78c9869d-bx7k1",
		"  ACL of clus…  in sync":                                             "cluster-control",
		"  cluster-control   ACL of clus…":                                    "",
		"  34 ─ cluster-control   38":                                         "",
		"  shares its priority with four others, and so with cluster-c…":      "",
		"  1 pod is host-networked: this does not apply to it (kube-system/…": "",
		"  somebody-el…   38":                                                 "",
	} {
		if got := CutName(line, names); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
