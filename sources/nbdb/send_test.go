package nbdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
)

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
// that were just written is what the rows then are.
func TestWhatTheServerSaysCounts(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true}
		c, updates := run(t, f, Config{})
		time.Sleep(time.Second)
		r := rand.New(rand.NewPCG(3, 4))
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
			}
		}
	})
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
