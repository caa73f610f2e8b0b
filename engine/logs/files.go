package logs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"sync"
	"time"

	"rung/model/logline"
	"rung/model/words"
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

	// Of the goroutine that reads:
	set     *acllog.Set
	sources map[*acllog.File]*fileSource

	mu      sync.Mutex
	streams []logline.Stream
	lastAt  time.Time // of the line handed on last
}

// fileSource is one file as it is read now.
type fileSource struct {
	file             *acllog.File
	lines, acls, odd uint64
	lastLine         time.Time
	countedSince     time.Time
	state            logline.StreamState

	zone     string
	zoneSure bool   // of the zone; else a pod's node may become known
	gap      string // why lines may be missing before the next one
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
	r.set, r.sources = set, map[*acllog.File]*fileSource{}
	for _, f := range set.Files() {
		r.sourceOf(f)
		if !r.cfg.Follow {
			f.Finish()
		}
	}
	r.publishState()
	return nil
}

// sourceOf returns the state of reading a file, which it makes at first.
func (r *FileReader) sourceOf(f *acllog.File) *fileSource {
	s := r.sources[f]
	if s == nil {
		s = &fileSource{file: f, countedSince: r.logs.now(), state: logline.StreamOpen}
		s.zone, s.zoneSure = r.zoneOf(f)
		r.sources[f] = s
	}
	return s
}

// zoneOf is the node a file's lines are of, by its path; else the file's name.
func (r *FileReader) zoneOf(f *acllog.File) (zone string, sure bool) {
	p := f.Place()
	switch {
	case p.Node != "":
		return p.Node, true
	case p.Pod != "":
		if node := r.nodeOf(p.Namespace, p.Pod); node != "" {
			return node, true
		}
		return p.Pod, false
	}
	return words.CleanText(r.set.ShortName(f)), true
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
				for _, f := range r.set.ScanNew() {
					r.sourceOf(f)
				}
			}
			for _, f := range r.set.Files() {
				if gap := f.PollChanges(); gap != "" {
					r.sourceOf(f).gap = gap
				}
			}
		}
	}
}

// drainFiles takes what there is now; over says that there will never be more.
func (r *FileReader) drainFiles(ctx context.Context) (over bool) {
	over = true
	for _, f := range r.set.Files() {
		s := r.sourceOf(f)
		for ctx.Err() == nil {
			line, ok := r.nextLine(s)
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

// fileError says in one line why a file cannot be read, and what to do.
func fileError(err error) string {
	text := words.CleanText(err.Error())
	if errors.Is(err, fs.ErrPermission) {
		text += "; the user who runs Rung must be able to read it"
	}
	return text
}
