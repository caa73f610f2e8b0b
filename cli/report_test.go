package cli

import (
	"bytes"
	"strings"
	"testing"

	"rung/cli/command"
	"rung/test/schemas"
)

// The reports of every command that has some, of a folder in which much is wrong, are as their
// schemas want them.
func TestReportsAreAsPublished(t *testing.T) {
	noLeaks(t)
	checks := map[string]func(string) error{command.SARIFForm: schemas.CheckSARIF, command.JUnitForm: schemas.CheckJUnit}
	called := map[string]bool{}
	for _, line := range []string{
		"lint -f ../test/given/troubled",
		"lint -f ../examples-antrea",
		"lint -f testdata/cluster -n blue",
		"verify ../test/given/troubled/expectations.yaml -f ../test/given/troubled",
		"diff testdata/cluster ../test/given/troubled --fail-on opens,closes,findings,guards",
		"diff ../test/given/troubled ../test/given/troubled",
		"verify ../test/given/troubled/expectations.yaml testdata/unwell.txt nowhere.yaml -f testdata/cluster --allow-unjudged",
	} {
		called[strings.Fields(line)[0]] = true
		for form, check := range checks {
			var out, errs bytes.Buffer
			args := append(strings.Fields(line), "-o", form, "--state-dir", t.TempDir())
			code := runUntil(t.Context(), args, strings.NewReader(""), &out, &errs, nil)
			if err := check(out.String()); err != nil {
				t.Errorf("rung %s -o %s: exit %d: %v\n%s", line, form, code, err, errs.String())
			}
		}
	}
	for _, cmd := range rootCommand(&command.App{Printed: map[string]bool{}}, nil).Commands() {
		if _, ok := cmd.Annotations[command.SARIFForm]; ok && !called[cmd.Name()] {
			t.Errorf("rung %s has reports, and none is made here", cmd.Name())
		}
	}
}
