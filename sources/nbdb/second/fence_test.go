package second

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/model/ovn/nb"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// hostile is a server that answers list_dbs and get_schema as it should, and then does
// what it is told with the request for the rows.
func hostile(t *testing.T, rows func(c net.Conn, id json.RawMessage)) func(context.Context) (net.Conn, error) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "sandbox", "ovn-nb.ovsschema"))
	if err != nil {
		t.Fatal(err)
	}
	var schema bytes.Buffer
	if err := json.Compact(&schema, raw); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	return func(context.Context) (net.Conn, error) {
		ours, c := net.Pipe()
		wg.Go(func() {
			defer c.Close()
			for requests := json.NewDecoder(c); ; {
				var m struct {
					ID     json.RawMessage
					Method string
				}
				if requests.Decode(&m) != nil {
					return
				}
				switch m.Method {
				case "list_dbs":
					fmt.Fprintf(c, `{"id":%s,"error":null,"result":["OVN_Northbound"]}`, m.ID)
				case "get_schema":
					fmt.Fprintf(c, `{"id":%s,"error":null,"result":%s}`, m.ID, schema.Bytes())
				case "monitor_cond_since":
					fmt.Fprintf(c, `{"id":%s,"error":"unknown method","result":null}`, m.ID)
				default:
					rows(c, m.ID)
				}
			}
		})
		return ours, nil
	}
}

// empty is Rung's client on a database without rows.
func empty(ctx context.Context, take func(*nb.DB)) error {
	take(&nb.DB{})
	<-ctx.Done()
	return nil
}

// A server that stalls, floods, hangs up or sends what makes libovsdb panic costs an
// error that says so, and no more.
func TestFenced(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rows   func(c net.Conn, id json.RawMessage)
		within time.Duration
		most   int64
		want   string
	}{
		"stalls": {rows: func(c net.Conn, _ json.RawMessage) { _, _ = io.Copy(io.Discard, c) }, within: 3 * time.Second,
			want: "libovsdb did not read the database within 3s"},
		"stalls within the rows": {rows: func(c net.Conn, id json.RawMessage) {
			fmt.Fprintf(c, `{"id":%s,"error":null,"result":{"ACL":{`, id)
			_, _ = io.Copy(io.Discard, c)
		}, within: 3 * time.Second, want: "libovsdb did not read the database within 3s"},
		"floods": {rows: func(c net.Conn, id json.RawMessage) {
			fmt.Fprintf(c, `{"id":%s,"error":null,"result":{"ACL":{"`, id)
			for err := error(nil); err == nil; {
				_, err = c.Write(bytes.Repeat([]byte("a"), 1<<20))
			}
		}, most: 20 << 20, want: "the server sent libovsdb more than 20 MB"},
		"floods with updates": {rows: func(c net.Conn, _ json.RawMessage) {
			update := []byte(`{"id":null,"method":"update2","params":[{"databaseName":"OVN_Northbound","id":"x"},{}]}`)
			for err := error(nil); err == nil; {
				_, err = c.Write(bytes.Repeat(update, 1000))
			}
		}, most: 4 << 20, want: "the server sent libovsdb more than 4 MB"},
		"hangs up": {rows: func(c net.Conn, _ json.RawMessage) { _ = c.Close() }, want: "libovsdb: reading unix:"},
		"sends no JSON": {rows: func(c net.Conn, _ json.RawMessage) { _, _ = io.WriteString(c, "\x1b[2Jwhat?"); _ = c.Close() },
			want: "libovsdb: reading unix:"},
		"sends an error": {rows: func(c net.Conn, id json.RawMessage) {
			fmt.Fprintf(c, `{"id":%s,"error":"not \u001b[31mtoday","result":null}`, id)
		}, want: "not \ufffd[31mtoday"},
		"an empty array as a value": {rows: func(c net.Conn, id json.RawMessage) {
			fmt.Fprintf(c, `{"id":%s,"error":null,"result":{"ACL":{"11111111-1111-4111-8111-111111111111":{"initial":{"name":[]}}}}}`, id)
		}, want: "libovsdb panicked: "},
		"a reply without an id": {rows: func(c net.Conn, _ json.RawMessage) { _, _ = io.WriteString(c, `{"error":null,"result":{}}`) },
			want: "libovsdb panicked: "},
		"an update without parameters": {rows: func(c net.Conn, _ json.RawMessage) {
			_, _ = io.WriteString(c, `{"id":null,"method":"update2","params":[]}`)
		},
			want: "libovsdb panicked: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{Connect: hostile(t, tt.rows), Command: child("read"), Within: tt.within, MaxBytes: tt.most}
			r, err := cfg.CompareRows(t.Context(), empty)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v, %v; want %q", r, err, tt.want)
			}
		})
	}
}

