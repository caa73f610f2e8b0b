package nbdb_test

import (
	"strings"
	"testing"

	"rung/sources/nbdb"
)

const listedID = "1c0ffee5-0000-4000-8000-00000000000"

// Lists are read in both forms of ovn-nbctl, and a wrong one is named by record and field.
func TestParseLists(t *testing.T) {
	records := "_uuid : " + listedID + "1\naction : drop\nexternal_ids : {a=\"1\", b=c}\nlabel : 0\nlog : true\nmatch : \"ip4 && \\\"x\\\"\"\n" +
		"name : []\npriority : 1001\n\n_uuid : " + listedID + "2\nacls : [" + listedID + "1]\nname : a1\nports : []\n"
	tables := `{"caption":"ACL table","headings":["_uuid","action","external_ids","log","match","name","priority"],"data":[` +
		`[["uuid","` + listedID + `1"],"drop",["map",[["a","1"],["b","c"]]],true,"ip4 && \"x\"",["set",[]],1001]]}` +
		`{"headings":["_uuid","acls","name","ports"],"data":[[["uuid","` + listedID + `2"],["uuid","` + listedID + `1"],"a1",["set",[]]]]}`
	for _, text := range []string{records, tables} {
		db, err := nbdb.ParseLists([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		a, g := db.ACL(listedID+"1"), db.PortGroupByName("a1")
		if a == nil || a.Action != "drop" || a.Match != `ip4 && "x"` || !a.Log || a.Priority != 1001 || a.ExternalIDs["a"] != "1" ||
			a.ExternalIDs["b"] != "c" || a.Name != "" {
			t.Errorf("%+v", a)
		}
		if g == nil || len(g.ACLs) != 1 || g.ACLs[0] != listedID+"1" || len(g.Ports) != 0 {
			t.Errorf("%+v", g)
		}
	}
	for text, want := range map[string]string{
		"":                                    "no record as ovn-nbctl list prints it",
		"_uuid : x\nmatch : ip4":              "record 1, field _uuid: want a UUID",
		"_uuid : " + listedID + "1\nname : x": "record 1 has the columns of no table",
		"_uuid : " + listedID + "1\nmatch : ip4\nnexthop : []\npriority : 1":                             "record 1 has the columns of no table",
		"_uuid : " + listedID + "1\nmatch : \"ip4":                                                       `record 1, field match: not a value of OVSDB`,
		"_uuid : " + listedID + "1\nmatch : ip4\n\n_uuid : " + listedID + "2\nmatch : ip4\npriority : x": "record 2, field priority: wrong type",
		`{"headings":["_uuid"],"data":[[1,2]]}`:                                                          "record 1: 2 values for 1 fields",
	} {
		if _, err := nbdb.ParseLists([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Whatever a list holds, reading it ends with rows or one line that says what is wrong.
func FuzzParseLists(f *testing.F) {
	f.Add("_uuid : " + listedID + "1\nexternal_ids : {\"a/b\"=\"1\"}\nmatch : \"ip4\"\npriority : 1001\n")
	f.Add(`{"headings":["_uuid","acls"],"data":[[["uuid","` + listedID + `2"],["set",[["uuid","` + listedID + `1"]]]]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		db, err := nbdb.ParseLists([]byte(text))
		if (db == nil) == (err == nil) || err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%v, %v", db, err)
		}
	})
}
