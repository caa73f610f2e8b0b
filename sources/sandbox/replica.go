package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"rung/model/words"
	"rung/sources/retry"
)

// errNotConnected says that a request was not even sent.
var errNotConnected = errors.New("not connected")

// errRefused says that the server did not take a transaction.
var errRefused = errors.New("refused")

// tableRow is a row as OVSDB's protocol writes it: values by column.
type tableRow map[string]json.RawMessage

// tableReplica keeps some columns of a database current, over one connection after
// another. Rows are never changed, only replaced.
type tableReplica struct {
	socket, database string
	columns          map[string][]string // by table

	mu      sync.Mutex
	client  *socketClient                  // nil while there is none
	synced  bool                           // the rows are those of live
	rows    map[string]map[string]tableRow // by table and _uuid
	changed chan struct{}                  // closed with the next change
}

func newReplica(socket, database string, columns map[string][]string) *tableReplica {
	return &tableReplica{socket: socket, database: database, columns: columns, changed: make(chan struct{})}
}

// followDatabase follows the database until ctx ends.
func (r *tableReplica) followDatabase(ctx context.Context) {
	again := retry.Backoff(10*time.Millisecond, time.Second)
	for ctx.Err() == nil {
		began := time.Now()
		r.followOnce(ctx)
		if time.Since(began) > time.Second {
			again = retry.Backoff(10*time.Millisecond, time.Second)
		}
		retry.Sleep(ctx, again.Step())
	}
}

