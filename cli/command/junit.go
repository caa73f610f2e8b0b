package command

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// JUnit's XML, as CI systems read it.
type (
	junitSuites struct {
		XMLName  xml.Name      `xml:"testsuites"`
		Tests    int           `xml:"tests,attr"`
		Failures int           `xml:"failures,attr"`
		Errors   int           `xml:"errors,attr"`
		Suites   []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string      `xml:"classname,attr"`
		Name    string      `xml:"name,attr"`
		Failure *junitFault `xml:"failure,omitempty"`
		Error   *junitFault `xml:"error,omitempty"`
		Out     string      `xml:"system-out,omitempty"`
	}
	junitFault struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit returns a report with a suite for each file and a test for each result. An Error is a failure, an
// unjudged result an error. A warning or a note passes and appears as output.
func (r *Report) junit() (string, error) {
	all := &junitSuites{}
	for i := range r.Results {
		f := &r.Results[i]
		file := r.path(f.File)
		c := junitCase{Class: file, Name: cmp.Or(f.Name, f.Code+": "+f.text()), Out: strings.Join(f.NotConsidered, "\n")}
		switch {
		case f.Outcome == Unjudged:
			c.Error = &junitFault{f.Message, f.Detail}
		case f.Outcome == Found && f.level() == Error:
			c.Failure = &junitFault{f.Message, f.Detail}
		case f.Outcome == Found:
			c.Out = strings.Join(slices.DeleteFunc([]string{string(f.level()) + ": " + withDetail(f.Message, f.Detail), c.Out},
				func(s string) bool { return s == "" }), "\n")
		}
		all.add(file, c)
	}
	for _, o := range r.NotConsidered {
		if r.hasTestNaming(o) {
			continue // the test has it
		}
		c := junitCase{Class: notConsidered, Name: o.Code + ": " + o.Text}
		if o.Level == Error {
			c.Error = &junitFault{Message: o.Text}
		}
		all.add(notConsidered, c)
	}
	if all.Tests == 0 { // many CI systems reject a report without tests
		all.add("rung "+r.Command, junitCase{Class: "rung " + r.Command, Name: "nothing found"})
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return "", fmt.Errorf("write XML: %w", err)
	}
	return xml.Header + string(text) + "\n", nil
}

// hasTestNaming reports whether the test of a result names an omission.
func (r *Report) hasTestNaming(o Omission) bool {
	return slices.ContainsFunc(r.Results, func(f Result) bool {
		return slices.ContainsFunc(f.NotConsidered, func(line string) bool { return strings.HasPrefix(line, o.Text) })
	})
}

// add adds a test to the suite called name, and counts it.
func (all *junitSuites) add(name string, c junitCase) {
	i := slices.IndexFunc(all.Suites, func(s *junitSuite) bool { return s.Name == name })
	if i < 0 {
		i, all.Suites = len(all.Suites), append(all.Suites, &junitSuite{Name: name})
	}
	in := all.Suites[i]
	in.Cases = append(in.Cases, c)
	in.Tests, all.Tests = in.Tests+1, all.Tests+1
	if c.Failure != nil {
		in.Failures, all.Failures = in.Failures+1, all.Failures+1
	}
	if c.Error != nil {
		in.Errors, all.Errors = in.Errors+1, all.Errors+1
	}
}
