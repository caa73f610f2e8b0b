package nbdb

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rung/model"
)

// A row whose _uuid is none is left aside and named in one line for as long as it
// is there; the others are taken. A reference that is none spoils the message.
func TestRowsWithoutUUID(t *testing.T) {
	const evil = "x; touch /tmp/owned #"
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true, rows: `,"Address_Set":{"` + u2 + `":{"initial":{"name":"a"}},"` + evil + `":{"initial":{"name":"evil"}}}`}
		_, updates := run(t, f, Config{})
		time.Sleep(time.Second)
		synctest.Wait()
		u := last(updates())
		want := `skipped: Address_Set "` + evil + `" (evil): its _uuid is not a UUID`
		if u.Conn != model.ConnSynced || u.Error != want || u.DB.AddressSetByName("evil") != nil || u.DB.AddressSetByName("a") == nil {
			t.Errorf("%+v, want %q", u, want)
		}
		f.push(`{"Address_Set":{"` + evil + `":{"modify":{"addresses":"10.0.0.1"}}},"ACL":{"` + u3 + `":{"insert":{"priority":1}}}}`)
		time.Sleep(time.Second)
		synctest.Wait()
		if u := last(updates()); u.Error != want || u.DB.ACL(u3) == nil {
			t.Errorf("after a change: %+v", u)
		}
		f.push(`{"Address_Set":{"` + evil + `":{"delete":null}}}`)
		time.Sleep(time.Second)
		synctest.Wait()
		if u := last(updates()); u.Error != "" {
			t.Errorf("it is gone: %+v", u)
		}
	})
	inBubble(t, func(t *testing.T) {
		f := &fake{t: t, name: "ovn-worker", up: true, rows: `,"Address_Set":{"` + evil + `":{"initial":{"name":"evil"}}}`}
		c, _ := run(t, f, Config{})
		if _, err := c.Read(t.Context()); !errors.Is(err, ErrRowID) || strings.Contains(err.Error(), "\n") {
			t.Errorf("a single read: %v", err)
		}
	})
	for _, bad := range []string{"", "x", evil, strings.Repeat("1", 36), u1 + " ", strings.Repeat("\u202e", 5000)} {
		var left SkippedRows
		ch, err := readChanges([]byte(`{"ACL":{"`+bad+`":{"initial":{"name":"n"}}}}`), nil, nil, &left)
		if err != nil || len(ch) != 0 || !errors.Is(left.Err(), ErrRowID) || len(left.Err().Error()) > 400 || strings.Contains(left.Err().Error(), "\u202e") {
			t.Errorf("%.40q: %v, %v, %v", bad, ch, err, left.Err())
		}
	}
	if _, err := readChanges([]byte(`{"Port_Group":{"`+u1+`":{"initial":{"acls":["uuid","`+evil+`"]}}}}`), nil, nil, &SkippedRows{}); err == nil {
		t.Error("a reference that is no UUID was taken")
	}
}
