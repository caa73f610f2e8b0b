package kube

import (
	"context"
	"fmt"

	"rung/model"
	"rung/model/words"
)

// fromCluster is an API server as a source of objects.
type fromCluster struct{ c *Cluster }

// FromCluster makes a source of a cluster, named after its context.
func FromCluster(c *Cluster) Source {
	if c.Options().Workloads {
		return withWorkloads{fromCluster{c}}
	}
	return fromCluster{c}
}

func (s fromCluster) Name() string { return s.c.Context() }

// Run reads the cluster's objects and follows them until ctx ends. sink gets one update at a time: the first
// change at once, changes within some milliseconds together. A slow sink makes updates larger, not later. An
// update is Loaded once every resource was read once, or its state says why it cannot be read. Once Loaded it
// stays so.
//
// Resources are independent. A resource not served, permitted or answered says so in its state and is retried;
// its objects read before stay.
func (s fromCluster) Run(ctx context.Context, sink func(SourceUpdate)) {
	newWatcher(s.c, defaultTiming).deliverUpdates(ctx, sink)
}

// clusterState sums up the states of all resources. The worst required one decides. A required resource that
// the server does not serve only sets the error, not the state.
func clusterState(name, server string, resources []model.SourceResource) model.SourceState {
	st := model.SourceState{Name: name, Conn: model.ConnSynced, Resources: resources}
	count, worst := 0, 0
	for _, r := range resources {
		count += r.Count
		bad := stateBadness(r.Conn)
		if r.Optional || bad <= worst {
			continue
		}
		worst, st.Error = bad, r.Error
		if r.Conn != model.ConnAbsent {
			st.Conn = r.Conn
		}
	}
	st.Detail = fmt.Sprintf("%s, %s", server, words.Count(count, "object"))
	return st
}

// stateBadness orders the states; a lost server is worst.
func stateBadness(c model.ConnState) int {
	switch c {
	case model.ConnSynced:
		return 0
	case model.ConnAbsent:
		return 1
	case model.ConnDenied:
		return 3
	case model.ConnLost:
		return 4
	}
	return 2 // starting, dialling
}
