package faultfs

import (
	"errors"
	"io/fs"
	"sync"
	"syscall"

	"rung/sources/files"
)

// Errors of operations that are made to fail.
var (
	ErrFull = &fs.PathError{Op: "write", Path: "(a test's disk)", Err: syscall.ENOSPC}
	ErrIO   = &fs.PathError{Op: "sync", Path: "(a test's disk)", Err: syscall.EIO}
	ErrDead = errors.New("the test's process is dead")
)

// Op is one thing that the file system is asked for.
type Op struct {
	// Kind is open, lstat, real, readdir, mkdir, chmod, remove, rename, place,
	// exchange, link, writing, syncfolder, read, write, stat, fchmod, chown,
	// truncate, sync, close or lock.
	Kind string
	Path string
	// N counts the operations, from 1.
	N int
}

// FS fails as it is told to. The zero value does what is asked. Its fields are
// not changed while it is used, but by Before.
type FS struct {
	// Before is asked before every operation; an error is the answer, and nothing is
	// done. A file is closed nevertheless.
	Before func(Op) error
	// Tear, of a write, says how many of its bytes are written; all others never
	// are, and from there on the process is dead. Negative is no tear.
	Tear func(op Op, bytes int) int
	// Info changes what is said of a file.
	Info func(fs.FileInfo) fs.FileInfo
	// Full says that there is room for Room bytes more.
	Full bool
	Room int

	mu   sync.Mutex
	n    int
	dead bool
}

// Ops is how many operations were asked for.
func (f *FS) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// Kill lets every operation fail from now on; locks are given back.
func (f *FS) Kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
}

// ask counts an operation and says whether it fails.
func (f *FS) ask(kind, path string) (Op, error) {
	f.mu.Lock()
	f.n++
	op, dead := Op{kind, path, f.n}, f.dead
	f.mu.Unlock()
	if dead {
		return op, ErrDead
	}
	if f.Before != nil {
		if err := f.Before(op); err != nil {
			return op, err
		}
	}
	return op, nil
}

// room takes up to n bytes off what is left of the disk.
func (f *FS) room(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.Full {
		return n
	}
	n = min(n, f.Room)
	f.Room -= n
	return n
}

func (f *FS) info(i fs.FileInfo, err error) (fs.FileInfo, error) {
	if err == nil && f.Info != nil {
		i = f.Info(i)
	}
	return i, err
}

// Open and the others are those of safefile.FS.
func (f *FS) Open(name string, flag int, perm fs.FileMode) (files.File, error) {
	if _, err := f.ask("open", name); err != nil {
		return nil, err
	}
	in, err := files.OS.Open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &file{File: in, fs: f, name: name}, nil
}

func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	if _, err := f.ask("lstat", name); err != nil {
		return nil, err
	}
	return f.info(files.OS.Lstat(name))
}

func (f *FS) RealPath(name string) (string, error) {
	if _, err := f.ask("real", name); err != nil {
		return "", err
	}
	return files.OS.RealPath(name)
}

func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	if _, err := f.ask("readdir", name); err != nil {
		return nil, err
	}
	return files.OS.ReadDir(name)
}

func (f *FS) MkdirAll(name string, perm fs.FileMode) error {
	if _, err := f.ask("mkdir", name); err != nil {
		return err
	}
	return files.OS.MkdirAll(name, perm)
}

func (f *FS) Chmod(name string, mode fs.FileMode) error {
	if _, err := f.ask("chmod", name); err != nil {
		return err
	}
	return files.OS.Chmod(name, mode)
}

func (f *FS) Remove(name string) error {
	if _, err := f.ask("remove", name); err != nil {
		return err
	}
	return files.OS.Remove(name)
}

func (f *FS) Rename(from, to string) error {
	if _, err := f.ask("rename", to); err != nil {
		return err
	}
	return files.OS.Rename(from, to)
}

func (f *FS) RenameNew(from, to string) error {
	if _, err := f.ask("place", to); err != nil {
		return err
	}
	return files.OS.RenameNew(from, to)
}

func (f *FS) Exchange(a, b string) error {
	if _, err := f.ask("exchange", b); err != nil {
		return err
	}
	return files.OS.Exchange(a, b)
}

func (f *FS) Link(from, to string) error {
	if _, err := f.ask("link", to); err != nil {
		return err
	}
	return files.OS.Link(from, to)
}

func (f *FS) IsOpenForWriting(name string) (bool, error) {
	if _, err := f.ask("writing", name); err != nil {
		return false, err
	}
	return files.OS.IsOpenForWriting(name)
}

// SyncFolder does not reach the disk: no test pulls the plug, and it is slow.
func (f *FS) SyncFolder(name string) error {
	_, err := f.ask("syncfolder", name)
	return err
}

// file is an open file of an FS.
type file struct {
	files.File
	fs   *FS
	name string
}

func (f *file) Read(b []byte) (int, error) {
	if _, err := f.fs.ask("read", f.name); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

func (f *file) ReadAt(b []byte, at int64) (int, error) {
	if _, err := f.fs.ask("read", f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, at)
}

func (f *file) Write(b []byte) (int, error) { return f.write(b, 0, f.File.Write) }

func (f *file) WriteAt(b []byte, at int64) (int, error) {
	// Bytes within the file have their room already.
	info, err := f.File.Stat()
	if err != nil {
		return 0, err
	}
	return f.write(b, max(0, min(int64(len(b)), info.Size()-at)), func(b []byte) (int, error) { return f.File.WriteAt(b, at) })
}

// write has room for owned bytes without asking.
func (f *file) write(b []byte, owned int64, do func([]byte) (int, error)) (int, error) {
	op, err := f.fs.ask("write", f.name)
	if err != nil {
		return 0, err
	}
	if f.fs.Tear != nil {
		if k := f.fs.Tear(op, len(b)); k >= 0 {
			_, err := do(b[:min(k, len(b))])
			f.fs.Kill()
			return 0, errors.Join(ErrDead, err)
		}
	}
	room := int(owned) + f.fs.room(len(b)-int(owned))
	n, err := do(b[:room])
	if err == nil && room < len(b) {
		err = ErrFull
	}
	return n, err
}

func (f *file) Stat() (fs.FileInfo, error) {
	if _, err := f.fs.ask("stat", f.name); err != nil {
		return nil, err
	}
	return f.fs.info(f.File.Stat())
}

func (f *file) Chmod(mode fs.FileMode) error {
	if _, err := f.fs.ask("fchmod", f.name); err != nil {
		return err
	}
	return f.File.Chmod(mode)
}

func (f *file) Chown(uid, gid int) error {
	if _, err := f.fs.ask("chown", f.name); err != nil {
		return err
	}
	return f.File.Chown(uid, gid)
}

func (f *file) Truncate(size int64) error {
	if _, err := f.fs.ask("truncate", f.name); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// Sync does not reach the disk either.
func (f *file) Sync() error {
	_, err := f.fs.ask("sync", f.name)
	return err
}

func (f *file) TryLock() error {
	if _, err := f.fs.ask("lock", f.name); err != nil {
		return err
	}
	return f.File.TryLock()
}

// Close always closes, as the end of a process does.
func (f *file) Close() error {
	err := f.File.Close()
	if _, asked := f.fs.ask("close", f.name); asked != nil {
		return asked
	}
	return err
}
