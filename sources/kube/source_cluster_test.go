package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// TestClusterState: what the screen and one-shot commands are told of a cluster
// whose resources are in different states.
func TestClusterState(t *testing.T) {
	res := func(name string, c model.ConnState, optional bool) model.SourceResource {
		r := model.SourceResource{Name: name, Conn: c, Optional: optional, Count: 2}
		if c != model.ConnSynced && c != model.ConnDialling {
			r.Error = name + " is " + string(c)
		}
		return r
	}
	pods := func(c model.ConnState) model.SourceResource { return res("pods", c, false) }
	anps := func(c model.ConnState) model.SourceResource { return res("anps", c, false) }
	efs := func(c model.ConnState) model.SourceResource { return res("efs", c, true) }
	for _, c := range []struct {
		name  string
		in    []model.SourceResource
		conn  model.ConnState
		error string
	}{
		{"all is well", []model.SourceResource{pods(model.ConnSynced), anps(model.ConnSynced), efs(model.ConnSynced)}, model.ConnSynced, ""},
		{"an optional CRD is missing", []model.SourceResource{pods(model.ConnSynced), efs(model.ConnAbsent)}, model.ConnSynced, ""},
		{"optional ones are forbidden", []model.SourceResource{pods(model.ConnSynced), efs(model.ConnDenied)}, model.ConnSynced, ""},
		{"the ANP CRD is missing", []model.SourceResource{pods(model.ConnSynced), anps(model.ConnAbsent)}, model.ConnSynced, "anps is not served"},
		{"pods are forbidden", []model.SourceResource{pods(model.ConnDenied), anps(model.ConnAbsent)}, model.ConnDenied, "pods is no permission"},
		{"no permission, then no server", []model.SourceResource{pods(model.ConnDenied), anps(model.ConnLost)}, model.ConnLost, "anps is lost"},
		{"still reading", []model.SourceResource{pods(model.ConnDialling), anps(model.ConnAbsent)}, model.ConnDialling, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := clusterState("prod", "https://api", c.in)
			want := model.SourceState{Name: "prod", Conn: c.conn, Error: c.error, Resources: c.in,
				Detail: map[int]string{2: "https://api, 4 objects", 3: "https://api, 6 objects"}[len(c.in)]}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
