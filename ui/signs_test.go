package ui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rung/model"
	"rung/model/words"
	"rung/test/install"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// demoPages opens every kind of page that there is of the demo, by name. A page that shows one
// thing shows one of the demo's; those of a change that is under way are not among them.
func demoPages() map[string]nav.Page {
	control, worker := model.Key{Kind: model.KindANP, Name: "cluster-control"}, "ovn-worker"
	pages := map[string]nav.Page{}
	for _, k := range nav.Kinds {
		pages[string(k)] = nav.NewPage(k)
	}
	pages["policy"] = nav.ToPolicy(control)
	pages["rule"] = nav.ToRule(control, model.Egress, 4)
	pages["pod"] = nav.ToPod(model.Key{Kind: model.KindPod, Namespace: "blue", Name: "api-d0"})
	pages["row"] = nav.ToRow(worker, "ACL", uitest.UUID("x"))
	pages["rows"] = nav.Page{Kind: nav.Rows, Zone: worker}
	pages["controller"] = nav.Page{Kind: nav.Controller, Key: control, Zone: worker}
	pages["trace"] = nav.ToTrace("blue/api-d0 red/web-f0 TCP 8080")
	pages["trace to nowhere"] = nav.ToTrace("blue/api-d0 - TCP -")
	delete(pages, string(nav.Edit))    // opens an editor; its goldens are looked at
	delete(pages, string(nav.Preview)) // of a change
	return pages
}

// goldens are the recorded frames of all pages: their files, with colours or without.
func goldens(t *testing.T, coloured bool) (out []string) {
	t.Helper()
	for _, p := range []string{"testdata/*.golden", "*/testdata/*.golden"} {
		found, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if strings.HasSuffix(f, ".ansi.golden") == coloured {
				out = append(out, f)
			}
		}
	}
	if len(out) < 300 {
		t.Fatalf("only %d goldens", len(out))
	}
	return out
}

// spinners turn while something is worked on: no signs with a meaning of their own.
func isSpinner(r rune) bool { return r >= 0x2800 && r <= 0x28ff }

// Every sign that a page shows stands in the table of signs: in the recorded frames of all pages,
// and on every page of the demo.
func TestSignsStandInTheTable(t *testing.T) {
	known, lacking := map[string]bool{}, map[string]bool{}
	for _, s := range words.Signs {
		known[s.Text] = true
	}
	look := func(where, text string) {
		for _, r := range text {
			if r > '~' && !known[string(r)] && !isSpinner(r) && !lacking[string(r)] {
				lacking[string(r)] = true
				t.Errorf("%s shows %q (%U), which is not in the table of signs", where, r, r)
			}
		}
	}
	for _, f := range goldens(t, false) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		look(f, string(text))
	}
	for name, page := range demoPages() {
		s := uitest.OpenWith(t, uitest.NewGated(t, nil).Fake, ui.Options{Page: page})
		for _, size := range [][2]int{{200, 60}, {80, 24}} {
			s.Resize(size[0], size[1])
			look(name, s.PlainFrame())
			s.Press("?")
			look("help of "+name, s.PlainFrame())
			s.Press("esc")
		}
	}
}

