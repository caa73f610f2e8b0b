package nbdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/retry"
)

// FilePrefix begins the address of a database file.
const FilePrefix = "file:"

// AddressPath returns the path of a file's address; ok is false for other kinds of address.
func AddressPath(addr string) (path string, ok bool) {
	if path, ok := strings.CutPrefix(addr, ListPrefix); ok {
		return path, true
	}
	return strings.CutPrefix(addr, FilePrefix)
}

// ZoneConfig configures the zone of a file.
type ZoneConfig struct {
	// Name is the zone's name. Unless AnyName is set, a file with another name in NB_Global is rejected; an
	// empty name passes.
	Name    string
	AnyName bool
	Path    string
	Options
	// Poll is how often the file is checked (default 3 s). A changed file is read again, using at most a sixth
	// of the time.
	Poll time.Duration
	// Slot waits until the process has a core to spare; nil never waits.
	Slot func() (release func())
}

// Zone is a database file used as a zone: read, watched, never written. It implements the reconciler's Zone.
// Call Run once.
type Zone struct{ cfg ZoneConfig }

// NewZone returns the zone of a file. It reads nothing before Run.
func NewZone(cfg ZoneConfig) *Zone {
	cfg.Poll = cmp.Or(cfg.Poll, 3*time.Second)
	if cfg.Slot == nil {
		cfg.Slot = retry.Slots(nil).TakeSlot
	}
	return &Zone{cfg}
}

// Name returns the zone's name.
func (z *Zone) Name() string { return z.cfg.Name }

// Endpoint returns the printable address.
func (z *Zone) Endpoint() string {
	return words.CleanText(words.Choose(z.cfg.Lists, ListPrefix, FilePrefix) + z.cfg.Path)
}

// Transact always fails: without a server, writes to a file have no order.
func (z *Zone) Transact(context.Context, []nb.Op) ([]nb.OpResult, error) {
	return nil, fmt.Errorf("writing to zone %s: %w: %s is a file, and Rung only reads files",
		z.cfg.Name, model.ErrRejected, words.CleanText(z.cfg.Path))
}

// Run reads the file and passes its rows to sink, again after every change, until ctx ends. Updates with rows
// are Resyncs with ConnReadOnly; At is the time of the last transaction. A damaged file also has Error and
// Partial. While the file is unreadable, Conn is ConnLost or ConnDenied, and earlier rows are outdated.
func (z *Zone) Run(ctx context.Context, sink func(model.ZoneUpdate)) {
	sink(model.ZoneUpdate{Conn: model.ConnDialling, At: time.Now()})
	z.cfg.followFile(ctx, func() (*Result, error) { return z.readFile(ctx) }, func(r *Result, at time.Time, flaw string) {
		sink(model.ZoneUpdate{Conn: model.ConnReadOnly, At: at, Server: model.StoredServer, DB: r.DB, Resync: true, Error: flaw, Partial: flaw})
	}, func(state model.ConnState, _ int, why string) {
		sink(model.ZoneUpdate{Conn: state, At: time.Now(), Error: why})
	})
}

// followFile reads the file, again after every change, until ctx ends. It calls good for new contents, with
// the time they were written and their flaws. It calls bad for a new reason why the file is unreadable, with
// the number of attempts.
func (c *ZoneConfig) followFile(ctx context.Context, read func() (*Result, error), good func(r *Result, at time.Time, flaw string),
	bad func(state model.ConnState, attempts int, why string)) {
	var w fileWatch
	var tip, why string // of the last call of good or bad
	attempts := 0
	wait := time.Duration(0)
	for retry.Sleep(ctx, wait) {
		wait = c.Poll
		changed, err := untilEnd(ctx, c.Path, func() (bool, error) { return w.hasChanged(c.Path), nil })
		if err != nil {
			return
		}
		if !changed {
			continue
		}
		began := time.Now()
		release := c.Slot()
		r, err := read()
		release()
		if ctx.Err() != nil {
			return
		}
		wait = max(wait, 5*time.Since(began))
		attempts++
		switch {
		case err != nil:
			state := words.Choose(errors.Is(err, fs.ErrPermission), model.ConnDenied, model.ConnLost)
			if text := words.CleanText(err.Error()); why != string(state)+text {
				tip, why = "", string(state)+text
				bad(state, attempts, text)
			}
		case tip != r.fingerprint:
			tip, why, attempts = r.fingerprint, "", 0
			at, flaw := time.Now(), ""
			if !r.At.IsZero() && r.At.Before(at) {
				at = r.At
			}
			if err := cmp.Or(r.Truncated, r.SkippedRows); err != nil {
				flaw = words.CleanText(err.Error())
			}
			good(r, at, flaw)
		}
	}
}

