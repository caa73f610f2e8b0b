package nbdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
)

// read is what reading a set gives, without knowing what was written.
func read(raw []byte) ([]string, error) {
	d := &rowDecoder{Lexer: NewLexer(raw)}
	out := slices.Clone(d.readElements(d.readString))
	return out, d.End()
}

// encoded is a set as the server writes it.
func encoded(members []string) []byte {
	var v any = members[0]
	if len(members) != 1 {
		v = []any{"set", members}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// odd are members that are not written as they are, or would be cleaned, or look like
// what is around them.
var odd = []string{"", `a"b`, `a\b`, "ä", "x\ny", "\x7f", `","`, `"]]`, `["set",[`, "10.0.0.1", "10.0.0.10", "10.0.0.2", "<&>", "\u2028", "a b", "set"}

// What spells says yes to reads as just these members, whatever was done to the bytes;
// and it says yes to all that needs no cleaning.
func TestSpells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	yes := 0
	for i := range 40_000 {
		var members []string
		for range 1 + r.IntN(4) {
			if r.IntN(3) == 0 {
				members = append(members, odd[r.IntN(len(odd))])
			} else {
				members = append(members, fmt.Sprintf("10.0.%d.%d", r.IntN(3), r.IntN(30)))
			}
		}
		slices.Sort(members)
		raw := encoded(members)
		if !slices.ContainsFunc(members, func(m string) bool { return !isPlainJSON(m) }) && !strings.Contains(string(raw), `\`) && !spellsMembers(raw, members, "") {
			t.Fatalf("%s is not taken for %q", raw, members)
		}
		switch r.IntN(6) { // what else a server, or somebody in between, may say
		case 0:
			at := r.IntN(len(raw))
			raw[at] = `"\,[]0.`[r.IntN(7)]
		case 1:
			at := r.IntN(len(raw))
			raw = slices.Delete(raw, at, min(at+1+r.IntN(3), len(raw)))
		case 2:
			raw = slices.Insert(raw, r.IntN(len(raw)+1), `"\, 0`[r.IntN(5)])
		case 3:
			r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		case 4:
			members[r.IntN(len(members))] = odd[r.IntN(len(odd))]
		}
		if !spellsMembers(raw, members, "") {
			continue
		}
		yes++
		if got, err := read(raw); err != nil || !slices.Equal(got, members) {
			t.Fatalf("%d: %s is taken for %q and reads %q, %v", i, raw, members, got, err)
		}
	}
	if yes < 2_000 {
		t.Errorf("only %d of them were taken for what was written", yes)
	}
}

// The same for any bytes.
func FuzzSpells(f *testing.F) {
	for _, m := range odd {
		f.Add(encoded([]string{m}), m)
		f.Add(encoded([]string{m, "z"}), m+"\nz")
	}
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		members := strings.Split(text, "\n")
		if !spellsMembers(raw, members, "") {
			return
		}
		if got, err := read(raw); err != nil || !slices.Equal(got, members) {
			t.Errorf("%s is taken for %q and reads %q, %v", raw, members, got, err)
		}
	})
}

// sets are random sets to make, and the operations that make them.
func randomSets(r *rand.Rand) (names []string, sets map[string][]string, ops []nb.Op) {
	sets = map[string][]string{}
	for i := range 1 + r.IntN(5) {
		name := fmt.Sprint("set", i)
		var members []string
		for range 1 + r.IntN(6) {
			members = append(members, fmt.Sprintf("10.1.0.%d", r.IntN(250)))
		}
		slices.Sort(members)
		names, sets[name] = append(names, name), slices.Compact(members)
		ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": name, "addresses": sets[name]}})
	}
	return names, sets, ops
}

