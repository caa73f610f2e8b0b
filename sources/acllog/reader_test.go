package acllog

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

func collect(t *testing.T, in io.Reader) (got []uint64, s Stats, err error) {
	t.Helper()
	r := NewReader(in, "ovn-worker")
	err = r.Run(func(l model.LogLine) {
		if l.Zone != "ovn-worker" {
			t.Errorf("zone %q", l.Zone)
		}
		got = append(got, l.Seq)
	})
	return got, r.Stats(), err
}

func TestReader(t *testing.T) {
	pad := func(n int) string { // an acl_log line of n bytes, its end included
		l := seedLines[0] + ",x="
		return l + strings.Repeat("y", n-len(l)-1) + "\n"
	}
	input := strings.Join([]string{
		seedLines[0],
		"2024-06-09T19:00:10.441Z|00001|main|INFO|hello",
		"",
		`2024-06-09T19:00:10.441Z|00002|acl_log(ovn_pinctrl0)|INFO|name="\x", verdict=`,
		seedLines[1] + "\r",
		strings.Repeat("z", 3*MaxLine),
		"x|acl_log",
		seedLines[2], ""}, "\n") + pad(5000) + pad(MaxLine) + pad(MaxLine+1) + seedLines[3]
	want := Stats{Lines: 12, Parsed: 6, Other: 3, TooLong: 2, Unparsable: 1}
	for name, in := range map[string]io.Reader{
		"whole": strings.NewReader(input), "byte by byte": iotest.OneByteReader(strings.NewReader(input)),
		"data with the end": iotest.DataErrReader(strings.NewReader(input)),
	} {
		got, s, err := collect(t, in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff([]uint64{162, 163, 164, 162, 162, 165}, got); d != "" {
			t.Errorf("%s: lines (-want +got):\n%s", name, d)
		}
		if !strings.HasPrefix(s.LastError, "acl_log line: name: ") {
			t.Errorf("%s: last error %q", name, s.LastError)
		}
		s.LastError = ""
		if d := cmp.Diff(want, s); d != "" {
			t.Errorf("%s: stats (-want +got):\n%s", name, d)
		}
	}
}

// A stream that breaks may have cut the last number short.
func TestReaderOnABrokenStream(t *testing.T) {
	broken := errors.New("connection reset")
	cut := strings.Index(seedLines[1], "43,tcp_flags")
	got, s, err := collect(t, io.MultiReader(strings.NewReader(seedLines[0]+"\n"+seedLines[1][:cut]), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || err.Error() != "reading the ACL log of ovn-worker: connection reset" {
		t.Errorf("error %v", err)
	}
	if len(got) != 1 || s.Lines != 1 {
		t.Errorf("lines %v, stats %+v", got, s)
	}
}

func TestReaderOfLongLinesAtTheEnd(t *testing.T) {
	for _, n := range []int{MaxLine, MaxLine + 1, 2 * MaxLine, 2*MaxLine + 4096} {
		_, s, err := collect(t, strings.NewReader(strings.Repeat("z", n)))
		want := Stats{Lines: 1, Other: 1}
		if n > MaxLine {
			want = Stats{Lines: 1, TooLong: 1}
		}
		if err != nil || s != want {
			t.Errorf("%d bytes: %+v, %v", n, s, err)
		}
	}
	if got, s, err := collect(t, strings.NewReader("")); got != nil || s != (Stats{}) || err != nil {
		t.Errorf("empty stream: %v, %+v, %v", got, s, err)
	}
}

func BenchmarkReader(b *testing.B) {
	text := strings.Repeat(strings.Join(seedLines, "\n")+"\n2024-06-09T19:00:10.441Z|00001|main|INFO|hello\n", 200)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := NewReader(strings.NewReader(text), "z").Run(func(model.LogLine) {}); err != nil {
			b.Fatal(err)
		}
	}
}
