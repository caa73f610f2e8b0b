package manifests

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// hashes is a compressed file of n bytes, whole MiB, that say nothing: it expands
// about a thousandfold. It is one member after the other, as gzip allows, since
// packing them all takes the race detector half a minute.
func hashes(t *testing.T, n int64) []byte {
	t.Helper()
	const size = 1 << 20
	if n%size != 0 {
		t.Fatalf("%d bytes are no whole MiB", n)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, strings.Repeat("#", size)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.Repeat(b.Bytes(), int(n/size))
}

// A small file that expands far costs next to nothing before it is refused, and
// one within the limit what it holds.
func TestExpandsFar(t *testing.T) {
	const limit = 8 << 20
	for _, c := range []struct {
		name string
		size int64
		most uint64
		want string
	}{
		{"more than the limit", 256 << 20, 4 << 20, "exceeds the limit of 8 MiB when decompressed"},
		{"as much as the limit", limit, limit + 4<<20, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			packed := hashes(t, c.size)
			o := Options{Paths: []string{"bomb.yaml.gz"}, FS: fstest.MapFS{"bomb.yaml.gz": {Data: packed}}, Limits: Limits{Expanded: limit}}.withDefaults()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			l := fileResult{input: inputFile{inputPlace: inputPlace{"bomb.yaml.gz", o.FS, "bomb.yaml.gz"}, size: int64(len(packed))}}
			err := l.load(t.Context(), o)
			runtime.ReadMemStats(&after)
			took := after.TotalAlloc - before.TotalAlloc
			t.Logf("%d bytes, expanded %d: %d allocated", len(packed), c.size, took)
			switch {
			case c.want == "" && (err != nil || int64(len(l.text)) != c.size):
				t.Fatal(err)
			case c.want != "" && (err == nil || err.Error() != c.want):
				t.Fatalf("%v, want %q", err, c.want)
			}
			if took > c.most {
				t.Errorf("%d bytes were allocated, want at most %d", took, c.most)
			}
		})
	}
}
