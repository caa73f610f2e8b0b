package statedir

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"rung/sources/files"
)

// KeepFile writes a file that the user will look for later: a saved page, or the report of an internal error.
// Only the user can read folder and file. If the name exists, the new file gets a number. It returns the path.
func KeepFile(folder, name string, text []byte) (string, error) {
	return KeepFileOnDisk(files.OS, folder, name, text)
}

func KeepFileOnDisk(disk files.FS, folder, name string, text []byte) (string, error) {
	if err := disk.MkdirAll(folder, files.PrivateFolder); err != nil {
		return "", fmt.Errorf("making the folder for %s: %w", name, err)
	}
	ext := filepath.Ext(name)
	base := strings.TrimSuffix(name, ext)
	for n := 1; ; n++ {
		path := filepath.Join(folder, name)
		if n > 1 {
			path = filepath.Join(folder, fmt.Sprintf("%s-%d%s", base, n, ext))
		}
		err := files.CreateFile(disk, path, text, files.PrivateFile)
		if errors.Is(err, fs.ErrExist) && n < 1000 {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("writing %s: %w", path, err)
		}
		return path, nil
	}
}
