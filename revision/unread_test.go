package revision

import (
	"testing"
	"time"

	"rung/model"
)

// TestUnread asks about pods and AdminNetworkPolicies of a cluster in every state of its server.
func TestUnread(t *testing.T) {
	pods := func(c model.ConnState, n int, why string) model.SourceResource {
		return model.SourceResource{Name: "pods", Kind: model.KindPod, Conn: c, Count: n, Error: why, WasRead: c == model.ConnSynced}
	}
	anps := func(c model.ConnState, n int, why string) model.SourceResource {
		r := pods(c, n, why)
		r.Name, r.Kind = "adminnetworkpolicies.policy.networking.k8s.io", model.KindANP
		return r
	}
	firewalls := func(c model.ConnState, why string) model.SourceResource {
		r := pods(c, 0, why)
		r.Name, r.Kind, r.Optional = "egressfirewalls.k8s.ovn.org", model.KindEF, true
		return r
	}
	wasRead := func(r model.SourceResource) model.SourceResource {
		r.WasRead = true
		return r
	}
	cluster := func(resources ...model.SourceResource) []model.SourceState {
		return []model.SourceState{{Name: "prod", Conn: model.ConnSynced, Resources: resources}}
	}
	const refused = "dial tcp 192.0.2.1:6443: connection refused"
	for _, c := range []struct {
		name    string
		sources []model.SourceState
		loading bool
		objects bool // an AdminNetworkPolicy is there
		// pods and all are the texts of Unread about pods and about everything, anps the count of policies, hides
		// whether a count of five findings says nothing.
		pods, all, anps string
		hides           bool
	}{
		{name: "nothing has begun", loading: true, pods: "still reading", all: "still reading", anps: "?", hides: true},
		{name: "all is read", sources: cluster(pods(model.ConnSynced, 7, ""), anps(model.ConnSynced, 0, "")), anps: "0"},
		{name: "not served", sources: cluster(pods(model.ConnSynced, 7, ""), anps(model.ConnAbsent, 0, "not served")), anps: "0"},
		{name: "still reading", loading: true, sources: cluster(pods(model.ConnSynced, 1203, ""), anps(model.ConnDialling, 0, "")),
			all: "still reading prod, 1,203 objects so far", anps: "?", hides: true},
		{name: "refused", sources: cluster(pods(model.ConnDenied, 0, "forbidden"), anps(model.ConnDenied, 0, "forbidden")),
			pods: "unknown: Pods were not read: forbidden", all: "unknown: Pods and AdminNetworkPolicies were not read: forbidden", anps: "?", hides: true},
		{name: "one kind refused", objects: true, sources: cluster(pods(model.ConnDenied, 0, "forbidden"), anps(model.ConnSynced, 1, "")),
			pods: "unknown: Pods were not read: forbidden", all: "unknown: Pods were not read: forbidden", anps: "1", hides: true},
		{name: "an optional kind refused", sources: cluster(pods(model.ConnSynced, 7, ""), firewalls(model.ConnDenied, "forbidden")),
			all: "unknown: EgressFirewalls were not read: forbidden", anps: "0"},
		{name: "lost", sources: cluster(pods(model.ConnLost, 0, refused), anps(model.ConnLost, 0, refused)),
			pods: "unknown: Pods were not read: " + refused, all: "unknown: Pods and AdminNetworkPolicies were not read: " + refused, anps: "?", hides: true},
		{name: "lost after it was read", objects: true, sources: cluster(pods(model.ConnLost, 7, refused), wasRead(anps(model.ConnLost, 1, refused))),
			pods: "unknown: Pods were not read again: " + refused, all: "unknown: Pods and AdminNetworkPolicies were not read again: " + refused, anps: "1"},
		{name: "lost while empty", sources: cluster(wasRead(anps(model.ConnLost, 0, refused))),
			all: "unknown: AdminNetworkPolicies were not read again: " + refused, anps: "?"},
		{name: "files are read", loading: true, sources: []model.SourceState{{Name: "files", Conn: model.ConnStarting}},
			pods: "still reading files, 0 objects so far", all: "still reading files, 0 objects so far", anps: "?", hides: true},
		{name: "files are checked", loading: true, objects: true, sources: []model.SourceState{{Name: "files", Conn: model.ConnSynced}},
			all: "still reading", anps: "1", hides: true},
		{name: "files beside a lost server", objects: true, sources: []model.SourceState{{Name: "files", Conn: model.ConnSynced}, {Name: "prod", Conn: model.ConnLost, Error: refused}},
			pods: "unknown: prod was not read: " + refused, all: "unknown: prod was not read: " + refused, anps: "1+", hides: true},
		{name: "a broken file later", objects: true, sources: []model.SourceState{{Name: "files", Conn: model.ConnLost, Error: "no such file", ReadAt: time.Unix(1, 0)}},
			pods: "unknown: files was not read again: no such file", all: "unknown: files was not read again: no such file", anps: "1"},
		{name: "a part that failed", sources: []model.SourceState{{Name: "ACL logs", Conn: model.ConnLost, Error: "forbidden", HasNoObjects: true}}, anps: "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Facts{Sources: c.sources, Loaded: !c.loading}
			if c.objects {
				f.Cluster, _ = (&model.Cluster{}).Upsert([]model.Object{&model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: "a"}}}}, nil)
			}
			r := New(f, nil)
			if got := r.EmptyText("", model.KindPod); got != c.pods {
				t.Errorf("pods: %q, want %q", got, c.pods)
			}
			if got := r.EmptyText(""); got != c.all {
				t.Errorf("everything: %q, want %q", got, c.all)
			}
			if got := r.CountText(model.KindANP); got != c.anps {
				t.Errorf("policies: %q, want %q", got, c.anps)
			}
			if got := r.Unread().HidesCount(5); got != c.hides {
				t.Errorf("five findings say nothing: %v, want %v", got, c.hides)
			}
			if none := r.Unread().HidesCount(0); none != (c.all != "") {
				t.Errorf("no finding says nothing: %v", none)
			}
		})
	}
}
