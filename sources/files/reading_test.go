package files

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// soon is generous: only a failure takes as long.
const soon = 20 * time.Second

// within runs f and fails when it does not return.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(soon):
		t.Fatalf("%s does not end", what)
	}
}

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, read := range []func(int64) ([]byte, error){
		func(limit int64) ([]byte, error) { return ReadFile(t.Context(), name, limit) },
		func(limit int64) ([]byte, error) { return ReadRegular(name, limit) },
	} {
		if got, err := read(3); string(got) != "abc" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := read(2); !errors.Is(err, ErrTooLarge) {
			t.Errorf("a byte too many: %v", err)
		}
	}
	if _, err := ReadFile(t.Context(), name+"not", 3); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("not there: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ReadFile(ended, name, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// A reader gives what it was asked for and no more, whatever the sizes.
func TestReader(t *testing.T) {
	text := strings.Repeat("0123456789", 30_000)
	in := strings.NewReader(text)
	r := PatientReader(t.Context(), in)
	one := make([]byte, 1)
	if n, err := r.Read(one); n != 1 || err != nil || one[0] != '0' || in.Len() != len(text)-1 {
		t.Fatalf("%d %v %q, %d are left", n, err, one, in.Len())
	}
	rest, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(rest, []byte(text[1:])) {
		t.Fatalf("%d bytes, %v", len(rest), err)
	}
}

// What never answers ends with the context.
func TestReaderEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	in := PatientReader(ctx, r)
	time.AfterFunc(20*time.Millisecond, cancel)
	within(t, "a read of a pipe without a writer's word", func() {
		if n, err := in.Read(make([]byte, 8)); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("%d, %v", n, err)
		}
	})
}
