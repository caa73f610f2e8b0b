package write

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"rung/change"
	"rung/model"
	"rung/model/words"
	"rung/sources/files"
	"rung/sources/kube"
	"rung/sources/manifests"
)

// FileOptions choose the manifests to read.
type FileOptions struct {
	// Built-in cluster to read instead of Paths, or nil.
	Demo  fs.FS
	Paths []string
	Stdin io.Reader
	// Limit of one file; a compressed file may have eight times as much once expanded. 0 means the defaults.
	MaxFileBytes int64
	// Release of network-policy-api whose CRDs check them, see manifests.Options.
	Release string
	// File system that write-back writes to; nil is the operating system's.
	Disk files.FS
}

// Files are manifests as a source, and as a writer for write-back.
type Files struct {
	readOptions manifests.Options
	disk        files.FS

	mu           sync.Mutex
	files        map[string]manifests.FileState // by path, as last read or written
	writtenFiles map[string]bool                // written since they were read
	placed       map[model.Key]string           // files of new objects
	removed      map[string]time.Time           // files that Rung removed, with the time
}

// NewFiles returns manifests as a source.
func NewFiles(opt FileOptions) *Files {
	read := manifests.Options{Paths: opt.Paths, Stdin: opt.Stdin, Source: "files", SkipSchema: true, Release: opt.Release,
		Limits: manifests.Limits{FileSize: opt.MaxFileBytes, Expanded: 8 * opt.MaxFileBytes}}
	if opt.Demo != nil {
		read.FS, read.Paths, read.Source = opt.Demo, []string{"."}, "demo"
	}
	return &Files{readOptions: read, disk: files.OrSystem(opt.Disk), files: map[string]manifests.FileState{},
		writtenFiles: map[string]bool{}, placed: map[model.Key]string{}, removed: map[string]time.Time{}}
}

// Name returns "files" or "demo".
func (f *Files) Name() string { return f.readOptions.Source }

// Run delivers the contents of the files, first unchecked and then checked, and again whenever a file changes.
func (f *Files) Run(ctx context.Context, sink func(kube.SourceUpdate)) {
	read := f.readOptions
	read.Progress = func(n, total int64) {
		sink(kube.SourceUpdate{State: model.SourceState{Name: f.Name(), Conn: model.ConnStarting, Read: n, Total: total}})
	}
	err := manifests.Watch(ctx, read, func(u manifests.Update) {
		n := f.noteRead(u)
		u.Broken = f.withoutExpected(u.Broken)
		st := model.SourceState{Name: f.Name(), Conn: model.ConnSynced, Detail: words.Count(n, "file"), Files: sourceFiles(u.Files)}
		ofFile := []string{manifests.CodeGone, manifests.CodeKept, manifests.CodeFile}
		if i := slices.IndexFunc(u.Broken, func(b model.Broken) bool { return slices.Contains(ofFile, b.Code) }); i >= 0 {
			st.Error = u.Broken[i].String()
		}
		sink(kube.SourceUpdate{Upsert: u.Upsert, Remove: u.Remove, Broken: u.Broken, HasBroken: true,
			Loaded: u.Validated, State: st})
	})
	if err != nil {
		// Not loaded: without reading anything, nothing may count as deleted.
		sink(kube.SourceUpdate{State: model.SourceState{Name: f.Name(), Conn: model.ConnLost, Error: err.Error()}})
	}
}

// withoutExpected leaves out missing files that Rung removed.
func (f *Files) withoutExpected(broken []model.Broken) []model.Broken {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(broken), func(b model.Broken) bool {
		_, own := f.removed[b.Origin.File]
		return own && b.Code == manifests.CodeGone
	})
}

// noteRead records the files read, and returns their number.
func (f *Files) noteRead(u manifests.Update) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := make(map[string]manifests.FileState, len(u.Files))
	for _, file := range u.Files {
		if own := f.files[file.Path]; f.writtenFiles[file.Path] && own.At.After(file.At) {
			file = own // written after this update read it
		} else {
			delete(f.writtenFiles, file.Path)
		}
		next[file.Path] = file
		if at, own := f.removed[file.Path]; own && file.At.After(at) {
			delete(f.removed, file.Path) // created again
		}
	}
	for path := range f.writtenFiles {
		if _, read := next[path]; read {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			next[path] = f.files[path] // new, and not found by the source yet
		} else {
			delete(f.writtenFiles, path)
		}
	}
	f.files = next
	return len(u.Files)
}

// sourceFiles returns the files that were read, by path.
func sourceFiles(read []manifests.FileState) (out []model.SourceFile) {
	for _, file := range read {
		out = append(out, model.SourceFile{Path: file.Path, Size: file.Size, Sum: file.Sum})
	}
	slices.SortFunc(out, func(a, b model.SourceFile) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// knownFile returns a file as last read or written.
func (f *Files) knownFile(path string) (manifests.FileState, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	file, ok := f.files[path]
	if !ok {
		return file, fmt.Errorf("write %s: this file was not read: %w", path, model.ErrRejected)
	}
	return file, nil
}

func (f *Files) noteWritten(file manifests.FileState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[file.Path] = file
	f.writtenFiles[file.Path] = true
	delete(f.removed, file.Path)
}

func (f *Files) forgetFile(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.files, path)
	delete(f.writtenFiles, path)
	f.removed[path] = time.Now()
}

// rememberPlaces records the files of new objects until they are read back.
func (f *Files) rememberPlaces(changes []change.ObjectChange, jobs []*fileJob) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range changes {
		if c.New == nil {
			delete(f.placed, c.Key)
		}
	}
	for _, j := range jobs {
		for _, k := range j.adds {
			f.placed[k] = j.path
		}
	}
}

// SweepLeftovers removes half-written files that killed processes left next to the manifests, if older than
// before.
func (f *Files) SweepLeftovers(before time.Time) {
	f.mu.Lock()
	folders := map[string]bool{}
	for path := range f.files {
		folders[filepath.Dir(path)] = true
	}
	f.mu.Unlock()
	for _, given := range f.readOptions.Paths {
		if info, err := os.Stat(given); err == nil && info.IsDir() {
			folders[given] = true
		}
	}
	for folder := range folders {
		files.SweepTemp(f.disk, folder, before)
	}
}
