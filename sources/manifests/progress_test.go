package manifests

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slow gives its text after the time within which nothing is told.
type slow struct {
	after time.Duration
	text  *strings.Reader
}

func (s *slow) Read(p []byte) (int, error) {
	time.Sleep(s.after)
	s.after = 0
	return s.text.Read(p)
}

func manyNamespaces(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns-%d}\n", i)
	}
	return b.String()
}

// What is told of a long reading goes up to the sum of what lies on disk, of whatever
// form; of a short one nothing is told.
func TestProgress(t *testing.T) {
	dir := t.TempDir()
	text := manyNamespaces(300)
	write := func(name string, text []byte) int64 {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
		return int64(len(text))
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	total := write("a.yaml", []byte(text)) + write("b.yaml.gz", packed.Bytes()) + write("c.json", []byte(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"c"}}`)) +
		write("empty.yaml", nil)

	var last, of int64
	o := Options{Paths: []string{dir}}.withDefaults()
	o.progress = &readProgress{report: func(read, total int64) {
		if read < last || read > total {
			t.Errorf("%d of %d after %d", read, total, last)
		}
		last, of = read, total
	}}
	inputs, broken := o.listInputs()
	if len(broken) > 0 {
		t.Fatal(broken)
	}
	if _, err := readFiles(t.Context(), o, inputs[:1]); err != nil {
		t.Fatal(err)
	}
	if last == 0 || of == 0 {
		t.Errorf("nothing was told: %d of %d", last, of)
	}

	last, of = 0, 0
	o.progress = newProgress(o.progress.report)
	if _, err := readFiles(t.Context(), o, inputs); err != nil {
		t.Fatal(err)
	}
	if got := int64(o.progress.bytesRead + 0.5); got != total || int64(o.progress.total+0.5) != total {
		t.Errorf("in the end %d of %.0f bytes were read, of %d", got, o.progress.total, total)
	}
}

// The first reading is told of while it goes on, and no later one.
func TestWatchTellsProgress(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	text := manyNamespaces(2000)
	var read, total int64
	told, updates := 0, 0
	err := Watch(ctx, Options{Paths: []string{"-"}, Stdin: &slow{2 * progressTime, strings.NewReader(text)}, SkipSchema: true,
		Progress: func(n, of int64) {
			if updates > 0 {
				t.Error("told after everything was read")
			}
			read, total = n, of
			told++
		}}, func(u Update) {
		updates++
		if u.Validated {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if told == 0 || read <= 0 || total < int64(len(text))*9/10 || total > int64(len(text)) {
		t.Errorf("told %d times, at last %d of %d bytes, of %d", told, read, total, len(text))
	}
}
