package revision

import (
	"fmt"
	"testing"
	"time"

	"rung/model"
	"rung/test/given"
)

// The events that 500 controllers write of one policy are one.
func TestEventGroups(t *testing.T) {
	k := model.PolicyKey{Kind: model.KindANP, Name: "p"}
	var objects []model.Object
	for i := range 500 {
		objects = append(objects, &model.Event{Meta: model.Meta{Key: model.Key{Kind: model.KindEvent, Namespace: "default", Name: fmt.Sprint(i)}}, About: k,
			Type: "Warning", Reason: "ANPWithDuplicatePriority", Message: "same", Reporter: fmt.Sprintf("node-%03d", i), Count: 1 + i%2,
			Last: given.Now.Add(-time.Duration(i) * time.Second)})
	}
	objects = append(objects, &model.Event{Meta: model.Meta{Key: model.Key{Kind: model.KindEvent, Namespace: "default", Name: "x"}}, About: k,
		Type: "Warning", Reason: "Other", Message: "same", Last: given.Now.Add(-time.Hour)})
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	got := EventGroups(New(Facts{Cluster: c}, nil), k)
	if len(got) != 2 {
		t.Fatalf("%d groups: %+v", len(got), got)
	}
	g := got[0]
	if g.Count != 750 || len(g.Reporters) != 500 || g.Reporters[0] != "node-000" || !g.Last.Equal(given.Now) {
		t.Errorf("%+v", g)
	}
	if o := got[1]; o.Reason != "Other" || o.Count != 1 || len(o.Reporters) != 0 {
		t.Errorf("%+v", o)
	}
}