// A server that does other than it was told is noticed: whatever it says of the rows
// that were just written is what the rows then are. Where it says what was written,
// that is not read again.
func TestWhatTheServerSaysCounts(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true}
		c, updates := run(t, f, Config{})
		time.Sleep(time.Second)
		r := rand.New(rand.NewPCG(3, 4))
		same := 0
		for i := range 400 {
			names, sets, ops := randomSets(r)
			var rows, results []string
			told := map[string][]string{}
			for n, name := range names {
				members, raw := slices.Clone(sets[name]), ""
				switch r.IntN(8) {
				case 0: // alters a value
					members[r.IntN(len(members))] = "10.9.9.9"
				case 1: // leaves one out
					members = members[1:]
				case 2: // has one more
					members = append(members, "10.0.0.0")
				case 3: // is in another order
					r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
				case 4: // leaves the column out, or everything
					members = nil
				case 5: // writes it otherwise
					raw = strings.Replace(string(encoded(members)), ".", `\u002e`, 1)
				}
				if raw == "" && len(members) > 0 {
					raw = string(encoded(members))
				}
				columns := `"name":"` + name + `"`
				if raw != "" {
					columns += `,"addresses":` + raw
					if r.IntN(2) == 0 {
						columns = `"addresses":` + raw + `,"name":"` + name + `"`
					}
				}
				uuid := fmt.Sprintf("00000000-0000-4000-8000-%06x%06x", i, n)
				rows = append(rows, `"`+uuid+`":{"insert":{`+columns+`}}`)
				results = append(results, `{"uuid":["uuid","`+uuid+`"]}`)
				slices.Sort(members)
				told[uuid] = members
			}
			f.set(func() {
				f.transact = func(string) string {
					f.push(`{"Address_Set":{` + strings.Join(rows, ",") + `}}`)
					return "[" + strings.Join(results, ",") + "]"
				}
			})
			if _, err := c.Transact(t.Context(), ops); err != nil {
				t.Fatal(err)
			}
			db := last(updates()).DB
			for uuid, want := range told {
				row := db.AddressSet(uuid)
				if !slices.Equal(row.Addresses, want) {
					t.Fatalf("step %d: %s holds %q, and the server said %q", i, row.Name, row.Addresses, want)
				}
				if sent := sets[row.Name]; len(row.Addresses) > 0 && unsafe.StringData(row.Addresses[0]) == unsafe.StringData(sent[0]) {
					same++
				}
			}
		}
		if same < 200 {
			t.Errorf("only %d sets were taken for what was written", same)
		}
		if n := len(c.current.Load().written.currentWrites()); n != 0 {
			t.Errorf("%d transactions are remembered after the answer", n)
		}
	})
}

// What is read with knowing what was sent is what is read without, of every kind of
// row and whatever was done to the bytes.
func TestReadingWhatWasSent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	word := func() string {
		if r.IntN(4) == 0 {
			return odd[r.IntN(len(odd))]
		}
		return fmt.Sprint("w", r.IntN(6))
	}
	uuid := func() string {
		if r.IntN(30) == 0 {
			return "no uuid"
		}
		return fmt.Sprintf("00000000-0000-4000-8000-%012x", r.IntN(40))
	}
	equal, kept := 0, 0
	for i := range 3_000 {
		ids := map[string]string{}
		for range r.IntN(4) {
			ids[word()] = word()
		}
		var addresses []string
		var ports []nb.Ref
		for range r.IntN(4) {
			addresses, ports = append(addresses, word()), append(ports, nb.Ref{UUID: uuid()})
		}
		if r.IntN(4) > 0 {
			slices.Sort(addresses)
			slices.SortFunc(ports, func(a, b nb.Ref) int { return strings.Compare(a.UUID, b.UUID) })
		}
		if r.IntN(10) == 0 {
			ports = append(ports, nb.Ref{Name: "new"})
		}
		ops := []nb.Op{
			{Kind: nb.OpInsert, Table: nb.TableACL, Row: map[string]any{"match": word(), "name": word(), "external_ids": ids, "options": map[string]string{"a": word()}, "priority": 3}},
			{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": word(), "external_ids": ids, "addresses": addresses}},
			{Kind: nb.OpInsert, Table: nb.TablePortGroup, Row: map[string]any{"name": word(), "external_ids": ids, "ports": ports}},
		}
		rows := &sentRows{}
		if _, err := appendOps(nil, ops, rows); err != nil {
			t.Fatal(err)
		}
		raw := []byte{'{'}
		for n, op := range ops {
			if n > 0 {
				raw = append(raw, ',')
			}
			raw = append(raw, fmt.Sprintf(`%q:{"%s":{"insert":{`, op.Table, []string{u1, u2, u3}[n])...)
			for c, column := range slices.Sorted(maps.Keys(op.Row)) {
				if c > 0 {
					raw = append(raw, ',')
				}
				raw = append(AppendString(raw, column), ':')
				v := op.Row[column]
				if s, ok := v.([]string); ok && len(s) == 1 { // as the server writes it
					v = s[0]
				}
				if s, ok := v.([]nb.Ref); ok && len(s) == 1 {
					v = s[0]
				}
				var err error
				if raw, err = appendValue(raw, v); err != nil {
					t.Fatal(err)
				}
			}
			raw = append(raw, "}}}"...)
		}
		raw = append(raw, '}')
		for range r.IntN(3) {
			at := r.IntN(len(raw))
			switch r.IntN(3) {
			case 0:
				raw[at] = "\"\\,[]w0 {"[r.IntN(9)]
			case 1:
				raw = slices.Delete(raw, at, at+1)
			case 2:
				raw = slices.Insert(raw, at, "\"\\,w0"[r.IntN(5)])
			}
		}
		want, wantErr := readChanges(raw, nil, nil, nil, &SkippedRows{})
		for _, share := range []*Sharing{nil, NewSharing()} {
			got, err := readChanges(raw, nil, share, []*sentRows{{}, rows}, &SkippedRows{})
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("%d: %s: %v, and without knowing %v", i, raw, err, wantErr)
			}
			if d := cmp.Diff(want, got); wantErr == nil && d != "" {
				t.Fatalf("%d: %s (-without knowing +with it)\n%s", i, raw, d)
			}
			if err != nil {
				continue
			}
			equal++
			for _, ch := range got {
				g, ok := ch.New.(*nb.PortGroup)
				if !ok || len(g.Ports) == 0 {
					continue
				}
				if was := rows.refs[g.Name]; len(was) > 0 && &was[0] == &g.Ports[0] {
					kept++
				}
			}
		}
	}
	if equal < 1_500 || kept < 150 {
		t.Errorf("%d updates were read, in %d the ports as they were sent", equal, kept)
	}
}

