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

// Prefix begins the address of a database file.
const Prefix = "file:"

// AddressPath is the path in an address; ok is false for an address of another kind.
func AddressPath(addr string) (path string, ok bool) { return strings.CutPrefix(addr, Prefix) }

// ZoneConfig says which file a zone is.
type ZoneConfig struct {
	// Name is the zone's name. Unless AnyName is set, a file whose NB_Global carries
	// another one (not an empty one) is refused.
	Name    string
	AnyName bool
	Path    string
	Options
	// Poll is how often the file is looked at (default 3 s). One that changed is
	// read again, but never for more than a sixth of the time.
	Poll time.Duration
	// Slot runs what there is to compute when the process has a core to spare;
	// nil runs it at once.
	Slot func() (release func())
}

// Zone is a database file as a zone: read, watched, and never written. It
// satisfies the reconciler's Zone. Run it once.
type Zone struct{ cfg ZoneConfig }

// NewZone makes the zone of a file. Nothing happens before Run.
func NewZone(cfg ZoneConfig) *Zone {
	cfg.Poll = cmp.Or(cfg.Poll, 3*time.Second)
	if cfg.Slot == nil {
		cfg.Slot = retry.Slots(nil).TakeSlot
	}
	return &Zone{cfg}
}

// Name is the zone's name.
func (z *Zone) Name() string { return z.cfg.Name }

// Endpoint is the printable address.
func (z *Zone) Endpoint() string { return words.CleanText(Prefix + z.cfg.Path) }

// Transact refuses: a file has no server that could order what is written.
func (z *Zone) Transact(context.Context, []nb.Op) ([]nb.OpResult, error) {
	return nil, fmt.Errorf("writing to zone %s: %w: %s is a file, and files are only read",
		z.cfg.Name, model.ErrRefused, words.CleanText(z.cfg.Path))
}

// Run reads the file and hands its rows to sink, again whenever it changes, until
// ctx ends. Every update with rows is a Resync with Conn ConnReadOnly, and At is
// when the last transaction in it was made; a damaged file has Error and Partial besides.
// While the file cannot be read Conn is ConnLost or ConnDenied; rows handed out
// before are then those of an earlier time.
func (z *Zone) Run(ctx context.Context, sink func(model.ZoneUpdate)) {
	sink(model.ZoneUpdate{Conn: model.ConnDialling, At: time.Now()})
	z.cfg.followFile(ctx, func() (*Result, error) {
		r, err := ReadFile(ctx, z.cfg.Path, z.cfg.Options)
		if err == nil && !z.cfg.AnyName {
			err = checkName(r.DB, z.cfg.Name, false)
		}
		return r, err
	}, func(r *Result, at time.Time, flaw string) {
		sink(model.ZoneUpdate{Conn: model.ConnReadOnly, At: at, Server: model.StoredServer, DB: r.DB, Resync: true, Error: flaw, Partial: flaw})
	}, func(state model.ConnState, _ int, why string) {
		sink(model.ZoneUpdate{Conn: state, At: time.Now(), Error: why})
	})
}

// followFile reads the file, again whenever it changes, until ctx ends. It tells good of new
// contents, with the time they were written and their flaws, and bad of a new reason why
// the file cannot be read, with the number of attempts.
func (c *ZoneConfig) followFile(ctx context.Context, read func() (*Result, error), good func(r *Result, at time.Time, flaw string),
	bad func(state model.ConnState, attempts int, why string)) {
	var w fileWatch
	var tip, why string // of what was told last
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
			state := model.ConnLost
			if errors.Is(err, fs.ErrPermission) {
				state = model.ConnDenied
			}
			if text := words.CleanText(err.Error()); why != string(state)+text {
				tip, why = "", string(state)+text
				bad(state, attempts, text)
			}
		case tip != r.tip:
			tip, why, attempts = r.tip, "", 0
			at, flaw := time.Now(), ""
			if !r.At.IsZero() && r.At.Before(at) {
				at = r.At
			}
			if err := cmp.Or(r.Truncated, r.RowsAside); err != nil {
				flaw = words.CleanText(err.Error())
			}
			good(r, at, flaw)
		}
	}
}

// Read reads the file once. A damaged one is an error here: there is nobody to
// tell that rows are missing.
func (z *Zone) Read(ctx context.Context) (*nb.DB, error) {
	r, err := ReadFile(ctx, z.cfg.Path, z.cfg.Options)
	if err == nil {
		err = cmp.Or(r.Truncated, r.RowsAside)
	}
	if err == nil && !z.cfg.AnyName {
		err = checkName(r.DB, z.cfg.Name, false)
	}
	if err != nil {
		return nil, err
	}
	return r.DB, nil
}

// fileWatch holds a file's last look: its stat, and when.
type fileWatch struct {
	info     fs.FileInfo // nil: it was not there
	lookedAt time.Time
	looked   bool
}

// hasChanged says whether the file has to be read (again).
func (w *fileWatch) hasChanged(path string) bool {
	if archive, _, ok := splitArchive(path); ok {
		path = archive
	}
	info, err := os.Stat(path)
	if err != nil {
		info = nil
	}
	// A file can change again within one tick of its clock.
	same := w.looked && info != nil && w.info != nil && os.SameFile(info, w.info) && info.Size() == w.info.Size() &&
		info.ModTime().Equal(w.info.ModTime()) && w.lookedAt.Sub(info.ModTime()) > 2*time.Second
	w.info, w.lookedAt, w.looked = info, time.Now(), true
	return !same
}

// Southbound is the file of a Southbound database: read, watched, and never written.
// Run it once.
type FileSouthbound struct{ cfg ZoneConfig }

// NewSouthbound makes it; nothing happens before Run. Of cfg names are not used: a
// Southbound database does not say whose it is.
func NewSouthbound(cfg ZoneConfig) *FileSouthbound { return &FileSouthbound{NewZone(cfg).cfg} }

// SouthboundPath is where a must-gather or a container keeps the Southbound database
// of the zone whose Northbound file is at addr: POD_sbdb beside POD_nbdb, ovnsb_db.db
// beside ovnnb_db.db, in an archive as well. Whether it is there is not looked at; the
// result is empty where the name of the file tells nothing.
func SouthboundPath(addr string) string {
	at := strings.LastIndexAny(addr, `/\!:`) + 1
	for _, name := range [][2]string{{"_nbdb", "_sbdb"}, {"ovnnb_db", "ovnsb_db"}} {
		if i := strings.LastIndex(addr[at:], name[0]); i >= 0 {
			return addr[:at+i] + name[1] + addr[at+i+len(name[0]):]
		}
	}
	return ""
}

// Run reads the file and hands its rows to sink, again whenever it changes, until ctx
// ends, as Zone.Run does.
func (z *FileSouthbound) Run(ctx context.Context, sink func(SouthboundUpdate)) {
	sink(SouthboundUpdate{Conn: model.ConnDialling, At: time.Now()})
	z.cfg.followFile(ctx, func() (*Result, error) { return ReadSouthbound(ctx, z.cfg.Path, z.cfg.Options) },
		func(r *Result, at time.Time, flaw string) {
			sink(SouthboundUpdate{Conn: model.ConnReadOnly, At: at, Server: "file", DB: r.Flows, Error: flaw})
		}, func(state model.ConnState, attempts int, why string) {
			sink(SouthboundUpdate{Conn: state, At: time.Now(), Attempts: attempts, Error: why})
		})
}
