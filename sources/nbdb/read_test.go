package nbdb

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model/ovn/nb"
	"rung/test/ovsdb"
)

func readOf(t testing.TB, path string) *Result {
	t.Helper()
	r, err := ReadFile(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func save(t testing.TB, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func compress(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// same holds a file against the server that writes it.
func (s *server) same(what string, r *Result) {
	s.t.Helper()
	if r.Truncated != nil || r.Uncommitted != 0 {
		s.t.Errorf("%s: %v, %d uncommitted", what, r.Truncated, r.Uncommitted)
	}
	if diff := cmp.Diff(ovsdb.Rows(s.live()), ovsdb.Rows(r.DB)); diff != "" {
		s.t.Errorf("%s: (-server +file)\n%.4000s", what, diff)
	}
}

// Files of a real server: with history, compacted, with more history, compressed.
func TestSameRowsAsServer(t *testing.T) {
	for _, clustered := range []bool{false, true} {
		name, churn := "standalone", 2500
		if clustered {
			name, churn = "clustered", 1200
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, clustered)
			s.same("new", readOf(t, s.file))
			s.begin()
			s.churn(churn)
			r := readOf(t, s.file)
			s.same("history", r)
			if r.Records < churn*3/4 || r.Clustered != clustered || r.Schema != nb.Database || r.Version != "7.3.0" ||
				time.Since(r.At) > time.Minute || len(ovsdb.Rows(r.DB)) < 30 {
				t.Errorf("%d records, clustered %t, %s %s, last at %v, %d rows", r.Records, r.Clustered, r.Schema, r.Version, r.At, len(ovsdb.Rows(r.DB)))
			}
			s.dumped(r.DB)
			s.same("compressed", readOf(t, save(t, "leader_nbdb.gz", compress(t, load(t, s.file)))))
			s.compact()
			r = readOf(t, s.file)
			s.same("compacted", r)
			if r.Records > 10 {
				t.Errorf("%d records in a compacted file", r.Records)
			}
			s.churn(100)
			s.same("compacted, and on", readOf(t, s.file))
		})
	}
}

// dumped holds rows against what ovsdb-client prints, without our own decoder.
func (s *server) dumped(db *nb.DB) {
	s.t.Helper()
	var table struct {
		Headings []string
		Data     [][]any
	}
	out := tool(s.t, "ovsdb-client", "-f", "json", "dump", s.addr, nb.Database, nb.TableAddressSet, "name", "addresses")
	if err := json.Unmarshal([]byte(out), &table); err != nil {
		s.t.Fatalf("%v in %s", err, out)
	}
	want := map[string][]string{}
	for _, row := range table.Data {
		cell := map[string]any{}
		for i, h := range table.Headings {
			cell[h] = row[i]
		}
		var members []string
		if set, ok := cell["addresses"].([]any); ok {
			for _, m := range set[1].([]any) {
				members = append(members, m.(string))
			}
		} else {
			members = []string{cell["addresses"].(string)}
		}
		slices.Sort(members)
		want[cell["name"].(string)] = members
	}
	got := map[string][]string{}
	for r := range db.AddressSets() {
		got[r.Name] = r.Addresses
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		s.t.Errorf("(-ovsdb-client dump +file)\n%.2000s", diff)
	}
}

// A damaged file gives the rows of the records before the damage and says where
// it is: cut at every place around some records, and with one byte changed.
func TestDamaged(t *testing.T) {
	for _, clustered := range []bool{false, true} {
		s := serve(t, clustered)
		s.begin()
		s.churn(30)
		text := load(t, s.file)
		whole := readOf(t, s.file)
		var starts []int
		for i := 0; i >= 0; {
			starts = append(starts, i)
			next := bytes.Index(text[i+1:], []byte("\nOVSDB "))
			i += next + 2
			if next < 0 {
				break
			}
		}
		if len(starts) != whole.Records {
			t.Fatalf("%d records found, %d read", len(starts), whole.Records)
		}
		for _, rec := range []int{1, 2, len(starts) / 2, len(starts) - 1} {
			at := starts[rec]
			before := readOf(t, save(t, "before", text[:at]))
			if before.Truncated != nil || before.Records != rec {
				t.Fatalf("cut between records: %d records of %d, %v", before.Records, rec, before.Truncated)
			}
			check := func(what string, damaged []byte, want error) {
				t.Helper()
				path := save(t, "nb.db", damaged)
				r := readOf(t, path)
				var d *Damage
				if !errors.As(r.Truncated, &d) || !errors.Is(d, want) || d.Offset != int64(at) || d.Record != rec ||
					d.Path != path || strings.Contains(d.Error(), "\n") {
					t.Errorf("record %d %s: %v", rec, what, r.Truncated)
				}
				if diff := cmp.Diff(ovsdb.Rows(before.DB), ovsdb.Rows(r.DB)); diff != "" || !r.At.Equal(before.At) || r.Uncommitted != before.Uncommitted {
					t.Errorf("record %d %s: (-before +damaged)\n%.2000s", rec, what, diff)
				}
			}
			line := bytes.IndexByte(text[at:], '\n')
			end := len(text)
			if rec+1 < len(starts) {
				end = starts[rec+1]
			}
			for _, n := range []int{at + 1, at + 7, at + line, at + line + 1, at + line + 2, (at + end) / 2, end - 1} {
				check("cut", text[:n], ErrCut)
			}
			flip := func(i int) []byte { b := bytes.Clone(text); b[i] ^= 1; return b }
			check("with another byte", flip((at+line+end)/2), ErrHash)
			check("with another hash", flip(at+line-5), ErrHash)
			check("with another word", flip(at+2), ErrContent)
		}
		zeros := append(bytes.Clone(text), make([]byte, 4096)...) // as a power failure leaves
		r := readOf(t, save(t, "zeros", zeros))
		if diff := cmp.Diff(ovsdb.Rows(whole.DB), ovsdb.Rows(r.DB)); r.Truncated == nil || diff != "" {
			t.Errorf("zeros behind the end: %v\n%s", r.Truncated, diff)
		}
		packed := compress(t, text)
		r = readOf(t, save(t, "cut.gz", packed[:len(packed)-len(packed)/4]))
		if !errors.Is(r.Truncated, ErrCut) || r.Records < 2 || r.Records >= whole.Records {
			t.Errorf("compressed and cut: %d records, %v", r.Records, r.Truncated)
		}
	}
}

// Files that give nothing say why, in one line.
func TestNothing(t *testing.T) {
	dir := t.TempDir()
	schema := `{"name":"OVN_Southbound","version":"1.0.0","tables":{}}`
	joining := `{"server_id":"a","local_address":"tcp:1.1.1.1:1","name":"OVN_Northbound"}`
	for _, c := range []struct {
		name string
		text string
		want error
	}{
		{"empty", "", ErrNotDatabase},
		{"text", "apiVersion: v1\nkind: Pod\n", ErrNotDatabase},
		{"almost", "OVSDB YAML 3 0000000000000000000000000000000000000000\n{}\n", ErrContent},
		{"southbound", record(magicJSON, schema), ErrOther},
		{"a schema without tables", record(magicJSON, `{"name":"OVN_Northbound","version":"5.0.0","tables":{}}`), nil},
		{"joining", record(magicCluster, joining), ErrNotDatabase},
		{"cut in the schema", record(magicJSON, schema)[:80], ErrCut},
		{"not gzip", "\x1f\x8bnonsense", ErrNotDatabase},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := ReadFile(t.Context(), path, Options{})
		if err == nil || r != nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := ReadFile(t.Context(), dir, Options{}); !errors.Is(err, ErrNotDatabase) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := ReadFile(t.Context(), filepath.Join(dir, "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

func TestLimits(t *testing.T) {
	text := []byte(smallFile(nil))
	for _, c := range []struct {
		name  string
		limit Limits
		text  []byte
		most  string // the limit, as the error has it
	}{
		{"file", Limits{File: 100}, text, "100 bytes"},
		{"record", Limits{Record: 100}, text, "100 bytes"},
		{"expanded", Limits{Expanded: 200}, compress(t, text), "200 bytes"},
		{"a record that expands far", Limits{Record: 1 << 20}, bomb(t, 64<<20), "1 MiB"},
		{"a file that expands far", Limits{Expanded: 1 << 20}, bomb(t, 64<<20), "1 MiB"},
	} {
		path := save(t, "nb.db", c.text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := ReadFile(t.Context(), path, Options{Limits: c.limit})
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrTooLarge) || r != nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "limit of "+c.most) {
			t.Errorf("%s: %v", c.name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
			t.Errorf("%s: %d bytes were allocated", c.name, took)
		}
	}
}

// bomb is a small file that expands to a record of n bytes, whole MiB. Its blanks
// are one member of the gzip file again and again: packing them all is slow with the
// race detector.
func bomb(t *testing.T, n int) []byte {
	t.Helper()
	const size = 1 << 20
	blanks := compress(t, []byte(strings.Repeat(" ", size)))
	return append(compress(t, []byte(fmt.Sprintf("OVSDB JSON %d %040x\n", n, 0))), bytes.Repeat(blanks, n/size)...)
}

// 1.5 MB, as the database of a node in a must-gather.
func TestTiming(t *testing.T) {
	s := serve(t, false)
	s.begin()
	s.churn(300)
	for info, _ := os.Stat(s.file); info.Size() < 1_500_000; info, _ = os.Stat(s.file) {
		s.churn(300)
	}
	begin := time.Now()
	r := readOf(t, s.file)
	took := time.Since(begin)
	info, _ := os.Stat(s.file)
	t.Logf("%d records, %d bytes, %d rows: %v", r.Records, info.Size(), r.DB.Len(), took.Round(time.Millisecond))
	if took > 5*time.Second {
		t.Errorf("%v for %d bytes", took, info.Size())
	}
}
