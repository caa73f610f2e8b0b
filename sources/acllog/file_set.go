package acllog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"rung/model/logline"
	"rung/model/words"
	"rung/sources/files"
)

// MaxFiles bounds the files read at a time.
const MaxFiles = 500

// stdin is the name shown for standard input.
const stdin = "standard input"

// Set is the files named by a list of paths, as they come and go.
type Set struct {
	paths  []string
	files  []*File
	seen   map[string]fs.FileInfo // by path; files being read, and files left out
	failed []logline.Stream       // unreadable paths, and files beyond MaxFiles

	wg   sync.WaitGroup
	ctx  context.Context // of every read
	end  context.CancelFunc
	wake chan struct{}
}

// Open opens the files that paths name: files, folders with all below them, globs, and - for in. A path that
// names nothing is an error. ctx ends every read.
func Open(ctx context.Context, paths []string, in io.Reader) (*Set, error) {
	ctx, end := context.WithCancel(ctx)
	s := &Set{seen: map[string]fs.FileInfo{}, ctx: ctx, end: end, wake: make(chan struct{}, 1)}
	for _, path := range paths {
		if path == "-" {
			s.addPipe(stdin, func() (io.ReadCloser, error) {
				return io.NopCloser(files.PatientReader(ctx, in)), nil // in stays open
			})
			continue
		}
		found, _, err := findNamed(path)
		switch {
		case err != nil:
			s.Close()
			return nil, err
		case len(found) == 1 && found[0].path == path && !found[0].info.Mode().IsRegular():
			s.addPipe(path, func() (io.ReadCloser, error) { return files.Open(ctx, path) })
		default:
			s.paths = append(s.paths, path)
		}
	}
	s.ScanNew()
	for _, f := range s.files { // all names are known only now
		s.setName(f)
	}
	return s, nil
}

func (s *Set) addPipe(path string, open func() (io.ReadCloser, error)) {
	lines := make(chan pipedLine, waitingLines)
	f := &File{Stream: placedStream(path), ctx: s.ctx, path: path, pipe: lines}
	s.files = append(s.files, f)
	s.wg.Go(func() { readPipe(s.ctx, lines, s.wakeReader, open) })
}

// SkippedFiles counts unread files below a folder.
type SkippedFiles struct {
	Folder string // as given, or found by a glob; not clean
	// Files counts all files; Other counts files not named as logs, or of pods outside the network.
	Files, Other int
	// Unread counts unreadable folders; Err is the first one's error.
	Unread int
	Err    error
	// Cut is set if the folder has more than WalkMost entries: the rest was not read.
	Cut bool
}

// CheckPaths returns an error for unusable paths, and counts the unread files below folders, without opening any.
func CheckPaths(paths []string) (passed []SkippedFiles, err error) {
	for _, path := range paths {
		if path == "-" {
			continue
		}
		_, more, err := findNamed(path)
		if err != nil {
			return nil, err
		}
		passed = append(passed, more...)
	}
	return passed, nil
}

// findNamed expands a path. It returns an error if the path names no file.
func findNamed(path string) ([]namedFile, []SkippedFiles, error) {
	found, passed, err := expandPath(path)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no log files in %s", words.CleanText(path))
		if i := slices.IndexFunc(passed, func(p SkippedFiles) bool { return p.Err != nil }); i >= 0 {
			err = fmt.Errorf("%w: %w", err, passed[i].Err)
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read logs: %w; check --log", err)
	}
	return found, passed, nil
}

func (s *Set) wakeReader() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// WakeChannel returns a channel that ticks when a pipe has lines.
func (s *Set) WakeChannel() <-chan struct{} { return s.wake }

// Files returns the current files.
func (s *Set) Files() []*File { return s.files }

