package logs_test

import (
	"errors"
	"testing"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

var key = model.PolicyKey{Kind: model.KindANP, Name: "cluster-control"}

// onCluster is the demo's objects as those of a cluster.
func onCluster(t *testing.T) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	p.Mode = revision.Mode{Name: revision.ClusterMode, Title: "lab"}
	return p
}

func TestControllerLog(t *testing.T) {
	f := uitest.NewFake(onCluster(t))
	var refused error
	found := []logs.Line{
		{At: uitest.Now.Add(-time.Minute), Severity: "info", Place: "admin_network_policy.go:88", Text: "Adding cluster-control"},
		{At: uitest.Now.Add(-time.Second), Severity: "error", Place: "admin_network_policy.go:123", Text: "failed to create cluster-control: no space"},
	}
	f.OnController = func(zone string, k model.PolicyKey) (*logs.Log, error) {
		if refused != nil {
			return nil, refused
		}
		return &logs.Log{Zone: zone, Policy: k, Source: "ovn-kubernetes/ovnkube-node-x/ovnkube-controller", Command: "kubectl logs x",
			Read: 2000, First: uitest.Now.Add(-time.Hour), Lines: found}, nil
	}
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.ToPolicy(key)})
	s.Press("c")
	s.Want("controller of ovn-control-plane", "2 of the newest 2,000 lines mention it", "E 14:04:59", "admin_network_policy.go:123",
		"failed to create cluster-control: no space", "no condition of this zone")
	s.Golden("lines")
	s.ResizeAll()
	s.Press("[")
	s.Want("controller of ovn-worker2")
	s.Press("]", "]")
	s.Want("controller of ovn-worker:")
	found = nil
	s.Press("ctrl+r")
	s.Want("nothing in the last 2,000 lines mentions it")
	refused = errors.New("no permission to get pods/log in ovn-kubernetes; to check: kubectl auth can-i get pods --subresource=log")
	s.Press("ctrl+r")
	s.Want("no permission to get pods/log", "The lines below are from the previous read")
}

// Without a cluster there is no controller to ask, and the key says so.
func TestNoCluster(t *testing.T) {
	s := uitest.OpenScreen(t, uitest.DemoFacts(t), nav.ToPolicy(key))
	s.Press("c")
	s.Want("controller logs are read only on a cluster")
	s.WantNot("controller of")
}
