package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rung/sources/files"
)

// ErrExists marks an existing file that was not to be replaced.
var ErrExists = errors.New("the file exists")

// SaveAs writes a file to a path chosen by the user, completely or not at all. It expands ~/ and creates the
// folder if missing. It keeps an existing file and returns ErrExists, unless replace is set. It returns the
// path.
func SaveAs(path string, text []byte, replace bool) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return path, fmt.Errorf("finding the home folder for %s: %w", path, err)
		}
		path = filepath.Join(home, rest)
	}
	if err := os.MkdirAll(filepath.Dir(path), files.PrivateFolder); err != nil {
		return path, fmt.Errorf("making the folder for %s: %w", path, err)
	}
	err := files.CreateFile(files.OS, path, text, files.PrivateFile)
	if errors.Is(err, fs.ErrExist) {
		if !replace {
			return path, fmt.Errorf("writing %s: %w", path, ErrExists)
		}
		err = files.ReplaceFile(files.OS, path, text)
	}
	if err != nil {
		return path, fmt.Errorf("writing %s: %w", path, err)
	}
	return path, nil
}
