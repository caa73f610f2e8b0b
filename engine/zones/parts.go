package zones

import (
	"context"
	"errors"

	"rung/engine/logs"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/sources/nbdb"
	"rung/sources/retry"
)

// Parts are the parts of an engine that its optional parts may use.
type Parts struct {
	*Loop
	Zones *Set
	South *Southbounds
	Pods  *Pods // nil without a cluster
	Logs  *logs.Store
	Slots retry.Slots
	Share *nbdb.Sharing // of all zones
	// Cluster returns the newest cluster, which may not be in a revision yet; Apply changes objects that no
	// source has. Both are for the loop.
	Cluster func() *model.Cluster
	Apply   func(upsert []model.Object, remove []model.Key)
}

// Sandbox runs a zone of Rung's own for every Node. The engine then has no other zones.
type Sandbox interface {
	// CheckConfig returns an error for a wrong configuration.
	CheckConfig() error
	// Start begins it, once the objects are known; it ends with the loop.
	Start(Parts)
	// FillMode fills in what the screen shows of it, DaemonsDown returns its processes that do not run or do
	// not answer, by zone, and ObjectsMoved receives every step of the objects. All are for the loop.
	FillMode(*revision.Mode)
	DaemonsDown() map[string][]model.Fault
	ObjectsMoved(c *model.Cluster, changes []model.Change)
	// Probe sends a connection's packets, there and back, and judges the outcome; at, if not nil, is called
	// for each phase.
	Probe(ctx context.Context, c verdict.Connection, at func(trace.ProbePhase)) (*trace.Result, error)
}

// ErrNoOVNTrace means that ovn-trace cannot run: there is neither a cluster nor a sandbox on OVN.
var ErrNoOVNTrace = errors.New("ovn-trace cannot run here")

// OVNTrace asks ovn-trace about connections.
type OVNTrace interface {
	Start(Parts)
	// Ask asks ovn-trace about one connection and reports its progress to told, unless that is nil.
	Ask(ctx context.Context, c verdict.Connection, told func(doing string)) (*revision.OVNTrace, error)
	// Disagreements returns the connections on which it and the rows disagree, if their objects still exist:
	// for the loop.
	Disagreements(c *model.Cluster) []revision.OVNDisagreement
}
