package nbdb

import (
	"context"
	"crypto/sha1"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model/ovn/nb"
)

const (
	fileUUID1 = "11111111-1111-1111-1111-111111111111"
	fileUUID2 = "22222222-2222-2222-2222-222222222222"
)

// record writes one as ovsdb-server does.
func record(magic, text string) string {
	text += "\n"
	return fmt.Sprintf("OVSDB %s %d %x\n%s", magic, len(text), sha1.Sum([]byte(text)), text)
}

// smallFile is a standalone file with transactions.
func smallFile(txns []string) string {
	out := record(magicJSON, schemaText())
	for _, txn := range txns {
		out += record(magicJSON, txn)
	}
	return out
}

func schemaText() string {
	raw, err := os.ReadFile(schemaFile)
	if err != nil {
		panic(err)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	raw, _ = json.Marshal(v)
	return string(raw)
}

// clusterFile is a clustered file with a snapshot at index 7.
func clusterFile(records ...string) string {
	out := record(magicCluster, `{"server_id":"`+fileUUID1+`","name":"OVN_Northbound","prev_index":7,"prev_term":2,"prev_data":[`+schemaText()+
		`,{"Address_Set":{"`+fileUUID1+`":{"name":"a"}},"_date":1700000000000}]}`)
	for _, r := range records {
		out += record(magicCluster, r)
	}
	return out
}

func set(txn string) string {
	return `{"Address_Set":{"` + fileUUID1 + `":` + txn + `}}`
}

func entry(index int, txn string) string {
	return fmt.Sprintf(`{"term":2,"index":%d,"eid":"%s","data":[null,%s]}`, index, fileUUID2, txn)
}

func commit(index int) string { return fmt.Sprintf(`{"commit_index":%d}`, index) }

// What real servers of today do not write, or not often.
func TestMade(t *testing.T) {
	for _, c := range []struct {
		name        string
		text        string
		want        []string // address sets: name and members
		uncommitted int
		damage      string
	}{
		{name: "old servers write whole values",
			text: smallFile([]string{set(`{"name":"a","addresses":["set",["1","2"]],"external_ids":["map",[["a","b"]]]}`), set(`{"addresses":["set",["2","3"]]}`)}),
			want: []string{"a 2 3 map[a:b]"}},
		{name: "new ones differences",
			text: smallFile([]string{set(`{"name":"a","addresses":["set",["1","2"]],"external_ids":["map",[["a","b"]]]}`),
				`{"Address_Set":{"` + fileUUID1 + `":{"addresses":["set",["2","3"]],"external_ids":["map",[["a","b"],["c","d"]]]}},"_is_diff":true}`}),
			want: []string{"a 1 3 map[c:d]"}},
		{name: "unknown tables and columns are left out",
			text: smallFile([]string{`{"Gone":{"x":{"y":[[[]]]}},"_comment":"c","Address_Set":{"` + fileUUID1 + `":{"name":"a","colour":{"deep":[1]}}}}`}),
			want: []string{"a map[]"}},
		{name: "a row that goes", text: smallFile([]string{set(`{"name":"a"}`), set(`null`)})},
		{name: "a row that goes twice", text: smallFile([]string{set(`null`)}), damage: "deletes the unknown row Address_Set " + fileUUID1},
		{name: "not a transaction", text: smallFile([]string{set(`{"name":"a"}`), `[1]`}), want: []string{"a map[]"}, damage: "expected '{'"},
		{name: "half a transaction counts for nothing",
			text: smallFile([]string{`{"Address_Set":{"` + fileUUID2 + `":{"name":"b"},"` + fileUUID1 + `":{"name":7}}}`}), damage: "expected '\"'"},

		{name: "a snapshot alone", text: clusterFile(`{"term":3,"vote":"x"}`), want: []string{"a map[]"}},
		{name: "committed and not", text: clusterFile(entry(8, set(`{"addresses":"1"}`)), commit(8), entry(9, set(`{"addresses":"2"}`))),
			want: []string{"a 1 map[]"}, uncommitted: 1},
		{name: "no word of commits", text: clusterFile(entry(8, set(`{"addresses":"1"}`)), entry(9, set(`{"addresses":"2"}`))),
			want: []string{"a 2 map[]"}},
		{name: "an entry of another leader replaces what was not committed",
			text: clusterFile(commit(7), entry(8, set(`{"addresses":"1"}`)), entry(9, set(`{"name":"b"}`)), entry(8, set(`{"addresses":"3"}`)), commit(8)),
			want: []string{"a 3 map[]"}},
		{name: "entries without data", text: clusterFile(`{"term":2,"index":8,"servers":{}}`, entry(9, set(`{"name":"b"}`)), commit(9)), want: []string{"b map[]"}},
		{name: "another schema begins anew",
			text: clusterFile(fmt.Sprintf(`{"term":2,"index":8,"data":[%s,{"Address_Set":{"%s":{"name":"z"}}}]}`, schemaText(), fileUUID2), commit(8)), want: []string{"z map[]"}},
		{name: "a gap", text: clusterFile(entry(9, set(`{"name":"b"}`)), commit(9)), want: []string{"a map[]"}, damage: "entry 9, expected 8 to 8"},
		{name: "what was committed stays", text: clusterFile(entry(8, set(`{"name":"b"}`)), commit(8), entry(8, set(`{"name":"c"}`))), want: []string{"b map[]"}, damage: "entry 8, expected 9 to 9"},
		{name: "a commit of nothing", text: clusterFile(commit(12)), want: []string{"a map[]"}, damage: "commit of entry 12, but the last is 7"},
		{name: "both formats", text: clusterFile() + record(magicJSON, set(`{"name":"b"}`)), want: []string{"a map[]"}, damage: "format JSON in a file of format CLUSTER"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := readNorthbound(t.Context(), strings.NewReader(c.text), "nb.db", Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for s := range r.DB.AddressSets() {
				got = append(got, strings.Join(append(append([]string{s.Name}, s.Addresses...), fmt.Sprint(s.ExternalIDs)), " "))
			}
			if diff := cmp.Diff(c.want, got); diff != "" || r.Uncommitted != c.uncommitted {
				t.Errorf("%d uncommitted (-want +got)\n%s", r.Uncommitted, diff)
			}
			if (c.damage != "") != (r.Truncated != nil) || r.Truncated != nil && !strings.Contains(r.Truncated.Error(), c.damage) {
				t.Errorf("damage: %v, want %q", r.Truncated, c.damage)
			}
		})
	}
}

func TestDates(t *testing.T) {
	for txn, want := range map[string]int64{`{"_date":1700000000123}`: 1700000000123, `{"_date":1300000000}`: 1300000000000} {
		r, err := readNorthbound(t.Context(), strings.NewReader(smallFile([]string{txn})), "x", Options{})
		if err != nil || r.At.UnixMilli() != want {
			t.Errorf("%s: %v, %v", txn, r, err)
		}
	}
	if r, err := readNorthbound(t.Context(), strings.NewReader(smallFile(nil)), "x", Options{}); err != nil || !r.At.IsZero() || r.Truncated != nil {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readNorthbound(ctx, strings.NewReader(smallFile(nil)), "x", Options{}); err == nil {
		t.Error("read although ctx has ended")
	}
}

// FuzzRead reads files whose records have the right hashes whatever is in them,
// and files as they come: no panic, no more time or memory than the size allows,
// and damage is always told.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		set(`{"name":"a","addresses":["set",["1","2"]]}`) + "\n" + set(`{"addresses":"2"}`), set("null"), entry(8, set("null")) + "\n" + commit(8),
		`{"index":8,"data":[null,null]}`, `{"ACL":{"x":{"priority":1e3,"options":["map",[["a","b"]]],"name":["set",["n"]]}},"_is_diff":true,"_date":1}`,
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Add(smallFile([]string{"{}"}), false)
	schema, head := smallFile(nil), clusterFile()
	f.Fuzz(func(t *testing.T, text string, cluster bool) {
		began := time.Now()
		made, magic := schema, magicJSON
		if cluster {
			made, magic = head, magicCluster
		}
		var b strings.Builder
		b.WriteString(made)
		n := 0
		for line := range strings.Lines(text) {
			b.WriteString(record(magic, line))
			n++
		}
		for _, in := range []string{b.String(), text, made + text} {
			r, err := readNorthbound(t.Context(), strings.NewReader(in), "f", Options{Limits: Limits{Expanded: 1 << 20, Record: 1 << 16}})
			switch {
			case (r == nil) == (err == nil):
				t.Fatalf("%v and %v", r, err)
			case r != nil && r.Records != n+1 && in == b.String() && r.Truncated == nil:
				t.Errorf("%d of %d records and no word why", r.Records, n+1)
			case r != nil && r.DB == (*nb.DB)(nil):
				t.Error("no rows, and no error")
			}
		}
		if time.Since(began) > 30*time.Second { // a busy machine stalls for seconds
			t.Errorf("%v", time.Since(began))
		}
	})
}

// A row of a file whose _uuid is none is left aside and named; the others are read.
func TestRowWithoutUUID(t *testing.T) {
	text := smallFile([]string{set(`{"name":"a"}`), `{"Address_Set":{"$(reboot)":{"name":"evil"}}}`})
	r, err := readNorthbound(t.Context(), strings.NewReader(text), "x.db", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !errors.Is(r.SkippedRows, ErrRowID) || !strings.Contains(r.SkippedRows.Error(), `Address_Set "$(reboot)" (evil)`) || r.Truncated != nil {
		t.Errorf("%v, %v", r.SkippedRows, r.Truncated)
	}
	if r.DB.AddressSetByName("a") == nil || r.DB.AddressSetByName("evil") != nil {
		t.Error("not the rows it should be")
	}
}

// readNorthbound reads a Northbound database from a stream.
func readNorthbound(ctx context.Context, r io.Reader, name string, o Options) (*Result, error) {
	return readFrom(ctx, r, name, o, northboundKind(o.Share))
}
