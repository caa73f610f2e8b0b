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

// Errors of reading a database through programs in a pod.
var (
	// ErrNoTools means that the image has none of the programs Rung can use.
	ErrNoTools = errors.New("no tools in the image")
	// ErrNoSocket means that no database socket was found.
	ErrNoSocket = errors.New("no socket of the database")
	// ErrOutput means that a program's output is invalid.
	ErrOutput = errors.New("unusable output")
)

// The sockets of the databases in every OVN container.
const (
	DefaultSocket           = "/var/run/ovn/ovnnb_db.sock"
	DefaultSouthboundSocket = "/var/run/ovn/ovnsb_db.sock"
)

// databaseNames describes one of OVN's two databases.
type databaseNames struct {
	name   string
	socket string       // the default
	alive  tableColumns // queried as a sign of life
}

var (
	northbound = databaseNames{nb.Database, DefaultSocket, tableColumns{name: nb.TableGlobal, columns: []string{"name"}}}
	southbound = databaseNames{flow.Database, DefaultSouthboundSocket, tableColumns{name: flow.TableGlobal, columns: []string{"nb_cfg"}}}
)

// Runner runs a program and waits for its end. It returns as soon as ctx ends, and then writes nothing more to
// stdout and stderr. An error that wraps fs.ErrPermission means that running programs is not allowed. One with
// a method ExitStatus() int in its chain means that the program ran and failed.
type Runner interface {
	Run(ctx context.Context, cmd []string, stdin io.Reader, stdout, stderr io.Writer) error
}

// RemoteConfig configures how a zone's database is reached. Zero durations mean the defaults.
type RemoteConfig struct {
	// Name is the zone's name; a database with another name in NB_Global, or none, is rejected.
	Name string
	// Open returns where to run programs and a printable endpoint such as "exec:NAMESPACE/POD/CONTAINER". It
	// is called for every connection, so that a replaced pod is found.
	Open func(ctx context.Context) (run Runner, endpoint string, err error)
	// Sockets are the paths where the database may listen; empty means the default.
	Sockets []string

	// Quiet is how long a program may be silent while an answer is due (default 10 s).
	Quiet time.Duration
	// ConnectTimeout limits finding the pod, looking for programs and reading the schema (default 20 s).
	ConnectTimeout time.Duration
	// QueryTimeout limits one snapshot, even while bytes arrive (default two minutes).
	QueryTimeout time.Duration
	// Refresh is the shortest time between two snapshots of a live zone (default 500 ms). After a longer
	// snapshot the pause is as long as the snapshot.
	Refresh time.Duration
	// Check is how often a quiet database is asked for a sign of life through ovsdb-client (default 15 s).
	Check time.Duration
	// Poll is how often a snapshot is taken if changes are not reported, in an image without bash (default 5
	// s).
	Poll time.Duration
	// MaxOutput limits a program's output, in bytes (default MaxMessage).
	MaxOutput int
	// BackoffMin and BackoffMax limit the wait between attempts (default 1 s and 30 s).
	BackoffMin, BackoffMax time.Duration

	// Limit, Share, Slot and Log are as in Config.
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
