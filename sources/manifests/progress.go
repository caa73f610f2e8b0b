package manifests

import (
	"sync"
	"time"
)

// progressTime is the least time before the first and between two calls of Options.Progress. A shorter reading
// is not reported.
const progressTime = 100 * time.Millisecond

// readProgress counts the decoded bytes of a reading, in bytes on disk. It counts decoding, since loading
// takes almost no time. nil counts nothing.
type readProgress struct {
	report func(read, total int64)

	mu               sync.Mutex
	bytesRead, total float64
	nextCall         time.Time // earliest time of the next call
}

func newProgress(tell func(read, total int64)) *readProgress {
	if tell == nil {
		return nil
	}
	return &readProgress{report: tell, nextCall: time.Now().Add(progressTime)}
}

// expectFiles adds the sizes of files to read.
func (p *readProgress) expectFiles(inputs []inputFile) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, in := range inputs {
		p.total += float64(in.size)
	}
}

// noteLoaded sets the weight of a split file: bytes on disk per byte of its text. Only now is standard input's
// size known.
func (p *readProgress) noteLoaded(f *fileResult) {
	if p == nil {
		return
	}
	n := 0
	for _, u := range f.units {
		n += len(u.text)
	}
	size := float64(f.input.size)
	if size == 0 {
		size = float64(n)
		p.mu.Lock()
		p.total += size
		p.mu.Unlock()
	}
	if n > 0 {
		f.weight = size / float64(n)
	}
}

// addDone adds decoded text of a file.
func (p *readProgress) addDone(f *fileResult, n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytesRead += float64(n) * f.weight
	if now := time.Now(); now.After(p.nextCall) {
		p.nextCall = now.Add(progressTime)
		p.report(min(int64(p.bytesRead+0.5), int64(p.total+0.5)), int64(p.total+0.5))
	}
}
