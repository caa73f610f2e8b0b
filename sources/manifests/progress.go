package manifests

import (
	"sync"
	"time"
)

// progressTime is the least time between two calls of Options.Progress; nothing that is
// read within the first is told at all.
const progressTime = 100 * time.Millisecond

// readProgress counts what of a reading is done, in bytes as they lie on disk. It counts
// what was decoded: to read the bytes takes next to nothing. nil counts nothing.
type readProgress struct {
	tell func(read, total int64)

	mu               sync.Mutex
	bytesRead, total float64
	nextCall         time.Time // of the next call, at the earliest
}

func newProgress(tell func(read, total int64)) *readProgress {
	if tell == nil {
		return nil
	}
	return &readProgress{tell: tell, nextCall: time.Now().Add(progressTime)}
}

// expectFiles adds files that are going to be read.
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

// noteLoaded takes in a file that was loaded and split: how much text there is for its bytes.
// Standard input has no size before.
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

// addDone adds text of a file that was decoded.
func (p *readProgress) addDone(f *fileResult, n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytesRead += float64(n) * f.weight
	if now := time.Now(); now.After(p.nextCall) {
		p.nextCall = now.Add(progressTime)
		p.tell(min(int64(p.bytesRead+0.5), int64(p.total+0.5)), int64(p.total+0.5))
	}
}
