package engine

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Files under the state folder are the user's alone: policies, undo texts and
// the audit tell how a cluster can be reached.
const (
	privateFile   = 0o600
	privateFolder = 0o700
)

// openPrivate opens a file of the state folder for appending and makes it
// readable by the user only, also when it was there with other permissions.
func openPrivate(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), privateFolder); err != nil {
		return nil, fmt.Errorf("making the state folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, privateFile)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	if st, err := f.Stat(); err == nil && st.Mode().Perm() != privateFile {
		if err := f.Chmod(privateFile); err != nil && st.Mode().Perm()&0o077 != 0 {
			_ = f.Close()
			return nil, fmt.Errorf("making %s private: %w", path, err)
		}
	}
	return f, nil
}

// replacePrivate puts a whole new file in the place of path in one step: a
// reader, and a start after a kill, sees the old or the new text.
func replacePrivate(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, privateFolder); err != nil {
		return fmt.Errorf("making the state folder: %w", err)
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // made with 0600
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// readAtMost reads a file of the state folder; one that is larger than anything
// Rung writes there is an error.
func readAtMost(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	return b, err
}
