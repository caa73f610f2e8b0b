package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"rung/sources/reading"
)

// ReadGiven reads a file of any kind that the command line names, or standard input for "-",
// up to limit bytes and until ctx ends. The error does not say which file.
func (a *App) ReadGiven(ctx context.Context, path string, limit int64) ([]byte, error) {
	in := a.In
	if path != "-" {
		f, err := reading.Open(ctx, path)
		if err != nil {
			return nil, bare(err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("more than %d MiB", limit>>20)
	}
	if err != nil {
		return nil, bare(err)
	}
	return text, nil
}

// bare is an error of a file without the file's name.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
