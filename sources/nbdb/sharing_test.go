package nbdb

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"rung/model/ovn/nb"
)

// Zones that hold the same set hold one slice, through changes too; a zone that
// differs has its own, and nobody's members are changed.
func TestSharing(t *testing.T) {
	share := NewSharing()
	zone := func(raw string, db *nb.DB) *nb.DB {
		t.Helper()
		ch, err := readChanges([]byte(raw), db, share, &SkippedRows{})
		if err != nil {
			t.Fatal(err)
		}
		return db.Apply(ch)
	}
	const first = `{"Address_Set":{"%s":{"initial":{"addresses":["set",["10.0.0.1","10.0.0.2"]],"name":"a1"}}}}`
	a, b := zone(fmt.Sprintf(first, u1), nil), zone(fmt.Sprintf(first, u2), nil)
	of := func(db *nb.DB) []string { return db.AddressSetByName("a1").Addresses }
	one := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(of(a), want) || !slices.Equal(of(b), want) {
			t.Errorf("%s: %v and %v, want %v", what, of(a), of(b), want)
		} else if &of(a)[0] != &of(b)[0] {
			t.Errorf("%s: held twice", what)
		}
	}
	one("at first", "10.0.0.1", "10.0.0.2")
	was := of(a)
	const change = `{"Address_Set":{"%s":{"modify":{"addresses":["set",["10.0.0.2","10.0.0.3"]]}}}}`
	a = zone(fmt.Sprintf(change, u1), a)
	if !slices.Equal(of(b), []string{"10.0.0.1", "10.0.0.2"}) || !slices.Equal(was, of(b)) {
		t.Errorf("a change of one zone reached the other: %v, and %v before", of(b), was)
	}
	b = zone(fmt.Sprintf(change, u2), b)
	one("changed", "10.0.0.1", "10.0.0.3")
	a = zone(`{"Address_Set":{"`+u1+`":{"modify":{"addresses":["set",["10.0.0.1","10.0.0.3"]]}}}}`, a)
	if got := of(a); got != nil {
		t.Errorf("an empty set holds %v", got)
	}
}

// The external_ids of one id are one map where they are equal.
func TestSharingIDs(t *testing.T) {
	share := NewSharing()
	row := func(uuid, ids string) *nb.ACL {
		t.Helper()
		ch, err := readChanges([]byte(`{"ACL":{"`+uuid+`":{"initial":{"external_ids":["map",[`+ids+`]]}}}}`), nil, share, &SkippedRows{})
		if err != nil {
			t.Fatal(err)
		}
		return ch[0].New.(*nb.ACL)
	}
	a, b := row(u1, `["k8s.ovn.org/id","x"],["k","1"]`), row(u2, `["k","1"],["k8s.ovn.org/id","x"]`)
	if reflect.ValueOf(a.ExternalIDs).Pointer() != reflect.ValueOf(b.ExternalIDs).Pointer() {
		t.Error("held twice")
	}
	if c := row(u3, `["k8s.ovn.org/id","x"],["k","2"]`); c.ExternalIDs["k"] != "2" || a.ExternalIDs["k"] != "1" {
		t.Errorf("%v and %v", a.ExternalIDs, c.ExternalIDs)
	}
}

// Sets that went are forgotten in the end, and nothing is forgotten that is used.
func TestSharingForgets(t *testing.T) {
	s := NewSharing()
	set := func(s *Sharing, name, member string) []string {
		return s.internSet(name, []string{member}, nil, slices.Clone)
	}
	used := set(s, "used", "x")
	for i := range 3 * sharedNames {
		set(s, fmt.Sprint(i), "y")
		if again := set(s, "used", "x"); &again[0] != &used[0] {
			t.Fatal("a set in use was forgotten")
		}
	}
	if n := len(s.sets.newer) + len(s.sets.older); n > 2*sharedNames {
		t.Errorf("%d sets are remembered", n)
	}
	var none *Sharing
	if got := set(none, "a", "x"); !slices.Equal(got, []string{"x"}) {
		t.Errorf("without sharing: %v", got)
	}
}