// Transactions are done in the order in which they were sent, and the second is with
// the server before the first is answered. A server that goes on answering gets the
// time for both; when it stops, nobody knows of either, and all rows are read again.
func TestSend(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true}
		c, updates := run(t, f, Config{Probe: time.Minute})
		time.Sleep(time.Second)
		n := len(updates())
		var got []string
		f.set(func() {
			f.transact = func(params string) string {
				time.Sleep(4 * time.Second) // a transaction may take five
				f.set(func() { got = append(got, params) })
				return `[{"count":1}]`
			}
		})
		var waits []func() ([]nb.OpResult, error)
		began := time.Now()
		for _, u := range []string{u1, u2} {
			waits = append(waits, c.Send(t.Context(), []nb.Op{{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: u}}))
		}
		for _, wait := range waits {
			if res, err := wait(); err != nil || len(res) != 1 {
				t.Errorf("%+v, %v", res, err)
			}
		}
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("both took %v", took)
		}
		f.set(func() {
			if len(got) != 2 || !strings.Contains(got[0], u1) || !strings.Contains(got[1], u2) {
				t.Errorf("done: %q", got)
			}
			f.mute = map[string]bool{"transact": true}
		})
		if len(updates()) != n {
			t.Errorf("%+v", updates()[n:])
		}
		if owed := c.current.Load().addTimeout(0); owed != 0 {
			t.Errorf("%v are still owed", owed)
		}

		waits = nil
		began = time.Now()
		for _, u := range []string{u1, u2} {
			waits = append(waits, c.Send(t.Context(), []nb.Op{{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: u}}))
		}
		for _, wait := range waits {
			if _, err := wait(); err == nil || errors.Is(err, model.ErrRejected) || errors.Is(err, model.ErrWait) {
				t.Errorf("an unknown outcome is %v", err)
			}
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("both were given up after %v", took)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		us := updates()[n:]
		if len(us) != 2 || us[0].Conn != model.ConnLost || !us[1].Resync {
			t.Errorf("%s", cmp.Diff(nil, us))
		}
	})
}

// A server that works on a large transaction reads nothing of the next, for longer than
// it may take nothing of one alone; one that reads nothing any more is found dead when
// the time for both is over, though it is still being written.
func TestSendToABusyServer(t *testing.T) {
	large := []nb.Op{{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": "a1", "addresses": make([]string, 2<<20)}}}
	for i := range large[0].Row["addresses"].([]string) { // 8 MB, for which it has 13 s
		large[0].Row["addresses"].([]string)[i] = "x"
	}
	for _, c := range []struct {
		takes, all time.Duration
		dead       bool
	}{
		{10 * time.Second, 20 * time.Second, false},
		{time.Hour, 26 * time.Second, true},
	} {
		inBubble(t, func(t *testing.T) {
			f := &fake{t: t, name: "ovn-worker", up: true}
			conn, updates := run(t, f, Config{Probe: time.Minute})
			time.Sleep(time.Second)
			n := len(updates())
			end := make(chan struct{})
			f.set(func() {
				f.transact = func(string) string {
					select {
					case <-time.After(c.takes):
					case <-end:
					}
					return `[{"uuid":["uuid","` + u1 + `"]}]`
				}
			})
			began := time.Now()
			var waits []func() ([]nb.OpResult, error)
			for range 2 {
				waits = append(waits, conn.Send(t.Context(), large))
			}
			for i, wait := range waits {
				if _, err := wait(); (err != nil) != c.dead {
					t.Errorf("takes %v, transaction %d: %v", c.takes, i, err)
				}
			}
			took := time.Since(began)
			synctest.Wait()
			if took > c.all || (len(updates()) == n) == c.dead {
				t.Errorf("takes %v: over after %v, %d updates", c.takes, took, len(updates())-n)
			}
			close(end)
		})
	}
}
