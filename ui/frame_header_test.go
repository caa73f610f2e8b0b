package ui

import (
	"testing"
	"time"

	"rung/model"
	"rung/revision"
)

// The header says while findings are those of a moment ago, and a little longer, so that the
// sign does not flicker.
func TestFindingsLag(t *testing.T) {
	cluster, _ := (*model.Cluster)(nil).Upsert(nil, nil)
	first := revision.New(revision.Facts{Number: 1, Cluster: cluster}, nil)
	var c HeaderCounts
	at := time.Now()
	c.TakeRevision(first, at)
	if c.IsLagging(at) {
		t.Error("the header calls findings old that are not")
	}
	more, _ := cluster.Upsert([]model.Object{&model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: "a"}}}}, nil)
	rev := revision.New(revision.Facts{Number: 2, Cluster: more}, first)
	c.TakeRevision(rev, at)
	if !c.IsLagging(at.Add(time.Hour)) {
		t.Error("the header does not say that the findings are owed")
	}
	revision.FindSome(rev)
	now := *rev
	c.TakeRevision(&now, at.Add(Pace))
	if !c.IsLagging(at.Add(Pace)) {
		t.Error("the sign flickers")
	}
	if c.IsLagging(at.Add(3 * Pace)) {
		t.Error("the header calls findings old that are not")
	}
}