// What libovsdb cannot reach is said as the way to it says it.
func TestUnreachable(t *testing.T) {
	cfg := Config{Command: child("read"), Connect: func(context.Context) (net.Conn, error) { return nil, errors.New("no pod on node n1") }}
	if _, err := cfg.CompareRows(t.Context(), empty); err == nil || err.Error() != "connecting libovsdb: no pod on node n1" {
		t.Error(err)
	}
	cfg.Command = SelfCommand(filepath.Join("no", "such", "argument"))
	lost := errors.New("Rung has lost it")
	if _, err := cfg.CompareRows(t.Context(), func(context.Context, func(*nb.DB)) error { return lost }); !errors.Is(err, lost) {
		t.Error(err)
	}
}

// A folder for temporary files whose name is too long for a socket is no obstacle.
func TestLongFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("x", 120))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	ln, made, err := listenPrivately()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = ln.Close(), os.RemoveAll(made)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// Nothing that a child asks for is written.
func TestNothingIsWritten(t *testing.T) {
	z := start(t, "builtin")
	_, err := Config{Connect: z.Connect, Command: child("write")}.CompareRows(t.Context(), z.follow)
	if err == nil || !strings.Contains(err.Error(), `libovsdb sent "transact"`) {
		t.Error(err)
	}
}

// A child ends with its parent, whatever libovsdb is waiting for.
func TestChildEnds(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err) // the folder has a long name
	}
	defer ln.Close()
	in, parent := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- RunChild(context.Background(), in, socket, io.Discard) }()
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	_ = parent.Close()
	select {
	case err := <-done:
		if err == nil {
			t.Error("it has read rows")
		}
	case <-time.After(wait.Patience):
		t.Error("it goes on")
	}
	_ = c.Close()
}