// followOnce is one connection.
func (r *tableReplica) followOnce(ctx context.Context) {
	k, err := dialSocket(ctx, r.socket, func(method string, params []byte) {
		var p [2]json.RawMessage
		if method == "update" && json.Unmarshal(params, &p) == nil {
			r.applyUpdate(p[1], false)
		}
	})
	if err != nil {
		return
	}
	defer k.closeClient()
	tables := map[string]any{}
	for table, columns := range r.columns {
		tables[table] = map[string]any{"columns": columns}
	}
	request, err := json.Marshal([]any{r.database, "lab", tables})
	if err != nil {
		return
	}
	r.mu.Lock()
	r.client = k
	r.mu.Unlock()
	k.sendRequest("monitor", request, func(result []byte, err error) {
		if err == nil {
			r.applyUpdate(result, true)
		}
	})
	select {
	case <-ctx.Done():
	case <-k.done:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.client, r.synced = nil, false
	r.wakeWaiters()
}

// applyUpdate takes what a monitor said: all rows at first, then what changed.
func (r *tableReplica) applyUpdate(said []byte, first bool) {
	var tables map[string]map[string]struct{ New tableRow }
	if json.Unmarshal(said, &tables) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if first {
		r.rows, r.synced = map[string]map[string]tableRow{}, true
	}
	for table, rows := range tables {
		next := maps.Clone(r.rows[table])
		if next == nil {
			next = map[string]tableRow{}
		}
		for uuid, u := range rows {
			if u.New == nil {
				delete(next, uuid)
			} else {
				next[uuid] = u.New
			}
		}
		r.rows[table] = next
	}
	r.wakeWaiters()
}

// wakeWaiters wakes those that wait for a change; mu is held.
func (r *tableReplica) wakeWaiters() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// currentRows is the rows of some tables as they are, and a channel that ends with their
// next change. synced is false while there is no connection.
func (r *tableReplica) currentRows(tables ...string) (rows []map[string]tableRow, synced bool, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range tables {
		rows = append(rows, r.rows[t])
	}
	return rows, r.synced, r.changed
}

// waitUntil waits until the rows are as asked.
func (r *tableReplica) waitUntil(ctx context.Context, ok func() bool) error {
	for {
		_, _, changed := r.currentRows()
		if ok() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waitKnown waits until the database's rows are known.
func (r *tableReplica) waitKnown(ctx context.Context) error {
	if err := r.waitUntil(ctx, func() bool { _, synced, _ := r.currentRows(); return synced }); err != nil {
		return fmt.Errorf("reading %s: %w", r.database, err)
	}
	return nil
}

// runTransaction does operations that are written as the protocol has them.
func (r *tableReplica) runTransaction(ctx context.Context, ops ...map[string]any) ([]map[string]json.RawMessage, error) {
	params := []any{r.database}
	for _, op := range ops {
		params = append(params, op)
	}
	b, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("writing a transaction: %w", err)
	}
	return r.transactRaw(ctx, b)
}

func (r *tableReplica) transactRaw(ctx context.Context, params []byte) ([]map[string]json.RawMessage, error) {
	r.mu.Lock()
	k := r.client
	r.mu.Unlock()
	if k == nil {
		return nil, fmt.Errorf("writing to %s: %w", r.database, errNotConnected)
	}
	out, err := k.callMethod(ctx, "transact", params)
	if err != nil {
		return nil, fmt.Errorf("writing to %s: %w", r.database, err)
	}
	return readResults(r.database, out)
}

// readResults takes the answer to a transaction apart; an operation that was refused
// is an error.
func readResults(database string, out []byte) ([]map[string]json.RawMessage, error) {
	var results []map[string]json.RawMessage
	if err := json.Unmarshal(out, &results); err != nil {
		return nil, fmt.Errorf("writing to %s: reading the answer: %w", database, err)
	}
	for _, res := range results {
		if why := tableRow(res).stringOf("error"); why != "" {
			return nil, fmt.Errorf("writing to %s: %w: %s", database, errRefused, words.CleanText(why+": "+tableRow(res).stringOf("details")))
		}
	}
	return results, nil
}

// stringOf is a column's string, "" where there is none.
func (r tableRow) stringOf(column string) (s string) {
	_ = json.Unmarshal(r[column], &s) // another type is no text
	return s
}

// boolOf is a column's boolean, false where there is none.
func (r tableRow) boolOf(column string) (b bool) {
	_ = json.Unmarshal(r[column], &b)
	return b
}

// intOf is a column's integer, 0 where there is none.
func (r tableRow) intOf(column string) (n int64) {
	_ = json.Unmarshal(r[column], &n)
	return n
}

// stringsOf is a column's set of strings.
func (r tableRow) stringsOf(column string) []string {
	var tagged []json.RawMessage
	if json.Unmarshal(r[column], &tagged) != nil {
		if s := r.stringOf(column); s != "" {
			return []string{s} // a set of one is written without its tag
		}
		return nil
	}
	var out []string
	if len(tagged) == 2 {
		_ = json.Unmarshal(tagged[1], &out)
	}
	return out
}

// refsOf is a column's set of references.
func (r tableRow) refsOf(column string) (out []string) {
	var tagged [2]json.RawMessage
	if json.Unmarshal(r[column], &tagged) != nil {
		return nil
	}
	var one string
	if json.Unmarshal(tagged[1], &one) == nil {
		return []string{one} // a set of one is written without its tag
	}
	var list [][2]string
	_ = json.Unmarshal(tagged[1], &list)
	for _, ref := range list {
		out = append(out, ref[1])
	}
	return out
}

// mapOf is a column's map.
func (r tableRow) mapOf(column string) map[string]string {
	var tagged []json.RawMessage
	var list [][2]string
	if json.Unmarshal(r[column], &tagged) != nil || len(tagged) != 2 || json.Unmarshal(tagged[1], &list) != nil {
		return nil
	}
	out := make(map[string]string, len(list))
	for _, p := range list {
		out[p[0]] = p[1]
	}
	return out
}

// datum writes a value for a transaction.
func uuidRef(uuid string) any     { return []any{"uuid", uuid} }
func namedRef(name string) any    { return []any{"named-uuid", name} }
func setOf(values ...any) any     { return []any{"set", append([]any{}, values...)} }
func whereUUID(uuid string) []any { return []any{[]any{"_uuid", "==", uuidRef(uuid)}} }
func mapValue(m map[string]string) any {
	list := make([][2]string, 0, len(m))
	for k, v := range m {
		list = append(list, [2]string{k, v})
	}
	return []any{"map", list}
}
