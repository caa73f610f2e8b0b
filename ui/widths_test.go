package ui_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui/nav"
)

// scene is a page as somebody looks at it.
type scene struct {
	name string
	page nav.Page
	keys []string
}

// scenes are the main pages. Those that list what has names stand on a line of them.
func scenes(r *revision.Revision) []scene {
	control := model.Key{Kind: model.KindANP, Name: "cluster-control"}
	zone := r.Zones[0].Name
	var pod model.Key
	for p := range r.Cluster.Pods() {
		if p.Namespace == "red" && p.CanBeSubject() && p.NodeName != "" {
			pod = p.Key
			break
		}
	}
	out := []scene{
		{"ladder", nav.NewPage(nav.Ladder), []string{"j", "j"}},
		{"ladder-sorted", nav.NewPage(nav.Ladder), []string{">", ">", "j", "j"}},
		{"ladder-moving", nav.NewPage(nav.Ladder), []string{"j", "j", "m", "4", "2"}},
		{"ladder-tier2", nav.NewPage(nav.Ladder), []string{"G", "k", "k", "k", "enter", "j", "j"}},
		{"policy", nav.ToPolicy(control), nil},
		{"policy-pods", nav.ToPolicy(control), []string{"tab"}},
		{"rule", nav.ToRule(control, model.Egress, 3), nil},
		{"rows", nav.Page{Kind: nav.Rows, Zone: zone}, []string{"j"}},
		{"zones", nav.NewPage(nav.Zones), nil},
		{"pod", nav.Page{Kind: nav.Pod, Key: pod}, nil},
		{"plan", nav.NewPage(nav.Plan), nil},
	}
	for _, k := range nav.Kinds {
		if k == "findings" {
			out = append(out, scene{"findings", nav.NewPage(k), nil})
		}
	}
	return out
}

// withUnits is the demo with the rows of all units.
func withUnits(t *testing.T) *revision.Facts {
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	return p
}

// No page cuts the name of a policy, a pod or a zone at 80, 100, 120 and 160 cells: there
// is always a column of lesser worth that can give way.
func TestNamesAreWhole(t *testing.T) {
	facts := withUnits(t)
	r := revision.New(*facts, nil)
	all := uitest.AllNames(r)
	if len(all) < 40 {
		t.Fatalf("%d names in the demo", len(all))
	}
	for _, sc := range scenes(r) {
		s := uitest.OpenScreen(t, facts, sc.page)
		s.Press(sc.keys...)
		for _, size := range uitest.Widths {
			s.Resize(size[0], size[1])
			s.WantFits()
			for i, l := range strings.Split(s.PlainFrame(), "\n") {
				if i < 2 {
					continue // the header and the path
				}
				if n := uitest.CutName(l, all); n != "" {
					t.Errorf("%s at %d cells cuts %q:\n%s", sc.name, size[0], n, l)
				}
			}
		}
	}
}

// On the ladder no word of the state and the notes of the cursor's row is cut, neither on
// the row nor below it, wherever the cursor is.
func TestNotesAreWhole(t *testing.T) {
	facts := withUnits(t)
	for _, size := range uitest.Widths {
		s := uitest.OpenScreen(t, facts, nav.NewPage(nav.Ladder))
		s.Resize(size[0], size[1])
		cut := regexp.MustCompile(`[^\s]…`)
		seen := map[string]bool{}
		for range 60 {
			lines := strings.Split(strings.TrimSuffix(s.PlainFrame(), "\n"), "\n")
			head := []rune(lines[2])
			at := len([]rune(string(head)[:strings.Index(string(head), "FINDINGS")]))
			below := lines[len(lines)-2] // at 100 cells and more the line before belongs to it, too
			if size[0] >= 100 {
				below = lines[len(lines)-3] + below
			}
			for _, l := range lines[3 : len(lines)-1] {
				row := []rune(l)
				if len(row) == 0 || row[0] != '▸' || strings.Contains(l, "──") || strings.Contains(l, "old-form") {
					continue
				}
				seen[l] = true
				if rest := string(row[min(at, len(row)):]); cut.MatchString(rest) {
					t.Errorf("at %d cells the row ends in %q", size[0], rest)
				}
				if cut.MatchString(below) {
					t.Errorf("at %d cells a word below is cut: %q", size[0], below)
				}
			}
			s.Press("j")
		}
		if len(seen) < 12 {
			t.Errorf("at %d cells the cursor was on %d rows", size[0], len(seen))
		}
	}
}

// The main pages at the widths between those of the pages' own goldens.
func TestWidths(t *testing.T) {
	facts := withUnits(t)
	for _, sc := range scenes(revision.New(*facts, nil)) {
		s := uitest.OpenScreen(t, facts, sc.page)
		s.Press(sc.keys...)
		s.GoldenPlain(fmt.Sprintf("width-%s", sc.name), [2]int{100, 30}, [2]int{160, 45})
	}
}
