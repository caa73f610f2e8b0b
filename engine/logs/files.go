package logs

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"rung/model/logline"
	"rung/sources/acllog"
)

// Files says which log files are read.
type Files struct {
	Paths []string // files, folders, globs, and - for Stdin
	Stdin io.Reader
	// Follow goes on with what is added.
	Follow bool
	// Paced takes no line that would push out one that was not read yet (Store.Read).
	Paced bool
	// Since, where set, leaves out earlier lines.
	Since time.Time
	// Speed is how many times as fast as they were written lines come; 0 at once.
	Speed float64
	// Only says that no other source is read beside them.
	Only bool
}

// PassedFiles counts the files below a folder that are not read, and says why.
type PassedFiles = acllog.SkippedFiles

// FilesMost is how many files and folders below a folder are looked at.
const FilesMost = acllog.WalkMost

// CheckFiles says what is wrong with paths, and what lies below folders and is not read.
func CheckFiles(paths []string) ([]PassedFiles, error) { return acllog.CheckPaths(paths) }

// lookEvery is how often files are looked at, scanEvery how often, in looks, for new ones.
const (
	lookEvery = 250 * time.Millisecond
	scanEvery = 8
)

// FileReader reads log files into a store.
type FileReader struct {
	logs   *Store
	cfg    Files
	nodeOf func(namespace, pod string) string
	merges bool // lines of other sources come in between

	set *acllog.Set // of the goroutine that reads

	mu      sync.Mutex
	streams []logline.Stream
	lastAt  time.Time // of the line handed on last
}

// NewFileReader reads files into a store. nodeOf names the node of a pod, empty where it is
// not known; merges says that there are other sources, between whose lines those of the
// files have their places.
func NewFileReader(l *Store, cfg Files, nodeOf func(namespace, pod string) string, merges bool) *FileReader {
	return &FileReader{logs: l, cfg: cfg, nodeOf: nodeOf, merges: merges}
}

// Run reads until ctx ends, which is no error.
func (r *FileReader) Run(ctx context.Context) error {
	err := r.readFiles(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (r *FileReader) readFiles(ctx context.Context) error {
	r.logs.ListStreamsWith(func() []logline.Stream {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.streams
	})
	if err := r.openFiles(ctx); err != nil {
		return err
	}
	defer func() { r.set.Close() }()
	if !slices.ContainsFunc(r.set.Files(), (*acllog.File).IsPiped) { // a pipe can be read only once
		r.logs.setFiles(r)
	}
	r.logs.sources.paced.Store(r.cfg.Paced)
	r.playHistory(ctx)
	r.followLive(ctx)
	return nil
}

// openFiles opens the files as they are now.
func (r *FileReader) openFiles(ctx context.Context) error {
	set, err := acllog.Open(ctx, r.cfg.Paths, r.cfg.Stdin)
	if err != nil {
		return err
	}
	r.set = set
	if !r.cfg.Follow {
		for _, f := range set.Files() {
			f.Finish()
		}
	}
	r.publishState()
	return nil
}

// findNode finds the node of a pod's file, which may become known later.
func (r *FileReader) findNode(f *acllog.File) {
	if f.Zone == "" && f.Pod != "" {
		f.Zone = r.nodeOf(f.Namespace, f.Pod)
	}
}

// followLive takes what is added to the files until ctx ends.
func (r *FileReader) followLive(ctx context.Context) {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	ended := false
	for look := 1; ; {
		if !ended {
			over := r.drainFiles(ctx)
			if over && !r.cfg.Follow {
				r.publishState()
				r.logs.merge.putLine(ctx, arrival{line: logline.Line{At: time.Now()}, end: true})
				ended = true
			}
			r.publishState()
		}
		select {
		case <-ctx.Done():
			return
		case <-r.set.WakeChannel():
		case <-timer.C:
			timer.Reset(lookEvery)
			if !r.cfg.Follow {
				continue
			}
			look++
			if look%scanEvery == 0 {
				r.set.ScanNew()
			}
			for _, f := range r.set.Files() {
				f.PollChanges()
			}
		}
	}
}

// drainFiles takes what there is now; over says that there will never be more.
func (r *FileReader) drainFiles(ctx context.Context) (over bool) {
	over = true
	for _, f := range r.set.Files() {
		for ctx.Err() == nil {
			line, ok := r.nextLine(f)
			if !ok {
				break
			}
			r.giveLine(ctx, line, !r.merges && len(r.set.Files()) == 1)
			r.noteStanding(line.line.At)
		}
		over = over && f.IsOver()
	}
	return over
}
