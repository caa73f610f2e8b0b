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

	"rung/model/words"
	"rung/sources/files"
)

// MaxFiles bounds the files that are read at a time.
const MaxFiles = 500

// stdin is the name of standard input.
const stdin = "standard input"

// Set is the files that a list of paths names, as they come and go.
type Set struct {
	paths       []string
	files       []*File
	seenFiles   map[string]fs.FileInfo // by path; of what is read, and of what was left out
	pathErrors  map[string]error       // of paths that cannot be read
	filesBeyond int                    // files beyond MaxFiles

	wg   sync.WaitGroup
	ctx  context.Context // of every read
	end  context.CancelFunc
	wake chan struct{}
}

// Open opens the files that paths name: files, folders with what lies below them, globs,
// and - for in. A path that names nothing is an error. Every read ends with ctx.
func Open(ctx context.Context, paths []string, in io.Reader) (*Set, error) {
	ctx, end := context.WithCancel(ctx)
	s := &Set{seenFiles: map[string]fs.FileInfo{}, pathErrors: map[string]error{}, ctx: ctx, end: end, wake: make(chan struct{}, 1)}
	for _, path := range paths {
		if path == "-" {
			st := startStream(ctx, &s.wg, s.wakeReader, func() (io.ReadCloser, error) {
				return io.NopCloser(files.PatientReader(ctx, in)), nil // it is not closed
			})
			s.files = append(s.files, &File{path: stdin, stream: st})
			continue
		}
		found, _, err := findNamed(path)
		if err != nil {
			s.Close()
			return nil, err
		}
		if len(found) == 1 && found[0].path == path && !found[0].info.Mode().IsRegular() {
			st := startStream(ctx, &s.wg, s.wakeReader, func() (io.ReadCloser, error) { return files.Open(ctx, path) })
			s.files = append(s.files, &File{path: path, place: PlaceOf(path), stream: st})
			continue
		}
		s.paths = append(s.paths, path)
	}
	s.ScanNew()
	return s, nil
}

// SkippedFiles counts the files below a folder that are not read.
type SkippedFiles struct {
	Folder string // as it was given, or found by a glob; not clean
	// Files is how many files there are, Other how many of them are not named as logs, or are
	// of pods that are not the network's.
	Files, Other int
	// Unread is how many folders could not be read; Err says why of the first.
	Unread int
	Err    error
	// Cut says that there are more than WalkMost, and that the rest was not looked at.
	Cut bool
}

// CheckPaths says what is wrong with paths, and what lies below the folders among them and is
// not read; it opens no file.
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

