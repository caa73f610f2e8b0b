package nbdb

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func row(id, rest string) string { return `{"_uuid":["uuid","` + id + `"],` + rest + `}` }

func reply(tables ...string) []byte {
	for i, t := range tables {
		tables[i] = `{"rows":[` + t + `]}`
	}
	return []byte("[" + strings.Join(tables, ",") + "]\n")
}

// What differs between two snapshots, and nothing else, is an update.
func TestSnapshot(t *testing.T) {
	tables := []tableColumns{{name: "ACL"}, {name: "Meter"}, {name: "NB_Global"}}
	a1, a2, a2b, g := row("a1", `"name":"x"`), row("a2", `"name":"y"`), row("a2", `"name":"z"`), row("g", `"name":"n1"`)
	m := row("m", `"name":"acl-logging"`)
	var s rowHashes
	for _, step := range []struct {
		name string
		kind string
		raw  []byte
		want string
	}{
		{"first", "initial", reply(a1+","+a2, "", g),
			`{"ACL":{"a1":{"initial":` + a1 + `},"a2":{"initial":` + a2 + `}},"NB_Global":{"g":{"initial":` + g + `}}}`},
		{"the same in another order", "insert", reply(a2+","+a1, "", g), `{}`},
		{"one changed, one new", "insert", reply(a1+","+a2b, m, g), `{"ACL":{"a2":{"insert":` + a2b + `}},"Meter":{"m":{"insert":` + m + `}}}`},
		{"one gone", "insert", reply(a2b, m, g), `{"ACL":{"a1":{"delete":null}}}`},
		{"all gone but one", "insert", reply("", "", g), `{"ACL":{"a2":{"delete":null}},"Meter":{"m":{"delete":null}}}`},
	} {
		got, err := s.takeReply(tables, step.raw, step.kind)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff(step.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

// Output that is not the reply to our query leaves what is known as it was.
func TestSnapshotRefuses(t *testing.T) {
	tables := []tableColumns{{name: "ACL"}, {name: "NB_Global"}}
	good := reply(row("a1", `"name":"x"`), row("g", `"name":"n1"`))
	for name, raw := range map[string][]byte{
		"truncated":        good[:len(good)-12],
		"empty":            nil,
		"a table missing":  reply(""),
		"not JSON":         []byte("ovsdb-client: hello"),
		"rows without ids": []byte(`[{"rows":[{"name":"x"}]},{"rows":[]}]`),
		"refused":          []byte(`[{"error":"syntax error","details":"nope is not a valid column name"},null]`),
	} {
		var s rowHashes
		if _, err := s.takeReply(tables, good, "initial"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.takeReply(tables, raw, "insert"); !errors.Is(err, ErrOutput) {
			t.Errorf("%s: %v, want %v", name, err, ErrOutput)
		}
		if got, err := s.takeReply(tables, good, "insert"); err != nil || string(got) != "{}" {
			t.Errorf("%s: afterwards %s, %v", name, got, err)
		}
	}
}

func FuzzSnapshot(f *testing.F) {
	tables := []tableColumns{{name: "ACL"}, {name: "NB_Global"}}
	f.Add([]byte(reply(row("a1", `"name":"x"`), row("g", `"name":"n1"`))))
	f.Add([]byte(`[{"error":"x"},null]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s rowHashes
		if _, err := s.takeReply(tables, raw, "initial"); err != nil {
			return
		}
		if got, err := s.takeReply(tables, raw, "insert"); err != nil || string(got) != "{}" {
			t.Errorf("the same reply again: %s, %v", got, err)
		}
	})
}

func TestPlain(t *testing.T) {
	for path, want := range map[string]bool{DefaultSocket: true, "/tmp/a,b": false, "/tmp/a:b": false, "/tmp/a!!b": false, "/tmp/a b": false} {
		if got := isPlainPath(path); got != want {
			t.Errorf("plain(%q) = %v", path, got)
		}
	}
}
