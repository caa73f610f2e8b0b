package uitest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"rung/model/ovn/nb"
	"rung/revision"
)

// Widths are the sizes at which nothing that matters may be cut.
var Widths = [][2]int{{80, 24}, {100, 30}, {120, 34}, {160, 45}}

// AllNames returns the names of policies, pods and zones, as pages write them.
func AllNames(r *revision.Revision) []string {
	var out []string
	for p := range r.Cluster.AllPolicies() {
		out = append(out, p.Name)
	}
	for p := range r.Cluster.Pods() {
		out = append(out, p.Name, p.Namespace+"/"+p.Name, nb.PortName(p.Namespace, p.Name))
	}
	for _, z := range r.Zones {
		out = append(out, z.Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var (
	cutWord = regexp.MustCompile(`(\S*)…(\S*)`)
	columns = regexp.MustCompile(`  +|[│┃]`)
)

// CutName is a name that a line of the screen has cut and not whole beside it, empty for
// none. The end of a sentence may be cut: its beginning says what it is about, and where
// the cursor is it stands whole.
func CutName(line string, names []string) string {
	for _, cell := range columns.Split(line, -1) {
		m := cutWord.FindStringSubmatch(cell)
		if m == nil || strings.HasSuffix(cell, "…") && len(strings.Fields(cell)) > sentence {
			continue
		}
		head, tail := strings.TrimLeft(m[1], "(\"'"), m[2]
		for _, n := range names {
			if len(head) >= 3 && len(head)+len(tail) < len(n) && strings.HasPrefix(n, head) && strings.HasSuffix(n, tail) && !strings.Contains(line, n) {
				return n
			}
		}
	}
	return ""
}

// sentence is from more than how many words on a cell is no name with what belongs to it.
const sentence = 5

// mayCut are the scenes, after the folder of their test, in which names are cut, and why
// nothing else can give way.
var mayCut = map[string]string{
	"logs/forms":            "four names of 25 and more letters beside each other: namespaces give way first, then the names in the middle",
	"cluster/finding-zones": "a sentence that names others; the whole of it stands below the table",
	"edit/new":              "addresses that a row lists, in half of the screen: a sentence",
	"ladder/antrea":         "no name is cut: the word account, of a service account, begins as a namespace of this cluster does",
}

// wantWhole fails the test when the scene cuts a name at one of the Widths.
func (s *Screen) wantWhole(scene string) {
	s.t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		s.t.Fatal(err)
	}
	if mayCut[filepath.Base(dir)+"/"+scene] != "" {
		return
	}
	names := AllNames(s.Console.Revision())
	for _, size := range Widths {
		s.Resize(size[0], size[1])
		s.WantFits()
		for i, l := range strings.Split(s.PlainFrame(), "\n") {
			if i < 2 {
				continue // the header and the path
			}
			if n := CutName(l, names); n != "" {
				s.t.Errorf("%s at %d cells cuts %q:\n%s", scene, size[0], n, l)
			}
		}
	}
}
