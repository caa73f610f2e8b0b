package reading

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrNotRegular is in the error of a file that should be a regular one.
var ErrNotRegular = errors.New("only regular files are read here")

// ErrTooLarge is in the error of a file that is larger than what was allowed.
var ErrTooLarge = errors.New("too large")

// Reason is an error without the path it carries, for a text that has said the path.
func Reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Kind names what is not a regular file: "a named pipe (FIFO)". It is empty for
// one that is.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe (FIFO)"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "a special file"
}

// Regular opens a regular file, or a link to one, and nothing else. It never
// waits, also when the file is exchanged for a FIFO meanwhile.
func Regular(name string) (*os.File, error) {
	f, err := openNow(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("is %s: %w", Kind(info.Mode()), ErrNotRegular)}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadRegular reads a regular file of up to limit bytes, without waiting.
func ReadRegular(name string, limit int64) ([]byte, error) {
	f, err := Regular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readUpTo(name, f, limit)
}