// findNamed expands a path that must name something.
func findNamed(path string) ([]namedFile, []SkippedFiles, error) {
	found, passed, err := expandPath(path)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no log files in %s", words.CleanText(path))
		for _, p := range passed {
			if p.Err != nil {
				err = fmt.Errorf("%w: %w", err, p.Err)
				break
			}
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

// WakeChannel gets a tick when a pipe has lines.
func (s *Set) WakeChannel() <-chan struct{} { return s.wake }

// Files are the files there are now.
func (s *Set) Files() []*File { return s.files }

// ScanNew looks for new files and returns them, those written to last behind the others.
func (s *Set) ScanNew() (fresh []*File) {
	var found []namedFile
	for _, path := range s.paths {
		more, _, _ := expandPath(path) // one that is gone may return
		found = append(found, more...)
	}
	live := map[string]bool{} // logs whose rotated parts are their own
	for _, n := range found {
		if logNameOf(n.path) == n.path {
			live[n.path] = true
		}
	}
	slices.SortStableFunc(found, func(a, b namedFile) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	s.filesBeyond = 0
	first := len(s.files) == 0 || len(s.seenFiles) == 0
	clear(s.pathErrors)
	for _, n := range found {
		if s.isKnown(n) {
			continue
		}
		rotated := live[logNameOf(n.path)] && logNameOf(n.path) != n.path
		switch {
		case rotated && !first: // its log reads it
			s.seenFiles[n.path] = n.info
			continue
		case len(s.files) == MaxFiles:
			s.filesBeyond++
			continue
		}
		f, err := newFile(s.ctx, n.path, rotated)
		if err != nil {
			s.pathErrors[n.path] = err
			continue
		}
		s.seenFiles[n.path] = n.info
		// One that is read, under another name, or a copy of it.
		if !first && slices.ContainsFunc(s.files, func(x *File) bool {
			return x.stream == nil && filepath.Dir(x.path) == filepath.Dir(f.path) && x.isKnown(f.currentPart())
		}) {
			f.Close()
			continue
		}
		s.files, fresh = append(s.files, f), append(fresh, f)
	}
	return fresh
}

// isKnown says whether a file is read, or was, under whatever name.
func (s *Set) isKnown(n namedFile) bool {
	if slices.ContainsFunc(s.files, func(f *File) bool { return f.path == n.path && !f.static }) {
		return true // followed by its name, whatever has it
	}
	for _, old := range s.seenFiles {
		// Of one that was closed the number may have been given to another file.
		if os.SameFile(old, n.info) && old.ModTime().Equal(n.info.ModTime()) {
			return true
		}
	}
	return false
}

// States are how the files stand, and those that cannot be read.
func (s *Set) States() (out []FileState) {
	for _, f := range s.files {
		out = append(out, f.State())
	}
	for path, err := range s.pathErrors {
		out = append(out, FileState{Path: words.CleanText(path), Place: PlaceOf(path), Status: Failed, Err: err})
	}
	if s.filesBeyond > 0 {
		out = append(out, FileState{Path: strings.Join(s.paths, " "), Status: Failed,
			Err: fmt.Errorf("%d more files are not read: Rung reads %d at most", s.filesBeyond, MaxFiles)})
	}
	slices.SortStableFunc(out, func(a, b FileState) int { return cmp.Compare(a.Path, b.Path) })
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

// namedFile is a file by its name.
type namedFile struct {
	path string
	info fs.FileInfo
}

// WalkMost bounds what is looked at below a folder.
const WalkMost = 50000

// expandPath finds the files of a path: one that is there is taken by its name, whatever it
// holds; then it is a glob.
func expandPath(path string) (found []namedFile, passed []SkippedFiles, err error) {
	folder := func(path string) {
		more, p := logsBelow(path)
		found = append(found, more...)
		if p.Other > 0 || p.Unread > 0 || p.Cut {
			passed = append(passed, p)
		}
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		folder(path)
		return found, passed, nil
	case err == nil:
		return []namedFile{{path, info}}, nil, nil
	case !errors.Is(err, fs.ErrNotExist) && runtime.GOOS != "windows" || !strings.ContainsAny(path, "*?["):
		// Windows refuses * and ? as the name of a file.
		return nil, nil, err
	}
	names, globErr := filepath.Glob(path)
	if globErr != nil {
		return nil, nil, fmt.Errorf("%s: %w", words.CleanText(path), globErr)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case err != nil:
		case info.IsDir():
			folder(name)
		case info.Mode().IsRegular():
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
		case err != nil: // a folder that cannot be read holds up no other
			passed.Unread++
			if passed.Err == nil {
				passed.Err = err
			}
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

// isLog says whether a file below a folder may have ACL lines: it is named as a log, and if
// it is a pod's, that pod is one of the network.
func isLog(folder, path string) bool {
	name := strings.ToLower(filepath.Base(logNameOf(path)))
	if !strings.HasSuffix(name, ".log") && !strings.HasSuffix(name, "_log") && !strings.HasSuffix(name, ".txt") && name != "syslog" && name != "messages" {
		return false
	}
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return true
	}
	at := PlaceOf(rel)
	return at.Pod == "" || strings.Contains(at.Pod, "ovn") || strings.Contains(at.Pod, "antrea")
}

// ShortName is the name of a file's log without its folders, as far as no other log has it.
func (s *Set) ShortName(f *File) string {
	if f.stream != nil && f.path == stdin {
		return f.path
	}
	own := logNameOf(f.path)
	name := filepath.Base(own)
	for _, x := range s.files {
		if other := logNameOf(x.path); other != own && filepath.Base(other) == name {
			return filepath.Join(filepath.Base(filepath.Dir(own)), name)
		}
	}
	return name
}
