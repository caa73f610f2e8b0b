package dbfile

import (
	"context"
	"strings"
	"time"

	"rung/model"
	"rung/sources/nbdb"
)

// Southbound is the file of a Southbound database: read, watched, and never written.
// Run it once.
type Southbound struct{ cfg ZoneConfig }

// NewSouthbound makes it; nothing happens before Run. Of cfg names are not used: a
// Southbound database does not say whose it is.
func NewSouthbound(cfg ZoneConfig) *Southbound { return &Southbound{NewZone(cfg).cfg} }

// SouthboundBeside is where a must-gather or a container keeps the Southbound database
// of the zone whose Northbound file is at addr: POD_sbdb beside POD_nbdb, ovnsb_db.db
// beside ovnnb_db.db, in an archive as well. Whether it is there is not looked at; the
// result is empty where the name of the file tells nothing.
func SouthboundBeside(addr string) string {
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
func (z *Southbound) Run(ctx context.Context, sink func(nbdb.SouthboundUpdate)) {
	sink(nbdb.SouthboundUpdate{Conn: model.ConnDialling, At: time.Now()})
	z.cfg.follow(ctx, func() (*Result, error) { return ReadSouthbound(ctx, z.cfg.Path, z.cfg.Options) },
		func(r *Result, at time.Time, flaw string) {
			sink(nbdb.SouthboundUpdate{Conn: model.ConnReadOnly, At: at, Server: "file", DB: r.Flows, Error: flaw})
		}, func(state model.ConnState, attempts int, why string) {
			sink(nbdb.SouthboundUpdate{Conn: state, At: time.Now(), Attempts: attempts, Error: why})
		})
}
