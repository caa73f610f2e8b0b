package cluster_test

import (
	"strings"
	"testing"

	"rung/model"
	"rung/pages/cluster"
	"rung/revision"
	"rung/test/uitest"
)

// tell is the page of some facts as text, a line for each entry.
func tell(p *revision.Facts) (*cluster.ClusterFacts, string) {
	f := cluster.NewFacts(revision.New(*p, nil))
	var b strings.Builder
	for _, s := range f.Sections(cluster.Hints{Allow: "--write allows them"}, uitest.Now) {
		b.WriteString("# " + s.Title + "\n")
		for _, e := range s.Entries {
			for _, part := range []string{e.Sign.Text, e.Name} {
				if part != "" {
					b.WriteString(part + " ")
				}
			}
			b.WriteString(e.Value.String() + "\n")
		}
	}
	return f, b.String()
}

// What is refused is told with its consequence and the command that asks the same, and the JSON has it
// as well; what is allowed in the other namespace of OVN-Kubernetes is not needed.
func TestRefused(t *testing.T) {
	p := uitest.ClusterFacts(t)
	uitest.AllowChanges(p, false, "pods")
	all := append(p.Access.Permissions(), revision.Permission{Verb: "create", Resource: "pods/exec", Namespace: "openshift-ovn-kubernetes", Why: "RBAC"},
		revision.Permission{Verb: "list", Resource: "tiers.crd.antrea.io"}, revision.Permission{Verb: "delete", Resource: "tiers.crd.antrea.io"},
		revision.Permission{Verb: "get", Resource: "customresourcedefinitions.apiextensions.k8s.io"})
	p.Access = revision.NewAccess(all)
	for i := range p.Sources[0].Resources {
		if x := &p.Sources[0].Resources[i]; x.Name == "pods" {
			x.Conn, x.Count, x.Error = model.ConnDenied, 0, "no permission to list pods"
		}
	}
	f, text := tell(p)
	for _, want := range []string{
		"# cluster\ncontext prod-eu\n", "changes off: read-only  --write allows them\n", "rows observed ",
		"✗ pods no permission since ", "■ no permission to list pods\n",
		"✗ no: list, watch pods: RBAC: no rule matches → the pods that policies select are unknown\n$ kubectl --context=prod-eu auth can-i list pods\n",
		"→ these changes are not offered\n", "– no: create pods/exec in openshift-ovn-kubernetes: not needed, allowed in the other namespace\n",
		"✓ yes: list, watch nodes\n",
		"✗ no: list tiers.crd.antrea.io → they are not shown\n", "✗ no: delete tiers.crd.antrea.io → these changes are not offered\n",
		"✗ no: get customresourcedefinitions.apiextensions.k8s.io → fields are checked against built-in CRDs, not the cluster's\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, x := range f.Permissions {
		if x.Allowed != (x.Without == "" && !x.NotNeeded) {
			t.Errorf("%+v", x)
		}
	}
}

// Without an answer of the server nothing is refused, and that is said.
func TestNotAnswered(t *testing.T) {
	p := uitest.ClusterFacts(t)
	p.Access = revision.Access{}
	if f, text := tell(p); f.Answered || !strings.Contains(text, "not answered yet; nothing is blocked meanwhile") {
		t.Error(text)
	}
}

// Off a cluster the kinds are told that were read.
func TestNoCluster(t *testing.T) {
	_, text := tell(uitest.DemoFacts(t))
	for _, want := range []string{"# no cluster\n", "from the built-in demo, not", "rows written by Rung", "pods 41 in all: policies can select 39; 1 on the host network, 1 completed\n", "# objects read\n", "✓ Pod 41 objects\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "API server allows") {
		t.Error(text)
	}
}

// Who writes the rows is what NB_Global of the zones says.
func TestWriterOfRows(t *testing.T) {
	p := uitest.ClusterFacts(t)
	p.Zones = nil
	for _, z := range []model.ZoneState{{Name: "n1", Writer: "lab_a"}, {Name: "n2", Writer: "lab_b"}, {Name: "n3", Writer: "lab_a"}} {
		p.Zones = append(p.Zones, &z)
	}
	for _, c := range []struct{ first, by, want string }{
		{"lab_a", "rung", "rows observed  NB_Global names rung reconcile as their writer in 3 of 3 zones: lab_a and lab_b\n"},
		{"", "both", "rows observed  NB_Global names rung reconcile as their writer in 2 of 3 zones: lab_a and lab_b\n"},
	} {
		p.Zones[0] = &model.ZoneState{Name: "n1", Writer: c.first}
		f, text := tell(p)
		if f.RowsBy != c.by || !strings.Contains(text, c.want) || strings.Contains(text, "never") {
			t.Errorf("by %s\n%s", f.RowsBy, text)
		}
	}
	for _, z := range p.Zones {
		z.Writer = ""
	}
	if f, text := tell(p); f.RowsBy != "ovn-kubernetes" || !strings.Contains(text, "OVN-Kubernetes' controller writes them, this Rung does not") {
		t.Errorf("by %s\n%s", f.RowsBy, text)
	}
}

// On Antrea it is told that there are neither rows nor zones, and changes can be made as everywhere.
func TestAntrea(t *testing.T) {
	p := uitest.AntreaFacts(t)
	f, text := tell(p)
	for _, want := range []string{"rows none, and no zones: Antrea has no OVN rows\n", "changes ALLOWED  after a preview and a confirmation\n", "pods 34 in all: policies can select all of them\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if f.RowsBy != "" || f.Pods.All != 34 || f.Pods.Subjects != 34 {
		t.Errorf("%+v", f)
	}
	p.Mode.Writes = false
	if _, text := tell(p); !strings.Contains(text, "changes off: read-only  --write allows them\n") {
		t.Error(text)
	}
}
