package logs

import (
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"
	"time"

	"rung/test/install"
)

// A file of 1 GiB is looked through in less than 300 MB of memory.
func TestTimingLargeFile(t *testing.T) {
	install.Timing(t)
	path := filepath.Join(t.TempDir(), "acl.log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const size, lines = 1 << 30, 600_000 // around a hole of that size
	// write writes lines in small pieces: what the test needs is not to be counted.
	write := func(off int64, from, to int) {
		for n := from; n < to; n++ {
			line := append(aclLine(second(0).Add(time.Duration(n)*time.Millisecond), n), '\n')
			if _, err := f.WriteAt(line, off); err != nil {
				t.Fatal(err)
			}
			off += int64(len(line))
		}
	}
	write(0, 0, lines/2)
	if _, err := f.WriteAt([]byte{'\n'}, size/2); err != nil {
		t.Fatal(err)
	}
	write(size, lines/2, lines) // the first is a part of the hole
	l := readFiles(t, Files{Paths: []string{path}, Paced: true}, 0)
	heap := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	var most, read uint64
	for over := false; !over; {
		select {
		case <-l.EndOfLines():
			over = true
		case <-time.After(5 * time.Millisecond):
		}
		read = l.LastNumber()
		l.Read(read)
		metrics.Read(heap)
		most = max(most, heap[0].Value.Uint64()-heap[1].Value.Uint64())
	}
	t.Logf("%d lines looked through in %d MiB", read, most>>20)
	if read < lines-1 || most > 300e6 {
		t.Errorf("%d lines, %d MiB", read, most>>20)
	}
}
