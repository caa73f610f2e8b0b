package logs

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rung/model/logline"
)

// lineSources are where the lines of a store come from, and who reads them.
type lineSources struct {
	mu      sync.Mutex
	streams []func() []logline.Stream
	files   *FileReader // nil without log files, or if one of them is a pipe

	allTaken chan struct{} // closed when all that was to be read is taken in
	endOnce  sync.Once
	// readTo is the newest line somebody has read who wants every one; paced says that
	// there is somebody, and read is told.
	paced  atomic.Bool
	readTo atomic.Uint64
	read   chan struct{}
}

// AskForLines says that somebody looks at the log: on a cluster the nodes' logs are
// followed from then on. It may be called as often as one likes.
func (l *Store) AskForLines() { l.askOnce.Do(func() { close(l.firstAsked) }) }

// ListStreamsWith says where lines come from: f lists streams, by zone. It may be called once
// for every kind of source.
func (l *Store) ListStreamsWith(f func() []logline.Stream) {
	l.sources.mu.Lock()
	defer l.sources.mu.Unlock()
	l.sources.streams = append(l.sources.streams, f)
}

// Streams are the nodes' logs and the log files, and how each stands, the nodes' first;
// nil where lines come from neither.
func (l *Store) Streams() (out []logline.Stream) {
	l.sources.mu.Lock()
	from := slices.Clone(l.sources.streams)
	l.sources.mu.Unlock()
	for _, f := range from {
		out = append(out, f()...)
	}
	nodes, files := NodesAndFiles(out)
	return append(nodes, files...)
}

// Playing returns how many times as fast as they were written the lines of log files come, and the
// time of the last; speed is 0 where they come at once.
func (l *Store) Playing() (speed float64, at time.Time) {
	files := l.fileReader()
	if files == nil {
		return 0, at
	}
	files.mu.Lock()
	defer files.mu.Unlock()
	return files.cfg.Speed, files.lastAt
}

// CutsFiles reports whether log files have more lines than are kept, and can be read once more for them.
func (l *Store) CutsFiles() bool { return l.fileReader() != nil && l.FirstNumber() > 1 }

// fileReader returns the reader of log files, nil without any and where one is a pipe.
func (l *Store) fileReader() *FileReader {
	l.sources.mu.Lock()
	defer l.sources.mu.Unlock()
	return l.sources.files
}

func (l *Store) setFiles(r *FileReader) {
	l.sources.mu.Lock()
	defer l.sources.mu.Unlock()
	l.sources.files = r
}

// EndOfLines is closed when all that was to be read is taken in; of what is followed it never is.
func (l *Store) EndOfLines() <-chan struct{} { return l.sources.allTaken }

// Read says that all lines up to a number were read, for Files.All.
func (l *Store) Read(seq uint64) {
	l.sources.readTo.Store(seq)
	select {
	case l.sources.read <- struct{}{}:
	default:
	}
}

// waitForRoom waits until a line of a file may come without pushing out one that is still to be
// read.
func (l *Store) waitForRoom(ctx context.Context) bool {
	for l.sources.paced.Load() {
		lines, bytes := l.unreadAfter(l.sources.readTo.Load())
		if lines+uint64(len(l.queue)) <= uint64(l.limit)/2 && bytes+l.queued.Load() <= l.maxBytes()/2 {
			break
		}
		select {
		case <-l.sources.read:
		case <-ctx.Done():
			return false
		}
	}
	return true
}
