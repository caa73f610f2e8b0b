package engine

import (
	"context"

	"rung/sources/nbdb"
)

// TLSFiles name the key and certificates of ssl: endpoints.
type TLSFiles = nbdb.TLSFiles

// FindDatabases returns the addresses (file:PATH) of the Northbound database files in folders, sorted, for
// example those of a must-gather.
func FindDatabases(ctx context.Context, folders []string) ([]string, error) {
	paths, err := nbdb.FindDatabases(ctx, folders)
	for i, p := range paths {
		paths[i] = nbdb.Prefix + p
	}
	return paths, err
}
