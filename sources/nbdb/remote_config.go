package nbdb

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
)

// Errors of reading a database through programs beside it.
var (
	// ErrNoTools says that the image has none of the programs Rung can use.
	ErrNoTools = errors.New("no tools in the image")
	// ErrNoSocket says that no database listens where one is expected.
	ErrNoSocket = errors.New("no socket of the database")
	// ErrOutput says that a program wrote what it should not.
	ErrOutput = errors.New("unusable output")
)

// Where every container of OVN has the sockets of the databases.
const (
	DefaultSocket           = "/var/run/ovn/ovnnb_db.sock"
	DefaultSouthboundSocket = "/var/run/ovn/ovnsb_db.sock"
)

// databaseNames is one of OVN's two.
type databaseNames struct {
	name   string
	socket string       // by default
	alive  tableColumns // is asked for as a sign of life
}

var (
	northbound = databaseNames{nb.Database, DefaultSocket, tableColumns{name: nb.TableGlobal, columns: []string{"name"}}}
	southbound = databaseNames{flow.Database, DefaultSouthboundSocket, tableColumns{name: flow.TableGlobal, columns: []string{"nb_cfg"}}}
)

// Runner runs a program and waits for its end. It returns as soon as ctx ends,
// and writes nothing to stdout and stderr once it has returned. An error that
// wraps fs.ErrPermission means that running programs is not allowed; one with a
// method ExitStatus() int in its chain means that the program ran and failed.
type Runner interface {
	Run(ctx context.Context, cmd []string, stdin io.Reader, stdout, stderr io.Writer) error
}

// Config says how a zone's database is reached. Zero durations mean the defaults.
type RemoteConfig struct {
	// Name is the zone's name; a database whose NB_Global carries another, or
	// none, is refused.
	Name string
	// Open finds where to run programs and says how it is printed, for example
	// "exec:NAMESPACE/POD/CONTAINER". It is called at every connection, so that a
	// pod which came anew is found.
	Open func(ctx context.Context) (run Runner, endpoint string, err error)
	// Sockets are the paths where the database may listen; its default when empty.
	Sockets []string

	// Quiet is the longest a program may be silent while it is to answer
	// (default 10 s).
	Quiet time.Duration
	// ConnectTimeout bounds finding the pod, looking for programs and reading the
	// schema (default 20 s).
	ConnectTimeout time.Duration
	// QueryTimeout bounds one snapshot, however steadily its bytes come (default
	// two minutes).
	QueryTimeout time.Duration
	// Refresh is the least time between two snapshots of a live zone (default
	// 500 ms); one that took longer is followed by a pause as long.
	Refresh time.Duration
	// Check is how often a quiet database is asked for a sign of life where
	// ovsdb-client is the way (default 15 s).
	Check time.Duration
	// Poll is how often a snapshot is taken where nothing can say when rows
	// change: an image without bash (default 5 s).
	Poll time.Duration
	// MaxOutput is the most a program may write in answer, in bytes (default
	// jsonrpc.MaxMessage).
	MaxOutput int
	// BackoffMin and BackoffMax bound the wait between two attempts (default 1 s
	// and 30 s).
	BackoffMin, BackoffMax time.Duration

	// Limit, Share, Slot and Log are as in nbdb.Config.
	Limit *Limiter
	Share *Sharing
	Slot  func() (release func())
	Log   *slog.Logger
}

func (c RemoteConfig) withDefaults(db databaseNames) RemoteConfig {
	c.Quiet = cmp.Or(c.Quiet, 10*time.Second)
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 20*time.Second)
	c.QueryTimeout = cmp.Or(c.QueryTimeout, 2*time.Minute)
	c.Refresh = cmp.Or(c.Refresh, 500*time.Millisecond)
	c.Check = cmp.Or(c.Check, 15*time.Second)
	c.Poll = cmp.Or(c.Poll, 5*time.Second)
	c.BackoffMin = cmp.Or(c.BackoffMin, time.Second)
	c.BackoffMax = cmp.Or(c.BackoffMax, 30*time.Second)
	c.MaxOutput = cmp.Or(c.MaxOutput, MaxMessage)
	if len(c.Sockets) == 0 {
		c.Sockets = []string{db.socket}
	}
	return c
}