// A sign has one meaning: no two entries of the table have the same sign, none of those that say
// how something is looks like another with --ascii, and none is good news in one place and bad
// news in another, told apart by its colour alone.
func TestOneSignOneMeaning(t *testing.T) {
	install.WithoutRace(t)
	texts, plain, meanings := map[string]bool{}, map[string]string{}, map[string]bool{}
	for _, s := range words.Signs {
		switch {
		case texts[s.Text]:
			t.Errorf("%s stands in the table twice", s.Text)
		case s.Meaning == "" || len([]rune(s.Text)) == 1 && len(s.ASCII) != 1:
			t.Errorf("%s: ASCII %q, meaning %q", s.Text, s.ASCII, s.Meaning)
		case s.Kind <= words.Code && meanings[s.Meaning]:
			t.Errorf("two signs mean %q", s.Meaning)
		case s.Kind == words.State && plain[s.ASCII] != "", s.Kind == words.Mark && plain[s.ASCII] != "":
			t.Errorf("%s and %s are both %s with --ascii", s.Text, plain[s.ASCII], s.ASCII)
		case s.Kind > words.Mark && stateForm(s.ASCII) != "":
			t.Errorf("with --ascii %s looks like %s, which says how something is", s.Text, stateForm(s.ASCII))
		}
		texts[s.Text], meanings[s.Meaning] = true, true
		if s.Kind <= words.Mark {
			plain[s.ASCII] = s.Text
		}
	}
	news := map[string]map[string]string{} // by sign: good or bad, and where
	for _, f := range goldens(t, true) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		colour := ""
		for _, piece := range ansiPieces.FindAllString(string(text), -1) {
			if codes, ok := strings.CutPrefix(piece, "\x1b["); ok {
				colour = newsOf(strings.TrimSuffix(codes, "m"))
				continue
			}
			if colour == "" || piece[0] < 0x80 {
				continue
			}
			if news[piece] == nil {
				news[piece] = map[string]string{}
			}
			news[piece][colour] = f
		}
	}
	for _, s := range words.Signs {
		if n := news[s.Text]; s.Kind == words.State && len(n) > 1 {
			t.Errorf("%s is good news in %s and bad news in %s", s.Text, n["good"], n["bad"])
		}
	}
}

// stateForm is the sign that says how something is with this form, empty for none.
func stateForm(ascii string) string {
	for _, s := range words.Signs {
		if s.Kind == words.State && s.ASCII == ascii {
			return s.Text
		}
	}
	return ""
}

var ansiPieces = regexp.MustCompile(`\x1b\[[0-9;]*m|[^\x1b]`)

// newsOf says what a colour of the default theme says: green is good, red and yellow are bad.
func newsOf(codes string) string {
	for code := range strings.SplitSeq(codes, ";") {
		switch n, _ := strconv.Atoi(code); n {
		case 32:
			return "good"
		case 31, 33:
			return "bad"
		}
	}
	return ""
}

// The help of a page has its columns and its signs besides the keys, and finds them by their
// words; it begins on the column by which the rows are sorted.
func TestHelpExplains(t *testing.T) {
	s := ladderScreen(t)
	s.Press("?")
	s.Type("disagree")
	s.Want(words.Differs+"  ", "differs from what is desired, or two disagree")
	s.Press("enter") // nothing to run: the help stays
	s.Want("differs from what is desired")
	s.Press("esc", "?")
	s.Type("levels")
	s.Want("LOG", "log levels: A: for Allow rules")
	s.Press("esc", ">", "?")
	s.Want(words.Cursor+" PRIO ", "lower numbers decide first")
	s.Press("esc")
	s.WantNot("lower numbers decide first")
}

// Every column of every page says in the help what it means.
func TestColumnsAreExplained(t *testing.T) {
	explained := map[string]bool{}
	for name, page := range demoPages() {
		s := uitest.OpenWith(t, uitest.NewGated(t, nil).Fake, ui.Options{Page: page})
		s.Resize(200, 400)
		for range 5 { // its parts
			s.Press("?")
			_, columns, _ := strings.Cut(s.PlainFrame(), "│ columns ")
			columns, _, _ = strings.Cut(columns, "│ signs of this page")
			for l := range strings.Lines(columns) {
				_, l, _ = strings.Cut(l, "│")
				l, _, _ = strings.Cut(l, "│")
				const before, cells = 3, 18
				l = strings.TrimRight(l, " ")
				if len(l) <= before {
					continue
				}
				title := strings.TrimSpace(l[:min(len(l), before+cells)])
				explained[title] = true
				if len(l) <= before+cells {
					t.Errorf("%s: column %s says nowhere what it means", name, title)
				}
			}
			s.Press("esc", "tab")
		}
	}
	if len(explained) < 40 {
		t.Errorf("only %d columns", len(explained))
	}
}
