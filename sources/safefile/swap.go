package safefile

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

// The reasons why a file is not swapped. Nothing was changed then.
var (
	// ErrChanged says the file is not as it was read.
	ErrChanged = errors.New("the file changed since it was read")
	// ErrLinked says the file has other names, which would keep the old text.
	ErrLinked = errors.New("it has more names")
	// ErrBusy says another program has the file open for writing.
	ErrBusy = errors.New("another program is writing to it; try again")
)

// How long others may take: with a lock, and to close a file they write to.
const (
	swapPatience = time.Second
	shutPatience = 200 * time.Millisecond
	shutPoll     = 2 * time.Millisecond
	// lastLook is left to a program that has the file and not yet written.
	lastLook = 2 * time.Millisecond
	// depth is how often what was written to a text that stood there for a moment
	// is carried over.
	depth = 3
)

// Merge puts the changes from base to a and from base to b into one text, or
// says that they touch.
type Merge func(base, a, b []byte) ([]byte, bool)

// Swap puts text in the place of the regular file at path, if that still holds old.
// Owner and mode stay. A change that another program writes at the same moment is not
// lost: text and the file at path change places, and the file that came out is compared
// with old. Where it differs, it is put back and the error is ErrChanged. Anything
// written to text in between is merged into it; where that cannot be, it is kept in a
// file beside, FILE.orig, which the error names.
func Swap(fsys FS, path string, old, text []byte, merge Merge) error {
	info, err := fsys.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: path, Err: errors.New("is not a regular file")}
	}
	if n := names(info); n > 1 {
		return fmt.Errorf("%w: it is one of %d names (hard links) of the same file, and the others would keep the old text",
			ErrLinked, n)
	}
	// A file that its owner made read-only stays as it is, although its folder
	// would allow to replace it.
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
	if err := lock(held, swapPatience); err != nil {
		return fmt.Errorf("locking it: %w", err)
	}
	temp, err := fill(fsys, path, text, info.Mode().Perm(), info)
	if err != nil {
		return err
	}
	if err := shut(fsys, path); err != nil {
		return errors.Join(err, fsys.Remove(temp))
	}
	if now, err := contents(fsys, path); err != nil || !bytes.Equal(now, old) {
		return errors.Join(cmp.Or(err, ErrChanged), fsys.Remove(temp))
	}
	if !keepsOpen {
		_ = held.Close()
	}
	return swapping{fsys: fsys, path: path, like: info, merge: merge}.run(temp, old, text)
}

type swapping struct {
	fsys  FS
	path  string
	like  fs.FileInfo
	merge Merge
	depth int
}

// run puts text, which temp holds, in the place of old.
func (s swapping) run(temp string, old, text []byte) error {
	temp, err := s.trade(temp)
	if err != nil {
		return errors.Join(err, s.fsys.Remove(temp))
	}
	why := s.still(temp, old)
	if why == nil {
		settle(s.fsys, s.path)
		s.drop(temp)
		return nil
	}
	// Somebody wrote to what was just replaced. It goes back as it is, file and
	// all, so that what is still being written gets where it belongs.
	back, err := s.trade(temp)
	if err != nil {
		return errors.Join(why, err, s.aside(temp))
	}
	settle(s.fsys, s.path)
	if s.still(back, text) == nil {
		s.drop(back)
		return why
	}
	// And somebody wrote to text, for the moment it stood there.
	if err := s.join(back, text); err != nil {
		return errors.Join(why, err, s.aside(back))
	}
	s.drop(back)
	return why
}

// join brings what was written to a file that held text into the one at path.
func (s swapping) join(from string, text []byte) error {
	s.depth++
	if s.depth > depth || s.merge == nil {
		return ErrChanged
	}
	wrote, err := contents(s.fsys, from)
	if err != nil {
		return err
	}
	now, err := contents(s.fsys, s.path)
	if err != nil {
		return err
	}
	merged, ok := s.merge(text, wrote, now)
	if !ok {
		return ErrChanged
	}
	temp, err := fill(s.fsys, s.path, merged, s.like.Mode().Perm(), s.like)
	if err != nil {
		return err
	}
	return s.run(temp, now, merged)
}

// trade gives temp the name of the file, and says where what stood there is
// now, empty when that cannot be kept. On an error nothing has moved.
func (s swapping) trade(temp string) (was string, err error) {
	err = s.fsys.Exchange(temp, s.path)
	if err == nil || !errors.Is(err, errors.ErrUnsupported) {
		return temp, err
	}
	was = tempName(s.path)
	if err := s.fsys.Link(s.path, was); err != nil {
		if _, gone := s.fsys.Lstat(s.path); gone != nil {
			return temp, gone
		}
		was = "" // no links on this file system
	}
	if err := s.fsys.Rename(temp, s.path); err != nil {
		s.drop(was)
		return temp, err
	}
	return was, nil
}

func (s swapping) drop(name string) {
	if name != "" {
		_ = s.fsys.Remove(name)
	}
}

// still says why a file that was replaced does not hold what it should, or may
// not hold it in a moment.
func (s swapping) still(name string, text []byte) error {
	if name == "" {
		return nil
	}
	for n := range 2 {
		if n > 0 {
			time.Sleep(lastLook)
		}
		if err := shut(s.fsys, name); err != nil {
			return err
		}
		if now, err := contents(s.fsys, name); err != nil || !bytes.Equal(now, text) {
			return cmp.Or(err, ErrChanged)
		}
	}
	return nil
}

// aside keeps a file that somebody wrote to under a name that people find, and
// says so.
func (s swapping) aside(name string) error {
	if name == "" {
		return nil
	}
	for n := 1; n <= 100; n++ {
		to := s.path + ".orig"
		if n > 1 {
			to += fmt.Sprintf("-%d", n)
		}
		switch err := s.fsys.Place(name, to); {
		case err == nil:
			name, n = to, 100
		case !errors.Is(err, fs.ErrExist):
			n = 100 // it stays where it is
		}
	}
	return fmt.Errorf("what another program wrote meanwhile is in %s", name)
}

// shut waits until nobody has a file open for writing, where that can be known.
func shut(fsys FS, name string) error {
	for end := time.Now().Add(shutPatience); ; time.Sleep(shutPoll) {
		busy, err := fsys.Writing(name)
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

// contents reads a regular file.
func contents(fsys FS, name string) ([]byte, error) {
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

// Withdraw removes a file that holds text, and no other.
func Withdraw(fsys FS, path string, text []byte) error {
	temp := tempName(path)
	if err := fsys.Place(path, temp); err != nil {
		return err
	}
	s := swapping{fsys: fsys, path: path}
	if why := s.still(temp, text); why != nil {
		if err := fsys.Place(temp, path); err != nil {
			return errors.Join(why, s.aside(temp))
		}
		return why
	}
	return fsys.Remove(temp)
}
