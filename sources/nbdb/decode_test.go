package nbdb

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
)

const (
	u1 = "11111111-1111-1111-1111-111111111111"
	u2 = "22222222-2222-2222-2222-222222222222"
	u3 = "33333333-3333-3333-3333-333333333333"
)

func TestDecodeEveryTable(t *testing.T) {
	raw := `{
	"ACL": {"` + u1 + `": {"initial": {"action":"allow-related","direction":"from-lport","label":7,"log":true,
	  "match":"inport == @a1","meter":"acl-logging","name":"ANP:a:Egress:0","priority":26600,"severity":"alert","tier":1,
	  "options":["map",[["apply-after-lb","true"]]],"external_ids":["map",[["k8s.ovn.org/id","x"],["direction","Egress"]]],
	  "sample_new":["uuid","` + u2 + `"],"sample_est":["set",[]],"unknown":["set",[1,2]]}},
	  "` + u2 + `": {"insert": {"name":["set",[]],"severity":["set",[]],"meter":["set",["m"]],"options":["map",[]]}}},
	"Address_Set": {"` + u1 + `": {"initial": {"name":"a1","addresses":["set",["10.0.0.2","10.0.0.1"]],"external_ids":["map",[]]}},
	  "` + u2 + `": {"initial": {"name":"a2","addresses":"10.0.0.9"}}},
	"Port_Group": {"` + u1 + `": {"initial": {"name":"pg","ports":["uuid","` + u3 + `"],"acls":["set",[["uuid","` + u2 + `"],["uuid","` + u1 + `"]]]}}},
	"Logical_Switch": {"` + u1 + `": {"initial": {"name":"node","ports":["set",[["uuid","` + u3 + `"]]],"acls":["set",[]]}}},
	"Logical_Switch_Port": {"` + u3 + `": {"initial": {"name":"ns_\u001b[31mpod","addresses":"0a:58 10.0.0.1"}}},
	"Meter": {"` + u1 + `": {"initial": {"name":"acl-logging","unit":"pktps","fair":true,"bands":["uuid","` + u2 + `"]}}},
	"Meter_Band": {"` + u2 + `": {"initial": {"action":"drop","rate":20,"burst_size":0}}},
	"NB_Global": {"` + u1 + `": {"initial": {"name":"ovn-worker","external_ids":["map",[["a","b"]]]}}},
	"Other": {"x": {"initial": {}}}}`
	ch, err := readChanges([]byte(raw), nil, NewSharing(), &SkippedRows{})
	if err != nil {
		t.Fatal(err)
	}
	db := (*nb.DB)(nil).Apply(ch)
	var got []nb.Row
	for _, k := range []struct{ table, uuid string }{{nb.TableACL, u1}, {nb.TableACL, u2}, {nb.TableAddressSet, u1},
		{nb.TableAddressSet, u2}, {nb.TablePortGroup, u1}, {nb.TableSwitch, u1}, {nb.TablePort, u3}, {nb.TableMeter, u1},
		{nb.TableMeterBand, u2}, {nb.TableGlobal, u1}} {
		got = append(got, db.Row(k.table, k.uuid))
	}
	want := []nb.Row{
		&nb.ACL{UUID: u1, Action: "allow-related", Direction: "from-lport", Label: 7, Log: true, Match: "inport == @a1",
			Meter: "acl-logging", Name: "ANP:a:Egress:0", Priority: 26600, Severity: "alert", Tier: 1, SampleNew: u2,
			Options:     map[string]string{"apply-after-lb": "true"},
			ExternalIDs: map[string]string{"k8s.ovn.org/id": "x", "direction": "Egress"}},
		&nb.ACL{UUID: u2, Meter: "m"},
		&nb.AddressSet{UUID: u1, Name: "a1", Addresses: []string{"10.0.0.1", "10.0.0.2"}},
		&nb.AddressSet{UUID: u2, Name: "a2", Addresses: []string{"10.0.0.9"}},
		&nb.PortGroup{UUID: u1, Name: "pg", Ports: []string{u3}, ACLs: []string{u1, u2}},
		&nb.LogicalSwitch{UUID: u1, Name: "node", Ports: []string{u3}},
		&nb.LogicalSwitchPort{UUID: u3, Name: "ns_�[31mpod", Addresses: []string{"0a:58 10.0.0.1"}},
		&nb.Meter{UUID: u1, Name: "acl-logging", Unit: "pktps", Fair: true, Bands: []string{u2}},
		&nb.MeterBand{UUID: u2, Action: "drop", Rate: 20},
		&nb.Global{UUID: u1, Name: "ovn-worker", ExternalIDs: map[string]string{"a": "b"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if db.Len() != len(want) {
		t.Errorf("%d rows", db.Len())
	}
}

func TestDecodeModify(t *testing.T) {
	old := &nb.ACL{UUID: u1, Name: "n", Severity: "alert", Log: true, Priority: 1,
		ExternalIDs: map[string]string{"same": "1", "other": "1", "gone": "1"}}
	set := &nb.AddressSet{UUID: u2, Name: "a", Addresses: []string{"b", "c", "d"}}
	db := (*nb.DB)(nil).Apply([]nb.RowChange{{New: old}, {New: set}})
	ch, err := readChanges([]byte(`{"ACL":{"`+u1+`":{"modify":{"severity":["set",[]],"log":false,"priority":2,
	 "external_ids":["map",[["other","2"],["gone","1"],["new","1"]]]}}},
	 "Address_Set":{"`+u2+`":{"modify":{"addresses":["set",["a","c","e"]]}}}}`), db, NewSharing(), &SkippedRows{})
	if err != nil {
		t.Fatal(err)
	}
	want := []nb.RowChange{
		{Old: old, New: &nb.ACL{UUID: u1, Name: "n", Priority: 2, ExternalIDs: map[string]string{"same": "1", "other": "2", "new": "1"}}},
		{Old: set, New: &nb.AddressSet{UUID: u2, Name: "a", Addresses: []string{"a", "b", "d", "e"}},
			Step: &nb.MemberStep{Added: []string{"a", "e"}, Removed: []string{"c"}}},
	}
	if d := cmp.Diff(want, ch); d != "" {
		t.Error(d)
	}
	if len(old.ExternalIDs) != 3 || len(set.Addresses) != 3 {
		t.Error("an old row was changed")
	}
	ch, err = readChanges([]byte(`{"Address_Set":{"`+u2+`":{"modify":{"addresses":"a","name":"b"}}}}`), db, NewSharing(), &SkippedRows{})
	if d := cmp.Diff([]nb.RowChange{{Old: set, New: &nb.AddressSet{UUID: u2, Name: "b", Addresses: []string{"a", "b", "c", "d"}}}}, ch); d != "" || err != nil {
		t.Error(d, err)
	}
	ch, err = readChanges([]byte(`{"ACL":{"`+u1+`":{"delete":null}}}`), db, NewSharing(), &SkippedRows{})
	if d := cmp.Diff([]nb.RowChange{{Old: old}}, ch); d != "" || err != nil {
		t.Error(d, err)
	}
}

func TestDecodeErrors(t *testing.T) {
	for raw, want := range map[string]string{
		`{"ACL":{"` + u1 + `":{"modify":{}}}}`:                                          "is unknown",
		`{"ACL":{"` + u1 + `":{"delete":null}}}`:                                        "is unknown",
		`{"ACL":{"` + u1 + `":{"initial":{"priority":"high"}}}}`:                        "a number",
		`{"ACL":{"` + u1 + `":{"initial":{"external_ids":["set",[]]}}}}`:                "a map",
		`{"ACL":{"` + u1 + `":{"initial":{"external_ids":["map",[["a"`:                  "expected",
		`{"ACL":{"` + u1 + `":{"initial":{"name":["map",[]]}}}}`:                        "a set",
		`{"ACL":{"` + u1 + `":{"frobnicate":{}}}}`:                                      "initial",
		`{"Port_Group":{"` + u1 + `":{"initial":{"ports":["uuid"]}}}}`:                  "two elements",
		`{"Port_Group":{"` + u1 + `":{"initial":{"ports":["set",["u"]]}}}}`:             "'['",
		`{"Port_Group":{"` + u1 + `":{"initial":{"ports":["uuid","` + u2 + `","b"]}}}}`: "two elements",
		`{"Port_Group":{"` + u1 + `":{"initial":{"ports":[]}}}}`:                        "two elements",
		`{"Port_Group":{"` + u1 + `":{"initial":{"ports":["named-uuid","a"]}}}}`:        "a uuid",
	} {
		_, err := readChanges([]byte(raw), nil, NewSharing(), &SkippedRows{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}

func TestEncode(t *testing.T) {
	ops := []nb.Op{
		{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: "acl0", Row: map[string]any{"name": nil, "priority": 5, "log": true,
			"match": `inport == "x"`, "options": map[string]string{"b": "2", "a": "1"}}},
		{Kind: nb.OpUpdate, Table: nb.TablePortGroup, UUID: u1, Row: map[string]any{"acls": []nb.Ref{{Name: "acl0"}, {UUID: u2}}, "ports": []nb.Ref{}}},
		{Kind: nb.OpMutate, Table: nb.TableAddressSet, UUID: u2, Mutations: []nb.Mutation{
			{Column: "addresses", Insert: true, Strings: []string{"10.0.0.1"}}, {Column: "addresses", Strings: []string{"x", "y"}}}},
		{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: u1, Mutations: []nb.Mutation{{Column: "acls", Refs: []nb.Ref{{UUID: u3}}}}},
		{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: u3},
		{Kind: nb.OpSelect, Table: nb.TableACL, UUID: u3},
	}
	where := func(u string) string { return `"where":[["_uuid","==",["uuid","` + u + `"]]]` }
	want := `["OVN_Northbound",` +
		`{"op":"insert","table":"ACL","uuid-name":"acl0","row":{"log":true,"match":"inport == \"x\"","name":["set",[]],"options":["map",[["a","1"],["b","2"]]],"priority":5}},` +
		`{"op":"update","table":"Port_Group",` + where(u1) + `,"row":{"acls":["set",[["named-uuid","acl0"],["uuid","` + u2 + `"]]],"ports":["set",[]]}},` +
		`{"op":"mutate","table":"Address_Set",` + where(u2) + `,"mutations":[["addresses","insert",["set",["10.0.0.1"]]],["addresses","delete",["set",["x","y"]]]]},` +
		`{"op":"mutate","table":"Port_Group",` + where(u1) + `,"mutations":[["acls","delete",["set",[["uuid","` + u3 + `"]]]]]},` +
		`{"op":"delete","table":"Address_Set",` + where(u3) + `},` +
		`{"op":"select","table":"ACL",` + where(u3) + `,"columns":["_uuid"]}]`
	got, err := Encode(ops)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
	for _, bad := range []nb.Op{
		{Kind: nb.OpDelete, Table: nb.TableACL},
		{Kind: nb.OpUpdate, Table: nb.TableACL, Row: map[string]any{"log": true}},
		{Kind: nb.OpInsert, Table: nb.TableACL, Row: map[string]any{"log": 1.5}},
		{Kind: "drop table", Table: nb.TableACL, UUID: u1},
	} {
		if _, err := Encode([]nb.Op{bad}); err == nil {
			t.Errorf("%+v was written", bad)
		}
	}
}

func TestResults(t *testing.T) {
	ops := []nb.Op{{Kind: nb.OpInsert, Table: nb.TableACL, Row: map[string]any{"external_ids": map[string]string{nb.KeyID: "the-id"}}},
		{Kind: nb.OpMutate, Table: nb.TableAddressSet, UUID: u1}}
	res, err := readResults([]byte(`[{"uuid":["uuid","`+u2+`"]},{"count":1}]`), ops)
	if d := cmp.Diff([]nb.OpResult{{UUID: u2}, {Count: 1}}, res); d != "" || err != nil {
		t.Error(d, err)
	}
	res, err = readResults([]byte(`[{"error":"constraint violation","details":"bad\u0007"},null]`), ops)
	if !errors.Is(err, model.ErrRejected) || !strings.Contains(err.Error(), "constraint violation: bad� (operation 0: insert ACL the-id)") {
		t.Error(err)
	}
	if len(res) != 2 || res[0].Error == "" {
		t.Errorf("%+v", res)
	}
	// An error at commit comes after the operations.
	_, err = readResults([]byte(`[{},{"count":1},{"error":"referential integrity violation"}]`), ops)
	if !errors.Is(err, model.ErrRejected) || !strings.Contains(err.Error(), "referential integrity violation") {
		t.Error(err)
	}
	// Trouble of the server's own is not a refusal.
	if _, err = readResults([]byte(`[{},{},{"error":"I/O error"}]`), ops); err == nil || errors.Is(err, model.ErrRejected) {
		t.Error(err)
	}
	for _, bad := range []string{`{}`, `[{}]`, `[{},`, `[{"count":"x"},{}]`} {
		if _, err := readResults([]byte(bad), ops); err == nil || errors.Is(err, model.ErrRejected) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestRequests(t *testing.T) {
	schema := func(drop string) string {
		s := `{"name":"OVN_Northbound","version":"7.3.0","tables":{`
		for i, w := range watched {
			if w.table == drop {
				continue
			}
			if i > 0 {
				s += ","
			}
			s += `"` + w.table + `":{"isRoot":true,"columns":{`
			n := 0
			for _, c := range append(w.columns, "extra") {
				if w.table+"."+c == drop {
					continue
				}
				n++
				if n > 1 {
					s += ","
				}
				s += `"` + c + `":{"type":{"key":"string","min":0}}`
			}
			s += `}}`
		}
		return s + `}}`
	}
	req, version, err := monitorRequests([]byte(schema("")), nb.Database, watched)
	if err != nil || version != "7.3.0" {
		t.Fatal(err, version)
	}
	if s := string(req); strings.Contains(s, "sample") || !strings.Contains(s, `"Meter":[{"columns":["name","unit","fair","bands"]}]`) {
		t.Error(s)
	}
	for drop, want := range map[string]string{
		"ACL.tier":   "no column ACL.tier: ACL tiers came with OVN 23.06",
		"Port_Group": "no table Port_Group",
	} {
		if _, _, err := monitorRequests([]byte(schema(drop)), nb.Database, watched); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", drop, err)
		}
	}
	if _, _, err := monitorRequests([]byte(`{"tables":[]}`), nb.Database, watched); err == nil {
		t.Error("a list of tables was taken")
	}
}

func FuzzChanges(f *testing.F) {
	f.Add([]byte(`{"ACL":{"` + u1 + `":{"modify":{"name":["set",["x"]],"external_ids":["map",[["a","b"]]]}}}}`))
	f.Add([]byte(`{"Port_Group":{"` + u1 + `":{"insert":{"ports":["uuid","x"],"acls":["set",[["uuid","y"]]]}}}}`))
	f.Add([]byte(`[{"count":1},{"error":"x","details":"y"},null,{"uuid":["uuid","z"]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		db := (*nb.DB)(nil).Apply([]nb.RowChange{{New: &nb.ACL{UUID: u1}}})
		if ch, err := readChanges(b, db, NewSharing(), &SkippedRows{}); err == nil {
			db.Apply(ch)
		}
		_, _ = readResults(b, []nb.Op{{}})
		_, _, _ = monitorRequests(b, nb.Database, watched)
	})
}

func TestFold(t *testing.T) {
	a1, a2, b1 := &nb.ACL{UUID: u1, Priority: 1}, &nb.ACL{UUID: u1, Priority: 2}, &nb.ACL{UUID: u2}
	var f changeFold
	f.addChanges([]nb.RowChange{{Old: a1, New: a2}})
	f.addChanges([]nb.RowChange{{New: b1}})
	f.addChanges([]nb.RowChange{{Old: a2}, {Old: b1}})
	if d := cmp.Diff([]nb.RowChange{{Old: a1}}, f.takeChanges()); d != "" {
		t.Error(d)
	}
	if len(f.takeChanges()) != 0 {
		t.Error("not empty")
	}
	// What a set's step was says nothing of two.
	s1, s2, s3 := &nb.AddressSet{UUID: u1}, &nb.AddressSet{UUID: u1, Addresses: []string{"a"}}, &nb.AddressSet{UUID: u1, Addresses: []string{"a", "b"}}
	step := func(s string) *nb.MemberStep { return &nb.MemberStep{Added: []string{s}} }
	f.addChanges([]nb.RowChange{{Old: s1, New: s2, Step: step("a")}})
	f.addChanges([]nb.RowChange{{Old: s2, New: s3, Step: step("b")}})
	if d := cmp.Diff([]nb.RowChange{{Old: s1, New: s3}}, f.takeChanges()); d != "" {
		t.Error(d)
	}
}

// Whatever comes into a set and goes out of it, the result is the set, and says so.
func TestToggle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	some := func(n int) (out []string) {
		for i := range n {
			if rng.IntN(3) == 0 {
				out = append(out, string(rune('a'+i)))
			}
		}
		return out
	}
	for range 2000 {
		old, now := some(12), some(12)
		var diff, added, removed []string
		for i := range 12 {
			s := string(rune('a' + i))
			switch was, is := slices.Contains(old, s), slices.Contains(now, s); {
			case was && !is:
				removed = append(removed, s)
			case is && !was:
				added = append(added, s)
			default:
				continue
			}
			diff = append(diff, s)
		}
		got, step := toggleMembers(nil, old, diff)
		if !slices.Equal(got, now) || !slices.Equal(step.Added, added) || !slices.Equal(step.Removed, removed) {
			t.Fatalf("%v with %v is %v, %+v", old, diff, got, step)
		}
	}
}

// The numbers of NB_Global are read where the schema has them, and change by themselves.
func TestGlobalNumbers(t *testing.T) {
	id := rowID(1)
	var left SkippedRows
	take := func(db *nb.DB, text string) *nb.DB {
		t.Helper()
		ch, err := readChanges([]byte(text), db, nil, &left)
		if err != nil {
			t.Fatal(err)
		}
		return db.Apply(ch)
	}
	db := take(nil, `{"NB_Global":{"`+id+`":{"initial":{"name":"n1","external_ids":["map",[["a","b"]]],"nb_cfg":4,"nb_cfg_timestamp":1700000000001,
	 "sb_cfg":3,"sb_cfg_timestamp":1700000000002,"hv_cfg":2,"hv_cfg_timestamp":1700000000003}}}}`)
	db = take(db, `{"NB_Global":{"`+id+`":{"modify":{"sb_cfg":4,"sb_cfg_timestamp":1700000000004}}}}`)
	want := &nb.Global{UUID: id, Name: "n1", ExternalIDs: map[string]string{"a": "b"}, Written: nb.ProgressMark{Cfg: 4, Stamp: 1700000000001},
		Made: nb.ProgressMark{Cfg: 4, Stamp: 1700000000004}, Done: nb.ProgressMark{Cfg: 2, Stamp: 1700000000003}}
	if diff := cmp.Diff(want, db.Global()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for columns, has := range map[string]bool{`"name":{},"external_ids":{}`: false, `"name":{},"external_ids":{},"nb_cfg":{}`: true} {
		req, _, err := monitorRequests([]byte(`{"tables":{"NB_Global":{"columns":{`+columns+`}}}}`), nb.Database, watched, nb.TableGlobal)
		if err != nil || strings.Contains(string(req), `"nb_cfg"`) != has {
			t.Errorf("%s asks for %s (%v)", columns, req, err)
		}
	}
}
