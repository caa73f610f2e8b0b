package history

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"rung/sources/files"
)

// Work is an unfinished task of several steps: a journal of one record, rewritten whole after every step. The
// working process holds its lock.
type Work[T any] struct {
	Journal
	// Set if the file system has no locks, so that nobody is kept out.
	Lockless bool
	// How long another process's look may take; 0 means lookTime.
	LookTime time.Duration
	title    string // "the stored plan"
	maxBytes int64  // bytes
	decode   func(text []byte) (*T, error)
	stored   bool // there was a record when this process last looked or wrote
	heldLock atomic.Pointer[lockFile]
}

// OpenWork returns the work of a kind for a context, like OpenJournal. of names it in errors. decode parses
// the file's contents, of at most the given bytes, and must not trust them.
func OpenWork[T any](disk files.FS, dir, kind, context, of string, most int64, decode func(text []byte) (*T, error)) *Work[T] {
	return &Work[T]{Journal: *OpenJournal(disk, dir, kind, context), title: of, maxBytes: most, decode: decode}
}

// WorkState is the state of a Work's record.
type WorkState int

// States of a record.
const (
	NoRecord  WorkState = iota // no record
	Ended                      // removed by another process since the last look
	Same                       // unchanged since the last look
	Rewritten                  // written since: the record is returned
)

// UnreadableError says that a record's contents are invalid.
type UnreadableError struct {
	Path, Subject string
	Err           error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("reading %s %s: %v", e.Subject, e.Path, e.Err)
}

func (e *UnreadableError) Unwrap() error { return e.Err }

// Recover looks for unfinished work: left by a process that ended, or under way in another one, as elsewhere
// reports. known is elsewhere's value at the last call: if it changed the record is read again, since times of
// files may be coarse.
func (w *Work[T]) Recover(known bool) (record *T, state WorkState, elsewhere bool, err error) {
	if w.Path == "" {
		return nil, NoRecord, false, nil
	}
	changed, err := w.HasChanged()
	if err == nil {
		elsewhere, err = w.isWorkedOn(known)
	}
	if err == nil && w.stored && !changed && elsewhere == known {
		return nil, Same, elsewhere, nil
	}
	if err == nil {
		record, err = w.Read()
	}
	if errors.Is(err, fs.ErrNotExist) {
		if w.stored {
			state = Ended
		}
		w.stored, w.lastSeen = false, nil
		return nil, state, false, nil
	}
	return record, Rewritten, elsewhere, err
}

// Read returns the stored record, or an UnreadableError if the file holds none.
func (w *Work[T]) Read() (record *T, err error) {
	was, text := w.lastSeen, []byte(nil)
	_, err = w.ReadLines(w.maxBytes, func(line []byte) (enough bool) {
		text = line
		return true
	})
	if err == nil && w.lastSeen.Size() > w.maxBytes {
		err = &UnreadableError{w.Path, w.title, fmt.Errorf("it is %w: more than %d bytes", files.ErrTooLarge, w.maxBytes)}
	} else if err != nil {
		err = fmt.Errorf("reading %s: %w", w.title, err)
	} else if record, err = w.decode(text); err != nil {
		err = &UnreadableError{w.Path, w.title, err}
	}
	if err != nil {
		w.lastSeen = was // read again at the next look
		return nil, err
	}
	w.stored = true
	return record, nil
}

// lookTime is how long another process's look at a Work may take.
const lookTime = 20 * time.Millisecond

// isWorkedOn reports whether another process works on it: it holds the lock for longer than a look.
func (w *Work[T]) isWorkedOn(known bool) (bool, error) {
	if w.HoldsLock() {
		return false, nil
	}
	patience := cmp.Or(w.LookTime, lookTime)
	if known {
		patience = 0
	}
	err := w.TakeLock(patience)
	if err == nil {
		w.ReleaseLock()
	}
	if errors.Is(err, files.ErrLocked) {
		return true, nil
	}
	return false, err
}

// TakeLock takes the lock of the working process, until ReleaseLock or the process ends. It waits up to
// patience for another holder, which may only look, then returns ErrLocked.
func (w *Work[T]) TakeLock(patience time.Duration) error {
	if w.HoldsLock() {
		return fmt.Errorf("taking %s: %w", w.title, files.ErrLocked)
	}
	if w.Path == "" {
		w.heldLock.Store(&lockFile{})
		return nil
	}
	for end := time.Now().Add(patience); ; time.Sleep(lookTime / 10) {
		f, err := files.OpenPrivate(w.disk, w.Path+".lock", os.O_RDWR|os.O_CREATE)
		if err != nil {
			return err
		}
		err = f.TryLock()
		w.Lockless = errors.Is(err, errors.ErrUnsupported)
		if err == nil || w.Lockless {
			w.heldLock.Store(&lockFile{f})
			return nil
		}
		_ = f.Close()
		if !errors.Is(err, files.ErrLocked) || !time.Now().Before(end) {
			return fmt.Errorf("locking %s.lock: %w", w.Path, err)
		}
	}
}

// lockFile is the locked file, nil if nothing is kept.
type lockFile struct{ file files.File }

// HoldsLock reports whether this process holds the lock.
func (w *Work[T]) HoldsLock() bool { return w.heldLock.Load() != nil }

// ReleaseLock releases the lock taken by TakeLock.
func (w *Work[T]) ReleaseLock() {
	if l := w.heldLock.Swap(nil); l != nil && l.file != nil {
		_ = l.file.Close()
	}
}

// SaveRecord stores the record, replacing the one stored before.
func (w *Work[T]) SaveRecord(record *T) error {
	err := ReplaceRecords(&w.Journal, record)
	w.stored = w.stored || err == nil
	return err
}

// RemoveRecord removes the record of finished work, whose outcome is in the history.
func (w *Work[T]) RemoveRecord() error {
	w.lastSeen = nil
	if w.Path == "" {
		return nil
	}
	if err := w.disk.Remove(w.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w.stored = false
	_ = w.disk.SyncFolder(filepath.Dir(w.Path)) // not supported by every file system
	return nil
}
