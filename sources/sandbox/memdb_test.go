package sandbox

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testSchema = `{"name":"T","version":"1.0.0","tables":{
 "Parent":{"isRoot":true,"maxRows":3,"indexes":[["name"]],"columns":{
  "name":{"type":"string"},
  "kids":{"type":{"key":{"type":"uuid","refTable":"Kid"},"min":0,"max":"unlimited"}},
  "friends":{"type":{"key":{"type":"uuid","refTable":"Kid","refType":"weak"},"min":0,"max":"unlimited"}},
  "best":{"type":{"key":{"type":"uuid","refTable":"Kid","refType":"weak"},"min":1,"max":2}},
  "tags":{"type":{"key":"string","value":"string","min":0,"max":"unlimited"}},
  "n":{"type":{"key":{"type":"integer","minInteger":0,"maxInteger":10}}},
  "ns":{"type":{"key":"integer","min":0,"max":3}},
  "on":{"type":{"key":"boolean","min":0,"max":1}}}},
 "Kid":{"isRoot":false,"columns":{"name":{"type":{"key":{"type":"string","enum":["set",["a","b"]],"maxLength":2},"min":0,"max":1}},
  "next":{"type":{"key":{"type":"uuid","refTable":"Kid"},"min":0,"max":1}}}}}}`

