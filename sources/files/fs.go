package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FS lists the file operations that this package uses. They return errors as package os does. An operation
// that the system lacks returns errors.ErrUnsupported.
type FS interface {
	// Open is os.OpenFile, but never waits, for example for the other end of a pipe.
	Open(name string, flag int, perm fs.FileMode) (File, error)
	Lstat(name string) (fs.FileInfo, error)
	// RealPath resolves symbolic links.
	RealPath(name string) (string, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	MkdirAll(name string, perm fs.FileMode) error
	Chmod(name string, mode fs.FileMode) error
	Remove(name string) error
	// Rename replaces an existing file at to.
	Rename(from, to string) error
	// RenameNew renames a file, and returns fs.ErrExist if to exists.
	RenameNew(from, to string) error
	// Exchange gives each file the other's name, in one step.
	Exchange(a, b string) error
	// Link gives a file another name and replaces no file.
	Link(from, to string) error
	// IsOpenForWriting reports whether any process has the file open for writing.
	IsOpenForWriting(name string) (bool, error)
	// SyncFolder writes the names in a folder to the disk.
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
	// TryLock takes the file's advisory lock until Close. It returns ErrLocked if another has it.
	TryLock() error
}

// OS is the operating system's file system.
var OS FS = osFS{}

// OrSystem returns f, or the operating system's file system if f is nil.
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
	// No hard links either: reserve the name with an empty file. A kill leaves at worst this empty file.
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
