package command

import (
	"encoding/json"
	"strings"
	"testing"

	"rung/test/schemas"
)

// reports are reports of every shape.
func reports() map[string]*Report {
	one := full()
	one.Folder, one.Version = "", ""
	return map[string]*Report{
		"full":        full(),
		"no folder":   one,
		"empty":       {Command: "lint"},
		"all passed":  {Command: "verify", Results: []Result{{Code: "a", Outcome: Passed, Name: "x"}}},
		"no level":    {Results: []Result{{Code: "a"}}, NotConsidered: []Omission{{Code: "b", Level: Note}}},
		"only passed": {Command: "verify", Input: "-", Results: []Result{{Code: "a", Outcome: Passed, NotConsidered: []string{"x"}}}},
	}
}

func TestSARIFIsAsPublished(t *testing.T) {
	for name, r := range reports() {
		text := written(t, r, SARIFForm)
		if err := schemas.CheckSARIF(text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	// The schema is one that refuses: a level, a URI and a property that do not exist.
	text := written(t, full(), SARIFForm)
	for _, wrong := range [][2]string{{`"level": "note"`, `"level": "info"`}, {`"helpUri": "https:`, `"helpUri": "a b:`}, {`"ruleIndex"`, `"ruleNumber"`}, {`"startLine": 7`, `"startLine": 0`}} {
		bad := strings.Replace(text, wrong[0], wrong[1], 1)
		if bad == text || schemas.CheckSARIF(bad) == nil {
			t.Errorf("the schema takes %s", wrong[1])
		}
	}
}

// The standard says more than its schema: rules are found by their index, and a run that left
// something out was no success. GitHub wants a place and a message of every result.
func TestSARIFIsWhole(t *testing.T) {
	var log sarifLog
	if err := json.Unmarshal([]byte(written(t, full(), SARIFForm)), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	for _, f := range run.Results {
		if run.Tool.Driver.Rules[f.Index].ID != f.Rule || len(f.Locations) != 1 || f.Message.Text == "" || len(f.Fingerprints) != 1 {
			t.Errorf("%+v", f)
		}
		if strings.Contains(strings.ReplaceAll(f.Message.Text, `\[`, ""), "[click](") {
			t.Errorf("a policy makes a link: %s", f.Message.Text)
		}
	}
	if n := len(run.Results); n != 4 || len(run.Tool.Driver.Rules) != 2 || run.Invocations[0].Successful || len(run.Invocations[0].Notifications) != 3 {
		t.Errorf("%d results, %+v", n, run)
	}
	if run.Automation.ID != "rung/lint/policies/" {
		t.Errorf("id %q", run.Automation.ID)
	}
}

func TestJUnitIsAsPublished(t *testing.T) {
	for name, r := range reports() {
		text := written(t, r, JUnitForm)
		if err := schemas.CheckJUnit(text); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	text := written(t, full(), JUnitForm)
	for _, wrong := range [][2]string{{"<testsuite name=", "<testsuite title="}, {"<failure ", "<failed "}, {"</failure>", "<system-out></system-out></failure>"}, {"<testsuites tests=", "<testsuites time=\"x\" tests="}} {
		bad := strings.Replace(text, wrong[0], wrong[1], 1)
		bad = strings.Replace(bad, "</failure>", map[bool]string{true: "</failed>", false: "</failure>"}[strings.Contains(bad, "<failed ")], 1)
		if bad == text || schemas.CheckJUnit(bad) == nil {
			t.Errorf("the schema takes %s", wrong[1])
		}
	}
}