// readFile reads the file and checks the name in it.
func (z *Zone) readFile(ctx context.Context) (*Result, error) {
	r, err := ReadFile(ctx, z.cfg.Path, z.cfg.Options)
	if err == nil && !z.cfg.AnyName {
		err = checkName(r.DB, z.cfg.Name, false)
	}
	return r, err
}

// Read reads the file once. A damaged file is an error, because the result cannot show that rows are missing.
func (z *Zone) Read(ctx context.Context) (*nb.DB, error) {
	r, err := z.readFile(ctx)
	if r != nil {
		err = cmp.Or(r.Truncated, r.SkippedRows, err)
	}
	if err != nil {
		return nil, err
	}
	return r.DB, nil
}

// fileWatch holds a file's last stat, and its time.
type fileWatch struct {
	info     fs.FileInfo // nil: the file did not exist
	lookedAt time.Time
	looked   bool
}

// hasChanged reports whether the file has to be read, or read again.
func (w *fileWatch) hasChanged(path string) bool {
	if archive, _, ok := splitArchive(path); ok {
		path = archive
	}
	info, err := os.Stat(path)
	if err != nil {
		info = nil
	}
	// A file can change twice within one tick of its clock.
	same := w.looked && info != nil && w.info != nil && os.SameFile(info, w.info) && info.Size() == w.info.Size() &&
		info.ModTime().Equal(w.info.ModTime()) && w.lookedAt.Sub(info.ModTime()) > 2*time.Second
	w.info, w.lookedAt, w.looked = info, time.Now(), true
	return !same
}

// FileSouthbound is the file of a Southbound database: read, watched, never written. Call Run once.
type FileSouthbound struct{ cfg ZoneConfig }

// NewSouthbound returns the FileSouthbound of a file. It reads nothing before Run. It ignores the names in
// cfg: a Southbound database does not contain its zone's name.
func NewSouthbound(cfg ZoneConfig) *FileSouthbound { return &FileSouthbound{NewZone(cfg).cfg} }

// SouthboundPath returns the address of the Southbound database that belongs to a Northbound file, in a
// must-gather, an archive or a container: POD_sbdb beside POD_nbdb, ovnsb_db.db beside ovnnb_db.db. It may not
// exist. The result is "" for other file names.
func SouthboundPath(addr string) string {
	at := strings.LastIndexAny(addr, `/\!:`) + 1
	for _, name := range [][2]string{{"_nbdb", "_sbdb"}, {"ovnnb_db", "ovnsb_db"}} {
		if i := strings.LastIndex(addr[at:], name[0]); i >= 0 {
			return addr[:at+i] + name[1] + addr[at+i+len(name[0]):]
		}
	}
	return ""
}

// Run reads the file and passes its rows to sink, again after every change, until ctx ends, as Zone.Run does.
func (z *FileSouthbound) Run(ctx context.Context, sink func(SouthboundUpdate)) {
	sink(SouthboundUpdate{Conn: model.ConnDialling, At: time.Now()})
	z.cfg.followFile(ctx, func() (*Result, error) { return ReadSouthbound(ctx, z.cfg.Path, z.cfg.Options) },
		func(r *Result, at time.Time, flaw string) {
			sink(SouthboundUpdate{Conn: model.ConnReadOnly, At: at, Server: "file", DB: r.Flows, Error: flaw})
		}, func(state model.ConnState, attempts int, why string) {
			sink(SouthboundUpdate{Conn: state, At: time.Now(), Attempts: attempts, Error: why})
		})
}
