package command

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// sarifSchema is the schema named in the file (SARIF 2.1.0, errata 01).
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// fingerprintName is the key of the fingerprint; change its number with the algorithm.
const fingerprintName = "rungResult/v1"

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Automation  sarifID           `json:"automationDetails"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID     string     `json:"id"`
		Short  sarifText  `json:"shortDescription"`
		Full   *sarifText `json:"fullDescription,omitempty"`
		Help   sarifText  `json:"help"`
		URI    string     `json:"helpUri,omitempty"`
		Config struct {
			Level Level `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifID struct {
		ID string `json:"id"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Descriptor sarifID         `json:"descriptor"`
		Level      Level           `json:"level"`
		Message    sarifText       `json:"message"`
		Locations  []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		Rule         string            `json:"ruleId"`
		Index        int               `json:"ruleIndex"`
		Level        Level             `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			Start int `json:"startLine"`
		} `json:"region"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// sarif returns the report in SARIF 2.1.0. Each command and input has its own id, so that GitHub keeps their
// results apart.
func (r *Report) sarif() (string, error) {
	run := sarifRun{Results: []sarifResult{}, Automation: sarifID{"rung/" + r.Command + "/"}}
	run.Tool.Driver = sarifDriver{Name: "Rung", Version: r.Version, Rules: []sarifRule{}}
	if in := r.uri(""); in != "." {
		run.Automation.ID += in + "/"
	}
	seen := fingerprinter{}
	for _, f := range r.notPassed() {
		run.Results = append(run.Results, sarifResult{
			Rule: f.Code, Index: run.Tool.Driver.ruleIndex(r.newSARIFRule(f)), Level: f.level(),
			Message:      sarifText{escapeLinks(withDetail(f.text(), f.Detail))},
			Locations:    []sarifLocation{r.location(f.File, f.Line, f.Object)},
			Fingerprints: map[string]string{fingerprintName: r.fingerprint(seen, f)},
		})
	}
	all := sarifInvocation{Successful: true, Notifications: []sarifNotification{}}
	for _, o := range r.NotConsidered {
		n := sarifNotification{Descriptor: sarifID{o.Code}, Level: o.Level, Message: sarifText{escapeLinks(o.Text)}}
		if o.File != "" {
			n.Locations = []sarifLocation{r.location(o.File, o.Line, "")}
		}
		all.Successful = all.Successful && o.Level != Error
		all.Notifications = append(all.Notifications, n)
	}
	run.Invocations = []sarifInvocation{all}
	return writeReportJSON(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// location returns a place in a file. It is line 1 if only the file is known, since GitHub shows no result
// without a line.
func (r *Report) location(file string, line int, object string) (l sarifLocation) {
	l.Physical.Artifact.URI, l.Physical.Region.Start = r.uri(file), max(line, 1)
	if object != "" {
		l.Logical = []sarifLogical{{object}}
	}
	return l
}

// newSARIFRule returns the rule of a result, made from its code if none explains it.
func (r *Report) newSARIFRule(f *Result) sarifRule {
	of := Rule{Code: f.Code}
	if i := slices.IndexFunc(r.Rules, func(o Rule) bool { return o.Code == f.Code }); i >= 0 {
		of = r.Rules[i]
	}
	out := sarifRule{ID: f.Code, Short: sarifText{cmp.Or(of.Title, strings.ReplaceAll(of.Code, "-", " "))}, URI: of.URL,
		Help: sarifText{cmp.Or(withDetail(of.Meaning, of.Help), of.Code)}}
	if of.Meaning != "" {
		out.Full = &sarifText{of.Meaning}
	}
	out.Config.Level = f.level()
	return out
}

// ruleIndex returns the index of a rule in the list, and adds it if missing.
func (d *sarifDriver) ruleIndex(rule sarifRule) int {
	i := slices.IndexFunc(d.Rules, func(o sarifRule) bool { return o.ID == rule.ID })
	if i < 0 {
		d.Rules = append(d.Rules, rule)
		return len(d.Rules) - 1
	}
	return i
}

func withDetail(text, detail string) string {
	if text == "" || detail == "" {
		return text + detail
	}
	return text + "\n\n" + detail
}

// link matches text that SARIF reads as a link.
var link = regexp.MustCompile(`\[([^\]\n]*\]\()`)

// escapeLinks keeps text of policies from becoming links in a report.
func escapeLinks(s string) string { return link.ReplaceAllString(s, `\[$1`) }

func writeReportJSON(v any) (string, error) {
	raw, err := encodeJSON(v, false)
	return string(raw), err
}

// notConsidered is the title of an omission.
const notConsidered = "not considered"

// title returns the title of an omission or assumption.
func (o *Omission) title() string {
	if o.Level == Note {
		return "assumed"
	}
	return notConsidered
}

// annotations returns lines that GitHub Actions turns into annotations. Omissions come first, then the worst
// results, since GitHub shows ten errors, ten warnings and ten notices of a step.
func (r *Report) annotations() string {
	var b strings.Builder
	say := func(l Level, file string, line int, title, text string) {
		var at []string
		if file != "" {
			at = append(at, "file="+escapeProperty.Replace(r.path(file)), fmt.Sprintf("line=%d", max(line, 1)))
		}
		at = append(at, "title="+escapeProperty.Replace(title))
		fmt.Fprintf(&b, "::%s %s::%s\n", strings.Replace(string(l), string(Note), "notice", 1), strings.Join(at, ","), escapeData.Replace(text))
	}
	for _, o := range r.NotConsidered {
		say(o.Level, o.File, o.Line, o.title(), o.Text)
	}
	told := r.notPassed()
	slices.SortStableFunc(told, func(a, b *Result) int { return a.level().rank() - b.level().rank() })
	for _, f := range told {
		say(f.level(), f.File, f.Line, f.Code, withDetail(f.text(), f.Detail))
	}
	return b.String()
}

// rank orders levels, the worst first.
func (l Level) rank() int { return slices.Index([]Level{Error, Warning, Note}, l) }

// escapeData and escapeProperty escape a message and a property for the runner, which decodes them.
var escapeData, escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A"),
	strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")

// Code quality report of GitLab: a list of issues.
type (
	qualityIssue struct {
		Description string          `json:"description"`
		Check       string          `json:"check_name"`
		Fingerprint string          `json:"fingerprint"`
		Severity    string          `json:"severity"`
		Location    qualityLocation `json:"location"`
	}
	qualityLocation struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	}
)

// codeQuality returns the report for the widget of GitLab's merge requests.
func (r *Report) codeQuality() (string, error) {
	out, seen := []qualityIssue{}, fingerprinter{}
	add := func(l Level, check, print, text, file string, line int) {
		i := qualityIssue{Description: text, Check: check, Fingerprint: print, Severity: severities[l],
			Location: qualityLocation{Path: r.path(file)}}
		i.Location.Lines.Begin = max(line, 1)
		out = append(out, i)
	}
	for _, f := range r.notPassed() {
		add(f.level(), f.Code, r.fingerprint(seen, f), withDetail(f.text(), f.Detail), f.File, f.Line)
	}
	for _, o := range r.NotConsidered {
		add(o.Level, strings.ReplaceAll(o.title(), " ", "-"), seen.fingerprint(o.Code, r.path(o.File), o.Text), o.title()+": "+o.Text,
			o.File, o.Line)
	}
	return writeReportJSON(out)
}

// severities are GitLab's names of levels. No finding is a blocker by itself.
var severities = map[Level]string{Error: "critical", Warning: "minor", Note: "info"}

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
