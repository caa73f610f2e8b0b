package logs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"rung/model"
	"rung/model/logline"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/retry"
)

// FollowScope selects the ACL logs of a cluster to follow.
type FollowScope struct {
	// Since is how far back logs begin; 0 begins with lines written from now on.
	Since time.Duration
	// Nodes limits the nodes; all if empty.
	Nodes []string
}

const (
	// maxLogStreams bounds the followed nodes.
	maxLogStreams = 1000
	// logDials bounds the streams connecting at a time.
	logDials = 16
)

// PodReader is the part of kube.Reader that Follower needs.
type PodReader interface {
	ACLLog(ctx context.Context, node string, namespaces []string) (kube.LogTarget, error)
	Follow(ctx context.Context, f kube.FollowRequest)
}

// Follower follows the ACL logs of a cluster's nodes, once somebody looks at the log or a policy logs.
type Follower struct {
	logs       *Store
	podReader  PodReader
	cfg        FollowScope
	namespaces []string
	dials      chan struct{}
	askSince   time.Time

	mu         sync.Mutex
	nodes      map[string]*nodeLog
	departed   map[string]*nodeLog // of deleted nodes, which may come back
	unfollowed []string            // nodes beyond maxLogStreams
	wg         sync.WaitGroup
}

// NewFollower returns a follower that stores lines in l. It looks for ovnkube-node pods in namespaces.
func NewFollower(l *Store, read PodReader, cfg FollowScope, namespaces []string) *Follower {
	return &Follower{logs: l, podReader: read, cfg: cfg, namespaces: namespaces,
		dials: make(chan struct{}, logDials), nodes: map[string]*nodeLog{}, departed: map[string]*nodeLog{}}
}

// Run follows the nodes of the revisions until ctx ends; ticks announces a new revision.
func (p *Follower) Run(ctx context.Context, current func() *revision.Revision, ticks <-chan struct{}) {
	defer p.wg.Wait()
	p.logs.ListStreamsWith(p.nodeStreams)
	for !logsAnything(current()) {
		select {
		case <-ctx.Done():
			return
		case <-p.logs.firstAsked:
		case <-ticks:
			continue
		}
		break
	}
	if p.cfg.Since > 0 {
		p.askSince = p.logs.now().Add(-p.cfg.Since)
	}
	var cluster *model.Cluster
	for ok := true; ok; ok = retry.Await(ctx, ticks) {
		if rev := current(); rev.Loaded && rev.Cluster != cluster {
			cluster = rev.Cluster
			p.followNodes(ctx, cluster)
		}
	}
}

// logsAnything reports whether any policy logs.
func logsAnything(r *revision.Revision) bool {
	for p := range r.Cluster.AllPolicies() {
		if l := revision.PolicyLogging(r, p); l.Levels.IsOn() && (len(l.Problems) == 0 || l.Namespace != "") {
			return true
		}
	}
	return false
}

// followNodes starts the streams of new nodes and ends the streams of deleted nodes.
func (p *Follower) followNodes(ctx context.Context, c *model.Cluster) {
	want := map[string]bool{}
	var over []string
	for n := range c.Nodes() {
		switch {
		case len(p.cfg.Nodes) > 0 && !slices.Contains(p.cfg.Nodes, n.Name):
		case len(want) == maxLogStreams:
			over = append(over, n.Name)
		default:
			want[n.Name] = true
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unfollowed = over
	for name, n := range p.nodes {
		if !want[name] {
			n.stop()
			delete(p.nodes, name)
			if len(p.departed) >= maxLogStreams {
				clear(p.departed)
			}
			p.departed[name] = n
		}
	}
	for name := range want {
		if p.nodes[name] != nil {
			continue
		}
		n := p.departed[name]
		if n == nil {
			n = newNodeLog(p, name)
		}
		delete(p.departed, name)
		var own context.Context
		own, n.stop = context.WithCancel(ctx)
		p.nodes[name] = n
		p.wg.Go(func() { n.followLog(own) })
	}
}

// nodeStreams returns the streams by zone.
func (p *Follower) nodeStreams() []logline.Stream {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]logline.Stream, 0, len(p.nodes)+len(p.unfollowed))
	for _, n := range p.nodes {
		out = append(out, n.streamState())
	}
	for _, name := range p.unfollowed {
		out = append(out, logline.Stream{Zone: name, State: logline.StreamWaiting,
			Error: fmt.Sprintf("not followed: Rung follows %d nodes at most", maxLogStreams)})
	}
	slices.SortFunc(out, func(a, b logline.Stream) int { return cmp.Compare(a.Zone, b.Zone) })
	return out
}
