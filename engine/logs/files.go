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

// Files selects the log files to read.
type Files struct {
	Paths []string // files, folders, globs, and - for Stdin
	Stdin io.Reader
	// Follow also reads lines added later.
	Follow bool
	// Paced reads no line that would push out an unread one (Store.Read).
	Paced bool
	// Since, if set, skips earlier lines.
	Since time.Time
	// Speed replays lines that many times as fast as they were written; 0 at once.
	Speed float64
	// Only means that log files are the only source.
	Only bool
}

// PassedFiles counts the skipped files below a folder, with the reason.
type PassedFiles = acllog.SkippedFiles

// MaxFiles bounds the files and folders looked at below a folder.
const MaxFiles = acllog.WalkMost

// CheckFiles reports wrong paths, and the skipped files below folders.
func CheckFiles(paths []string) ([]PassedFiles, error) { return acllog.CheckPaths(paths) }

// lookEvery is the time between looks at the files. Every scanEvery-th also searches for new ones.
const (
	lookEvery = 250 * time.Millisecond
	scanEvery = 8
)

// FileReader reads log files into a store.
type FileReader struct {
	logs    *Store
	cfg     Files
	podNode func(namespace, pod string) string
	merges  bool // lines of other sources come in between

	set *acllog.Set // only for the reading goroutine

	mu      sync.Mutex
	streams []logline.Stream
	lastAt  time.Time // of the line handed on last
}

// NewFileReader reads files into a store. findNode returns the node of a pod, empty if unknown. merges means
// that other sources have lines to merge with the files' lines.
func NewFileReader(l *Store, cfg Files, nodeOf func(namespace, pod string) string, merges bool) *FileReader {
	return &FileReader{logs: l, cfg: cfg, podNode: nodeOf, merges: merges}
}

// Run reads until ctx ends, which is not an error.
func (r *FileReader) Run(ctx context.Context) (err error) {
	r.logs.ListStreamsWith(func() []logline.Stream {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.streams
	})
	switch r.set, err = acllog.Open(ctx, r.cfg.Paths, r.cfg.Stdin); {
	case ctx.Err() != nil && err != nil:
		return nil
	case err != nil:
		return err
	}
	defer r.set.Close()
	if !r.cfg.Follow {
		for _, f := range r.set.Files() {
			f.Finish()
		}
	}
	r.publishState()
	if !slices.ContainsFunc(r.set.Files(), (*acllog.File).IsPiped) { // a pipe can be read only once
		r.logs.sources.files.Store(r)
	}
	r.logs.sources.paced.Store(r.cfg.Paced)
	r.playHistory(ctx)
	r.followLive(ctx)
	return nil
}

// findNode looks up the node of a pod's file, which may become known later.
func (r *FileReader) findNode(f *acllog.File) {
	if f.Zone == "" && f.Pod != "" {
		f.Zone = r.podNode(f.Namespace, f.Pod)
	}
}

// followLive reads added lines of the files until ctx ends.
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

// drainFiles reads the lines available now; over means that no more will come.
func (r *FileReader) drainFiles(ctx context.Context) (over bool) {
	over = true
	for _, f := range r.set.Files() {
		for ctx.Err() == nil {
			line, ok := r.nextLine(f)
			if !ok {
				break
			}
			r.storeLine(ctx, line, !r.merges && len(r.set.Files()) == 1)
			r.noteLastTime(line.line.At)
		}
		over = over && f.IsOver()
	}
	return over
}
