package statedir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"rung/sources/safefile"
)

// viewsFolder is where it is kept how pages were set up, a file for each cluster or path.
const viewsFolder = "views"

// viewsLimit is the most that is read of such a file.
const viewsLimit = 256 << 10

func viewsFile(dir, identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return filepath.Join(dir, viewsFolder, hex.EncodeToString(sum[:8])+".json")
}

// ReadViews reads how the pages of a cluster, or a path, were set up; nil where nothing is kept.
func ReadViews(dir, identity string) ([]byte, error) {
	text, err := safefile.ReadPrivate(safefile.OS, viewsFile(dir, identity), viewsLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading how pages were set up: %w", err)
	}
	return text, nil
}

// WriteViews keeps how the pages of a cluster, or a path, are set up.
func WriteViews(dir, identity string, text []byte) error {
	path := viewsFile(dir, identity)
	if err := safefile.OS.MkdirAll(filepath.Dir(path), safefile.PrivateFolder); err != nil {
		return fmt.Errorf("keeping how pages are set up: %w", err)
	}
	if err := safefile.ReplaceFile(safefile.OS, path, text); err != nil {
		return fmt.Errorf("keeping how pages are set up: %w", err)
	}
	return nil
}
