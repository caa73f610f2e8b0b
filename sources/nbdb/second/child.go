package second

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// ReadRow is a row as one of the readers has it, with each column's elements sorted. A column without a value
// has none.
type ReadRow struct {
	Table   string              `json:"table"`
	UUID    string              `json:"uuid"`
	Columns map[string][]string `json:"columns"`
}

const (
	// softMemory is where the child's garbage collector starts to work hard. At hardMemory the child gives up.
	// Both are in bytes.
	softMemory = 1 << 30
	hardMemory = 2 << 30
	// memoryEvery is how often the child's memory is checked.
	memoryEvery = 20 * time.Millisecond
)

var errMemory = fmt.Errorf("libovsdb needs more than %d MB of memory", hardMemory>>20)

// RunChild is the reading process. It connects libovsdb to the socket and writes every row as a line of JSON.
// It also returns when in ends, which means that the parent ended, and when it uses too much memory.
// Everything that libovsdb left hanging ends with the process.
func RunChild(ctx context.Context, in io.Reader, socket string, out io.Writer) error {
	debug.SetMemoryLimit(softMemory)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel(errors.New("the parent has ended"))
	}()
	go watchMemory(ctx, cancel)
	done := make(chan error, 1)
	go func() { done <- printRows(ctx, socket, out) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func watchMemory(ctx context.Context, cancel context.CancelCauseFunc) {
	held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(held)
		if held[0].Value.Uint64()-held[1].Value.Uint64() > hardMemory {
			cancel(errMemory)
			return
		}
	}
}

func printRows(ctx context.Context, socket string, out io.Writer) error {
	c, err := Dial(ctx, "unix:"+socket)
	if err != nil {
		return err
	}
	write := json.NewEncoder(out)
	write.SetEscapeHTML(false)
	for _, table := range c.Cache().Tables() {
		for uuid, m := range c.Cache().Table(table).Rows() {
			if err := write.Encode(ReadRow{table, words.CleanText(uuid), modelColumns(m)}); err != nil {
				return fmt.Errorf("writing the rows: %w", err)
			}
		}
	}
	return nil // the connection ends with the process; closing it may hang
}

// modelColumns returns the columns of a model, without its UUID.
func modelColumns(m any) map[string][]string {
	out := map[string][]string{}
	v := reflect.Indirect(reflect.ValueOf(m))
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("ovsdb"); name != "_uuid" {
			out[name] = valueElements(v.Field(i))
		}
	}
	if fair, ok := out["fair"]; ok && len(fair) == 0 {
		out["fair"] = []string{"false"} // an empty fair means false, as in Rung's own reader
	}
	return out
}

func valueElements(v reflect.Value) []string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return valueElements(v.Elem())
	case reflect.Slice:
		var out []string
		for i := range v.Len() {
			out = append(out, valueElements(v.Index(i))...)
		}
		slices.Sort(out)
		return out
	case reflect.Map:
		m := map[string]string{}
		for k, x := range v.Seq2() {
			m[words.CleanText(k.String())] = words.CleanText(x.String())
		}
		return mapEntries(m)
	case reflect.String:
		return []string{words.CleanText(v.String())}
	}
	return []string{fmt.Sprint(v.Interface())}
}

// mapEntries returns the entries of a map of strings as text.
func mapEntries(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, nb.Atom(k)+"="+nb.Atom(m[k]))
	}
	return out
}

// ownColumns returns the columns of a row that Rung's client read.
func ownColumns(r nb.Row) map[string][]string {
	out := map[string][]string{}
	for _, c := range nb.Columns(r) {
		switch v := c.Value.(type) {
		case nb.Optional:
			out[c.Name] = nil
			if v != "" {
				out[c.Name] = []string{string(v)}
			}
		case []string:
			out[c.Name] = v
		case map[string]string:
			out[c.Name] = mapEntries(v)
		default:
			out[c.Name] = []string{fmt.Sprint(v)}
		}
	}
	delete(out, "_uuid")
	return out
}
