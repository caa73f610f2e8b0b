package nav

import "testing"

func TestParseDiff(t *testing.T) {
	for _, c := range []struct{ text, before, after, wrong string }{
		{"before", "before", "", ""},
		{" git:HEAD~1:policies  after/ ", "git:HEAD~1:policies", "after/", ""},
		{`'my policies' "the other's"`, "my policies", "the other's", ""},
		{`my\ policies`, "my policies", "", ""},
		{"", "", "", "an input is missing: diff INPUT, or diff BEFORE AFTER"},
		{"a b c", "", "", "diff takes one input or two, and quotes around one with spaces"},
		{"'a b", "", "", "a quote is not closed"},
	} {
		p, err := ParseDiff(c.text)
		wrong := ""
		if err != nil {
			wrong = err.Error()
		}
		if p.ID != c.before || p.Base != c.after || wrong != c.wrong {
			t.Errorf("%q: %q and %q, %q", c.text, p.ID, p.Base, wrong)
		}
		if again, _ := ParseDiff(p.Inputs()); err == nil && again != p {
			t.Errorf("%q is not read back: %q", c.text, p.Inputs())
		}
	}
}
