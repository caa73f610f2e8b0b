package activity

import (
	"testing"
	"time"

	"rung/model"
)

// What failed is told with what it was about, by screen and command line alike.
func TestWhat(t *testing.T) {
	k := model.Key{Kind: model.KindANP, Name: "one"}
	for _, c := range []struct {
		done model.Activity
		want string
	}{
		{model.Activity{Policy: k, Summary: "ANP one: 2 ACLs added"}, "2 ACLs added"},
		{model.Activity{Policy: k, Summary: "one: 2 ACLs added", Error: "refused"}, "■ 2 ACLs added: refused"},
		{model.Activity{Policy: k, Error: "refused"}, "■ refused"},
		{model.Activity{Policy: k, Summary: "a.yaml changed: ANP one: guard rail", Rail: "opens"}, "▲ a.yaml changed: guard rail"},
	} {
		if got := EntryOf(c.done, time.Time{}).whatCell().String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
