package dialect

import (
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
)

// A policy that the controller of a network never took has no row there, and is older than what brings it
// to a network that ran already (networks.md#defects).
func TestNotTaken(t *testing.T) {
	at := func(minute int) time.Time {
		if minute < 0 {
			return time.Time{}
		}
		return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)
	}
	for _, c := range []struct {
		name           string
		kind           model.Kind
		policy         int // when it was made
		first, own     int // and the two NetworkAttachmentDefinitions
		bare, refused  bool
		diff           model.DiffKind
		acls           int
		want, wantText string
	}{
		{name: "joined late", kind: model.KindNP, policy: 5, first: 1, own: 9, diff: model.DiffMissing, want: JoinedLate.Code, wantText: "own/net is younger than the policy and the network"},
		{name: "attached late", kind: model.KindMNP, policy: 5, first: 1, own: 9, diff: model.DiffMissing, want: AttachedLate.Code, wantText: "own/net is younger than the policy and the network"},
		{name: "the network began with it", kind: model.KindNP, policy: 5, first: 9, own: 9, diff: model.DiffMissing},
		{name: "the policy is younger", kind: model.KindNP, policy: 10, first: 1, own: 9, diff: model.DiffMissing},
		{name: "nobody knows when", kind: model.KindNP, policy: 5, first: -1, own: 9, diff: model.DiffMissing},
		{name: "nobody knows when the policy", kind: model.KindNP, policy: -1, first: 1, own: 9, diff: model.DiffMissing},
		{name: "some rows are there", kind: model.KindNP, policy: 5, first: 1, own: 9, diff: model.DiffMissing, acls: 1},
		{name: "rows too many", kind: model.KindNP, policy: 5, first: 1, own: 9, diff: model.DiffExtra},
		{name: "selectors taken back", kind: model.KindMNP, policy: 10, first: 1, own: 2, bare: true, refused: true, diff: model.DiffMissing, want: SelectorsRemembered.Code},
		{name: "selectors on a network with addresses", kind: model.KindMNP, policy: 10, first: 1, own: 2, refused: true, diff: model.DiffMissing},
		{name: "never selectors", kind: model.KindMNP, policy: 10, first: 1, own: 2, bare: true, diff: model.DiffMissing},
	} {
		t.Run(c.name, func(t *testing.T) {
			key := model.Key{Kind: c.kind, Namespace: "own", Name: "web"}
			in := &model.PolicyInZone{Policy: model.Key{Kind: model.KindNP, Namespace: "own", Name: "web", Network: "net"}, LiveACLs: c.acls,
				Diffs: []model.RowDiff{{Kind: c.diff, Table: nb.TableACL, ID: "a"}, {Kind: c.diff, Table: nb.TablePortGroup, ID: "g"}}}
			f := &Facts{Policy: &model.Policy{Meta: model.Meta{Key: key, Created: at(c.policy)}}, Refused: c.refused,
				OtherNetwork: &OtherNetwork{HasNoAddresses: c.bare, Own: map[string]bool{"own/net": true},
					Attachments: []Attachment{{Key: "first/net", Created: at(c.first)}, {Key: "own/net", Created: at(c.own)}}}}
			causes := ExplainDiffs(in, f)
			switch {
			case c.want == "" && causes != nil:
				t.Errorf("explained by %s", causes[0].Code)
			case c.want == "":
			case causes == nil || causes[0] == nil || causes[1] == nil || causes[0].Code != c.want || causes[0].Detail != c.wantText:
				t.Errorf("causes %+v, want %s: %s", causes, c.want, c.wantText)
			}
		})
	}
}
