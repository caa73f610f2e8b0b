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

// Parts are the parts of an engine that a room may use.
type Parts struct {
	*Loop
	Zones *Set
	South *Southbounds
	Pods  *Pods // nil without a cluster
	Logs  *logs.Store
	Slots retry.Slots
	Share *nbdb.Sharing // of all zones
	// Cluster is the newest, which may not be in a revision yet; Apply changes objects that
	// no source has. Both are for the loop.
	Cluster func() *model.Cluster
	Apply   func(upsert []model.Object, remove []model.Key)
}

// Sandbox runs a zone of Rung's own for every Node; these are the only zones then.
type Sandbox interface {
	// CheckConfig says what is wrong with its configuration.
	CheckConfig() error
	// Start begins it, once the objects are known; it ends with the loop.
	Start(Parts)
	// FillMode fills in what is on screen of it, DaemonsDown are its processes that do not
	// run or do not answer, by zone, and ObjectsMoved hears of every step of the objects: for
	// the loop.
	FillMode(*revision.Mode)
	DaemonsDown() map[string][]revision.Daemon
	ObjectsMoved(c *model.Cluster, changes []model.Change)
	// Probe puts a connection into it as packets, there and back, and judges what became
	// of them; at, which may be nil, is told the phases.
	Probe(ctx context.Context, c verdict.Connection, at func(trace.ProbePhase)) (*trace.Result, error)
}

// ErrNoOVNTrace says that there is nowhere to run ovn-trace: neither a cluster nor a
// sandbox on OVN.
var ErrNoOVNTrace = errors.New("no ovn-trace can be run here")

// OVNTrace asks ovn-trace about connections.
type OVNTrace interface {
	Start(Parts)
	// Ask asks about one connection; told, which may be nil, hears what is being done.
	Ask(ctx context.Context, c verdict.Connection, told func(doing string)) (*revision.OVNTrace, error)
	// Disagreements are the connections about which it and the rows disagree, as far as they are
	// about objects that there are: for the loop.
	Disagreements(c *model.Cluster) []revision.OVNDisagreement
}
