package zones

import (
	"context"

	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/sources/nbdb"
	"rung/sources/nbdb/dbfile"
)

// IsFile says whether an address is a database file's.
func IsFile(addr string) bool {
	_, ok := dbfile.Path(addr)
	return ok
}

// openNB makes the zone of an address: a server's, or a file's. Called by the address
// itself it has no name yet, and may have any.
func (z *Set) openNB(name, addr string) reconciler.Zone {
	if path, ok := dbfile.Path(addr); ok {
		return dbfile.NewZone(dbfile.ZoneConfig{Name: name, AnyName: name == addr, Path: path, Slot: z.cfg.Slots.Take,
			Options: z.fileOptions()})
	}
	return z.dial(nbdb.Config{Name: name, AnyName: name == addr, Addr: addr, TLS: z.cfg.TLS, Limit: z.dials})
}

func (z *Set) fileOptions() dbfile.Options {
	return dbfile.Options{Share: z.cfg.Share, Archives: z.cfg.Archives}
}

// zoneNameOf asks a database which zone it is. The name is empty when it does not
// say, or not yet.
func (z *Set) zoneNameOf(ctx context.Context, addr string) (string, error) {
	db, err := z.readNB(ctx, addr)
	if err != nil {
		return "", err
	}
	return nameOf(db), nil
}

// nameOf is the zone that NB_Global says a database is; empty when it does not.
func nameOf(db *nb.DB) string {
	if g := db.Global(); g != nil {
		return g.Name
	}
	return ""
}

// readNB reads a database once; a damaged file as far as it goes.
func (z *Set) readNB(ctx context.Context, addr string) (*nb.DB, error) {
	if path, ok := dbfile.Path(addr); ok {
		r, err := dbfile.Read(ctx, path, z.fileOptions())
		if err != nil {
			return nil, err
		}
		return r.DB, nil
	}
	return nbdb.Dial(nbdb.Config{Addr: addr, AnyName: true, TLS: z.cfg.TLS, Limit: z.dials}).Read(ctx)
}

// dial makes a zone's connection; what it has in common with others is filled in.
func (z *Set) dial(cfg nbdb.Config) *nbdb.Conn {
	cfg.Slot, cfg.Share = z.cfg.Slots.Take, z.cfg.Share
	return nbdb.Dial(cfg)
}

// byAddress is a zone given by its address.
func (z *Set) byAddress(name, addr string) *member {
	return &member{name: name, writes: z.cfg.Reconcile && !IsFile(addr),
		open: func() (reconciler.Zone, error) { return z.openNB(name, addr), nil }}
}
