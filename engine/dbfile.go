package engine

import (
	"context"

	"rung/sources/nbdb"
)

// TLSFiles name the key and certificates of ssl: endpoints.
type TLSFiles = nbdb.TLSFiles

// FindDatabases returns the addresses (file:PATH) of the Northbound database files in folders, such as a
// must-gather, sorted.
func FindDatabases(ctx context.Context, folders []string) ([]string, error) {
	paths, err := nbdb.FindDatabases(ctx, folders)
	for i, p := range paths {
		paths[i] = nbdb.Prefix + p
	}
	return paths, err
}
