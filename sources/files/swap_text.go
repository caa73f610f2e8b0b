package files

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Reasons for not swapping a file. The file is unchanged then.
var (
	// ErrChanged means the file no longer holds the text that was read.
	ErrChanged = errors.New("the file changed since it was read")
	// ErrLinked means the file has other names, which would keep the old text.
	ErrLinked = errors.New("it has hard links")
	// ErrBusy means another program has the file open for writing.
	ErrBusy = errors.New("another program is writing to it; try again")
)

// How long to wait for a lock, and for another program to close the file.
const (
	swapPatience = time.Second
	shutPatience = 200 * time.Millisecond
	shutPoll     = 2 * time.Millisecond
	// lastLook is the time left to a program that has the file open but has not written yet.
	lastLook = 2 * time.Millisecond
	// depth bounds how often changes to a briefly visible text are merged back.
	depth = 3
)

// MergeFunc merges the changes from base to a and from base to b; false if they touch.
type MergeFunc func(base, a, b []byte) ([]byte, bool)

// SwapText replaces the regular file at path by text, if it still holds old. Owner and mode stay.
//
// A concurrent change by another program is not lost. The new and the old file exchange names, and the old one
// is compared with old. If it differs, it is put back and the error is ErrChanged. Changes written to text in
// between are merged into it; if they cannot be merged, they are kept in FILE.orig, and the error names that
// file.
func SwapText(fsys FS, path string, old, text []byte, merge MergeFunc) error {
	info, err := fsys.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: path, Err: errors.New("is not a regular file")}
	}
	if n := linkCount(info); n > 1 {
		return fmt.Errorf("%w: %d names, and the others would keep the old text", ErrLinked, n)
	}
	// A file that its owner made read-only is kept, although its folder would allow to replace it.
	w, err := fsys.Open(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	held, err := fsys.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = held.Close() }()
	if err := lockFile(held, swapPatience); err != nil {
		return fmt.Errorf("locking it: %w", err)
	}
	temp, err := fillTemp(fsys, path, text, info.Mode().Perm(), info)
	if err != nil {
		return err
	}
	if err := waitUnwritten(fsys, path); err != nil {
		return errors.Join(err, fsys.Remove(temp))
	}
	if now, err := readContents(fsys, path); err != nil || !bytes.Equal(now, old) {
		return errors.Join(cmp.Or(err, ErrChanged), fsys.Remove(temp))
	}
	if !keepsOpen {
		_ = held.Close()
	}
	return textSwap{fsys: fsys, path: path, like: info, merge: merge}.swapIn(temp, old, text)
}

type textSwap struct {
	fsys  FS
	path  string
	like  fs.FileInfo
	merge MergeFunc
	depth int
}

// swapIn replaces old by text, which is in the file temp.
func (s textSwap) swapIn(temp string, old, text []byte) error {
	temp, err := s.exchangeNames(temp)
	if err != nil {
		return errors.Join(err, s.fsys.Remove(temp))
	}
	why := s.checkUnchanged(temp, old)
	if why == nil {
		syncFolder(s.fsys, s.path)
		s.dropFile(temp)
		return nil
	}
	// Another program wrote to the replaced file. Put it back, so that further writes reach the right file.
	back, err := s.exchangeNames(temp)
	if err != nil {
		return errors.Join(why, err, s.keepChangedFile(temp))
	}
	syncFolder(s.fsys, s.path)
	if s.checkUnchanged(back, text) == nil {
		s.dropFile(back)
		return why
	}
	// It also wrote to text while that was visible.
	if err := s.joinChanges(back, text); err != nil {
		return errors.Join(why, err, s.keepChangedFile(back))
	}
	s.dropFile(back)
	return why
}

// joinChanges merges the changes made to a file that held text into the file at path.
func (s textSwap) joinChanges(from string, text []byte) error {
	s.depth++
	if s.depth > depth || s.merge == nil {
		return ErrChanged
	}
	wrote, err := readContents(s.fsys, from)
	if err != nil {
		return err
	}
	now, err := readContents(s.fsys, s.path)
	if err != nil {
		return err
	}
	merged, ok := s.merge(text, wrote, now)
	if !ok {
		return ErrChanged
	}
	temp, err := fillTemp(s.fsys, s.path, merged, s.like.Mode().Perm(), s.like)
	if err != nil {
		return err
	}
	return s.swapIn(temp, now, merged)
}

// exchangeNames gives temp the file's name. It returns the old file's new name, "" if the old file cannot be
// kept. On an error nothing has moved.
func (s textSwap) exchangeNames(temp string) (was string, err error) {
	err = s.fsys.Exchange(temp, s.path)
	if err == nil || !errors.Is(err, errors.ErrUnsupported) {
		return temp, err
	}
	was = tempName(s.path)
	if err := s.fsys.Link(s.path, was); err != nil {
		if _, gone := s.fsys.Lstat(s.path); gone != nil {
			return temp, gone
		}
		was = "" // no hard links on this file system
	}
	if err := s.fsys.Rename(temp, s.path); err != nil {
		s.dropFile(was)
		if !keepsOpen {
			err = fmt.Errorf("%w: %w", ErrBusy, err)
		}
		return temp, err
	}
	return was, nil
}

func (s textSwap) dropFile(name string) {
	if name != "" {
		_ = s.fsys.Remove(name)
	}
}

// checkUnchanged returns an error if a replaced file no longer holds text, or may change in a moment.
func (s textSwap) checkUnchanged(name string, text []byte) error {
	if name == "" {
		return nil
	}
	for n := range 2 {
		if n > 0 {
			time.Sleep(lastLook)
		}
		if err := waitUnwritten(s.fsys, name); err != nil {
			return err
		}
		if now, err := readContents(s.fsys, name); err != nil || !bytes.Equal(now, text) {
			return cmp.Or(err, ErrChanged)
		}
	}
	return nil
}

// keepChangedFile renames a changed file to a name that people find, and returns an error that names it.
func (s textSwap) keepChangedFile(name string) error {
	if name == "" {
		return nil
	}
	for n := 1; n <= 100; n++ {
		to := s.path + ".orig"
		if n > 1 {
			to += fmt.Sprintf("-%d", n)
		}
		switch err := s.fsys.RenameNew(name, to); {
		case err == nil:
			name, n = to, 100
		case !errors.Is(err, fs.ErrExist):
			n = 100 // keep the present name
		}
	}
	return fmt.Errorf("changes by another program are saved in %s", name)
}

// waitUnwritten waits until no program has the file open for writing, if the system can tell.
func waitUnwritten(fsys FS, name string) error {
	for end := time.Now().Add(shutPatience); ; time.Sleep(shutPoll) {
		busy, err := fsys.IsOpenForWriting(name)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return nil
		case err != nil:
			return err
		case !busy:
			return nil
		case time.Now().After(end):
			return ErrBusy
		}
	}
}

// readContents reads a regular file.
func readContents(fsys FS, name string) ([]byte, error) {
	info, err := fsys.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrChanged
	}
	f, err := fsys.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}

// WithdrawFile removes a file only if its content equals text.
func WithdrawFile(fsys FS, path string, text []byte) error {
	temp := tempName(path)
	if err := fsys.RenameNew(path, temp); err != nil {
		return err
	}
	s := textSwap{fsys: fsys, path: path}
	if why := s.checkUnchanged(temp, text); why != nil {
		if err := fsys.RenameNew(temp, path); err != nil {
			return errors.Join(why, s.keepChangedFile(temp))
		}
		return why
	}
	return fsys.Remove(temp)
}
