package engine

import (
	"context"

	"rung/model/ovn/nb"
	"rung/reconciler"
	"rung/sources/manifests"
	"rung/sources/nbdb"
	"rung/sources/nbdb/dbfile"
)

// TLSFiles name the key and certificates of ssl: endpoints.
type TLSFiles = nbdb.TLSFiles

// FindDatabases returns the addresses (file:PATH) of the Northbound database
// files in folders, sorted: those of a must-gather, above all.
func FindDatabases(ctx context.Context, folders []string) ([]string, error) {
	paths, err := dbfile.Find(ctx, folders)
	for i, p := range paths {
		paths[i] = dbfile.Prefix + p
	}
	return paths, err
}

// Empty says whether all paths are folders without a manifest in them.
func Empty(paths []string) bool { return manifests.Options{Paths: paths}.Empty() }

// isFile says whether an address is a database file's.
func isFile(addr string) bool {
	_, ok := dbfile.Path(addr)
	return ok
}

// openNB makes the zone of an address: a server's, or a file's. Called by the address
// itself it has no name yet, and may have any.
func (e *Engine) openNB(name, addr string) reconciler.Zone {
	if path, ok := dbfile.Path(addr); ok {
		return dbfile.NewZone(dbfile.ZoneConfig{Name: name, AnyName: name == addr, Path: path, Slot: e.slots.Take,
			Options: e.fileOptions()})
	}
	return e.dial(nbdb.Config{Name: name, AnyName: name == addr, Addr: addr, TLS: e.cfg.NBTLS, Limit: e.dials})
}

func (e *Engine) fileOptions() dbfile.Options {
	return dbfile.Options{Share: e.share, Archives: e.archives}
}

// zoneNameOf asks a database which zone it is. The name is empty when it does not
// say, or not yet.
func (e *Engine) zoneNameOf(ctx context.Context, addr string) (string, error) {
	db, err := e.readNB(ctx, addr)
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
func (e *Engine) readNB(ctx context.Context, addr string) (*nb.DB, error) {
	if path, ok := dbfile.Path(addr); ok {
		r, err := dbfile.Read(ctx, path, e.fileOptions())
		if err != nil {
			return nil, err
		}
		return r.DB, nil
	}
	return nbdb.Dial(nbdb.Config{Addr: addr, AnyName: true, TLS: e.cfg.NBTLS, Limit: e.dials}).Read(ctx)
}
