package dialect

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// Every defect is told of in the list of known defects of the page that its Doc names.
func TestDefectsAreDocumented(t *testing.T) {
	codes := map[string]bool{}
	for _, d := range AllDefects() {
		page, section, _ := strings.Cut(d.Doc, "#")
		text, err := os.ReadFile("../../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		_, defects, found := strings.Cut(string(text), "## Known defects")
		if !found {
			_, defects, _ = strings.Cut(string(text), "## Defects")
		}
		if !strings.Contains(defects, "](#"+section+")") {
			t.Errorf("%s: the list of known defects does not lead to #%s", d.Code, d.Doc)
		}
		if codes[d.Code] || d.Meaning == "" || d.Remedy == "" {
			t.Errorf("%+v", d)
		}
		codes[d.Code] = true
	}
}

func TestCompare(t *testing.T) {
	item := func(ip string) match.NamedItem { return match.NamedItem{IP: ip, Port: 1} }
	a, b, c := item("a"), item("b"), item("c")
	lost, gained, stays := compareItems([]match.NamedItem{a, a, b}, []match.NamedItem{a, c, b})
	if diff := cmp.Diff([][]match.NamedItem{{a}, {c}, {a, b}}, [][]match.NamedItem{lost, gained, stays}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// There is one slot for baselines (ovn-kubernetes.md#baseline).
func TestBaselines(t *testing.T) {
	k := model.PolicyKey{Kind: model.KindBANP, Name: "other"}
	diffs := func(kind model.DiffKind) []model.RowDiff {
		return []model.RowDiff{{Kind: kind, Table: nb.TableACL, ID: "a"}, {Kind: kind, Table: nb.TablePortGroup, ID: "g"}}
	}
	there := &model.Policy{Meta: model.Meta{Key: k}}
	for _, c := range []struct {
		name   string
		policy *model.Policy
		kind   model.DiffKind
		acls   int
		others []OtherBaseline
		want   string
	}{
		{"the second of the same content", there, model.DiffMissing, 0, []OtherBaseline{{IsSameSpec: true}}, "baseline-slot"},
		{"of another content", there, model.DiffMissing, 0, []OtherBaseline{{}}, ""},
		{"nobody has rows", there, model.DiffMissing, 0, []OtherBaseline{{IsSameSpec: true, HasNoRows: true}}, ""},
		{"the only one", there, model.DiffMissing, 0, nil, ""},
		{"some rows are there", there, model.DiffMissing, 1, []OtherBaseline{{IsSameSpec: true}}, ""},
		{"the first is deleted, the other has no rows", nil, model.DiffExtra, 1, []OtherBaseline{{HasNoRows: true}}, "baseline-slot"},
		{"the first is deleted, the other has its own", nil, model.DiffExtra, 1, []OtherBaseline{{}}, ""},
	} {
		causes := ExplainDiffs(&model.PolicyInZone{Policy: k, Diffs: diffs(c.kind), LiveACLs: c.acls}, &Facts{Policy: c.policy, Baselines: c.others,
			Peers:    func(model.Direction, int) []*model.Pod { return nil },
			Subjects: func() []*model.Pod { return nil },
			Owned:    func(string) bool { return false },
			FindPod:  func(string) *model.Pod { return nil },
			Before:   func(*model.Pod) []*model.Pod { return nil },
			Match:    func(*model.RowDiff) (desired, live string) { return "", "" }})
		got := ""
		if causes != nil {
			got = causes[0].Code
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Of two rows with the id of the one that is left, OVN-Kubernetes left one at most.
func TestTwoRowsOfOneID(t *testing.T) {
	k := model.PolicyKey{Kind: model.KindEF, Namespace: "a", Name: "default"}
	row := model.RowDiff{Kind: model.DiffExtra, Table: nb.TableACL, ID: "default-network-controller:EgressFirewall:a:1"}
	f := &Facts{Policy: &model.Policy{Egress: make([]model.Rule, 1)}}
	if c := ExplainDiffs(&model.PolicyInZone{Policy: k, Diffs: []model.RowDiff{row}}, f); c == nil || c[0].Defect != FirewallRow {
		t.Errorf("%v", c)
	}
	if c := ExplainDiffs(&model.PolicyInZone{Policy: k, Diffs: []model.RowDiff{row, row}}, f); c != nil {
		t.Errorf("%v", c)
	}
}