// ScanNew looks for new files and returns them, the most recently written last.
func (s *Set) ScanNew() (fresh []*File) {
	var found []namedFile
	for _, path := range s.paths {
		more, _, _ := expandPath(path) // a missing path may return
		found = append(found, more...)
	}
	live := map[string]bool{} // logs that read their own rotated parts
	for _, n := range found {
		live[n.path] = logName(n.path) == n.path
	}
	slices.SortStableFunc(found, func(a, b namedFile) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	isFirst, beyond := len(s.seen) == 0, 0
	s.failed = nil
	for _, n := range found {
		log := logName(n.path)
		isRotated := log != n.path && live[log]
		switch {
		case s.isKnown(n):
		case isRotated && !isFirst: // its log reads it
			s.seen[n.path] = n.info
		case len(s.files) == MaxFiles:
			beyond++
		default:
			if f := s.addFile(n, isRotated, isFirst); f != nil {
				fresh = append(fresh, f)
			}
		}
	}
	for _, f := range fresh {
		s.setName(f)
	}
	if beyond > 0 {
		s.failed = append(s.failed, logline.Stream{File: words.CleanText(strings.Join(s.paths, " ")), State: logline.StreamFailed,
			Error: fmt.Sprintf("%d more files are not read (limit: %d)", beyond, MaxFiles)})
	}
	return fresh
}

// addFile opens a file; nil if it is unreadable, or its content is already read under another name.
func (s *Set) addFile(n namedFile, isRotated, isFirst bool) *File {
	f, err := newFile(s.ctx, n.path, isRotated)
	if err != nil {
		x := placedStream(n.path)
		x.State, x.Error = logline.StreamFailed, errorText(err)
		s.failed = append(s.failed, x)
		return nil
	}
	s.seen[n.path] = n.info
	if !isFirst && slices.ContainsFunc(s.files, func(x *File) bool {
		return !x.IsPiped() && filepath.Dir(x.path) == filepath.Dir(f.path) && x.isKnown(f.currentPart())
	}) {
		f.Close()
		return nil
	}
	s.files = append(s.files, f)
	return f
}

// isKnown reports whether a file is or was read, under any name.
func (s *Set) isKnown(n namedFile) bool {
	if slices.ContainsFunc(s.files, func(f *File) bool { return f.path == n.path && !f.static }) {
		return true // followed by name, whichever file has it
	}
	for _, old := range s.seen {
		// A closed file's inode number may have been reused.
		if os.SameFile(old, n.info) && old.ModTime().Equal(n.info.ModTime()) {
			return true
		}
	}
	return false
}

// States returns the states of all files at the time now, unreadable paths included, sorted by path.
func (s *Set) States(now time.Time) []logline.Stream {
	out := slices.Clone(s.failed)
	for _, f := range s.files {
		out = append(out, f.State(now))
	}
	slices.SortStableFunc(out, func(a, b logline.Stream) int { return cmp.Compare(a.File, b.File) })
	return out
}

// Close closes every file and waits for pipes.
func (s *Set) Close() {
	s.end()
	for _, f := range s.files {
		f.Close()
	}
	s.wg.Wait()
}

// namedFile is a file with its path.
type namedFile struct {
	path string
	info fs.FileInfo
}

// WalkMost bounds the entries visited below a folder.
const WalkMost = 50000

// expandPath finds the files of a path: literally if it exists, whatever characters it has, else as a glob.
func expandPath(path string) (found []namedFile, passed []SkippedFiles, err error) {
	names := []string{path}
	if _, err := os.Stat(path); err != nil {
		// Windows refuses * and ? as the name of a file.
		if !errors.Is(err, fs.ErrNotExist) && runtime.GOOS != "windows" || !strings.ContainsAny(path, "*?[") {
			return nil, nil, err
		}
		if names, err = filepath.Glob(path); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", words.CleanText(path), err)
		}
	}
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case err != nil:
		case info.IsDir():
			more, p := logsBelow(name)
			found = append(found, more...)
			if p.Other > 0 || p.Unread > 0 || p.Cut {
				passed = append(passed, p)
			}
		case info.Mode().IsRegular() || name == path:
			found = append(found, namedFile{name, info})
		}
	}
	return found, passed, nil
}

// logsBelow finds the logs below a folder.
func logsBelow(folder string) (out []namedFile, passed SkippedFiles) {
	passed.Folder = folder
	n := 0
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		n++
		if n > WalkMost {
			passed.Cut = true
			return filepath.SkipAll
		}
		switch {
		case err != nil: // an unreadable folder does not stop the walk
			passed.Unread++
			passed.Err = cmp.Or(passed.Err, err)
			return nil
		case e.IsDir():
			return nil
		}
		passed.Files++
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && isLog(folder, path) {
			out = append(out, namedFile{path, info})
		} else {
			passed.Other++
		}
		return nil
	})
	return out, passed
}

// isLog reports whether a file below a folder may have ACL lines: by its name, and its pod's if it has one.
func isLog(folder, path string) bool {
	name := strings.ToLower(filepath.Base(logName(path)))
	if !strings.HasSuffix(name, ".log") && !strings.HasSuffix(name, "_log") && !strings.HasSuffix(name, ".txt") && name != "syslog" &&
		name != "messages" {
		return false
	}
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return true
	}
	at := ParsePlace(rel)
	return at.Pod == "" || strings.Contains(at.Pod, "ovn") || strings.Contains(at.Pod, "antrea")
}

// setName names a file by its log, with a folder only if another log has the same name.
func (s *Set) setName(f *File) {
	own := logName(f.path)
	name := filepath.Base(own)
	f.Name = words.CleanText(name)
	for _, x := range s.files {
		if other := logName(x.path); other != own && filepath.Base(other) == name {
			f.Name = words.CleanText(filepath.Join(filepath.Base(filepath.Dir(own)), name))
		}
	}
}