// What changes while libovsdb reads is no difference: libovsdb has a row as it was before
// or after. What it has as it never was is one, also in a row that changes all the time.
func TestMeanwhile(t *testing.T) {
	z := start(t, "builtin")
	db, _ := z.now()
	set, altered := db.AddressSetByName("a1"), db.AddressSetByName("a2")
	n := 0
	churn := func() {
		n++
		address := fmt.Sprint("10.7.0.", n)
		var ops []nb.Op
		for _, s := range []*nb.AddressSet{set, altered} {
			ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TableAddressSet, UUID: s.UUID,
				Mutations: []nb.Mutation{{Column: "addresses", Insert: true, Strings: []string{address}}}})
		}
		ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": fmt.Sprint("new", n)}})
		if old, _ := z.now(); n > 1 {
			ops = append(ops, nb.Op{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: old.AddressSetByName(fmt.Sprint("new", n-1)).UUID})
		}
		z.write(ops...)
	}
	for _, alters := range []bool{false, true} {
		way := z.altering(func(_, uuid string, row map[string]any) map[string]any {
			if alters && uuid == altered.UUID {
				row["addresses"] = []any{"set", append(ovsdb.Elements(row["addresses"]), "10.9.9.9")[1:]}
			}
			return row
		})
		r, err := z.compare(func(ctx context.Context) (net.Conn, error) {
			churn() // before libovsdb connects
			c, err := way(ctx)
			return &interrupted{Conn: c, churn: churn}, err
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range r.Differences {
			got = append(got, fmt.Sprint(d.Name, " ", d.Column, " ", d.Rung, d.Libovsdb))
		}
		want := []string(nil)
		if alters {
			want = []string{"a2 addresses [10.0.0.1] [10.9.9.9]"}
		}
		if !slices.Equal(got, want) || r.More > 0 {
			t.Errorf("altered %t: %q, want %q", alters, got, want)
		}
	}
}

// interrupted is a connection on which rows change after each of its first reads.
type interrupted struct {
	net.Conn
	churn func()
	n     int
}

func (i *interrupted) Read(p []byte) (int, error) {
	n, err := i.Conn.Read(p)
	i.n++
	if i.n < 4 {
		i.churn()
	}
	return n, err
}

// That very many rows are late is no difference, and each row that differs counts once.
func TestManyRows(t *testing.T) {
	var rows []ReadRow
	var news []nb.RowChange
	for n := range maxHeldRows + 5 {
		s := &nb.AddressSet{UUID: fmt.Sprint(n), Name: fmt.Sprint("a", n)}
		rows, news = append(rows, ReadRow{nb.TableAddressSet, s.UUID, ownColumns(s)}), append(news, nb.RowChange{New: s})
	}
	told := map[string]bool{}
	late := func(v *rowVersions, then *nb.DB) (late bool, out Result) {
		r := &readRound{v: v, seenRows: map[string]bool{}, listedRows: told, isFirst: true}
		for _, row := range rows {
			r.takeRow(row)
		}
		v.addVersion(then)
		r.isExplained(v.currentVersions())
		r.judgeRound(&out)
		out.More += r.unkeptHeldRows
		return r.isLate(), out
	}
	before := (*nb.DB)(nil).Apply(nil)
	if late, out := late(&rowVersions{dbs: []*nb.DB{before}}, before.Apply(news)); !late || len(out.Differences) > 0 {
		t.Errorf("late %t, %+v", late, out)
	}
	for again := range 2 {
		late, out := late(&rowVersions{dbs: []*nb.DB{before}}, nil)
		want := []int{len(rows), 5}[again]
		slices.Reverse(rows)
		if late || len(out.Differences)+out.More != want {
			t.Errorf("late %t, %d differences and %d more, want %d", late, len(out.Differences), out.More, want)
		}
	}
}

// What differs is said in pieces: a set by its members, of very large ones the first.
func TestDiffer(t *testing.T) {
	many := []string{}
	for n := range 100 {
		many = append(many, fmt.Sprintf("10.0.0.%03d", n))
	}
	set := func(uuid string, addresses ...string) *nb.AddressSet {
		return &nb.AddressSet{UUID: uuid, Name: "a", Addresses: addresses, ExternalIDs: map[string]string{nb.KeyID: "id"}}
	}
	theirs := func(s *nb.AddressSet) ReadRow { return ReadRow{nb.TableAddressSet, s.UUID, ownColumns(s)} }
	db := (*nb.DB)(nil).Apply([]nb.RowChange{{New: set("1", "x", "y")}})
	next := db.Apply([]nb.RowChange{{Old: db.AddressSet("1"), New: set("1", "y", "z")}})
	gone := next.Apply([]nb.RowChange{{Old: next.AddressSet("1")}})
	for name, tt := range map[string]struct {
		row     ReadRow
		dbs     []*nb.DB
		want    string // "" is no difference
		changed bool
	}{
		"same":                      {row: theirs(set("1", "x", "y")), dbs: []*nb.DB{db}},
		"other":                     {row: theirs(set("1", "v", "y")), dbs: []*nb.DB{db}, want: "addresses [x] [v]"},
		"as before":                 {row: theirs(set("1", "x", "y")), dbs: []*nb.DB{db, next}, changed: true},
		"as after":                  {row: theirs(set("1", "y", "z")), dbs: []*nb.DB{db, next}, changed: true},
		"in between":                {row: theirs(set("1", "y")), dbs: []*nb.DB{db, next}, changed: true},
		"as never":                  {row: theirs(set("1", "x", "z", "w")), dbs: []*nb.DB{db, next}, want: "addresses [y] [w]", changed: true},
		"gone meanwhile":            {row: theirs(set("1")), dbs: []*nb.DB{db, gone}, changed: true},
		"gone, as it never was":     {row: theirs(set("1", "w")), dbs: []*nb.DB{db, gone}, want: "addresses [] [w]", changed: true},
		"only libovsdb":             {row: theirs(set("2", "w")), dbs: []*nb.DB{db, next}, want: " [] [addresses=w external_ids=\"k8s.ovn.org/id\"=id name=a]"},
		"only Rung":                 {row: ReadRow{Table: nb.TableAddressSet, UUID: "1"}, dbs: []*nb.DB{db}, want: " [addresses=x y external_ids=\"k8s.ovn.org/id\"=id name=a] []"},
		"libovsdb does not have it": {row: ReadRow{Table: nb.TableAddressSet, UUID: "1"}, dbs: []*nb.DB{db, gone}, changed: true},
		"a table Rung has not":      {row: ReadRow{"Other", "1", map[string][]string{"name": {"x"}}}, dbs: []*nb.DB{db}, want: " [] [name=x]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			found, changed := rowDifferences(tt.row, tt.dbs)
			for _, d := range found {
				got += fmt.Sprint(d.Column, " ", d.Rung, d.Libovsdb)
			}
			if got != tt.want || changed != tt.changed {
				t.Errorf("%q, changed %t; want %q", got, changed, tt.want)
			}
		})
	}
	if first, more := cutElements(many); len(first) != maxListedElements || more != 100-maxListedElements {
		t.Errorf("%d and %d more", len(first), more)
	}
}

// Models and rows have the same columns: a column that Rung begins to read is compared.
func TestModels(t *testing.T) {
	db := (*nb.DB)(nil).Apply([]nb.RowChange{{New: &nb.ACL{UUID: "1"}}, {New: &nb.AddressSet{UUID: "1"}}, {New: &nb.PortGroup{UUID: "1"}},
		{New: &nb.LogicalSwitch{UUID: "1"}}, {New: &nb.LogicalSwitchPort{UUID: "1"}}, {New: &nb.Meter{UUID: "1"}}, {New: &nb.MeterBand{UUID: "1"}},
		{New: &nb.Global{UUID: "1"}}})
	models := EmptyModels()
	n := 0
	for row := range db.Rows() {
		n++
		m, ok := models[nb.TableName(row)]
		if !ok {
			t.Errorf("no model of %s in northbound", nb.TableName(row))
			continue
		}
		theirs, rungs := slices.Sorted(maps.Keys(modelColumns(m))), slices.Sorted(maps.Keys(ownColumns(row)))
		if !slices.Equal(theirs, rungs) {
			t.Errorf("%s: the model has %q, Rung reads %q", nb.TableName(row), theirs, rungs)
		}
	}
	if n != len(models) {
		t.Errorf("%d tables, %d models", n, len(models))
	}
}
