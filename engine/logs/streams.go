package logs

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rung/model/logline"
	"rung/sources/retry"
)

// lineSources tracks where the lines of a store come from, and how far they were read.
type lineSources struct {
	mu      sync.Mutex
	streams []func() []logline.Stream
	files   atomic.Pointer[FileReader] // nil without log files, or if one is a pipe

	allRead chan struct{} // closed when everything to be read was processed
	endOnce sync.Once
	// readTo is the newest line read by a reader who wants every line. paced means that such a reader exists;
	// read signals its progress.
	paced  atomic.Bool
	readTo atomic.Uint64
	read   chan struct{}
}

// AskForLines starts following a cluster's node logs because somebody looks at the log. It may be called
// repeatedly.
func (l *Store) AskForLines() { l.askOnce.Do(func() { close(l.firstAsked) }) }

// ListStreamsWith adds a source of lines; f lists its streams by zone. Call it once for each kind of source.
func (l *Store) ListStreamsWith(f func() []logline.Stream) {
	l.sources.mu.Lock()
	defer l.sources.mu.Unlock()
	l.sources.streams = append(l.sources.streams, f)
}

// Streams returns the node logs and then the log files, each with its state; nil without either.
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

// Playing returns how many times as fast as written log files are replayed, and the time of the last line.
// speed is 0 if lines come at once.
func (l *Store) Playing() (speed float64, at time.Time) {
	files := l.sources.files.Load()
	if files == nil {
		return 0, at
	}
	files.mu.Lock()
	defer files.mu.Unlock()
	return files.cfg.Speed, files.lastAt
}

// HasCutFiles reports whether log files have more lines than are kept, and can be read again for them.
func (l *Store) HasCutFiles() bool { return l.sources.files.Load() != nil && l.FirstNumber() > 1 }

// EndOfLines returns a channel closed when everything to be read was processed; never if files are followed.
func (l *Store) EndOfLines() <-chan struct{} { return l.sources.allRead }

// Read notes that all lines up to a number were read, for Files.Paced.
func (l *Store) Read(seq uint64) {
	l.sources.readTo.Store(seq)
	retry.Wake(l.sources.read)
}

// waitForSpace waits until a file's line would not push out an unread one.
func (l *Store) waitForSpace(ctx context.Context) bool {
	for l.sources.paced.Load() {
		lines, bytes := l.unreadAfter(l.sources.readTo.Load())
		if lines+uint64(len(l.queue)) <= uint64(l.limit)/2 && bytes+l.queued.Load() <= maxLineBytes/2 {
			break
		}
		if !retry.Await(ctx, l.sources.read) {
			return false
		}
	}
	return true
}
