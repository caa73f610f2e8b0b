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

// errNotConnected means that a request was not sent.
var errNotConnected = errors.New("not connected")

// errRefused means that the server rejected a transaction.
var errRefused = errors.New("refused")

// tableRow is a row in OVSDB's protocol: decoded JSON by column.
type tableRow map[string]any

// opResult holds the result of one operation.
type opResult struct {
	Rows           []tableRow
	Error, Details string
}

// tableReplica keeps a copy of some columns of a database current, and reconnects if needed. Rows are never
// changed, only replaced.
type tableReplica struct {
	socket, database string
	columns          map[string][]string // by table

	mu      sync.Mutex
	client  *socketClient                  // nil while disconnected
	synced  bool                           // the rows are current
	rows    map[string]map[string]tableRow // by table and _uuid
	changed chan struct{}                  // closed with the next change
}

func newReplica(socket, database string, columns map[string][]string) *tableReplica {
	return &tableReplica{socket: socket, database: database, columns: columns, changed: make(chan struct{})}
}

// followDatabase follows the database until ctx ends.
func (r *tableReplica) followDatabase(ctx context.Context) {
	fresh := retry.Backoff(10*time.Millisecond, time.Second)
	for again := fresh; ctx.Err() == nil; retry.Sleep(ctx, again.Step()) {
		began := time.Now()
		r.followOnce(ctx)
		if time.Since(began) > time.Second {
			again = fresh
		}
	}
}

// followOnce follows the database over one connection.
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
	request, _ := json.Marshal([]any{r.database, "lab", tables}) // strings cannot fail
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

// applyUpdate applies a monitor's message: first all rows, then changes.
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
		next := map[string]tableRow{}
		maps.Copy(next, r.rows[table])
		for uuid, u := range rows {
			next[uuid] = u.New
		}
		maps.DeleteFunc(next, func(_ string, row tableRow) bool { return row == nil })
		r.rows[table] = next
	}
	r.wakeWaiters()
}

// wakeWaiters wakes all that wait for a change; mu is held.
func (r *tableReplica) wakeWaiters() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// currentRows returns the rows of some tables, and a channel that closes with the next change. synced is false
// while disconnected.
func (r *tableReplica) currentRows(tables ...string) (rows []map[string]tableRow, synced bool, changed <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range tables {
		rows = append(rows, r.rows[t])
	}
	return rows, r.synced, r.changed
}

// waitUntil waits until ok returns true. It calls ok again after every change of the rows.
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

// runTransaction runs operations given in the protocol's form.
func (r *tableReplica) runTransaction(ctx context.Context, ops ...map[string]any) ([]opResult, error) {
	params := []any{r.database}
	for _, op := range ops {
		params = append(params, op)
	}
	b, _ := json.Marshal(params) // strings, numbers, lists and maps cannot fail
	return r.transactRaw(ctx, b)
}

// raiseNumber runs operations, increments a column of a table's row in the same transaction, and returns its value.
func (r *tableReplica) raiseNumber(ctx context.Context, table, column string, ops ...map[string]any) (int64, error) {
	res, err := r.runTransaction(ctx, append(ops,
		map[string]any{"op": "mutate", "table": table, "where": []any{}, "mutations": []any{[]any{column, "+=", 1}}},
		map[string]any{"op": "select", "table": table, "where": []any{}, "columns": []string{column}})...)
	switch {
	case err != nil:
		return 0, err
	case len(res[len(res)-1].Rows) == 0:
		return 0, fmt.Errorf("no row has %s", column)
	}
	return res[len(res)-1].Rows[0].intAt(column), nil
}

func (r *tableReplica) transactRaw(ctx context.Context, params []byte) ([]opResult, error) {
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

// readResults reads the reply to a transaction; a rejected operation is an error.
func readResults(database string, out []byte) ([]opResult, error) {
	var results []opResult
	if err := json.Unmarshal(out, &results); err != nil {
		return nil, fmt.Errorf("writing to %s: reading the answer: %w", database, err)
	}
	for _, res := range results {
		if res.Error != "" {
			return nil, fmt.Errorf("writing to %s: %w: %s", database, errRefused, words.CleanText(res.Error+": "+res.Details))
		}
	}
	return results, nil
}

// stringAt returns a column's string, "" if it has none.
func (r tableRow) stringAt(column string) string {
	s, _ := r[column].(string)
	return s
}

// boolAt returns a column's boolean, false if it has none.
func (r tableRow) boolAt(column string) bool {
	b, _ := r[column].(bool)
	return b
}

// intAt returns a column's integer, 0 if it has none.
func (r tableRow) intAt(column string) int64 {
	n, _ := r[column].(float64) // configuration numbers are far below 2⁵³
	return int64(n)
}

// elementsAt returns the elements of a column's set or map. A set of one element has no tag.
func (r tableRow) elementsAt(column string) []any {
	if _, tagged := splitTag(r[column]); tagged != nil {
		if list, ok := tagged.([]any); ok {
			return list
		}
	}
	return []any{r[column]}
}

// stringsAt returns a column's set of strings.
func (r tableRow) stringsAt(column string) (out []string) {
	for _, e := range r.elementsAt(column) {
		if s, _ := e.(string); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// refsAt returns a column's set of references.
func (r tableRow) refsAt(column string) (out []string) {
	for _, e := range r.elementsAt(column) {
		_, uuid := splitTag(e)
		if s, _ := uuid.(string); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// mapAt returns a column's map of strings.
func (r tableRow) mapAt(column string) map[string]string {
	out := map[string]string{}
	for _, e := range r.elementsAt(column) {
		if pair, _ := e.([]any); len(pair) == 2 {
			key, _ := pair[0].(string)
			out[key], _ = pair[1].(string)
		}
	}
	return out
}

// Values in the form of a transaction.
func uuidRef(uuid string) any     { return []any{"uuid", uuid} }
func namedRef(name string) any    { return []any{"named-uuid", name} }
func jsonSet(values ...any) any   { return []any{"set", append([]any{}, values...)} }
func whereUUID(uuid string) []any { return []any{[]any{"_uuid", "==", uuidRef(uuid)}} }
func mapValue(m map[string]string) any {
	list := make([][2]string, 0, len(m))
	for k, v := range m {
		list = append(list, [2]string{k, v})
	}
	return []any{"map", list}
}
