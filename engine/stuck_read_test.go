package engine

import (
	"io/fs"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"rung/change/write"
	"rung/revision"
	"rung/sources/kube"
)

// stuckFS holds files of which one never answers, as on a server that is gone.
type stuckFS struct {
	fstest.MapFS
	began   *sync.Once
	opened  chan struct{}
	release chan struct{}
}

func (s stuckFS) Open(name string) (fs.File, error) {
	if name == "stuck.yaml" {
		s.began.Do(func() { close(s.opened) })
		<-s.release
	}
	return s.MapFS.Open(name)
}

// An engine ends while the kernel holds a read of its files.
func TestCloseLeavesAStuckReadBehind(t *testing.T) {
	files := stuckFS{fstest.MapFS{"stuck.yaml": {Data: []byte("kind: x")}}, &sync.Once{}, make(chan struct{}), make(chan struct{})}
	e, err := New(t.Context(), Config{Mode: revision.Mode{Name: "files"}, Sources: []kube.Source{write.NewFiles(write.FileOptions{Demo: files})}})
	if err != nil {
		t.Fatal(err)
	}
	<-files.opened
	began := time.Now()
	e.Close()
	close(files.release)
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("ending took %v", took)
	}
}