func open(t testing.TB) *MemDB {
	t.Helper()
	db, err := NewDB([]byte(testSchema))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// do runs operations and returns the results with UUIDs left out.
func do(t testing.TB, db *MemDB, ops string) (results string, raw []map[string]any, changes []RowChange) {
	t.Helper()
	var list []json.RawMessage
	if err := json.Unmarshal([]byte("["+ops+"]"), &list); err != nil {
		t.Fatal(err)
	}
	b, changes := db.Transact(list)
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	var words []string
	for _, r := range raw {
		switch {
		case r == nil:
			words = append(words, "-")
		case r["error"] != nil:
			words = append(words, r["error"].(string))
		case r["uuid"] != nil:
			words = append(words, "uuid")
		default:
			j, _ := json.Marshal(r)
			words = append(words, string(j))
		}
	}
	return strings.Join(words, " "), raw, changes
}

const parent = `{"op":"insert","table":"Kid","uuid-name":"k","row":{"name":"a"}},
 {"op":"insert","table":"Parent","row":{"name":"p","kids":["named-uuid","k"],"best":["named-uuid","k"],"n":3,"ns":["set",[3,1]],"tags":["map",[["x","1"],["y","2"]]]}}`

func TestOperations(t *testing.T) {
	where := `"where":[["name","==","p"]]`
	for ops, want := range map[string]string{
		`{"op":"select","table":"Parent",` + where + `,"columns":["name","n","on","tags","ns"]}`:                                                                                                                                                          `{"rows":[{"n":3,"name":"p","ns":["set",[1,3]],"on":["set",[]],"tags":["map",[["x","1"],["y","2"]]]}]}`,
		`{"op":"update","table":"Parent","where":[],"row":{"on":true}},{"op":"select","table":"Parent","where":[["on","==",true]],"columns":["on"]}`:                                                                                                      `{"count":1} {"rows":[{"on":true}]}`,
		`{"op":"mutate","table":"Parent",` + where + `,"mutations":[["n","+=",2],["ns","*=",2],["tags","delete",["set",["x"]]],["tags","insert",["map",[["y","9"],["z","3"]]]]]},{"op":"select","table":"Parent","where":[],"columns":["n","ns","tags"]}`: `{"count":1} {"rows":[{"n":5,"ns":["set",[2,6]],"tags":["map",[["y","2"],["z","3"]]]}]}`,
		`{"op":"mutate","table":"Parent","where":[],"mutations":[["tags","delete",["map",[["x","1"],["y","9"]]]]]},{"op":"select","table":"Parent","where":[],"columns":["tags"]}`:                                                                        `{"count":1} {"rows":[{"tags":["map",[["y","2"]]]}]}`,
		`{"op":"select","table":"Parent","where":[["n",">",2],["n","<=",3],["tags","includes",["map",[["x","1"]]]],["ns","excludes",7]],"columns":["n"]}`:                                                                                                 `{"rows":[{"n":3}]}`,
		`{"op":"select","table":"Parent","where":[["n","!=",3]],"columns":["n"]},{"op":"select","table":"Parent","where":[false],"columns":["n"]}`:                                                                                                        `{"rows":[]} {"rows":[]}`,
		`{"op":"delete","table":"Parent","where":[["n","<",3]]},{"op":"comment","comment":"x"},{"op":"commit","durable":true}`:                                                                                                                            `{"count":0} {} {}`,
		`{"op":"wait","table":"Parent",` + where + `,"columns":["n"],"until":"==","rows":[{"n":3}]},{"op":"wait","table":"Parent",` + where + `,"columns":["n"],"until":"!=","rows":[{"n":4}]}`:                                                           `{} {}`,
		`{"op":"wait","table":"Parent",` + where + `,"columns":["n"],"until":"==","rows":[{"n":4}]},{"op":"comment"}`:                                                                                                                                     `timed out -`,
		`{"op":"abort"},{"op":"comment"}`:                                                                               `aborted -`,
		`{"op":"assert","lock":"x"}`:                                                                                    `not owner`,
		`{"op":"mutate","table":"Parent","where":[],"mutations":[["n","+=",8]]}`:                                        `constraint violation`,
		`{"op":"mutate","table":"Parent","where":[],"mutations":[["n","/=",0]]}`:                                        `domain error`,
		`{"op":"mutate","table":"Parent","where":[],"mutations":[["ns","insert",["set",[7,8]]]]}`:                       `constraint violation`,
		`{"op":"mutate","table":"Parent","where":[],"mutations":[["name","insert","x"]]}`:                               `syntax error`,
		`{"op":"insert","table":"Parent","row":{"name":"q"}}`:                                                           `uuid constraint violation`,
		`{"op":"insert","table":"Kid","row":{"name":"c"}}`:                                                              `constraint violation`,
		`{"op":"insert","table":"Kid","row":{"name":"a"}}`:                                                              `uuid`,
		`{"op":"insert","table":"Kid","uuid-name":"k","row":{}},{"op":"insert","table":"Kid","uuid-name":"k","row":{}}`: `uuid duplicate uuid-name`,
		`{"op":"delete","table":"Kid","where":[]}`:                                                                      `{"count":1} referential integrity violation`,
		`{"op":"frobnicate","table":"Kid"}`:                                                                             `syntax error`,
		`{"op":"select","table":"Nowhere","where":[]}`:                                                                  `syntax error`,
		`{"op":"update","table":"Parent","where":[],"row":{"kids":["uuid","11111111-1111-1111-1111-111111111111"]}}`:    `{"count":1} referential integrity violation`,
		parent: `uuid uuid constraint violation`, // a second row of that name
	} {
		db := open(t)
		do(t, db, parent)
		got, _, _ := do(t, db, ops)
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", ops, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	db := open(t)
	more := func(name string) string {
		got, _, _ := do(t, db, strings.Replace(parent, `"name":"p"`, `"name":"`+name+`"`, 1))
		return got
	}
	for name, want := range map[string]string{"1": "uuid uuid", "2": "uuid uuid", "3": "uuid uuid"} {
		if got := more(name); got != want {
			t.Error(got)
		}
	}
	if got := more("4"); got != "uuid uuid constraint violation" {
		t.Error(got)
	}
	// A name is free again in the transaction that gives it up.
	if got, _, _ := do(t, db, `{"op":"update","table":"Parent","where":[["name","==","1"]],"row":{"name":"x"}},
	 {"op":"update","table":"Parent","where":[["name","==","2"]],"row":{"name":"1"}}`); got != `{"count":1} {"count":1}` {
		t.Error(got)
	}
}

// A chain that nobody holds any more goes as a whole; weak references to it are
// taken out, unless a column would be left with too few.
func TestGarbage(t *testing.T) {
	db := open(t)
	got, raw, changes := do(t, db, `{"op":"insert","table":"Kid","uuid-name":"k1","row":{"name":"a","next":["named-uuid","k2"]}},
	 {"op":"insert","table":"Kid","uuid-name":"k2","row":{"name":"b"}},
	 {"op":"insert","table":"Kid","uuid-name":"k3","row":{"name":"b"}},
	 {"op":"insert","table":"Kid","row":{"name":"a"}},
	 {"op":"insert","table":"Parent","row":{"name":"p","kids":["set",[["named-uuid","k1"],["named-uuid","k3"]]],"best":["named-uuid","k3"],"friends":["set",[["named-uuid","k2"],["named-uuid","k3"],["uuid","11111111-1111-1111-1111-111111111111"]]]}}`)
	if got != "uuid uuid uuid uuid uuid" || len(changes) != 4 {
		t.Fatal(got, changes)
	}
	k := func(i int) string { return raw[i]["uuid"].([]any)[1].(string) }
	got, _, changes = do(t, db, `{"op":"mutate","table":"Parent","where":[],"mutations":[["kids","delete",["uuid","`+k(0)+`"]]]}`)
	if got != `{"count":1}` || len(changes) != 3 || len(db.tables["Kid"]) != 1 {
		t.Error(got, changes)
	}
	got, _, _ = do(t, db, `{"op":"select","table":"Parent","where":[],"columns":["friends","kids"]}`)
	if want := `{"rows":[{"friends":["uuid","` + k(2) + `"],"kids":["uuid","` + k(2) + `"]}]}`; got != want {
		t.Error(got)
	}
	got, _, changes = do(t, db, `{"op":"update","table":"Parent","where":[],"row":{"kids":["set",[]]}}`)
	if got != `{"count":1} constraint violation` || changes != nil || len(db.tables["Kid"]) != 1 {
		t.Error(got, changes)
	}
	got, _, changes = do(t, db, `{"op":"delete","table":"Parent","where":[]}`)
	if got != `{"count":1}` || len(changes) != 2 {
		t.Error(got, changes)
	}
	if len(db.strong)+len(db.tables["Kid"])+len(db.keys) != 0 {
		t.Errorf("left over: %v %v %v", db.strong, db.tables, db.keys)
	}
}

// What does nothing changes nothing; deltas say what differs.
func TestDeltas(t *testing.T) {
	db := open(t)
	do(t, db, parent)
	if _, _, changes := do(t, db, `{"op":"update","table":"Parent","where":[],"row":{"n":3}}`); len(changes) != 0 {
		t.Errorf("%+v", changes)
	}
	_, _, changes := do(t, db, `{"op":"update","table":"Parent","where":[],"row":{"n":4,"on":true,"ns":["set",[1,2]],"tags":["map",[["y","3"],["z","4"]]]}}`)
	if len(changes) != 1 {
		t.Fatalf("%+v", changes)
	}
	columns := []string{"n", "name", "ns", "on", "tags"}
	got := string(db.AppendDelta(nil, &changes[0], columns))
	want := `{"n":4,"ns":["set",[2,3]],"on":true,"tags":["map",[["x","1"],["y","3"],["z","4"]]]}`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := db.changedColumns(&changes[0], []string{"name"}); len(got) != 0 {
		t.Error(got)
	}
	got = string(db.AppendRow(nil, "Parent", changes[0].UUID, changes[0].Old, db.changedColumns(&changes[0], columns), false))
	want = `{"n":3,"ns":["set",[1,3]],"on":["set",[]],"tags":["map",[["x","1"],["y","2"]]]}`
	if got != want {
		t.Error(got)
	}
	ch := changes[0]
	got = string(db.AppendRow(nil, "Parent", ch.UUID, ch.New, []string{"name", "friends", "on"}, true))
	if got != `{"name":"p","on":true}` {
		t.Error(got)
	}
}

func TestSchemaErrors(t *testing.T) {
	for _, bad := range []string{
		`[]`, `{"tables":{"T":{"columns":{"c":{"type":5}}}}}`, `{"tables":{"T":{"columns":{"c":{"type":{"key":{"type":"string","enum":"a"}}}}}}}`,
	} {
		if _, err := NewDB([]byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

func FuzzTransact(f *testing.F) {
	f.Add([]byte(parent))
	f.Add([]byte(`{"op":"mutate","table":"Parent","where":[["n",">",2]],"mutations":[["tags","insert",["map",[["a","b"]]]]]}`))
	f.Add([]byte(`{"op":"wait","table":"Kid","where":[["_uuid","includes",["named-uuid","k"]]],"until":"==","rows":[{}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var ops []json.RawMessage
		if json.Unmarshal([]byte("["+string(b)+"]"), &ops) != nil {
			return
		}
		db := open(t)
		do(t, db, parent)
		results, changes := db.Transact(ops)
		if !json.Valid(results) {
			t.Errorf("%s: %s", b, results)
		}
		if strings.Contains(string(results), `{"error"`) && changes != nil {
			t.Errorf("%s: %s changed %v", b, results, changes)
		}
	})
}
