package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS is the part of a file system that this package needs. Errors are those of package
// os. An operation that a system does not have returns errors.ErrUnsupported.
type FS interface {
	// Open is os.OpenFile that never waits, for the other end of a pipe say.
	Open(name string, flag int, perm fs.FileMode) (File, error)
	Lstat(name string) (fs.FileInfo, error)
	// RealPath is the path behind symbolic links.
	RealPath(name string) (string, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	MkdirAll(name string, perm fs.FileMode) error
	Chmod(name string, mode fs.FileMode) error
	Remove(name string) error
	// Rename replaces what is at to.
	Rename(from, to string) error
	// RenameNew renames and is fs.ErrExist when there is something at to.
	RenameNew(from, to string) error
	// Exchange gives each file the other's name, in one step.
	Exchange(a, b string) error
	// Link gives a file another name and replaces nothing.
	Link(from, to string) error
	// IsOpenForWriting says whether anybody has the file open for writing.
	IsOpenForWriting(name string) (bool, error)
	// SyncFolder makes the names in a folder last.
	SyncFolder(name string) error
}

// File is an open file.
type File interface {
	io.Reader
	io.Writer
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	Chown(uid, gid int) error
	Truncate(size int64) error
	Sync() error
	// TryLock takes the advisory lock that others may have on the file, or is
	// ErrLocked. It ends with Close.
	TryLock() error
}

// OS is the operating system's file system.
var OS FS = osFS{}

// OrSystem is the file system that was given, or the operating system's.
func OrSystem(f FS) FS {
	if f == nil {
		return OS
	}
	return f
}

type osFS struct{}

type systemFile struct{ *os.File }

func (osFS) Open(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag|nonblock, perm)
	if err != nil {
		return nil, err
	}
	return systemFile{f}, nil
}

func (osFS) Lstat(name string) (fs.FileInfo, error)       { return os.Lstat(name) }
func (osFS) RealPath(name string) (string, error)         { return filepath.EvalSymlinks(name) }
func (osFS) ReadDir(name string) ([]fs.DirEntry, error)   { return os.ReadDir(name) }
func (osFS) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }
func (osFS) Chmod(name string, mode fs.FileMode) error    { return os.Chmod(name, mode) }
func (osFS) Remove(name string) error                     { return os.Remove(name) }
func (osFS) Rename(from, to string) error                 { return renameOver(from, to) }
func (osFS) Link(from, to string) error                   { return os.Link(from, to) }
func (osFS) Exchange(a, b string) error                   { return exchangeFiles(a, b) }
func (osFS) IsOpenForWriting(name string) (bool, error)   { return isOpenForWriting(name) }

func (s osFS) RenameNew(from, to string) error {
	err := renameNew(from, to)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	err = os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// No hard links either. An empty file holds the name; a kill leaves that and
	// never a part of a text.
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(f.Close(), os.Rename(from, to)); err != nil {
		_ = os.Remove(to)
	}
	return err
}

func (osFS) SyncFolder(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
